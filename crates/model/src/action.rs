//! One thing that can happen.

use bellwether_core::Request;
use bellwether_sim::Plan;
use bellwether_sim::schedule::{Midway, Word};

/// One thing that can happen. Members and wires are named by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// What happens.
    pub what: What,
    /// Where members draw numbers: which of the ways in which they can fall, from 0.
    pub draw: u16,
    /// The member that acts crashes before it is done.
    pub crash_after: Option<Midway>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// A member boots for the first time.
    Boot(u8),
    /// A member calls an election.
    Call(u8),
    /// A member that has had no leader for long calls an election, perhaps again.
    CallAgain(u8),
    /// A message arrives: of those on its wire, the one at this place.
    Deliver(u8, u8),
    /// One of a member's timers, by number, runs out.
    TimeOut(u8, u8),
    /// A member hears something of the neighbour at a port: from its detector, or because a connection closed or opened.
    Tell(u8, u8, Word),
    /// The clock moves on.
    Tick,
    /// A member stops.
    Crash(u8),
    /// A member that is down boots again.
    Recover(u8),
    /// A message is lost: of those on its wire, the one at this place.
    Lose(u8, u8),
    /// A message comes twice: of those on its wire, the one at this place.
    Duplicate(u8, u8),
    /// A member freezes: it handles nothing until it wakes, and its clock runs on.
    Pause(u8),
    /// A member that is frozen wakes as it was.
    Wake(u8),
    /// Whoever runs the members asks something of one.
    Ask(u8, Ask),
    /// A member learns for certain that whoever sends on this wire to it is dead.
    Certify(u8),
}

/// What can be asked of a member: [`bellwether_core::Request`], with members by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ask {
    /// Lead no longer.
    Resign,
    /// Let this member lead.
    Transfer(u8),
    /// Let this member vote.
    Admit(u8),
    /// Let this member no longer vote.
    Dismiss(u8),
    /// Be a candidate.
    Stand,
    /// Be no candidate until told.
    Withdraw,
}

impl Ask {
    /// The same, with members by id.
    pub(crate) fn request(self, plan: &Plan) -> Request {
        let id = |member: u8| plan.ranks[member as usize].id();
        match self {
            Ask::Resign => Request::Resign,
            Ask::Transfer(to) => Request::Transfer(id(to)),
            Ask::Admit(whom) => Request::Admit(id(whom)),
            Ask::Dismiss(whom) => Request::Dismiss(id(whom)),
            Ask::Stand => Request::Stand,
            Ask::Withdraw => Request::Withdraw,
        }
    }
}

impl From<What> for Action {
    fn from(what: What) -> Action {
        Action { what, draw: 0, crash_after: None }
    }
}

impl What {
    /// Whether a member hears a suspicion, or that one was wrong.
    #[must_use]
    pub fn is_suspicion(self) -> bool {
        matches!(self, What::Tell(.., Word::Suspected | Word::Unsuspected))
    }

    /// Whether it only may happen, and need not: a fault, the end of one, a suspicion, or a request. (A pause ends some time:
    /// one that does not is a crash.)
    #[must_use]
    pub fn is_fault(self) -> bool {
        match self {
            What::Crash(_) | What::Recover(_) | What::Lose(..) | What::Duplicate(..) => true,
            What::Pause(_) | What::Ask(..) | What::Certify(_) => true,
            What::Tell(..) => self.is_suspicion(),
            What::Boot(_) | What::Call(_) | What::CallAgain(_) => false,
            What::Deliver(..) | What::TimeOut(..) => false,
            What::Tick | What::Wake(_) => false,
        }
    }
}
