//! Lines of a script as options have them: `7@3..9`, `3-1@5..`, `1+2/3+4@5..9`, `3@5:+1%`.

use super::{Line, Partition};
use crate::form::{parse_hops, parse_id};
use crate::notation::{Leap, Rate};
use bellwether_core::{ArgumentKind, FaultArgument, FaultEvent, FaultKind, Id, Time};
use std::fmt::Display;

/// The options about what happens. Each has lines of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
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

impl Word {
    /// The word of a line.
    #[must_use]
    pub fn of(line: &Line) -> Word {
        match line {
            Line::Event((_, what, _)) => Word::Event(what.kind()),
            Line::Pause(..) => Word::Pause,
            Line::Cut(..) => Word::Cut,
            Line::CutOneWay(..) => Word::CutOneWay,
            Line::Mend(..) => Word::Mend,
            Line::MendOneWay(..) => Word::MendOneWay,
            Line::Partition(_) => Word::Partition,
            Line::Heal(_) => Word::Heal,
        }
    }

    /// As an option is called.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Word::Event(kind) => kind.word(),
            Word::Pause => "pause",
            Word::Cut => "cut",
            Word::CutOneWay => "cut-one-way",
            Word::Mend => "mend",
            Word::MendOneWay => "mend-one-way",
            Word::Partition => "partition",
            Word::Heal => "heal",
        }
    }

    /// What a value of the option looks like.
    #[must_use]
    pub fn value_name(self) -> &'static str {
        match self {
            Word::Event(kind) => match kind.takes() {
                None => "ID@TIME",
                Some(ArgumentKind::Member | ArgumentKind::Id) => "ID@TIME:ID",
                Some(ArgumentKind::Rate) => "ID@TIME:RATE",
                Some(ArgumentKind::Ticks) => "ID@TIME:HOPS",
            },
            Word::Pause => "ID@FROM..[TO]",
            Word::Cut | Word::CutOneWay => "A-B@FROM..[TO]",
            Word::Mend | Word::MendOneWay => "A-B@TIME",
            Word::Partition => "A+B/C+D@FROM..[TO]",
            Word::Heal => "TIME",
        }
    }

    /// Makes out a value of the option.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn parse(self, text: &str) -> Result<Line, String> {
        match self {
            Word::Event(kind) => event(kind, text).map(Line::of),
            Word::Pause => {
                let (id, during) =
                    text.split_once('@').ok_or("expected ID@FROM..TO, as in 7@3..9 or 7@3..")?;
                Ok(Line::Pause(parse_id(id)?, during.parse()?))
            }
            Word::Cut | Word::CutOneWay => {
                let expected = "expected A-B@FROM..TO, as in 3-1@5..9 or 3-1@5..";
                let (a, b, during) = link(text, expected)?;
                let during = during.parse()?;
                Ok(if self == Word::Cut { Line::Cut(a, b, during) } else { Line::CutOneWay(a, b, during) })
            }
            Word::Mend | Word::MendOneWay => {
                let (a, b, at) = link(text, "expected A-B@TIME, as in 3-1@9")?;
                let at = parse_hops(at)?;
                Ok(if self == Word::Mend { Line::Mend(a, b, at) } else { Line::MendOneWay(a, b, at) })
            }
            Word::Partition => {
                let (groups, during) =
                    text.split_once('@').ok_or("expected A+B/C+D@FROM..TO, as in 1+2/3+4@5..9")?;
                let group = |group: &str| group.split('+').map(parse_id).collect::<Result<Vec<Id>, String>>();
                let groups = groups.split('/').map(group).collect::<Result<_, _>>()?;
                Partition::new(groups, during.parse()?).map(Line::Partition)
            }
            Word::Heal => Ok(Line::Heal(parse_hops(text)?)),
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

/// As [`Word::parse`] reads it.
impl Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Line::Event((id, what, at)) => {
                write!(f, "{id}@{at}")?;
                match what.into_parts().1 {
                    None => Ok(()),
                    Some(FaultArgument::Member(other) | FaultArgument::Id(other)) => write!(f, ":{other}"),
                    Some(FaultArgument::Rate(millionths)) => write!(f, ":{}", Rate(millionths)),
                    Some(FaultArgument::Ticks(ticks)) => write!(f, ":{}", Leap(ticks)),
                }
            }
            Line::Pause(id, during) => write!(f, "{id}@{during}"),
            Line::Cut(a, b, during) | Line::CutOneWay(a, b, during) => write!(f, "{a}-{b}@{during}"),
            Line::Mend(a, b, at) | Line::MendOneWay(a, b, at) => write!(f, "{a}-{b}@{at}"),
            Line::Partition(Partition { groups, during }) => {
                let group = |group: &Vec<Id>| group.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
                write!(f, "{}@{during}", groups.iter().map(group).collect::<Vec<_>>().join("/"))
            }
            Line::Heal(at) => at.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(word: Word, text: &str) {
        let line = word.parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        assert_eq!((line.to_string().as_str(), Word::of(&line)), (text, word));
    }

    #[test]
    fn lines_are_written_as_they_are_read() {
        again(Word::Event(FaultKind::Crash), "7@2.5");
        again(Word::Event(FaultKind::Pretend), "3@5:9");
        again(Word::Event(FaultKind::Learn), "3@5:9");
        again(Word::Event(FaultKind::Drift), "3@5:+1%");
        again(Word::Event(FaultKind::Drift), "3@5.5:-501ppm");
        again(Word::Event(FaultKind::Jump), "3@5:-2.5");
        again(Word::Pause, "7@3..9.5");
        again(Word::Pause, "7@3..");
        again(Word::Cut, "3-1@0..2");
        again(Word::CutOneWay, "3-1@0..");
        again(Word::Mend, "3-1@4");
        again(Word::MendOneWay, "3-1@4");
        again(Word::Partition, "1+2/3+4+5@5..9");
        again(Word::Partition, "1@5..");
        again(Word::Heal, "16");
    }

    #[test]
    fn the_rest_is_refused() {
        let refuses = |word: Word, texts: &[&str]| {
            for text in texts {
                assert!(word.parse(text).is_err(), "{text}");
            }
        };
        refuses(Word::Event(FaultKind::Crash), &["7", "@3", "7@", "7@-1", "7@nan", "7@1e300", "x@1", ""]);
        refuses(Word::Event(FaultKind::Pretend), &["", "3", "3@5", "3@5:", "3@x:1", "y@5:1"]);
        refuses(Word::Pause, &["", "7", "7@3", "7@9..3", "x@1..2", "7@..2"]);
        refuses(Word::Cut, &["", "3-1", "3@1..2", "3-x@1..2", "3-1-2@1..2", "3-1@2..1"]);
        refuses(Word::Partition, &["", "1+2", "1+/2@1..", "1/1@2..", "@1..2", "1+2@2..2"]);
    }
}
