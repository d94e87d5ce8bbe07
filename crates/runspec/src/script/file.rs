//! Lines of a script as files have them: `[[event]]` tables.
//!
//! An event is `at`, and one key that says what happens, whose value says to whom. Some bring further keys.

use super::{Partition, ScriptLine};
use crate::document::{At, Datum, Entries, Flaw, Table, Value, entry};
use crate::form::Form as _;
use crate::notation::{Interval, Leap, Rate};
use bellwether_core::{ArgumentKind, FaultArgument, FaultEvent, FaultKind, HOP, Id, Time};

/// The keys that say what happens to links. All others are the words of [`FaultKind`]s.
const LINKS: [&str; 4] = ["cut", "mend", "partition", "heal"];

/// The further keys, and what each goes with.
const FURTHER: [(&str, &[&str]); 9] = [
    ("until", &["pause", "cut", "partition"]),
    ("one_way", &["cut", "mend"]),
    ("by", &["drift", "jump"]),
    ("as", &["pretend"]),
    ("leader", &["forge"]),
    ("towards", &["silence"]),
    ("to", &["transfer"]),
    ("whom", &["admit", "dismiss"]),
    ("of", &["learn"]),
];

/// The key for a kind of event.
fn key(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::TornCrash => "torn_crash",
        FaultKind::CrashSending => "crash_sending",
        _ => kind.word(),
    }
}

/// The further key that a kind of event needs.
fn further_key(kind: FaultKind) -> &'static str {
    let with = FURTHER.iter().filter(|(further, _)| !["until", "one_way"].contains(further));
    with.into_iter().find(|(_, with)| with.contains(&key(kind))).map_or("", |(further, _)| further)
}

/// The kinds of events that happen to members.
fn kinds() -> impl Iterator<Item = FaultKind> {
    FaultKind::ALL.into_iter().filter(|kind| !LINKS.contains(&key(*kind)))
}

fn keys() -> Vec<&'static str> {
    let happening = kinds().map(key).chain(LINKS);
    std::iter::once("at").chain(happening).chain(FURTHER.map(|(further, _)| further)).collect()
}

/// A line, and where a file says so.
#[derive(Clone, Debug, PartialEq)]
pub struct FileLine {
    /// The line.
    pub line: ScriptLine,
    /// Where the first member stands that it names.
    pub whom: usize,
    /// Where the time stands at which it begins.
    pub when: usize,
    /// Where the time stands at which it is over.
    pub end: usize,
}

/// Reads all events. `outside` are the keys of the file itself.
///
/// # Errors
/// [`Flaw`] says what is wrong, and where.
pub fn read_events(events: Value<'_>, outside: &[&str]) -> Result<Vec<FileLine>, Flaw> {
    let tables = events.as_list().filter(|items| items.iter().all(Value::is_table));
    let tables = tables.ok_or_else(|| events.unlike("one or more tables, each under [[event]]"))?;
    let (keys, mut lines) = (keys(), Vec::new());
    for event in tables {
        lines.extend(read_event(&event.table("an event", &keys, outside)?)?);
    }
    Ok(lines)
}

fn read_event(event: &Table<'_>) -> Result<Vec<FileLine>, Flaw> {
    let when = event.read("at", Value::hops)?;
    let when = when.ok_or_else(|| Flaw::new(event.at, "an event needs a time: at = 2.5"))?;
    let said: Vec<Value<'_>> = kinds().map(key).chain(LINKS).filter_map(|key| event.get(key)).collect();
    let whom = match said[..] {
        [one] => one,
        [] => {
            return Err(Flaw::new(
                event.at,
                "an event says what happens: add crash, start, pause or another",
            ));
        }
        [_, second, ..] => {
            let problem = format!("an event is one thing: give '{}' an [[event]] of its own", second.key);
            return Err(Flaw::new(second.at, problem));
        }
    };
    for (key, with) in FURTHER {
        if let Some(value) = event.get(key).filter(|_| !with.contains(&whom.key)) {
            let problem = format!("'{key}' goes with {}, not with '{}'", with.join(" or "), whom.key);
            return Err(Flaw::new(value.at, problem).hint("leave it out"));
        }
    }
    let until = event.read("until", Value::hops)?;
    let during = Interval::new(when.value, until.map(|until| until.value));
    let during = during.map_err(|problem| Flaw::new(until.map_or(when.at, |until| until.at), problem))?;
    let lines = match whom.key {
        "cut" | "mend" => vec![link(event, &whom, during)?],
        "partition" => {
            let groups = whom.list("a list of groups, as in [[1, 2], [3]]", Value::ids)?;
            let ids = |group: At<Vec<At<Id>>>| group.value.into_iter().map(|id| id.value).collect();
            let partition = Partition::new(groups.into_iter().map(ids).collect(), during);
            let partition = partition.map_err(|problem| Flaw::new(whom.at, problem))?;
            vec![At { value: ScriptLine::Partition(partition), at: whom.at }]
        }
        "heal" if whom.flag()? => vec![At { value: ScriptLine::Heal(when.value), at: when.at }],
        "heal" => return Err(whom.unlike("true").hint("leave the event out if nothing is healed")),
        _ => members(event, &whom, during)?,
    };
    let end = until.map_or(when.at, |until| until.at);
    Ok(lines
        .into_iter()
        .map(|At { value: line, at: whom }| FileLine { line, whom, when: when.at, end })
        .collect())
}

