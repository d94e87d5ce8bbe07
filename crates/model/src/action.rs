//! What can happen, and how it goes.

use bellwether_core::{Fate, FaultEvent};
use bellwether_sim::schedule::{CrashPoint, Notice};

/// An action and how it goes. Members and wires are named by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// What happens.
    pub what: Action,
    /// Where members draw numbers: which of the ways in which they can fall, from 0.
    pub draw: u16,
    /// The member that acts crashes before it is done.
    pub crash_after: Option<CrashPoint>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Something happens to a member: it boots ([`FaultEvent::Start`]), starts an election, stops and comes back, freezes and
    /// resumes, is asked something, or receives a death certificate. (Nothing else does: other faults are made of these.)
    Member(u8, FaultEvent<u8>),
    /// A link loses or doubles a message: of those on its wire, the one at this place.
    Link(u8, u8, Fate),
    /// A member that has had no leader for long starts an election, perhaps again.
    CallAgain(u8),
    /// A message arrives: of those on its wire, the one at this place.
    Deliver(u8, u8),
    /// One of a member's timers, by number, runs out.
    TimeOut(u8, u8),
    /// A member hears something of the neighbour at a port: from its detector, or because a connection closed or opened.
    Tell(u8, u8, Notice),
    /// The clock moves on.
    Tick,
}

impl From<Action> for Transition {
    fn from(what: Action) -> Transition {
        Transition { what, draw: 0, crash_after: None }
    }
}

impl Action {
    /// Whether a member boots for the first time.
    #[must_use]
    pub fn is_boot(self) -> bool {
        matches!(self, Action::Member(_, FaultEvent::Start))
    }

    /// Whether a member hears a suspicion, or that one was wrong.
    #[must_use]
    pub fn is_suspicion(self) -> bool {
        matches!(self, Action::Tell(.., Notice::Suspected | Notice::Unsuspected))
    }

    /// Whether a member's detector declares a neighbour failed that lives.
    #[must_use]
    pub fn is_false_alarm(self) -> bool {
        matches!(self, Action::Tell(.., Notice::FalselyFailed))
    }

    /// Whether it only may happen, and need not: a fault, the end of one, a suspicion, a false alarm, or a request. (A pause ends some time:
    /// one that does not is a crash.)
    #[must_use]
    pub fn is_fault(self) -> bool {
        match self {
            Action::Member(_, FaultEvent::Start | FaultEvent::Call | FaultEvent::Resume) => false,
            Action::Member(..) | Action::Link(..) => true,
            Action::Tell(..) => self.is_suspicion() || self.is_false_alarm(),
            Action::Deliver(..) | Action::TimeOut(..) | Action::CallAgain(_) | Action::Tick => false,
        }
    }
}
