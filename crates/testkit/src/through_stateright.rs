//! The simulator's world as a model of the `stateright` crate: another checker, with the same rules.

use bellwether_core::{Algorithm, MachineType};
use bellwether_model::{FaultBudget, Rules, Situation, Transition, Whole};
use bellwether_sim::Plan;
use stateright::{Model, Property};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// Everything that can happen in a plan. Stateright wants models that live for ever, so the plan has to.
pub struct World<A: Algorithm> {
    /// What can happen.
    pub rules: Rules<'static>,
    algorithm: PhantomData<fn() -> A>,
    properties: Vec<Property<Self>>,
    /// One for each thread that works: taken out and put back.
    idle: Mutex<Vec<Whole<'static>>>,
}

impl<A: Algorithm> World<A> {
    /// The world of a plan, and what is to hold in it.
    pub fn new(plan: &'static Plan, liberties: FaultBudget, properties: Vec<Property<Self>>) -> Self {
        World {
            algorithm: PhantomData,
            rules: Rules::new(plan, liberties),
            properties,
            idle: Mutex::new(Vec::new()),
        }
    }

    fn with_whole<T>(&self, work: impl FnOnce(&mut Whole<'static>) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut whole = taken
            .unwrap_or_else(|| Whole::new(MachineType::of::<A>(), self.rules.plan, self.rules.liberties));
        let result = work(&mut whole);
        idle().push(whole);
        result
    }
}

impl<A: Algorithm> Model for World<A> {
    type State = Situation;
    type Action = Transition;

    fn init_states(&self) -> Vec<Situation> {
        self.rules.beginnings(MachineType::of::<A>())
    }

    fn actions(&self, now: &Situation, actions: &mut Vec<Transition>) {
        actions.extend(self.with_whole(|whole| whole.enabled(&self.rules, now)));
    }

    fn next_state(&self, now: &Situation, action: Transition) -> Option<Situation> {
        self.with_whole(|whole| whole.apply(&self.rules, now, action))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        self.properties.clone()
    }
}
