//! What happens in a run: what members say, and what is done to them.

use super::record::Summary;
use bellwether::{Event, Id};
use serde::Serialize;

/// Something that happened, when, and to whom.
#[derive(Clone, Debug)]
pub struct Happening {
    /// When, in microseconds since the machine booted.
    pub at_us: u64,
    /// At which member; nothing if at all.
    pub member: Option<Id>,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum What {
    /// A member says so.
    Event(Event),
    /// We did it, or saw it.
    Deed(Deed),
}

/// What we did, or saw.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Deed {
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
