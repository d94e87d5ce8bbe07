//! Small values on the command line: words, sizes, and lengths of time.

use bellwether_runspec::form::Form;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser, TypedValueParser};
use std::fmt;
use std::time::Duration;

/// More cores than that nobody has, and threads cost memory before they do anything.
const MOST_THREADS: i64 = 1024;

/// How many threads to use.
pub fn threads() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(0..=MOST_THREADS)
}

/// One of a few words, each with its help text.
pub fn choice<T: Form + Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let words = words.iter().map(|(word, about)| PossibleValue::new(*word).help(*about));
    PossibleValuesParser::new(words).try_map(|word| T::parse(&word))
}

/// A hundred years: a clock can be asked when they are over.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Reads a length of time: `500ms`, `90s`, `10m` or `1h30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!(
            "'{text}' is no length of time: expected a number with ms, s, m or h, as in 500ms, 90s or 10m"
        )
    };
    let length = humantime::parse_duration(text.trim()).map_err(|_| wrong())?;
    if (Duration::from_nanos(1)..=LONGEST).contains(&length) { Ok(length) } else { Err(wrong()) }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// As [`parse_bytes`] reads it, in the greatest unit in which it is whole.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["", "K", "M", "G", "T"];
        let power = (self.0.trailing_zeros() as usize / 10).min(units.len() - 1);
        write!(f, "{}{}", self.0 >> (10 * power), units[power])
    }
}

/// Reads a number of bytes, in units of 1024 where one is named.
pub fn parse_bytes(text: &str) -> Result<Bytes, String> {
    let wrong = || format!("'{text}' is no size: expected a number with K, M, G or T, as in 512M or 4G");
    let upper = text.trim().to_ascii_uppercase();
    let digits = upper.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match upper[digits.len()..].trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.trim_end().parse().map_err(|_| wrong())?;
    number.checked_mul(1 << (10 * power)).map(Bytes).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_bytes("4G"), Ok(Bytes(4 << 30)));
        assert_eq!(parse_bytes("512MiB"), Ok(Bytes(512 << 20)));
        assert_eq!(parse_bytes("100"), Ok(Bytes(100)));
        for size in ["0T", "100", "1025K", "512M", "4G", "2048T"] {
            assert_eq!(parse_bytes(size).map(|bytes| bytes.to_string()), Ok(size.to_owned()));
        }
        for wrong in ["", "G", "4X", "-1", "99999999999T"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lengths_of_time_have_units() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7_200)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5_400)));
        for wrong in ["", "s", "90", "0s", "-1s", "1q", "99999999999s", "99999999999999999999s"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
