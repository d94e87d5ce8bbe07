//! What happens to whom and when: the file's `[[event]]` tables.
//!
//! An event is `at`, and one key that says what happens, whose value says to whom. Kinds of faults
//! that need more words bring further keys of their own.

use super::error::Flaw;
use super::members::{check_member, in_keys};
use super::table::{At, Table, Value};
use bellwether_core::{Id, Request, Time};
use bellwether_sim::faults::notation::{Interval, Leap, Rate};
use bellwether_sim::faults::{self, Event, Lie, Partition, Scripted};

const KEYS: &[&str] = &[
    "at",
    "crash",
    "torn_crash",
    "crash_sending",
    "recover",
    "start",
    "call",
    "pause",
    "resume",
    "cut",
    "mend",
    "partition",
    "heal",
    "drift",
    "jump",
    "pretend",
    "forge",
    "silence",
    "resign",
    "transfer",
    "admit",
    "dismiss",
    "withdraw",
    "stand",
    "until",
    "one_way",
    "by",
    "as",
    "leader",
    "towards",
    "to",
    "whom",
];

/// What happens to a member and needs no further words.
const PLAIN: [(&str, Event<Id>); 11] = [
    ("crash", Event::Crash),
    ("torn_crash", Event::TornCrash),
    ("crash_sending", Event::CrashSending),
    ("recover", Event::Recover),
    ("start", Event::Start),
    ("call", Event::Call),
    ("pause", Event::Pause),
    ("resume", Event::Resume),
    ("resign", Event::Request(Request::Resign)),
    ("withdraw", Event::Request(Request::Withdraw)),
    ("stand", Event::Request(Request::Stand)),
];

/// The further keys, and what each goes with.
const FURTHER: [(&str, &[&str]); 8] = [
    ("until", &["pause", "cut", "partition"]),
    ("one_way", &["cut", "mend"]),
    ("by", &["drift", "jump"]),
    ("as", &["pretend"]),
    ("leader", &["forge"]),
    ("towards", &["silence"]),
    ("to", &["transfer"]),
    ("whom", &["admit", "dismiss"]),
];

/// Everything that happens.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub happenings: Vec<Occurrence>,
    pub partitions: Vec<At<Partition>>,
    pub heals: Vec<At<Time>>,
}

/// What happens to a member, and where the file says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub id: At<Id>,
    pub what: Event<Id>,
    pub when: At<Time>,
}

/// Reads all events.
pub(super) fn read(events: Option<Value<'_>>) -> Result<Events, Flaw> {
    let mut read = Events::default();
    let Some(events) = events else { return Ok(read) };
    let tables = events.as_list().filter(|items| items.iter().all(Value::is_table));
    let tables = tables.ok_or_else(|| events.unlike("one or more tables, each under [[event]]"))?;
    for event in tables {
        read.add(&event.table("an event", KEYS)?)?;
    }
    Ok(read)
}

impl Events {
    fn add(&mut self, event: &Table<'_>) -> Result<(), Flaw> {
        let when = event.read("at", Value::hops)?;
        let when = when.ok_or_else(|| Flaw::new(event.at, "an event needs a time: at = 2.5"))?;
        let is_further = |key: &str| FURTHER.iter().any(|(further, _)| *further == key);
        let said: Vec<Value<'_>> = KEYS
            .iter()
            .filter(|key| **key != "at" && !is_further(key))
            .filter_map(|key| event.get(key))
            .collect();
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
        let end = until.map(|until| At { value: until.value, at: until.at });
        match whom.key {
            "cut" | "mend" => self.add_link(event, &whom, when, end),
            "partition" => {
                let groups = whom.list("a list of groups, as in [[1, 2], [3]]", Value::ids)?;
                let ids = |group: At<Vec<At<Id>>>| group.value.into_iter().map(|id| id.value).collect();
                let partition = Partition::new(groups.into_iter().map(ids).collect(), during);
                let partition = partition.map_err(|problem| Flaw::new(whom.at, problem))?;
                self.partitions.push(At { value: partition, at: whom.at });
                Ok(())
            }
            "heal" if whom.flag()? => {
                self.heals.push(when);
                Ok(())
            }
            "heal" => Err(whom.unlike("true").hint("leave the event out if nothing is healed")),
            _ => self.add_to_members(event, &whom, when, end),
        }
    }

    fn add_link(
        &mut self,
        event: &Table<'_>,
        whom: &Value<'_>,
        when: At<Time>,
        end: Option<At<Time>>,
    ) -> Result<(), Flaw> {
        let [a, b] = whom.ids()?[..] else { return Err(whom.unlike("two ids, as in [3, 1]")) };
        let one_way = event.read("one_way", Value::flag)?.is_some_and(|flag| flag.value);
        let is_cut = whom.key == "cut";
        for (from, to) in [(a, b), (b, a)].into_iter().take(if one_way { 1 } else { 2 }) {
            let what = if is_cut { Event::Cut(to.value) } else { Event::Mend(to.value) };
            self.happenings.push(Occurrence { id: from, what, when });
            let mended = |when| Occurrence { id: from, what: Event::Mend(to.value), when };
            self.happenings.extend(end.map(mended));
        }
        Ok(())
    }

