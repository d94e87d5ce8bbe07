//! Events of a run: those that members report, and what `up` does to members.

use super::summary::Summary;
use bellwether::{Event, Id};
use serde::Serialize;

/// One event of a run.
#[derive(Clone, Debug)]
pub struct RunEvent {
    /// When, in microseconds since the machine booted.
    pub at_us: u64,
    /// At which member; `None` if it concerns the whole run.
    pub member: Option<Id>,
    /// What.
    pub what: EventKind,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EventKind {
    /// A member reports it.
    Event(Event),
    /// `up` did it, or saw it.
    Action(Action),
}

/// What `up` did, or saw.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Action {
    /// The run begins.
    Up {
        /// How many members there are.
        members: u64,
        /// Which algorithm they run.
        algorithm: String,
        /// With which failure detector, if any.
        detector: Option<String>,
        /// How fast.
        profile: String,
        /// What that can promise.
        promise: String,
    },
    /// A member was killed (SIGKILL).
    Killed,
    /// A member was frozen (SIGSTOP).
    Paused,
    /// It goes on (SIGCONT).
    Continued,
    /// Nothing passes from and to it.
    Cut,
    /// Everything passes again.
    Healed,
    /// It was started again.
    Restarted,
    /// It was asked to lead no longer.
    AskedToResign,
    /// It was asked to let another lead.
    AskedToHandOver {
        /// Whom.
        to: Id,
    },
    /// Its process has ended.
    Ended,
    /// All is over.
    Summary(Summary),
}
