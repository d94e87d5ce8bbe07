//! Lines of a script as options have them: `7@3..9`, `3-1@5..`, `1+2/3+4@5..9`, `3@5:+1%`.

use super::{Partition, ScriptLine};
use crate::form::{parse_hops, parse_id};
use crate::notation::{Leap, Rate};
use bellwether_core::{ArgumentKind, FaultArgument, FaultEvent, FaultKind, Id, Time};
use std::fmt::Display;

/// The options about what happens. Each has lines of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptOption {
    /// Something happens to a member.
    Event(FaultKind),
    /// A member freezes.
    Pause,
    /// A link fails, both ways.
    Cut,
    /// A link fails, one way.
    CutOneWay,
    /// A link works again, both ways.
    Mend,
    /// A link works again, one way.
    MendOneWay,
    /// Groups cannot talk to each other.
    Partition,
    /// All links work again.
    Heal,
}

impl ScriptOption {
    /// The word of a line.
    #[must_use]
    pub fn of(line: &ScriptLine) -> ScriptOption {
        match line {
            ScriptLine::Event((_, what, _)) => ScriptOption::Event(what.kind()),
            ScriptLine::Pause(..) => ScriptOption::Pause,
            ScriptLine::Cut(..) => ScriptOption::Cut,
            ScriptLine::CutOneWay(..) => ScriptOption::CutOneWay,
            ScriptLine::Mend(..) => ScriptOption::Mend,
            ScriptLine::MendOneWay(..) => ScriptOption::MendOneWay,
            ScriptLine::Partition(_) => ScriptOption::Partition,
            ScriptLine::Heal(_) => ScriptOption::Heal,
        }
    }

    /// As an option is called.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            ScriptOption::Event(kind) => kind.word(),
            ScriptOption::Pause => "pause",
            ScriptOption::Cut => "cut",
            ScriptOption::CutOneWay => "cut-one-way",
            ScriptOption::Mend => "mend",
            ScriptOption::MendOneWay => "mend-one-way",
            ScriptOption::Partition => "partition",
            ScriptOption::Heal => "heal",
        }
    }

    /// What a value of the option looks like.
    #[must_use]
    pub fn value_name(self) -> &'static str {
        match self {
            ScriptOption::Event(kind) => match kind.takes() {
                None => "ID@TIME",
                Some(ArgumentKind::Member | ArgumentKind::Id) => "ID@TIME:ID",
                Some(ArgumentKind::Rate) => "ID@TIME:RATE",
                Some(ArgumentKind::Ticks) => "ID@TIME:HOPS",
            },
            ScriptOption::Pause => "ID@FROM..[TO]",
            ScriptOption::Cut | ScriptOption::CutOneWay => "A-B@FROM..[TO]",
            ScriptOption::Mend | ScriptOption::MendOneWay => "A-B@TIME",
            ScriptOption::Partition => "A+B/C+D@FROM..[TO]",
            ScriptOption::Heal => "TIME",
        }
    }

    /// Makes out a value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn parse(self, text: &str) -> Result<ScriptLine, String> {
        match self {
            ScriptOption::Event(kind) => event(kind, text).map(ScriptLine::of),
            ScriptOption::Pause => {
                let (id, during) =
                    text.split_once('@').ok_or("expected ID@FROM..TO, as in 7@3..9 or 7@3..")?;
                Ok(ScriptLine::Pause(parse_id(id)?, during.parse()?))
            }
            ScriptOption::Cut | ScriptOption::CutOneWay => {
                let expected = "expected A-B@FROM..TO, as in 3-1@5..9 or 3-1@5..";
                let (a, b, during) = link(text, expected)?;
                let during = during.parse()?;
                Ok(if self == ScriptOption::Cut {
                    ScriptLine::Cut(a, b, during)
                } else {
                    ScriptLine::CutOneWay(a, b, during)
                })
            }
            ScriptOption::Mend | ScriptOption::MendOneWay => {
                let (a, b, at) = link(text, "expected A-B@TIME, as in 3-1@9")?;
                let at = parse_hops(at)?;
                Ok(if self == ScriptOption::Mend {
                    ScriptLine::Mend(a, b, at)
                } else {
                    ScriptLine::MendOneWay(a, b, at)
                })
            }
            ScriptOption::Partition => {
                let (groups, during) =
                    text.split_once('@').ok_or("expected A+B/C+D@FROM..TO, as in 1+2/3+4@5..9")?;
                let group = |group: &str| group.split('+').map(parse_id).collect::<Result<Vec<Id>, String>>();
                let groups = groups.split('/').map(group).collect::<Result<_, _>>()?;
                Partition::new(groups, during.parse()?).map(ScriptLine::Partition)
            }
            ScriptOption::Heal => Ok(ScriptLine::Heal(parse_hops(text)?)),
        }
    }
}

fn link<'t>(text: &'t str, expected: &str) -> Result<(Id, Id, &'t str), String> {
    let (link, when) = text.split_once('@').ok_or(expected)?;
    let (a, b) = link.split_once('-').ok_or(expected)?;
    Ok((parse_id(a)?, parse_id(b)?, when))
}

