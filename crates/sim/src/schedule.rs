//! A run that is said step by step, and not left to delays and chance. It is data here: `bellwether_model` plays it.

mod fault_budget;
mod instruction;

pub use fault_budget::{FaultBudget, TimeModel};
pub use instruction::{ActionText, CrashPoint, Endpoint, Envelope, Instruction, Notice};

use bellwether_core::{FaultKind, HOP, Time};

/// A run, step by step. Steps are what people write; in the numbers of a model's rules they are actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule<S = Instruction> {
    /// What the world may do; part of it, as which wires there are, depends on it.
    pub liberties: FaultBudget,
    /// From which of the rules' beginnings it starts: 0, but where clocks drift.
    pub beginning: u32,
    /// What happens, in order.
    pub actions: Vec<S>,
    /// If the run goes round for ever: with which step the loop starts, from 0.
    pub loop_from: Option<u32>,
}

impl<S> Schedule<S> {
    /// The same with other steps.
    pub fn with<T>(&self, actions: Vec<T>) -> Schedule<T> {
        let Schedule { liberties, beginning, loop_from, .. } = *self;
        Schedule { liberties, beginning, actions, loop_from }
    }
}

impl Schedule {
    /// When each step happens.
    pub fn times(&self) -> impl Iterator<Item = Time> {
        let happens = |at: &mut Time, step: &Instruction| {
            *at = time_of_next(*at, step.event() == Some(FaultKind::Start));
            Some(*at)
        };
        self.actions.iter().scan(Time::ZERO, happens)
    }

    /// When the loop starts, if there is one.
    #[must_use]
    pub fn goes_round_from(&self) -> Option<Time> {
        self.times().nth(self.loop_from? as usize)
    }
}

/// When a step happens, after one at this time: members that boot before anything else happens do so at time 0, and from
/// then on each step comes a hop after the one before it.
#[must_use]
pub fn time_of_next(at: Time, is_boot: bool) -> Time {
    if at == Time::ZERO && is_boot { at } else { at + HOP }
}
