//! Parts of states as numbers.
//!
//! A state is made of a few parts (members, and what is on the wires) of which there are far fewer than there
//! are states. Each is kept once and known by its number, so that a state is a short row of numbers: two states
//! are the same exactly if their rows are. (Holzmann calls this collapse compression: *The model checker SPIN*,
//! 1997.)

use bellwether_core::{AnyMessage, MachineType, Names, Port, Spec};
use bellwether_model::{
    Change, Facts, FaultBudget, Input, MemberState, Members, Situation, Truncation, hash_of,
};
use bellwether_sim::Plan;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is on a wire: messages by number, and how long they have been under way.
pub type WireContents = Vec<(u32, u16)>;

/// Values, each with a number. Threads share them, but rarely ask: each remembers what it was told.
pub struct Numbered<T>(Mutex<IndexSet<Arc<T>, FxBuildHasher>>);

impl<T: Hash + Eq> Numbered<T> {
    pub fn new() -> Self {
        Numbered(Mutex::new(IndexSet::default()))
    }

    fn lock(&self) -> MutexGuard<'_, IndexSet<Arc<T>, FxBuildHasher>> {
        // Whoever panicked while it held this has brought the search down with it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a value, new or not.
    pub fn number(&self, value: T) -> u32 {
        let mut values = self.lock();
        let known = values.get_index_of(&value);
        known.unwrap_or_else(|| values.insert_full(Arc::new(value)).0) as u32
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// The value of a number that was given before.
    pub fn value(&self, number: u32) -> Arc<T> {
        self.lock().get_index(number as usize).expect("a number that was given").clone()
    }
}

/// What one way in which drawn numbers can fall makes of a member: the member after it, whether it writes, and what it
/// sends.
type NumberedOutcome = (u32, bool, Vec<(Port, u32)>);

/// What an input can make of a member, by numbers.
pub struct Reaction {
    /// For each way in which drawn numbers can fall.
    pub outcomes: Vec<NumberedOutcome>,
    /// What is left out.
    pub cut: Truncation,
}

/// An algorithm's side of a search: it knows what the numbers stand for. Asked once for each, so that the search
/// itself need not be compiled for every algorithm.
pub trait Source: Send {
    /// The algorithm's outside.
    fn spec(&self) -> &'static Spec;
    /// What matters of a member, and a hash of it that does not depend on numbers.
    fn facts(&self, seat: u32) -> (Facts, u64);
    /// A hash of a message that does not depend on numbers, and of which kind it is.
    fn letter(&self, letter: u32) -> (u64, usize);
    /// A hash of one of a member's timers.
    fn timer_hash(&self, seat: u32, timer: u8) -> u64;
    /// What an input can make of a member.
    fn react(&mut self, member: u32, seat: u32, input: Input<&u32>) -> Reaction;
    /// The member when something has happened to it without its doing.
    fn changed(&self, seat: u32, change: Change) -> u32;
    /// The member as it would be if others had other names; itself, where names do not only tell members apart.
    fn renamed(&self, seat: u32, names: &Names) -> u32;
}

/// The values of a search that depend on the algorithm.
pub struct Values {
    seats: Numbered<MemberState>,
    letters: Numbered<AnyMessage>,
}

impl Values {
    /// None yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Values { seats: Numbered::new(), letters: Numbered::new() })
    }

    /// How many members there are by now.
    pub fn seats(&self) -> usize {
        self.seats.count()
    }

    /// The numbers of a situation's members and of what is on its wires.
    pub fn pack(&self, situation: &Situation, lines: &Numbered<WireContents>) -> (Vec<u32>, Vec<u32>) {
        let line = |letters: &Vec<(AnyMessage, u16)>| {
            letters.iter().map(|(letter, age)| (self.letters.number(letter.clone()), *age)).collect()
        };
        let seats = situation.seats.iter().map(|seat| self.seats.number(seat.clone())).collect();
        (seats, situation.queues.iter().map(|letters| lines.number(line(letters))).collect())
    }
}

/// One thread's [`Source`].
pub struct StateStore<'p> {
    values: Arc<Values>,
    members: Members<'p>,
}

impl<'p> StateStore<'p> {
    /// Works on values that it shares with others.
    pub fn new(
        machine: &'static MachineType,
        plan: &'p Plan,
        liberties: FaultBudget,
        values: Arc<Values>,
    ) -> Self {
        StateStore { values, members: Members::new(machine, plan, liberties) }
    }
}

impl Source for StateStore<'_> {
    fn spec(&self) -> &'static Spec {
        self.members.machine().spec
    }

    fn facts(&self, seat: u32) -> (Facts, u64) {
        let seat = self.values.seats.value(seat);
        (seat.facts(self.spec()), hash_of(&*seat))
    }

    fn letter(&self, letter: u32) -> (u64, usize) {
        let letter = self.values.letters.value(letter);
        (hash_of(&*letter), letter.kind_index())
    }

    fn timer_hash(&self, seat: u32, timer: u8) -> u64 {
        hash_of(&self.values.seats.value(seat).timer(timer))
    }

    fn react(&mut self, member: u32, seat: u32, input: Input<&u32>) -> Reaction {
        let Values { seats, letters } = &*self.values;
        let before = seats.value(seat);
        let letter;
        let input = match input {
            Input::Boot { again } => Input::Boot { again },
            Input::Call { dead } => Input::Call { dead },
            Input::Message(port, number) => {
                letter = letters.value(*number);
                Input::Message(port, &*letter)
            }
            Input::TimeOut(number) => Input::TimeOut(number),
            Input::Verdict(port, verdict) => Input::Verdict(port, verdict),
            Input::Request(request) => Input::Request(request),
            Input::Death(port) => Input::Death(port),
            Input::Back(port) => Input::Back(port),
        };
        let (outcomes, cut) = self.members.outcomes(member, &before, input);
        let number = |(port, letter)| (port, letters.number(letter));
        let outcomes = outcomes.into_iter().map(|outcome| {
            let sends = outcome.sends.into_iter().map(number).collect();
            (seats.number(outcome.seat), outcome.writes, sends)
        });
        Reaction { outcomes: outcomes.collect(), cut }
    }

    fn changed(&self, seat: u32, change: Change) -> u32 {
        self.values.seats.number(self.values.seats.value(seat).changed(self.spec(), change))
    }

    fn renamed(&self, seat: u32, names: &Names) -> u32 {
        let Some(rename) = &self.members.machine().rename else { return seat };
        self.values.seats.number(self.values.seats.value(seat).renamed(rename, names))
    }
}
