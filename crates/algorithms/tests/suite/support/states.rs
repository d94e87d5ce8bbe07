//! Members' states, met on a walk through a run in a random order.

use bellwether_core::machine::Machine;
use bellwether_core::machine::Outputs;
use bellwether_core::{AnyMachine, AnyMessage, AnyValue, Initiators, MachineType, Port, Time, TimerChange};
use bellwether_sim::{Plan, World};
use bellwether_testkit::dice::Dice;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

/// The length of the walk, and the number of states to compare with each other.
const MOST_STEPS: usize = 300;
const MOST_STATES: usize = 120;

struct Walk<'p> {
    plan: &'p Plan,
    world: World<'p>,
    /// Under way: receiver, its port, message.
    messages: Vec<(u32, Port, AnyMessage)>,
    timers: Vec<(u32, AnyValue)>,
    met: Vec<AnyMachine>,
    complaints: Vec<String>,
}

/// The complaints about the states on one walk through a plan's run.
pub fn complaints(machine: &'static MachineType, plan: &Plan, dice: &mut Dice) -> Vec<String> {
    let mut walk = Walk {
        plan,
        world: World::new(machine, plan),
        messages: Vec::new(),
        timers: Vec::new(),
        met: Vec::new(),
        complaints: Vec::new(),
    };
    let now = Time::ZERO;
    for member in 0..plan.n() {
        let _ = walk.world.start(member, now);
        walk.apply(member);
    }
    for member in 0..plan.n() {
        let calls = match &plan.initiators {
            Initiators::All => true,
            Initiators::Some(members) => members.contains(&member),
        };
        if calls && walk.world.call(member, now).is_some() {
            walk.apply(member);
        }
    }
    for _ in 0..MOST_STEPS {
        walk.step(dice);
    }
    walk.compare();
    walk.complaints
}

impl Walk<'_> {
    /// Delivers the oldest message of some link or, when none is left, lets a timer expire.
    fn step(&mut self, dice: &mut Dice) {
        let now = Time::ZERO;
        if !self.messages.is_empty() {
            let any = dice.below(self.messages.len());
            let link = (self.messages[any].0, self.messages[any].1);
            let oldest = self.messages.iter().position(|(to, port, _)| (*to, *port) == link).unwrap_or(any);
            let (member, port, msg) = self.messages.remove(oldest);
            if self.world.deliver(member, now, port, msg).is_some() {
                self.apply(member);
            }
        } else if !self.timers.is_empty() {
            let (member, timer) = self.timers.remove(0);
            if self.world.fire(member, now, timer).is_some() {
                self.apply(member);
            }
        }
    }

    fn apply(&mut self, member: u32) {
        if let Some(state) = self.world.state(member) {
            let copy = state.boxed_clone();
            if !copy.equals(state) || hash(&*copy) != hash(state) {
                self.complaints.push(format!("{state:?} differs from its copy"));
            }
            if let Err(broken) = state.invariant() {
                self.complaints.push(format!("{state:?}: {broken}"));
            }
            if state.storage() < size_of_val(state) {
                self.complaints.push(format!("{state:?} takes less than its type"));
            }
            self.met.push(copy);
        }
        let Outputs { timers, sends, .. } = std::mem::take(self.world.outputs());
        for change in timers {
            let (TimerChange::Set(timer, _) | TimerChange::Cancel(timer)) = &change;
            self.timers.retain(|(of, pending)| (*of, pending) != (member, timer));
            if let TimerChange::Set(timer, range) = change {
                if range.is_empty() {
                    self.complaints.push(format!("a timer {timer:?} that can never run out"));
                }
                self.timers.push((member, timer));
            }
        }
        for (port, msg) in sends {
            if !self.plan.topology.flow(member, port).sends() {
                self.complaints.push(format!("{msg:?} is sent where nothing can be sent"));
            }
            let (to, at) = self.plan.topology.peer(member, port);
            self.messages.push((to, at, msg));
        }
    }

    /// Equal states display equally and have equal hashes; states that display differently are different.
    fn compare(&mut self) {
        self.met.truncate(MOST_STATES);
        let seen: Vec<(&AnyMachine, String, u64)> =
            self.met.iter().map(|state| (state, format!("{state:?}"), hash(&**state))).collect();
        for (one, looks, hashed) in &seen {
            for (other, other_looks, other_hashed) in &seen {
                let equal = one == other;
                if equal != (looks == other_looks) || (equal && hashed != other_hashed) {
                    self.complaints.push(format!("{looks} and {other_looks} compare as equal: {equal}"));
                    return;
                }
            }
        }
        if let Some(state) = self.met.iter().find(|state| serde_json::to_value(state).is_err()) {
            self.complaints.push(format!("{state:?} cannot be written"));
        }
    }
}

fn hash(state: &dyn Machine) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash_into(&mut hasher);
    hasher.finish()
}
