//! One parameter: what it means, and which values it can have.

use crate::Span;
use std::fmt;

/// Something that can be set on an algorithm or on a failure detector.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: in kebab case, or as the source has it.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The unit of its values, as in `delay bounds`; empty for words.
    pub unit: &'static str,
    /// Which values it can have.
    pub domain: Domain,
    /// Its value unless given.
    pub default: Preset,
    /// Whether the variant sets it and nobody else can.
    pub is_fixed: bool,
}

/// The values that a parameter can have. Bounds are included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A whole number between these.
    Whole(u64, u64),
    /// All whole numbers from one to another; both are between these.
    Range(u64, u64),
    /// A number between these.
    Number(f64, f64),
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamValue {
    /// A whole number.
    Whole(u64),
    /// All whole numbers from the first to the second.
    Range(u64, u64),
    /// A number.
    Number(f64),
    /// A word, by its place among the words of the [`Domain`].
    Word(usize),
}

/// What a parameter is unless given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// This.
    Fixed(ParamValue),
    /// So many times the bound on delays, in hops.
    DelayBounds(f64),
}

impl Preset {
    /// This number.
    #[must_use]
    pub const fn number(number: f64) -> Preset {
        Preset::Fixed(ParamValue::Number(number))
    }
}

impl Parameter {
    /// A whole number.
    #[must_use]
    pub const fn whole(
        name: &'static str,
        about: &'static str,
        unit: &'static str,
        (least, most): (u64, u64),
        default: u64,
    ) -> Parameter {
        let default = Preset::Fixed(ParamValue::Whole(default));
        Parameter { name, about, unit, domain: Domain::Whole(least, most), default, is_fixed: false }
    }

    /// A range of whole numbers.
    #[must_use]
    pub const fn range(
        name: &'static str,
        about: &'static str,
        unit: &'static str,
        (least, most): (u64, u64),
        (from, to): (u64, u64),
    ) -> Parameter {
        let default = Preset::Fixed(ParamValue::Range(from, to));
        Parameter { name, about, unit, domain: Domain::Range(least, most), default, is_fixed: false }
    }

    /// A number.
    #[must_use]
    pub const fn number(
        name: &'static str,
        about: &'static str,
        unit: &'static str,
        (least, most): (f64, f64),
        default: Preset,
    ) -> Parameter {
        Parameter { name, about, unit, domain: Domain::Number(least, most), default, is_fixed: false }
    }

    /// One of a few words that tells variants apart: the first, unless the variant has another.
    #[must_use]
    pub const fn policy(
        name: &'static str,
        about: &'static str,
        words: &'static [&'static str],
    ) -> Parameter {
        let default = Preset::Fixed(ParamValue::Word(0));
        Parameter { name, about, unit: "", domain: Domain::Words(words), default, is_fixed: true }
    }

    /// The same in a variant with another default.
    #[must_use]
    pub const fn at(self, default: ParamValue) -> Parameter {
        Parameter { default: Preset::Fixed(default), ..self }
    }

    /// The same in a variant with other values.
    #[must_use]
    pub const fn within(self, domain: Domain) -> Parameter {
        Parameter { domain, ..self }
    }

    /// What it is unless given, where messages take at most so long.
    #[must_use]
    pub fn default_value(&self, delay_bound: Span) -> ParamValue {
        match self.default {
            Preset::Fixed(value) => value,
            Preset::DelayBounds(times) => ParamValue::Number(times * delay_bound.hops()),
        }
    }

    /// Makes out a value that a user wrote.
    ///
    /// # Errors
    /// Says what is wrong with it, and which values there are.
    pub fn read(&self, text: &str) -> Result<ParamValue, String> {
        let value = self.domain.read(text.trim())?;
        if self.is_fixed && self.default != Preset::Fixed(value) {
            return Err(format!("the variant sets it, to {}", self.default_text()));
        }
        Ok(value)
    }

    /// What it is unless given, in words.
    #[must_use]
    pub fn default_text(&self) -> String {
        match self.default {
            Preset::Fixed(value) => self.domain.show(value),
            Preset::DelayBounds(1.0) => "the delay bound".to_owned(),
            Preset::DelayBounds(times) => format!("{times} delay bounds"),
        }
    }
}

impl Domain {
    /// Whether a value is in it.
    #[must_use]
    pub fn has(self, value: ParamValue) -> bool {
        match (self, value) {
            (Domain::Whole(least, most), ParamValue::Whole(number)) => (least..=most).contains(&number),
            (Domain::Range(least, most), ParamValue::Range(from, to)) => {
                least <= from && from <= to && to <= most
            }
            (Domain::Number(least, most), ParamValue::Number(number)) => (least..=most).contains(&number),
            (Domain::Words(words), ParamValue::Word(at)) => at < words.len(),
            _ => false,
        }
    }

    fn read(self, text: &str) -> Result<ParamValue, String> {
        let whole = |text: &str| text.trim().parse::<u64>().ok();
        let value = match self {
            Domain::Whole(..) => whole(text).map(ParamValue::Whole),
            Domain::Range(..) => {
                text.split_once("..").and_then(|(from, to)| Some(ParamValue::Range(whole(from)?, whole(to)?)))
            }
            Domain::Number(..) => text.parse().ok().map(ParamValue::Number),
            Domain::Words(words) => words.iter().position(|word| *word == text).map(ParamValue::Word),
        };
        match (value, self) {
            (Some(value), _) if self.has(value) => Ok(value),
            (None, Domain::Number(..)) => Err(format!("'{text}' is not a number")),
            (Some(ParamValue::Number(number)), Domain::Number(least, most)) => {
                Err(format!("{number} is not between {least} and {most}"))
            }
            (Some(ParamValue::Whole(number)), Domain::Whole(least, most)) => {
                Err(format!("{number} is not between {least} and {most}"))
            }
            _ => Err(format!("'{text}' is not {self}")),
        }
    }

    /// As a user writes a value of this domain.
    #[must_use]
    pub fn show(self, value: ParamValue) -> String {
        match (value, self) {
            (ParamValue::Word(at), Domain::Words(words)) => words.get(at).copied().unwrap_or("").to_owned(),
            (value, _) => value.to_string(),
        }
    }
}

/// In words, after "is".
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Domain::Range(least, most) => {
                write!(f, "a range LEAST..MOST of whole numbers from {least} to {most}")
            }
            Domain::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Domain::Words(words) => f.write_str(&words.join(" or ")),
        }
    }
}

/// Words are shown by [`Domain::show`].
impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamValue::Whole(number) => number.fmt(f),
            ParamValue::Range(from, to) => write!(f, "{from}..{to}"),
            ParamValue::Number(number) => number.fmt(f),
            ParamValue::Word(at) => at.fmt(f),
        }
    }
}
