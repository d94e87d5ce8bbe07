//! What happens to whom and when: the file's `[[event]]` tables.
//!
//! An event is `at`, and one key that says what happens, whose value says to whom. Kinds of faults
//! that need more words bring further keys of their own.

use super::error::Flaw;
use super::table::{At, Table, Value};
use crate::faults::Event;
use bellwether_core::{Id, Time};

const KEYS: &[&str] = &["at", "crash", "start", "call"];
const KINDS: [(&str, Event<Id>); 3] =
    [("crash", Event::Crash), ("start", Event::Start), ("call", Event::Call)];

/// What happens to a member, and where the file says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub id: At<Id>,
    pub what: Event<Id>,
    pub when: At<Time>,
}

/// Reads all events.
pub(super) fn read(events: Option<Value<'_>>) -> Result<Vec<Occurrence>, Flaw> {
    let Some(events) = events else { return Ok(Vec::new()) };
    let tables = events.as_list().filter(|items| items.iter().all(Value::is_table));
    let tables = tables.ok_or_else(|| events.unlike("one or more tables, each under [[event]]"))?;
    let mut occurrences = Vec::new();
    for event in tables {
        read_one(&event.table("an event", KEYS)?, &mut occurrences)?;
    }
    Ok(occurrences)
}

fn read_one(event: &Table<'_>, occurrences: &mut Vec<Occurrence>) -> Result<(), Flaw> {
    let when = event.read("at", Value::hops)?;
    let when = when.ok_or_else(|| Flaw::new(event.at, "an event needs a time: at = 2.5"))?;
    let said: Vec<_> = KINDS.iter().filter_map(|&(key, what)| Some((event.get(key)?, what))).collect();
    let (whom, what) = match said[..] {
        [one] => one,
        [] => return Err(Flaw::new(event.at, "an event says what happens: add crash, start or call")),
        [_, (second, _), ..] => {
            let problem = format!("an event is one thing: give '{}' an [[event]] of its own", second.key);
            return Err(Flaw::new(second.at, problem));
        }
    };
    let ids = match whom.as_list() {
        Some(_) => whom.ids()?,
        None => vec![At { value: whom.id()?, at: whom.at }],
    };
    if ids.is_empty() {
        let problem = format!("'{}' names nobody: say to whom it happens", whom.key);
        return Err(Flaw::new(whom.at, problem));
    }
    occurrences.extend(ids.into_iter().map(|id| Occurrence { id, what, when }));
    Ok(())
}

/// Refuses what cannot happen to members with these ids.
pub(super) fn check(events: &[Occurrence], ids: &[Id], until: Option<Time>) -> Result<(), Flaw> {
    for (number, event) in events.iter().enumerate() {
        let (id, at) = (event.id.value, event.id.at);
        super::members::check_member(ids, "member", event.id)?;
        if let Some(until) = until.filter(|&until| event.when.value > until) {
            let problem = format!("nothing happens at {}: the run is over at {until}", event.when.value);
            return Err(Flaw::new(event.when.at, problem).hint("raise 'until', or let it happen earlier"));
        }
        let others = events[..number].iter().filter(|other| other.id.value == id);
        if others.clone().any(|other| other.what == event.what && event.what != Event::Call) {
            let done = if event.what == Event::Crash { "crashes" } else { "starts" };
            return Err(Flaw::new(at, format!("member {id} {done} twice: once is for good")));
        }
        let time_of = |what| when(events, id, what);
        let (crash, start) = (time_of(Event::Crash), time_of(Event::Start));
        let is_dead = crash.is_some_and(|crash| crash <= event.when.value);
        let dead = |does: &str| Flaw::new(at, format!("member {id} is dead by then and cannot {does}"));
        match event.what {
            Event::Start if is_dead => {
                return Err(dead("start").hint("let it start earlier, or crash later"));
            }
            Event::Call if is_dead => return Err(dead("call").hint("let another member call")),
            Event::Call if start.is_some_and(|start| start > event.when.value) => {
                return Err(Flaw::new(at, format!("member {id} has not started by then and cannot call"))
                    .hint("let it start earlier, or call later"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// When something happens to a member, if it does.
pub(super) fn when(events: &[Occurrence], id: Id, what: Event<Id>) -> Option<Time> {
    events.iter().find(|event| event.id.value == id && event.what == what).map(|event| event.when.value)
}
