//! What a scenario expects of its run: the file's `[expect]` table.

use super::play::Played;
use crate::FinalState;
use bellwether_core::{Id, Role, Status};
use bellwether_runspec::document::{At, Flaw, Value};
use bellwether_sim::Outcome;
use std::fmt;

const KEYS: &[&str] = &[
    "outcome",
    "leader",
    "agreed",
    "decided",
    "halted",
    "safe",
    "live",
    "leaders",
    "messages",
    "messages_of",
    "control",
    "bytes",
    "time",
    "rounds",
    "leader_round",
    "changes",
    "without_leader",
    "with_several",
    "most_leaders",
    "term",
    "lost",
    "duplicated",
];

/// What a scenario expects of its run. Whatever it does not mention may be as it likes.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    pub(super) outcome: Option<At<Outcome>>,
    pub(super) leader: Option<At<Id>>,
    pub(super) facts: Vec<(Fact, At<bool>)>,
    /// Whom a member takes for the leader at the end, or that it takes nobody.
    pub(super) leaders: Vec<(Id, At<Option<Id>>)>,
    pub(super) figures: Vec<(Figure, At<Range>)>,
}

/// Something that is so or is not so at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Agreed,
    Decided,
    Halted,
    Safe,
    Live,
}

const FACTS: [(&str, Fact); 5] = [
    ("agreed", Fact::Agreed),
    ("decided", Fact::Decided),
    ("halted", Fact::Halted),
    ("safe", Fact::Safe),
    ("live", Fact::Live),
];

/// Something that is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Messages,
    Kind(String),
    Control,
    Bytes,
    Time,
    Rounds,
    LeaderRound,
    Changes,
    WithoutLeader,
    WithSeveral,
    MostLeaders,
    /// The latest term that anyone alive has heard of.
    Term,
    Lost,
    Duplicated,
}

const FIGURES: [(&str, Figure); 13] = [
    ("messages", Figure::Messages),
    ("control", Figure::Control),
    ("bytes", Figure::Bytes),
    ("time", Figure::Time),
    ("rounds", Figure::Rounds),
    ("leader_round", Figure::LeaderRound),
    ("changes", Figure::Changes),
    ("without_leader", Figure::WithoutLeader),
    ("with_several", Figure::WithSeveral),
    ("most_leaders", Figure::MostLeaders),
    ("term", Figure::Term),
    ("lost", Figure::Lost),
    ("duplicated", Figure::Duplicated),
];

pub(super) const OUTCOMES: [(&str, Outcome); 4] = [
    ("elected", Outcome::Elected),
    ("split", Outcome::Split),
    ("none", Outcome::None),
    ("undecided", Outcome::Undecided),
];

/// What a figure may be: a number, or anything between bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub least: f64,
    pub most: f64,
}

/// Something that came otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mismatch {
    /// What: the key in `[expect]`.
    pub what: String,
    /// What was expected.
    pub expected: String,
    /// What came instead.
    pub came: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, and {} came", self.what, self.expected, self.came)
    }
}

impl Expectation {
    /// Reads the table; nothing where there is none.
    pub(super) fn read(value: Option<Value<'_>>, outside: &[&str]) -> Result<Expectation, Flaw> {
        let Some(value) = value else { return Ok(Expectation::default()) };
        let table = value.table("[expect]", KEYS, outside)?;
        let mut expect = Expectation {
            outcome: table.read("outcome", |value| value.choice(&OUTCOMES))?,
            leader: table.read("leader", Value::id)?,
            ..Expectation::default()
        };
        for (key, fact) in FACTS {
            expect.facts.extend(table.read(key, Value::flag)?.map(|flag| (fact, flag)));
        }
        for (key, figure) in FIGURES {
            expect.figures.extend(table.read(key, read_range)?.map(|range| (figure, range)));
        }
        if let Some(kinds) = table.get("messages_of") {
            for (kind, count) in kinds.named()? {
                let range = At { value: read_range(&count)?, at: kind.at };
                expect.figures.push((Figure::Kind(kind.value.to_owned()), range));
            }
        }
        if let Some(leaders) = table.get("leaders") {
            for (member, leader) in leaders.named()? {
                let id = member.value.parse().ok().and_then(|id| Id::new(id).ok());
                let problem = format!("'{}' is no id: expected 'leaders' as in {{ 3 = 80 }}", member.value);
                let id = id.ok_or_else(|| Flaw::new(member.at, problem))?;
                let whom = match leader.as_text() {
                    Some("none") => None,
                    Some(_) => return Err(leader.unlike("an id, or 'none'").meant("none", &["none"])),
                    None => Some(leader.id()?),
                };
                expect.leaders.push((id, At { value: whom, at: member.at }));
            }
        }
        if expect.lines().is_empty() {
            return Err(Flaw::new(value.at, "[expect] is empty: say at least one thing, as leader = 80"));
        }
        Ok(expect)
    }