fn link(event: &Table<'_>, whom: &Value<'_>, during: Interval) -> Result<At<ScriptLine>, Flaw> {
    let [a, b] = whom.ids()?[..] else { return Err(whom.unlike("two ids, as in [3, 1]")) };
    let one_way = event.read("one_way", Value::flag)?.is_some_and(|flag| flag.value);
    let value = match (whom.key == "cut", one_way) {
        (true, true) => ScriptLine::CutOneWay(a.value, b.value, during),
        (true, false) => ScriptLine::Cut(a.value, b.value, during),
        (false, true) => ScriptLine::MendOneWay(a.value, b.value, during.from),
        (false, false) => ScriptLine::Mend(a.value, b.value, during.from),
    };
    Ok(At { value, at: a.at })
}

fn members(event: &Table<'_>, whom: &Value<'_>, during: Interval) -> Result<Vec<At<ScriptLine>>, Flaw> {
    let Some(kind) = kinds().find(|kind| key(*kind) == whom.key) else { return Ok(Vec::new()) };
    let arguments = arguments(kind, event, whom)?;
    let ids = match whom.as_list() {
        Some(_) if kind.takes().is_none() => whom.ids()?,
        _ => vec![At { value: whom.id()?, at: whom.at }],
    };
    if ids.is_empty() {
        let problem = format!("'{}' names nobody: say to whom it happens", whom.key);
        return Err(Flaw::new(whom.at, problem));
    }
    let mut lines = Vec::new();
    for At { value: id, at } in ids {
        for &argument in &arguments {
            let event = FaultEvent::from_parts(kind, argument);
            let line = event.map(|event| ScriptLine::of((id, event, during.from)));
            let line = if kind == FaultKind::Pause { Some(ScriptLine::Pause(id, during)) } else { line };
            lines.extend(line.map(|value| At { value, at }));
        }
    }
    Ok(lines)
}

/// What an event says besides its kind; several things where a list of members is silenced.
fn arguments(
    kind: FaultKind,
    event: &Table<'_>,
    whom: &Value<'_>,
) -> Result<Vec<Option<FaultArgument<Id>>>, Flaw> {
    let Some(takes) = kind.takes() else { return Ok(vec![None]) };
    let key = further_key(kind);
    let example = match takes {
        ArgumentKind::Rate => "\"1%\"",
        ArgumentKind::Ticks => "2.5",
        ArgumentKind::Member | ArgumentKind::Id => "9",
    };
    let further = event.get(key);
    let further = further
        .ok_or_else(|| Flaw::new(whom.at, format!("'{}' needs '{key}': {key} = {example}", whom.key)))?;
    let arguments = match takes {
        ArgumentKind::Rate => {
            let rate: Result<Rate, String> = further.text()?.parse();
            vec![FaultArgument::Rate(rate.map_err(|problem| Flaw::new(further.at, problem))?.0)]
        }
        ArgumentKind::Ticks => {
            let leap = further.as_signed_number().and_then(Leap::by_hops);
            let leap = leap.ok_or_else(|| further.unlike("a number of hops, not 0, as in 10 or -2.5"))?;
            vec![FaultArgument::Ticks(leap.0)]
        }
        ArgumentKind::Id => vec![FaultArgument::Id(further.id()?)],
        ArgumentKind::Member => {
            let ids = match further.as_list() {
                Some(_) => further.ids()?.into_iter().map(|id| id.value).collect(),
                None => vec![further.id()?],
            };
            if ids.is_empty() {
                let problem = format!("'{key}' names nobody: say to whom nothing is said");
                return Err(Flaw::new(further.at, problem));
            }
            ids.into_iter().map(FaultArgument::Member).collect()
        }
    };
    Ok(arguments.into_iter().map(Some).collect())
}

/// The `[[event]]` tables of a script.
#[must_use]
pub fn file_events(script: &[ScriptLine]) -> Datum {
    Datum::list(script.iter().map(|line| Datum::Table(table(line))))
}

fn table(line: &ScriptLine) -> Entries {
    let ids = |ids: &[Id]| Datum::list(ids.iter().map(Id::to_datum));
    let mut entries = vec![entry("at", time(line.first()))];
    match line {
        ScriptLine::Event((id, what, _)) => {
            let (kind, argument) = what.into_parts();
            entries.push(entry(key(kind), id.to_datum()));
            entries.extend(argument.map(|argument| entry(further_key(kind), argument_datum(argument))));
        }
        ScriptLine::Pause(id, _) => entries.push(entry("pause", id.to_datum())),
        ScriptLine::Cut(a, b, _) | ScriptLine::CutOneWay(a, b, _) => {
            entries.push(entry("cut", ids(&[*a, *b])));
        }
        ScriptLine::Mend(a, b, _) | ScriptLine::MendOneWay(a, b, _) => {
            entries.push(entry("mend", ids(&[*a, *b])));
        }
        ScriptLine::Partition(Partition { groups, .. }) => {
            entries.push(entry("partition", Datum::list(groups.iter().map(|group| ids(group)))));
        }
        ScriptLine::Heal(_) => entries.push(entry("heal", Datum::Flag(true))),
    }
    entries.extend(line.during().and_then(|during| during.to).map(|until| entry("until", time(until))));
    if let ScriptLine::CutOneWay(..) | ScriptLine::MendOneWay(..) = line {
        entries.push(entry("one_way", Datum::Flag(true)));
    }
    entries
}

fn time(at: Time) -> Datum {
    Datum::number(at.hops())
}

fn argument_datum(argument: FaultArgument<Id>) -> Datum {
    match argument {
        FaultArgument::Member(id) | FaultArgument::Id(id) => id.to_datum(),
        FaultArgument::Rate(millionths) => Datum::Text(Rate(millionths).to_string()),
        FaultArgument::Ticks(ticks) => Datum::number(ticks as f64 / HOP.ticks() as f64),
    }
}
