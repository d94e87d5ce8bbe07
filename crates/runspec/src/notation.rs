//! How failures are written: what the command line and scenario files have in common.

use bellwether_core::{Fate, HOP, Id, Time};
use bellwether_sim::faults::Chosen;
use bellwether_sim::{LATEST_HOPS, time_after_hops};
use std::fmt::{self, Display};
use std::str::FromStr;

/// A share of something: `5%` or `0.05`, below the whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl Share {
    /// A share, if the number is one.
    #[must_use]
    pub fn new(number: f64) -> Option<Share> {
        (0.0..1.0).contains(&number).then_some(Share(number))
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let number = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim_end().parse().map(|percent: f64| percent / 100.0),
            None => text.trim().parse(),
        };
        let share = number.ok().and_then(Share::new);
        share.ok_or_else(|| {
            format!("'{text}' is no share: expected 0 or more and less than all, as in 5% or 0.05")
        })
    }
}

impl Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a clock gains, in millionths: `+1%` or `-500ppm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub i32);

/// A hundredth, in millionths.
const PERCENT: i32 = 10_000;
/// No clock stands still or goes backwards, and none is more than eleven times too fast.
const RATES: std::ops::RangeInclusive<f64> = -990_000.0..=10_000_000.0;

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        let trimmed = text.trim();
        let (number, unit) = match (trimmed.strip_suffix('%'), trimmed.strip_suffix("ppm")) {
            (Some(number), _) => (number, f64::from(PERCENT)),
            (_, Some(number)) => (number, 1.0),
            _ => return Err(format!("'{text}' is no rate: expected +1% or -500ppm, say")),
        };
        let number: f64 = number
            .trim_end()
            .parse()
            .map_err(|_| format!("'{text}' is no rate: expected +1% or -500ppm, say"))?;
        let millionths = (number * unit).round();
        if !RATES.contains(&millionths) {
            return Err(format!("no clock drifts by {text}: expected -99% to +1000%"));
        }
        Ok(Rate(millionths as i32))
    }
}

impl Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 % PERCENT == 0 {
            write!(f, "{:+}%", self.0 / PERCENT)
        } else {
            write!(f, "{:+}ppm", self.0)
        }
    }
}

/// How far clocks can be off, either way, in millionths: `1%` or `500ppm`, less than all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriftBound(pub u32);

impl FromStr for DriftBound {
    type Err = String;

    fn from_str(text: &str) -> Result<DriftBound, String> {
        let bound = text.parse().ok().and_then(|Rate(millionths)| u32::try_from(millionths).ok());
        bound.filter(|bound| *bound < 1_000_000).map(DriftBound).ok_or_else(|| {
            format!(
                "'{text}' is no bound on drift: expected 0% or more and less than 100%, as in 1% or 500ppm"
            )
        })
    }
}

impl Display for DriftBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Rate(self.0 as i32).to_string().trim_start_matches('+'))
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

/// By how much a clock jumps, in ticks; written in hops, as `+10` or `-2.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leap(pub i64);

impl Leap {
    /// A jump by so many hops, to the tick, if a clock can.
    #[must_use]
    pub fn by_hops(hops: f64) -> Option<Leap> {
        let ticks = time_after_hops(hops.abs())?.ticks() as i64;
        Some(Leap(if hops < 0.0 { -ticks } else { ticks })).filter(|leap| leap.0 != 0)
    }
}

impl FromStr for Leap {
    type Err = String;

    fn from_str(text: &str) -> Result<Leap, String> {
        let leap = text.trim().parse().ok().and_then(Leap::by_hops);
        leap.ok_or_else(|| {
            format!("'{text}' is no jump: expected a number of hops up to {LATEST_HOPS:e}, as in +10 or -2.5")
        })
    }
}

impl Display for Leap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+}", self.0 as f64 / HOP.ticks() as f64)
    }
}

/// From when to when, or for good: `3..9` or `3..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// From this time on.
    pub from: Time,
    /// Until this time, if ever.
    pub to: Option<Time>,
}

impl Interval {
    /// From when to when, which must be later.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(from: Time, to: Option<Time>) -> Result<Interval, String> {
        match to {
            Some(to) if to <= from => {
                Err(format!("nothing lasts from {from} to {to}: the end must come later"))
            }
            _ => Ok(Interval { from, to }),
        }
    }
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Interval, String> {
        let wrong = || format!("'{text}' is no interval: expected FROM..TO or FROM.. in hops, as in 3..9.5");
        let time = |word: &str| word.trim().parse().ok().and_then(time_after_hops).ok_or_else(wrong);
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let to = if to.trim().is_empty() { None } else { Some(time(to)?) };
        Interval::new(time(from)?, to)
    }
}

impl Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.from)?;
        self.to.map_or(Ok(()), |to| write!(f, "{to}"))
    }
}

/// Which messages: `elected`, `elected:3-1`, `:*-4`, each perhaps with `#2` for the second of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Of which kind; of any unless given.
    pub kind: Option<String>,
    /// Whose; anyone's unless given.
    pub from: Option<Id>,
    /// To whom; to anyone unless given.
    pub to: Option<Id>,
    /// Which of them, counted from 1; all of them unless given.
    pub nth: Option<u64>,
}

