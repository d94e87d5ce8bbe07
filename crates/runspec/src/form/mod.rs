//! How values are written: in files, and in options.

mod choices;
mod members;
mod network;
mod plain;

pub use choices::{ELECTS, LINK_ORDERS, ORDERS};
pub use plain::{comma_separated, parse_hops, parse_id, parse_ids};

use crate::document::{Datum, Flaw, Value};
use crate::spec::{Attributes, Callers};
use bellwether_core::Elect;
use bellwether_sim::network::NetworkError;
use bellwether_sim::{Delay, DelayError, LinkOrder};
use std::fmt::{self, Display};

/// What is wrong with the text of an option.
#[derive(Debug)]
pub enum TextError {
    /// It is not as the option needs it.
    Malformed(String),
    /// It names no network.
    Network(NetworkError),
    /// It is no distribution of delays, or names a file that is none.
    Delay(DelayError),
}

impl From<String> for TextError {
    fn from(problem: String) -> TextError {
        TextError::Malformed(problem)
    }
}

impl From<NetworkError> for TextError {
    fn from(error: NetworkError) -> TextError {
        TextError::Network(error)
    }
}

impl From<DelayError> for TextError {
    fn from(error: DelayError) -> TextError {
        TextError::Delay(error)
    }
}

impl Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Malformed(problem) => f.write_str(problem),
            TextError::Network(error) => error.fmt(f),
            TextError::Delay(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TextError {}

/// A type of value.
pub trait Form: Sized {
    /// As files have it.
    fn to_datum(&self) -> Datum;

    /// From a file.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    fn read(value: &Value<'_>) -> Result<Self, Flaw>;

    /// As an option has it.
    fn to_text(&self) -> String;

    /// From an option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    fn parse(text: &str) -> Result<Self, TextError>;
}

/// A type of value of which a run's description may have several.
pub trait Listed: Form {
    /// What a file should say, for one that says something else.
    const EXPECTED: &'static str;
}

/// A place in a run's description, which may hold nothing.
pub trait Slot {
    /// As files have it, if anything is given.
    fn datum(&self) -> Option<Datum>;

    /// Takes what a file says.
    ///
    /// # Errors
    /// [`Flaw`] says what is wrong, and where.
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw>;

    /// The values of the option.
    fn texts(&self) -> Vec<String>;

    /// Takes a value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    fn parse(&mut self, text: &str) -> Result<(), TextError>;
}

impl<T: Form> Slot for Option<T> {
    fn datum(&self) -> Option<Datum> {
        self.as_ref().map(Form::to_datum)
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = Some(T::read(value)?);
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.iter().map(Form::to_text).collect()
    }
    fn parse(&mut self, text: &str) -> Result<(), TextError> {
        *self = Some(T::parse(text)?);
        Ok(())
    }
}

impl<T: Listed> Slot for Vec<T> {
    fn datum(&self) -> Option<Datum> {
        (!self.is_empty()).then(|| Datum::list(self.iter().map(Form::to_datum)))
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = value.list(T::EXPECTED, T::read)?.into_iter().map(|item| item.value).collect();
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.iter().map(Form::to_text).collect()
    }
    fn parse(&mut self, text: &str) -> Result<(), TextError> {
        self.push(T::parse(text)?);
        Ok(())
    }
}

/// A switch: its option has no value.
impl Slot for bool {
    fn datum(&self) -> Option<Datum> {
        self.then_some(Datum::Flag(true))
    }
    fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
        *self = value.flag()?;
        Ok(())
    }
    fn texts(&self) -> Vec<String> {
        self.then(String::new).into_iter().collect()
    }
    fn parse(&mut self, _: &str) -> Result<(), TextError> {
        *self = true;
        Ok(())
    }
}

/// Places that always hold something: they are written only if that is not what they hold anyway, or `$always`.
macro_rules! slots {
    ($($type:ty, $always:literal;)*) => {$(
        impl Slot for $type {
            fn datum(&self) -> Option<Datum> {
                ($always || *self != <$type>::default()).then(|| self.to_datum())
            }
            fn read(&mut self, value: &Value<'_>) -> Result<(), Flaw> {
                *self = Form::read(value)?;
                Ok(())
            }
            fn texts(&self) -> Vec<String> {
                ($always || *self != <$type>::default()).then(|| self.to_text()).into_iter().collect()
            }
            fn parse(&mut self, text: &str) -> Result<(), TextError> {
                *self = Form::parse(text)?;
                Ok(())
            }
        }
    )*};
}

slots! {
    String, true;
    u64, true;
    Attributes, false;
    Callers, false;
    Delay, false;
    Elect, false;
    LinkOrder, false;
}