fn event(kind: FaultKind, text: &str) -> Result<(Id, FaultEvent<Id>, Time), String> {
    let expected = match kind.takes() {
        None => "expected ID@TIME, as in 7@0 or 7@2.5",
        Some(ArgumentKind::Member | ArgumentKind::Id) => "expected ID@TIME:ID, as in 3@5:9",
        Some(ArgumentKind::Rate) => "expected ID@TIME:RATE, as in 3@5:+1% or 3@5:-500ppm",
        Some(ArgumentKind::Ticks) => "expected ID@TIME:HOPS, as in 3@5:+10 or 3@5:-2.5",
    };
    let (id, rest) = text.split_once('@').ok_or(expected)?;
    let (at, argument) = match kind.takes() {
        None => (rest, None),
        Some(takes) => {
            let (at, argument) = rest.split_once(':').ok_or(expected)?;
            let argument = match takes {
                ArgumentKind::Member => FaultArgument::Member(parse_id(argument)?),
                ArgumentKind::Id => FaultArgument::Id(parse_id(argument)?),
                ArgumentKind::Rate => FaultArgument::Rate(argument.parse::<Rate>()?.0),
                ArgumentKind::Ticks => FaultArgument::Ticks(argument.parse::<Leap>()?.0),
            };
            (at, Some(argument))
        }
    };
    let what = FaultEvent::from_parts(kind, argument).ok_or(expected)?;
    Ok((parse_id(id)?, what, parse_hops(at)?))
}

/// As [`ScriptOption::parse`] reads it.
impl Display for ScriptLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ScriptLine::Event((id, what, at)) => {
                write!(f, "{id}@{at}")?;
                match what.into_parts().1 {
                    None => Ok(()),
                    Some(FaultArgument::Member(other) | FaultArgument::Id(other)) => write!(f, ":{other}"),
                    Some(FaultArgument::Rate(millionths)) => write!(f, ":{}", Rate(millionths)),
                    Some(FaultArgument::Ticks(ticks)) => write!(f, ":{}", Leap(ticks)),
                }
            }
            ScriptLine::Pause(id, during) => write!(f, "{id}@{during}"),
            ScriptLine::Cut(a, b, during) | ScriptLine::CutOneWay(a, b, during) => {
                write!(f, "{a}-{b}@{during}")
            }
            ScriptLine::Mend(a, b, at) | ScriptLine::MendOneWay(a, b, at) => write!(f, "{a}-{b}@{at}"),
            ScriptLine::Partition(Partition { groups, during }) => {
                let group = |group: &Vec<Id>| group.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
                write!(f, "{}@{during}", groups.iter().map(group).collect::<Vec<_>>().join("/"))
            }
            ScriptLine::Heal(at) => at.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(word: ScriptOption, text: &str) {
        let line = word.parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        assert_eq!((line.to_string().as_str(), ScriptOption::of(&line)), (text, word));
    }

    #[test]
    fn lines_are_written_as_they_are_read() {
        again(ScriptOption::Event(FaultKind::Crash), "7@2.5");
        again(ScriptOption::Event(FaultKind::Pretend), "3@5:9");
        again(ScriptOption::Event(FaultKind::Learn), "3@5:9");
        again(ScriptOption::Event(FaultKind::Drift), "3@5:+1%");
        again(ScriptOption::Event(FaultKind::Drift), "3@5.5:-501ppm");
        again(ScriptOption::Event(FaultKind::Jump), "3@5:-2.5");
        again(ScriptOption::Pause, "7@3..9.5");
        again(ScriptOption::Pause, "7@3..");
        again(ScriptOption::Cut, "3-1@0..2");
        again(ScriptOption::CutOneWay, "3-1@0..");
        again(ScriptOption::Mend, "3-1@4");
        again(ScriptOption::MendOneWay, "3-1@4");
        again(ScriptOption::Partition, "1+2/3+4+5@5..9");
        again(ScriptOption::Partition, "1@5..");
        again(ScriptOption::Heal, "16");
    }

    #[test]
    fn the_rest_is_refused() {
        let refuses = |word: ScriptOption, texts: &[&str]| {
            for text in texts {
                assert!(word.parse(text).is_err(), "{text}");
            }
        };
        refuses(
            ScriptOption::Event(FaultKind::Crash),
            &["7", "@3", "7@", "7@-1", "7@nan", "7@1e300", "x@1", ""],
        );
        refuses(ScriptOption::Event(FaultKind::Pretend), &["", "3", "3@5", "3@5:", "3@x:1", "y@5:1"]);
        refuses(ScriptOption::Pause, &["", "7", "7@3", "7@9..3", "x@1..2", "7@..2"]);
        refuses(ScriptOption::Cut, &["", "3-1", "3@1..2", "3-x@1..2", "3-1-2@1..2", "3-1@2..1"]);
        refuses(ScriptOption::Partition, &["", "1+2", "1+/2@1..", "1/1@2..", "@1..2", "1+2@2..2"]);
    }
}