impl Pattern {
    /// These messages, and what becomes of them.
    #[must_use]
    pub fn meet(self, fate: Fate) -> Chosen<Id> {
        let Pattern { kind, from, to, nth } = self;
        Chosen { from, to, kind, nth, fate }
    }
}

impl From<&Chosen<Id>> for Pattern {
    fn from(chosen: &Chosen<Id>) -> Pattern {
        let Chosen { from, to, kind, nth, .. } = chosen;
        Pattern { kind: kind.clone(), from: *from, to: *to, nth: *nth }
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        let wrong = |what: &str| {
            format!("'{text}' chooses no message: {what}, as in elected, elected:3-1, election:*-4#2 or #7")
        };
        let end = |word: &str| match word.trim() {
            "*" => Ok(None),
            id => {
                let id = id.parse().ok().and_then(|id| Id::new(id).ok());
                id.map(Some).ok_or_else(|| wrong("expected the ids of sender and receiver, or *"))
            }
        };
        let (rest, nth) = match text.trim().split_once('#') {
            Some((rest, nth)) => {
                let nth = nth.trim().parse().ok().filter(|nth| *nth > 0);
                (rest, Some(nth.ok_or_else(|| wrong("expected a number from 1 after #"))?))
            }
            None => (text.trim(), None),
        };
        let (kind, link) = match rest.split_once(':') {
            Some((kind, link)) => {
                let (from, to) =
                    link.split_once('-').ok_or_else(|| wrong("expected SENDER-RECEIVER after :"))?;
                (kind, (end(from)?, end(to)?))
            }
            None => (rest, (None, None)),
        };
        let kind = Some(kind.trim().to_owned()).filter(|kind| !kind.is_empty());
        let pattern = Pattern { kind, from: link.0, to: link.1, nth };
        if rest.trim().is_empty() && nth.is_none() { Err(wrong("it is empty")) } else { Ok(pattern) }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pattern { kind, from, to, nth } = self;
        f.write_str(kind.as_deref().unwrap_or_default())?;
        let end = |id: &Option<Id>| id.map_or("*".to_owned(), |id| id.to_string());
        if from.is_some() || to.is_some() || (kind.is_none() && nth.is_none()) {
            write!(f, ":{}-{}", end(from), end(to))?;
        }
        nth.map_or(Ok(()), |nth| write!(f, "#{nth}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read as `value`, and written again as `again`.
    fn reads<T: FromStr<Err = String> + Display + PartialEq + fmt::Debug>(text: &str, value: T, again: &str) {
        assert_eq!(text.parse().as_ref(), Ok(&value), "{text}");
        assert_eq!(value.to_string(), again);
        assert_eq!(again.parse(), Ok(value));
    }

    fn refuses<T: FromStr<Err = String> + fmt::Debug>(texts: &[&str]) {
        for text in texts {
            assert!(text.parse::<T>().is_err(), "{text}");
        }
    }

    fn id(value: u64) -> Option<Id> {
        Id::new(value).ok()
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        reads("5%", Share(0.05), "0.05");
        reads("0", Share(0.0), "0");
        refuses::<Share>(&["", "100%", "1", "-0.1", "nan", "x", "5 % of all"]);
        reads("+1%", Rate(10_000), "+1%");
        reads("-500ppm", Rate(-500), "-500ppm");
        reads("0.05%", Rate(500), "+500ppm");
        refuses::<Rate>(&["", "1", "%", "-100%", "1e9%", "nanppm", "1001%"]);
        reads("1%", DriftBound(10_000), "1%");
        reads("0.05%", DriftBound(500), "500ppm");
        refuses::<DriftBound>(&["", "1", "-1%", "100%", "x%"]);
        reads("1%", Drift(10), "1%");
        reads("0.5%", Drift(5), "0.5%");
        refuses::<Drift>(&["", "1", "0%", "-1%", "0.05%", "51%", "x%"]);
        reads("+10", Leap(10_000), "+10");
        reads("-2.5", Leap(-2_500), "-2.5");
        refuses::<Leap>(&["", "0", "x", "nan", "1e99", "inf"]);
        let at = |ticks| Time::from_ticks(ticks);
        reads("3..9.5", Interval { from: at(3_000), to: Some(at(9_500)) }, "3..9.5");
        reads("0..", Interval { from: at(0), to: None }, "0..");
        refuses::<Interval>(&["", "3", "..3", "3..3", "4..3", "a..b", "-1..2"]);
    }

    #[test]
    fn messages_are_chosen_by_kind_link_and_number() {
        let any = Pattern::default;
        let elected = || Pattern { kind: Some("elected".into()), ..any() };
        reads("elected", elected(), "elected");
        reads("elected:3-1", Pattern { from: id(3), to: id(1), ..elected() }, "elected:3-1");
        reads("elected:*-4#2", Pattern { to: id(4), nth: Some(2), ..elected() }, "elected:*-4#2");
        reads(":5-*", Pattern { from: id(5), ..any() }, ":5-*");
        reads("#7", Pattern { nth: Some(7), ..any() }, "#7");
        reads(":*-*", any(), ":*-*");
        refuses::<Pattern>(&["", "elected#0", "elected#x", ":", "elected:3", "elected:a-b", "elected:-"]);
    }
}
