//! What a file says, whatever its format: values, each with its place.

mod flaw;
mod json;
mod read;
mod toml;

pub use flaw::Flaw;
pub use read::{Table, Value};
pub use toml::{parse as parse_toml, write as write_toml};

/// A value, and the byte at which it stands in the file. (What was not read from a file stands at 0.)
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// The byte.
    pub at: usize,
}

/// What a file can say.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// Text.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// Any other number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Several.
    List(Vec<At<Datum>>),
    /// Keys with their values, in the order of the file.
    Table(Entries),
    /// Nothing, as JSON has it.
    Null,
    /// Something that no description of a run has, in words: a date.
    Other(String),
}

/// The keys of a table with their values.
pub type Entries = Vec<(At<String>, At<Datum>)>;

impl Datum {
    /// Several values.
    pub fn list(items: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::List(items.into_iter().map(|value| At { value, at: 0 }).collect())
    }

    /// Keys with their values.
    pub fn table<K: Into<String>>(entries: impl IntoIterator<Item = (K, Datum)>) -> Datum {
        Datum::Table(entries.into_iter().map(|(key, value)| entry(key, value)).collect())
    }

    /// A number, as a whole one if it is.
    #[must_use]
    pub fn number(number: f64) -> Datum {
        const EXACT: f64 = (1_u64 << 53) as f64;
        if number.fract() == 0.0 && number.abs() < EXACT {
            Datum::Whole(number as i128)
        } else {
            Datum::Number(number)
        }
    }
}

/// A key with its value.
pub fn entry(key: impl Into<String>, value: Datum) -> (At<String>, At<Datum>) {
    (At { value: key.into(), at: 0 }, At { value, at: 0 })
}