    fn add_to_members(
        &mut self,
        event: &Table<'_>,
        whom: &Value<'_>,
        when: At<Time>,
        end: Option<At<Time>>,
    ) -> Result<(), Flaw> {
        let events = what_happens(event, whom)?;
        let is_plain = PLAIN.iter().any(|(key, _)| *key == whom.key);
        let ids = match whom.as_list() {
            Some(_) if is_plain => whom.ids()?,
            _ => vec![At { value: whom.id()?, at: whom.at }],
        };
        if ids.is_empty() {
            let problem = format!("'{}' names nobody: say to whom it happens", whom.key);
            return Err(Flaw::new(whom.at, problem));
        }
        for id in ids {
            self.happenings.extend(events.iter().map(|&what| Occurrence { id, what, when }));
            self.happenings.extend(end.map(|when| Occurrence { id, what: Event::Resume, when }));
        }
        Ok(())
    }

    /// What happens to members, without places.
    pub fn script(&self) -> Vec<Scripted> {
        self.happenings.iter().map(|event| (event.id.value, event.what, event.when.value)).collect()
    }

    /// Whether anything happens besides deaths, late starts, calls and requests.
    pub fn disturb(&self) -> bool {
        let is_plain = |what| matches!(what, Event::Crash | Event::Start | Event::Call | Event::Request(_));
        !self.partitions.is_empty() || self.happenings.iter().any(|event| !is_plain(event.what))
    }

    /// Whether a member never starts.
    pub fn is_dead_from_the_start(&self, id: Id) -> bool {
        self.happenings
            .iter()
            .any(|event| event.id.value == id && event.what == Event::Crash && event.when.value == Time::ZERO)
    }

    /// When a member dies that does not come back, if it does.
    pub fn dies_at(&self, id: Id) -> Option<Time> {
        let of = |wanted: fn(&Event<Id>) -> bool| {
            let own = self.happenings.iter().filter(|event| event.id.value == id && wanted(&event.what));
            own.map(|event| event.when.value).max()
        };
        let died = of(|what| *what == Event::Crash)?;
        let recovered = of(|what| *what == Event::Recover);
        Some(died).filter(|&died| recovered.is_none_or(|recovered| recovered < died))
    }

    /// Refuses what cannot happen to members with these ids.
    pub fn check(&self, ids: &[Id], until: Option<Time>) -> Result<(), Flaw> {
        for event in &self.happenings {
            check_member(ids, "member", event.id)?;
            let other = match event.what {
                Event::Cut(id) | Event::Mend(id) | Event::Lie(Lie::Silence(id)) => Some(id),
                Event::Request(request) => request.about(),
                _ => None,
            };
            if let Some(id) = other {
                check_member(ids, "member", At { value: id, at: event.id.at })?;
            }
            check_time(event.when, until)?;
        }
        for partition in &self.partitions {
            for &id in partition.value.groups.iter().flatten() {
                check_member(ids, "member", At { value: id, at: partition.at })?;
            }
            check_time(At { value: partition.value.during.from, at: partition.at }, until)?;
        }
        self.heals.iter().try_for_each(|&heal| check_time(heal, until))?;
        faults::check(&self.script()).map_err(|(place, problem)| {
            let at = self.happenings.get(place).map_or(0, |event| event.id.at);
            Flaw::new(at, in_keys(&problem))
        })
    }
}

fn check_time(when: At<Time>, until: Option<Time>) -> Result<(), Flaw> {
    match until {
        Some(until) if when.value > until => {
            let problem = format!("nothing happens at {}: the run is over at {until}", when.value);
            Err(Flaw::new(when.at, problem).hint("raise 'until', or let it happen earlier"))
        }
        _ => Ok(()),
    }
}

/// What happens to a member, with its further words.
fn what_happens(event: &Table<'_>, whom: &Value<'_>) -> Result<Vec<Event<Id>>, Flaw> {
    if let Some((_, what)) = PLAIN.iter().find(|(key, _)| *key == whom.key) {
        return Ok(vec![*what]);
    }
    let further = |key: &'static str, example: &str| {
        event
            .get(key)
            .ok_or_else(|| Flaw::new(whom.at, format!("'{}' needs '{key}': {key} = {example}", whom.key)))
    };
    let id = |key, example| further(key, example)?.id();
    Ok(match whom.key {
        "drift" => {
            let by = further("by", "\"1%\"")?;
            let rate: Result<Rate, String> = by.text()?.parse();
            vec![Event::Drift(rate.map_err(|problem| Flaw::new(by.at, problem))?.0)]
        }
        "jump" => {
            let by = further("by", "2.5")?;
            let leap = by.as_signed_number().and_then(Leap::by_hops);
            vec![Event::Jump(leap.ok_or_else(|| by.unlike("a number of hops, not 0, as in 10 or -2.5"))?.0)]
        }
        "pretend" => vec![Event::Lie(Lie::Pretend(id("as", "9")?))],
        "forge" => vec![Event::Lie(Lie::Forge(id("leader", "9")?))],
        "transfer" => vec![Event::Request(Request::Transfer(id("to", "9")?))],
        "admit" => vec![Event::Request(Request::Admit(id("whom", "9")?))],
        "dismiss" => vec![Event::Request(Request::Dismiss(id("whom", "9")?))],
        _ => {
            let towards = further("towards", "9")?;
            let ids = match towards.as_list() {
                Some(_) => towards.ids()?.into_iter().map(|id| id.value).collect(),
                None => vec![towards.id()?],
            };
            if ids.is_empty() {
                return Err(Flaw::new(towards.at, "'towards' names nobody: say to whom nothing is said"));
            }
            ids.into_iter().map(|id| Event::Lie(Lie::Silence(id))).collect()
        }
    })
}
