//! Ids, numbers, times, and types that are text in files, too.

use super::{Form, Listed, TextError};
use crate::document::{Datum, Flaw, Value};
use crate::notation::{DriftBound, Pattern, Share};
use bellwether_core::{Id, Span, Time};
use bellwether_sim::schedule::Instruction;
use bellwether_sim::{LATEST_HOPS, time_after_hops};
use std::fmt::Display;

/// A member's id, in an option.
///
/// # Errors
/// What is wrong with it, and what was expected.
pub fn parse_id(text: &str) -> Result<Id, String> {
    let text = text.trim();
    let value = text.parse().map_err(|_| {
        let what = if text.is_empty() { "an id is missing".to_owned() } else { format!("'{text}' is no id") };
        format!("{what}: expected a whole number from 0 to {}", Id::MAX)
    })?;
    Id::new(value).map_err(|error| error.to_string())
}

/// Ids with commas between, in an option.
///
/// # Errors
/// What is wrong with the first that is not one.
pub fn parse_ids(text: &str) -> Result<Vec<Id>, String> {
    text.split(',').map(parse_id).collect()
}

/// A time in hops, with up to three decimals, in an option.
///
/// # Errors
/// What is wrong with it, and what was expected.
pub fn parse_hops(text: &str) -> Result<Time, String> {
    let time = text.trim().parse::<f64>().ok().and_then(time_after_hops);
    time.ok_or_else(|| {
        format!("'{text}' is no time: expected a number of hops, 0 to {LATEST_HOPS:e}, as in 3 or 2.5")
    })
}

/// A list as options have it.
pub fn comma_separated(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Form for Id {
    fn to_datum(&self) -> Datum {
        Datum::Whole(self.value().into())
    }
    fn read(value: &Value<'_>) -> Result<Id, Flaw> {
        value.id()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Id, TextError> {
        Ok(parse_id(text)?)
    }
}

impl Listed for Id {
    const EXPECTED: &'static str = "a list of ids, as in [80, 32, 5]";
}

impl Form for String {
    fn to_datum(&self) -> Datum {
        Datum::Text(self.clone())
    }
    fn read(value: &Value<'_>) -> Result<String, Flaw> {
        value.words()
    }
    fn to_text(&self) -> String {
        self.clone()
    }
    fn parse(text: &str) -> Result<String, TextError> {
        Ok(text.to_owned())
    }
}

impl Form for u64 {
    fn to_datum(&self) -> Datum {
        Datum::Whole((*self).into())
    }
    fn read(value: &Value<'_>) -> Result<u64, Flaw> {
        value.whole()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<u64, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no whole number: expected 0 or more"))?)
    }
}

impl Form for u32 {
    fn to_datum(&self) -> Datum {
        Datum::Whole((*self).into())
    }
    fn read(value: &Value<'_>) -> Result<u32, Flaw> {
        u32::try_from(value.whole()?).map_err(|_| value.unlike("a smaller number"))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<u32, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no number from 0 to {}", u32::MAX))?)
    }
}

/// Any number.
impl Form for f64 {
    fn to_datum(&self) -> Datum {
        Datum::number(*self)
    }
    fn read(value: &Value<'_>) -> Result<f64, Flaw> {
        value.as_number().ok_or_else(|| value.unlike("a number, 1 or more"))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<f64, TextError> {
        Ok(text.trim().parse().map_err(|_| format!("'{text}' is no number"))?)
    }
}

impl Form for Time {
    fn to_datum(&self) -> Datum {
        Datum::number(self.hops())
    }
    fn read(value: &Value<'_>) -> Result<Time, Flaw> {
        value.hops()
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Time, TextError> {
        Ok(parse_hops(text)?)
    }
}

impl Form for Span {
    fn to_datum(&self) -> Datum {
        Datum::number(self.hops())
    }
    fn read(value: &Value<'_>) -> Result<Span, Flaw> {
        Ok(value.hops()? - Time::ZERO)
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Span, TextError> {
        Ok(parse_hops(text)? - Time::ZERO)
    }
}

impl Form for Share {
    fn to_datum(&self) -> Datum {
        Datum::number(self.0)
    }
    fn read(value: &Value<'_>) -> Result<Share, Flaw> {
        let share = match value.as_text() {
            Some(text) => text.parse().ok(),
            None => value.as_number().and_then(Share::new),
        };
        share.ok_or_else(|| value.unlike("a share: 0 or more and less than all, as in 0.05 or \"5%\""))
    }
    fn to_text(&self) -> String {
        self.to_string()
    }
    fn parse(text: &str) -> Result<Share, TextError> {
        Ok(text.parse::<Share>()?)
    }
}

/// Types that are text in files, too.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl Form for $type {
            fn to_datum(&self) -> Datum {
                Datum::Text(self.to_string())
            }
            fn read(value: &Value<'_>) -> Result<$type, Flaw> {
                value.text()?.parse().map_err(|problem: String| Flaw::new(value.at, problem))
            }
            fn to_text(&self) -> String {
                self.to_string()
            }
            fn parse(text: &str) -> Result<$type, TextError> {
                Ok(text.parse::<$type>()?)
            }
        }
    )*};
}

texts!(DriftBound, Pattern, Instruction);

impl Listed for Pattern {
    const EXPECTED: &'static str = "a list of messages, as in [\"elected:3-1\"]";
}
