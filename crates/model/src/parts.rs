//! A state, and how its parts are kept.

use crate::{Change, Facts, Input};
use bellwether_core::{Port, Spec};
use std::ops::BitOrAssign;

/// How much of the fault budget is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BudgetUsed {
    /// Crashes.
    pub crashes: u8,
    /// Recoveries.
    pub recoveries: u8,
    /// Lost messages.
    pub losses: u8,
    /// Messages that came twice.
    pub duplicates: u8,
    /// Pauses.
    pub pauses: u8,
    /// Requests.
    pub requests: u8,
    /// Suspicions, and words that a suspicion was wrong.
    pub suspicions: u8,
    /// False alarms of detectors.
    pub false_alarms: u8,
    /// Elections that were started again.
    pub restarts: u8,
    /// Steps of the clock, where they are counted.
    pub ticks: u16,
    /// Of which deaths who has yet to be told, where crashes are certified: the wires from the dead to them, as bits.
    pub untold: u32,
}

/// What is left out of what can happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truncation {
    /// Members would draw more numbers than they may.
    pub numbers: bool,
    /// More messages would be on a wire, or numbers fall in more ways, than there are numbers for.
    pub countless: bool,
    /// The clock would make more steps than it may.
    pub ticks: bool,
    /// Elections would be started again more often than they may.
    pub restarts: bool,
}

impl BitOrAssign for Truncation {
    fn bitor_assign(&mut self, more: Truncation) {
        self.numbers |= more.numbers;
        self.countless |= more.countless;
        self.ticks |= more.ticks;
        self.restarts |= more.restarts;
    }
}

/// Everything that is at one moment: all members, all messages under way, and what has gone wrong so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<S, Q> {
    /// The members.
    pub seats: Vec<S>,
    /// For each wire, what is on it.
    pub queues: Vec<Q>,
    /// What has gone wrong so far.
    pub spent: BudgetUsed,
}

impl<S: Clone, Q: Clone> State<S, Q> {
    /// Becomes the same as another, without allocating where it can.
    pub fn become_like(&mut self, other: &Self) {
        self.seats.clone_from(&other.seats);
        self.queues.clone_from(&other.queues);
        self.spent = other.spent;
    }
}

/// A state whose parts are kept by `P`.
pub type StateOf<P> = State<<P as Parts>::MemberState, <P as Parts>::Queue>;

/// How the parts of a state are kept.
pub trait Parts {
    /// A member.
    type MemberState: Clone;
    /// What is on a wire, in order.
    type Queue: Clone;
    /// A message on its way.
    type Message: Clone;
    /// What an input can make of a member.
    type Outcomes: Copy;

    /// The moment that comes next begins as a copy of the last: nothing differs yet. This and the next two are for
    /// those who want to know what differs.
    fn begin_next(&mut self) {}
    /// A member differs from what it was.
    fn touch_seat(&mut self, member: u32) {
        let _ = member;
    }
    /// What is on a wire differs from what it was.
    fn touch_wire(&mut self, wire: u8) {
        let _ = wire;
    }
    /// The algorithm's outside.
    fn spec(&self) -> &'static Spec;
    /// What matters of a member.
    fn facts(&mut self, seat: &Self::MemberState) -> &Facts;
    /// Whether a member is doing nothing by itself: it has booted, is not to call, and has no timers.
    fn is_still(&mut self, seat: &Self::MemberState) -> bool {
        self.facts(seat).is_still()
    }
    /// Whether a member is up.
    fn is_up(&mut self, seat: &Self::MemberState) -> bool {
        self.facts(seat).is_up
    }
    /// Whether a member has crashed and not come back.
    fn is_dead(&mut self, seat: &Self::MemberState) -> bool {
        self.facts(seat).is_dead
    }
    /// How many messages are on a wire.
    fn len(&mut self, queue: &Self::Queue) -> u8;
    /// Whether a message has been under way for so many steps of the clock.
    fn has_waited(&mut self, queue: &Self::Queue, steps: u16) -> bool;
    /// Whether the message at a place differs from the one before it.
    fn differs(&mut self, queue: &Self::Queue, place: u8) -> bool;
    /// A wire with nothing on it.
    fn empty(&mut self) -> Self::Queue;
    /// One more message behind the others (where they keep their order).
    fn put(&mut self, queue: &Self::Queue, letter: &Self::Message) -> Self::Queue;
    /// Without the message at a place.
    fn take(&mut self, queue: &Self::Queue, place: u8) -> (Self::Message, Self::Queue);
    /// With the message at a place once more, right behind it.
    fn double(&mut self, queue: &Self::Queue, place: u8) -> Self::Queue;
    /// What an input can make of a member.
    fn act(&mut self, member: u32, seat: &Self::MemberState, input: Input<&Self::Message>) -> Self::Outcomes;
    /// How many outcomes there are.
    fn count(&self, outcomes: Self::Outcomes) -> u16;
    /// What is left out of them.
    fn cut(&self, outcomes: Self::Outcomes) -> Truncation;
    /// Whether the member writes something.
    fn writes(&self, outcomes: Self::Outcomes, draw: u16) -> bool;
    /// The member after it, and how many messages it sends.
    fn outcome(&self, outcomes: Self::Outcomes, draw: u16) -> (Self::MemberState, u8);
    /// One of the messages it sends.
    fn sent(&self, outcomes: Self::Outcomes, draw: u16, nth: u8) -> (Port, Self::Message);
    /// A member to which something happens without its doing.
    fn changed(&mut self, seat: &Self::MemberState, change: Change) -> Self::MemberState;
    /// A wire, a step of the clock later. Beyond `oldest` steps nobody counts how long messages are under way.
    fn queue_later(&mut self, queue: &Self::Queue, oldest: u16) -> Self::Queue;
}