    /// Whether nothing is expected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    /// What is expected, by key, for people.
    #[must_use]
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        let mut add = |key: String, value: String| lines.push((key, value));
        if let Some(outcome) = self.outcome {
            add("outcome".to_owned(), word(outcome.value).to_owned());
        }
        if let Some(leader) = self.leader {
            add("leader".to_owned(), leader.value.to_string());
        }
        for (fact, flag) in &self.facts {
            add(fact.key().to_owned(), flag.value.to_string());
        }
        for (member, leader) in &self.leaders {
            add(format!("leaders.{member}"), or_none(leader.value));
        }
        for (figure, range) in &self.figures {
            add(figure.key(), range.value.to_string());
        }
        lines
    }

    /// What came otherwise than expected.
    #[must_use]
    pub fn check(&self, played: &Played) -> Vec<Mismatch> {
        let ruling = &played.report.ruling;
        let mut mismatches = Vec::new();
        let mut compare = |what: String, expected: String, came: String| {
            if expected != came {
                mismatches.push(Mismatch { what, expected, came });
            }
        };
        if let Some(outcome) = self.outcome {
            compare("outcome".to_owned(), word(outcome.value).to_owned(), word(ruling.outcome).to_owned());
        }
        if let Some(leader) = self.leader {
            compare("leader".to_owned(), leader.value.to_string(), or_none(ruling.leader));
        }
        for (fact, flag) in &self.facts {
            compare(fact.key().to_owned(), flag.value.to_string(), fact.came(played).to_string());
        }
        for (member, leader) in &self.leaders {
            let came = played.seat(*member).and_then(status).and_then(|status| status.leader);
            compare(format!("leaders.{member}"), or_none(leader.value), or_none(came));
        }
        for (figure, range) in &self.figures {
            let came = figure.came(played);
            if !came.is_some_and(|came| range.value.contains(came)) {
                let came = came.map_or("nothing".to_owned(), |came| came.to_string());
                mismatches.push(Mismatch { what: figure.key(), expected: range.value.to_string(), came });
            }
        }
        mismatches
    }
}

impl Fact {
    pub fn key(self) -> &'static str {
        FACTS.iter().find(|(_, fact)| *fact == self).map_or("", |(key, _)| key)
    }

    fn came(self, played: &Played) -> bool {
        let ruling = &played.report.ruling;
        let mut up = played.seats.iter().filter_map(status);
        match self {
            Fact::Agreed => ruling.agreed,
            Fact::Decided => up.all(|status| status.role != Role::Undecided),
            Fact::Halted => up.all(|status| status.halted),
            Fact::Safe => ruling.unsafe_because.is_none(),
            Fact::Live => ruling.not_live_because.is_none(),
        }
    }
}

impl Figure {
    pub fn key(&self) -> String {
        match self {
            Figure::Kind(kind) => format!("messages_of.{kind}"),
            _ => FIGURES.iter().find(|(_, figure)| figure == self).map_or("", |(key, _)| key).to_owned(),
        }
    }

    fn came(&self, played: &Played) -> Option<f64> {
        let report = &played.report;
        let count = match self {
            Figure::Messages => report.messages.payload,
            Figure::Kind(kind) => *report.messages.by_kind.get(kind.as_str())?,
            Figure::Control => report.messages.control,
            Figure::Bytes => report.bytes,
            Figure::Time => return Some(report.time.hops()),
            Figure::Rounds => report.rounds?,
            Figure::LeaderRound => report.leader_round?,
            Figure::Changes => report.stability.changes,
            Figure::WithoutLeader => return Some(report.stability.without_leader.hops()),
            Figure::WithSeveral => return Some(report.stability.with_several.hops()),
            Figure::MostLeaders => report.stability.most_leaders.into(),
            Figure::Term => played.seats.iter().filter_map(status).map(|status| status.term).max()?,
            Figure::Lost => report.links.lost,
            Figure::Duplicated => report.links.duplicated,
        };
        Some(count as f64)
    }
}

impl Range {
    fn contains(self, figure: f64) -> bool {
        (self.least..=self.most).contains(&figure)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, most) if least == most => write!(f, "{most}"),
            (least, f64::INFINITY) => write!(f, "at least {least}"),
            (0.0, most) => write!(f, "at most {most}"),
            (least, most) => write!(f, "{least} to {most}"),
        }
    }
}

fn read_range(value: &Value<'_>) -> Result<Range, Flaw> {
    let sound = |value: &Value<'_>| value.as_number().filter(|figure| *figure >= 0.0 && figure.is_finite());
    if let Some(figure) = sound(value) {
        return Ok(Range { least: figure, most: figure });
    }
    let expected = "a number, or { at_most = 9 } or { at_least = 3 } or both";
    if !value.is_table() {
        return Err(value.unlike(expected));
    }
    let table = value.table(&format!("'{}'", value.key), &["at_least", "at_most"], &[])?;
    let bound =
        |key| table.read(key, |value| sound(value).ok_or_else(|| value.unlike("a number, 0 or more")));
    let (least, most) = (bound("at_least")?, bound("at_most")?);
    if least.is_none() && most.is_none() {
        return Err(value.unlike(expected));
    }
    let range = Range {
        least: least.map_or(0.0, |least| least.value),
        most: most.map_or(f64::INFINITY, |most| most.value),
    };
    if range.least > range.most {
        let problem = format!("nothing is at least {} and at most {}", range.least, range.most);
        return Err(Flaw::new(value.at, problem));
    }
    Ok(range)
}

pub(super) fn word(outcome: Outcome) -> &'static str {
    OUTCOMES.iter().find(|(_, other)| *other == outcome).map_or("", |(word, _)| word)
}

fn or_none(id: Option<Id>) -> String {
    id.map_or("none".to_owned(), |id| id.to_string())
}

fn status(seat: &FinalState) -> Option<&Status> {
    if let FinalState::Up(status) = seat { Some(status) } else { None }
}
