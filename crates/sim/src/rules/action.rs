//! One thing that can happen.

use bellwether_core::Verdict;

/// One thing that can happen. Members and wires are named by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// What happens.
    pub what: What,
    /// Where members draw numbers: which of the ways in which they can fall, from 0.
    pub draw: u16,
    /// The member that acts crashes when it has sent so many of the messages that it was to send.
    pub crash_after: Option<u8>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// A member boots for the first time.
    Boot(u8),
    /// A member calls an election.
    Call(u8),
    /// A message arrives: of those on its wire, the one at this place.
    Deliver(u8, u8),
    /// One of a member's timers, by number, runs out.
    TimeOut(u8, u8),
    /// A member's detector takes the neighbour at a port for dead (or alive again).
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
}

/// What a detector can say of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// It is dead.
    Failed,
    /// It is back.
    Working,
}

impl From<Word> for Verdict {
    fn from(word: Word) -> Verdict {
        match word {
            Word::Failed => Verdict::Failed,
            Word::Working => Verdict::Working,
        }
    }
}

impl From<What> for Action {
    fn from(what: What) -> Action {
        Action { what, draw: 0, crash_after: None }
    }
}

impl What {
    /// Whether it only may happen, and need not: a fault, or the end of one.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, What::Crash(_) | What::Recover(_) | What::Lose(..) | What::Duplicate(..))
    }
}
