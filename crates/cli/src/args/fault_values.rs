//! Values of the options about what goes wrong.

use super::values::{HopTime, parse_id};
use bellwether_core::Id;
use bellwether_sim::faults::Partition;
use bellwether_sim::faults::notation::{Interval, Leap, Rate};
use std::fmt::{self, Display};
use std::str::FromStr;

/// A member that freezes: `ID@FROM..TO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pausing {
    /// The member.
    pub id: Id,
    /// From when to when.
    pub during: Interval,
}

impl FromStr for Pausing {
    type Err = String;

    fn from_str(text: &str) -> Result<Pausing, String> {
        let (id, during) = text.split_once('@').ok_or("expected ID@FROM..TO, as in 7@3..9 or 7@3..")?;
        Ok(Pausing { id: parse_id(id)?, during: during.parse()? })
    }
}

impl Display for Pausing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.during)
    }
}

/// Two members and an interval: `A-B@FROM..TO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// The sender.
    pub a: Id,
    /// The receiver.
    pub b: Id,
    /// From when to when.
    pub during: Interval,
}

impl FromStr for Cutting {
    type Err = String;

    fn from_str(text: &str) -> Result<Cutting, String> {
        let expected = "expected A-B@FROM..TO, as in 3-1@5..9 or 3-1@5..";
        let (link, during) = text.split_once('@').ok_or(expected)?;
        let (a, b) = link.split_once('-').ok_or(expected)?;
        Ok(Cutting { a: parse_id(a)?, b: parse_id(b)?, during: during.parse()? })
    }
}

impl Display for Cutting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}@{}", self.a, self.b, self.during)
    }
}

/// Groups and an interval: `A+B/C+D@FROM..TO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting(pub Partition);

impl FromStr for Parting {
    type Err = String;

    fn from_str(text: &str) -> Result<Parting, String> {
        let (groups, during) = text.split_once('@').ok_or("expected A+B/C+D@FROM..TO, as in 1+2/3+4@5..9")?;
        let group = |group: &str| group.split('+').map(parse_id).collect::<Result<Vec<Id>, String>>();
        let groups = groups.split('/').map(group).collect::<Result<_, _>>()?;
        Partition::new(groups, during.parse()?).map(Parting)
    }
}

impl Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Partition { groups, during } = &self.0;
        let group = |group: &Vec<Id>| group.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
        write!(f, "{}@{during}", groups.iter().map(group).collect::<Vec<_>>().join("/"))
    }
}

/// A member, a time and something more: `ID@TIME:WHAT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed<T> {
    /// The member.
    pub id: Id,
    /// The time.
    pub at: HopTime,
    /// What it is about.
    pub what: T,
}

/// What an event can be about.
pub trait What: Sized {
    /// How it is written.
    const EXAMPLE: &'static str;

    /// Makes it out.
    fn read(text: &str) -> Result<Self, String>;
}

impl What for Id {
    const EXAMPLE: &'static str = "ID@TIME:ID, as in 3@5:9";

    fn read(text: &str) -> Result<Id, String> {
        parse_id(text)
    }
}

impl What for Rate {
    const EXAMPLE: &'static str = "ID@TIME:RATE, as in 3@5:+1% or 3@5:-500ppm";

    fn read(text: &str) -> Result<Rate, String> {
        text.parse()
    }
}

impl What for Leap {
    const EXAMPLE: &'static str = "ID@TIME:HOPS, as in 3@5:+10 or 3@5:-2.5";

    fn read(text: &str) -> Result<Leap, String> {
        text.parse()
    }
}

impl<T: What> FromStr for Timed<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Timed<T>, String> {
        let parts = text.split_once('@').and_then(|(id, rest)| Some((id, rest.split_once(':')?)));
        let (id, (at, what)) = parts.ok_or_else(|| format!("expected {}", T::EXAMPLE))?;
        Ok(Timed { id: parse_id(id)?, at: at.parse()?, what: T::read(what)? })
    }
}

impl<T: Display> Display for Timed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}:{}", self.id, self.at, self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again<T: FromStr<Err = String> + Display>(text: &str) {
        assert_eq!(text.parse::<T>().map(|value| value.to_string()), Ok(text.to_owned()));
    }

    #[test]
    fn what_is_read_is_written_the_same() {
        again::<Pausing>("7@3..9.5");
        again::<Pausing>("7@3..");
        again::<Cutting>("3-1@0..2");
        again::<Parting>("1+2/3+4+5@5..9");
        again::<Parting>("1@5..");
        again::<Timed<Id>>("3@5:9");
        again::<Timed<Rate>>("3@5:+1%");
        again::<Timed<Rate>>("3@5.5:-501ppm");
        again::<Timed<Leap>>("3@5:-2.5");
    }

    #[test]
    fn the_rest_is_refused() {
        for wrong in ["", "7", "7@3", "7@9..3", "x@1..2", "7@..2"] {
            assert!(wrong.parse::<Pausing>().is_err(), "{wrong}");
        }
        for wrong in ["", "3-1", "3@1..2", "3-x@1..2", "3-1-2@1..2", "3-1@2..1"] {
            assert!(wrong.parse::<Cutting>().is_err(), "{wrong}");
        }
        for wrong in ["", "1+2", "1+/2@1..", "1/1@2..", "@1..2", "1+2@2..2"] {
            assert!(wrong.parse::<Parting>().is_err(), "{wrong}");
        }
        for wrong in ["", "3", "3@5", "3@5:", "3@x:1", "y@5:1"] {
            assert!(wrong.parse::<Timed<Id>>().is_err(), "{wrong}");
        }
    }
}
