//! Small values on the command line: ids, times, sizes, and lists that may be a word.

use bellwether_core::{Attribute, Id, Span, Time};
use bellwether_sim::faults::notation::Rate;
use bellwether_sim::{LATEST_HOPS, time_after_hops};
use clap::builder::RangedI64ValueParser;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

/// More cores than that nobody has, and threads cost memory before they do anything.
const MOST_THREADS: i64 = 1024;

/// How many threads to use.
pub fn threads() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(0..=MOST_THREADS)
}

/// A member's id.
pub fn parse_id(text: &str) -> Result<Id, String> {
    let text = text.trim();
    let value = text.parse().map_err(|_| {
        let what = if text.is_empty() { "an id is missing".to_owned() } else { format!("'{text}' is no id") };
        format!("{what}: expected a whole number from 0 to {}", Id::MAX)
    })?;
    Id::new(value).map_err(|error| error.to_string())
}

fn parse_ids(text: &str) -> Result<Vec<Id>, String> {
    text.split(',').map(parse_id).collect()
}

/// A time in hops, with up to three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopTime(pub Time);

impl HopTime {
    /// As a length of time from the beginning.
    pub fn span(self) -> Span {
        self.0 - Time::ZERO
    }
}

impl FromStr for HopTime {
    type Err = String;

    fn from_str(text: &str) -> Result<HopTime, String> {
        let time = text.trim().parse::<f64>().ok().and_then(time_after_hops);
        time.map(HopTime).ok_or_else(|| {
            format!("'{text}' is no time: expected a number of hops, 0 to {LATEST_HOPS:e}, as in 3 or 2.5")
        })
    }
}

impl Display for HopTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A member and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The member.
    pub id: Id,
    /// The time.
    pub at: HopTime,
}

/// Reads `ID@TIME`.
pub fn parse_moment(text: &str) -> Result<Moment, String> {
    let (id, at) = text.split_once('@').ok_or("expected ID@TIME, as in 7@0 or 7@2.5")?;
    Ok(Moment { id: parse_id(id)?, at: at.parse()? })
}

impl Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.at)
    }
}

/// What members bring besides their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributesArg {
    /// Drawn by the seed.
    Random,
    /// These, in the order of the members.
    Listed(Vec<Attribute>),
}

/// Reads attributes.
pub fn parse_attributes(text: &str) -> Result<AttributesArg, String> {
    if text == "random" {
        return Ok(AttributesArg::Random);
    }
    let attribute = |word: &str| {
        let expected = "expected whole numbers with commas between, or 'random'";
        word.trim().parse().map_err(|_| format!("'{word}' is no attribute: {expected}"))
    };
    text.split(',').map(attribute).collect::<Result<_, _>>().map(AttributesArg::Listed)
}

impl Display for AttributesArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributesArg::Random => f.write_str("random"),
            AttributesArg::Listed(attributes) => f.write_str(&comma_separated(attributes)),
        }
    }
}

/// Who calls the election at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallersArg {
    /// Everyone.
    All,
    /// These.
    Ids(Vec<Id>),
}

/// Reads callers.
pub fn parse_callers(text: &str) -> Result<CallersArg, String> {
    match text {
        "all" => Ok(CallersArg::All),
        "none" => Ok(CallersArg::Ids(Vec::new())),
        _ => match parse_ids(text) {
            Ok(ids) => Ok(CallersArg::Ids(ids)),
            Err(error) => Err(format!("{error} (or 'all', or 'none')")),
        },
    }
}

impl Display for CallersArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallersArg::All => f.write_str("all"),
            CallersArg::Ids(ids) if ids.is_empty() => f.write_str("none"),
            CallersArg::Ids(ids) => f.write_str(&comma_separated(ids)),
        }
    }
}

/// Who calls the election at the beginning of checked runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhoCalls {
    /// Everyone.
    All,
    /// Every set of members, one after the other.
    Any,
    /// Every member alone, one after the other.
    One,
    /// These.
    Ids(Vec<Id>),
}

/// Reads who calls.
pub fn parse_who_calls(text: &str) -> Result<WhoCalls, String> {
    match text {
        "all" => Ok(WhoCalls::All),
        "any" => Ok(WhoCalls::Any),
        "one" => Ok(WhoCalls::One),
        _ => match parse_ids(text) {
            Ok(ids) => Ok(WhoCalls::Ids(ids)),
            Err(error) => Err(format!("{error} (or 'all', 'one' or 'any')")),
        },
    }
}

impl Display for WhoCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhoCalls::All => f.write_str("all"),
            WhoCalls::Any => f.write_str("any"),
            WhoCalls::One => f.write_str("one"),
            WhoCalls::Ids(ids) => f.write_str(&comma_separated(ids)),
        }
    }
}

/// By how much clocks may go faster or slower, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drift(pub u16);

impl FromStr for Drift {
    type Err = String;

    fn from_str(text: &str) -> Result<Drift, String> {
        let wrong = || format!("'{text}' is no drift: expected 0.1% to 50%, in tenths");
        let Rate(millionths) = text.parse().map_err(|_| wrong())?;
        let is_one = millionths % 1_000 == 0 && (1_000..=500_000).contains(&millionths);
        if is_one { Ok(Drift((millionths / 1_000) as u16)) } else { Err(wrong()) }
    }
}

impl Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 10.0)
    }
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

/// A list as the command line has it.
pub fn comma_separated(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_to_the_tick() {
        let moment = parse_moment("7@2.5").unwrap();
        assert_eq!((moment.id.value(), moment.at.0.ticks()), (7, 2500));
        assert_eq!(moment.to_string(), "7@2.5");
        for wrong in ["7", "@3", "7@", "7@-1", "7@nan", "7@1e300", "x@1", ""] {
            assert!(parse_moment(wrong).is_err(), "{wrong}");
        }
    }

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

    #[test]
    fn drifts_are_in_tenths_of_a_percent() {
        assert_eq!("1%".parse(), Ok(Drift(10)));
        assert_eq!("0.5%".parse::<Drift>().map(|drift| drift.to_string()), Ok("0.5%".to_owned()));
        for wrong in ["", "1", "0%", "-1%", "0.05%", "51%", "x%"] {
            assert!(wrong.parse::<Drift>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn lists_may_be_words() {
        assert_eq!(parse_who_calls("any"), Ok(WhoCalls::Any));
        assert_eq!(parse_who_calls("one"), Ok(WhoCalls::One));
        assert_eq!(parse_who_calls("2,1").unwrap().to_string(), "2,1");
        assert!(parse_who_calls("none").is_err());
        assert_eq!(parse_attributes("-3,5"), Ok(AttributesArg::Listed(vec![-3, 5])));
        assert_eq!(parse_attributes("random"), Ok(AttributesArg::Random));
        assert_eq!(parse_callers("all"), Ok(CallersArg::All));
        assert_eq!(parse_callers("1, 2").unwrap().to_string(), "1,2");
        for wrong in ["", "1,,2", "some"] {
            assert!(parse_callers(wrong).is_err() && parse_attributes(wrong).is_err(), "{wrong}");
        }
    }
}
