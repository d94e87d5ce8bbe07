//! The members and their surroundings: what a run is about, without who decides what happens next.
//!
//! A scheduler (the simulator picks one next step, the checker takes all of them: `bellwether_model`) gives
//! a member one input and then applies its effects.

use crate::plan::Plan;
use bellwether_core::machine::Machine;
use bellwether_core::machine::{Input, Outputs, Place};
use bellwether_core::{
    AnyMachine, AnyMessage, AnyValue, Duty, Environment, Flow, Knowledge, MachineType, ParamValues, Port,
    Rank, Request, Span, Spec, Status, Time, Verdict,
};
use rand::{RngExt as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Members and their surroundings.
pub struct World<'p> {
    machine: &'static MachineType,
    /// A member's rank and volatile state; no state while it is not up.
    members: Vec<(Rank, Option<AnyMachine>)>,
    /// What survives a member's crash: what it wrote last.
    saved: Vec<AnyValue>,
    surroundings: Surroundings<'p>,
    /// What came of the last input. Lists are kept and used again.
    outputs: Outputs,
}

/// What an outsider saw of a member before an input, and after it. What else came of it is in [`World::outputs`].
#[derive(Clone, Copy, Debug)]
#[must_use = "outputs are to be applied"]
pub struct Step {
    /// Before.
    pub before: Status,
    /// After.
    pub after: Status,
}

impl<'p> World<'p> {
    /// The world of a plan, before anyone is up.
    #[must_use]
    pub fn new(machine: &'static MachineType, plan: &'p Plan) -> Self {
        World {
            machine,
            members: plan.ranks.iter().map(|&rank| (rank, None)).collect(),
            saved: (0..plan.n()).map(|_| (machine.unsaved)()).collect(),
            surroundings: Surroundings::new(machine.spec, plan),
            outputs: Outputs::default(),
        }
    }

    /// What the members are.
    #[must_use]
    pub fn machine(&self) -> &'static MachineType {
        self.machine
    }

    /// A member's state, if it is up.
    #[must_use]
    pub fn state(&self, member: u32) -> Option<&dyn Machine> {
        self.members[member as usize].1.as_deref()
    }

    /// What came of the last input.
    pub fn outputs(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    /// The member boots with what it had saved.
    pub fn start(&mut self, member: u32, now: Time) -> Step {
        self.outputs.clear();
        let (rank, state) = &mut self.members[member as usize];
        let place = Place { member, rank: *rank, now, environment: &mut self.surroundings };
        let booted = (self.machine.boot)(place, &*self.saved[member as usize], &mut self.outputs);
        let after = booted.status();
        *state = Some(booted);
        Step { before: Status::UNDECIDED, after }
    }

    /// The member loses its volatile state.
    pub fn crash(&mut self, member: u32) {
        self.members[member as usize].1 = None;
    }

    /// What the member asked to have written is written.
    pub fn persist(&mut self, member: u32, saved: AnyValue) {
        self.saved[member as usize] = saved;
    }

    /// The member freezes: it is not up until its state is given back.
    pub fn freeze(&mut self, member: u32) -> Option<AnyMachine> {
        self.members[member as usize].1.take()
    }

    /// The member wakes as it was.
    pub fn thaw(&mut self, member: u32, state: AnyMachine) {
        self.members[member as usize].1 = Some(state);
    }

    /// The member takes itself for somebody else from now on.
    pub fn pretend(&mut self, member: u32, rank: Rank) {
        self.members[member as usize].0 = rank;
    }

    /// Who the member takes itself for.
    #[must_use]
    pub fn rank(&self, member: u32) -> Rank {
        self.members[member as usize].0
    }

    /// From now on members draw these numbers.
    pub fn choose(&mut self, choices: Choices) {
        self.surroundings.dice = Dice::Chosen(choices);
    }

    /// What was chosen for members to draw, and how far they have come with it.
    pub fn take_choices(&mut self) -> Choices {
        match &mut self.surroundings.dice {
            Dice::Seeded(_) => Choices::default(),
            Dice::Chosen(choices) => std::mem::take(choices),
        }
    }

    /// Gives the member an input. Nothing happens if it is not up.
    pub fn input(&mut self, member: u32, now: Time, input: Input) -> Option<Step> {
        self.outputs.clear();
        let (rank, state) = &mut self.members[member as usize];
        let state = state.as_mut()?;
        let before = state.status();
        let place = Place { member, rank: *rank, now, environment: &mut self.surroundings };
        state.handle(place, input, &mut self.outputs);
        debug_assert_eq!(state.invariant(), Ok(()));
        Some(Step { before, after: state.status() })
    }

    /// The member's election is called.
    pub fn call(&mut self, member: u32, now: Time) -> Option<Step> {
        self.input(member, now, Input::Call)
    }

    /// A message reaches the member.
    pub fn deliver(&mut self, member: u32, now: Time, port: Port, msg: AnyMessage) -> Option<Step> {
        self.input(member, now, Input::Message(port, msg))
    }

    /// One of the member's timers has run out.
    pub fn fire(&mut self, member: u32, now: Time, timer: AnyValue) -> Option<Step> {
        self.input(member, now, Input::Timer(timer))
    }

    /// The member's failure detector says something of a neighbour.
    pub fn suspect(&mut self, member: u32, now: Time, peer: Port, verdict: Verdict) -> Option<Step> {
        self.input(member, now, Input::Suspicion(peer, verdict))
    }

    /// The member learns for certain that a neighbour's process is dead.
    pub fn on_peer_dead(&mut self, member: u32, now: Time, peer: Port) -> Option<Step> {
        self.input(member, now, Input::Death(peer))
    }

    /// The operator asks something of the member.
    pub fn request(&mut self, member: u32, now: Time, request: Request) -> Option<Step> {
        self.input(member, now, Input::Request(request))
    }
}

/// What surrounds the members, as far as they may know it.
pub(crate) struct Surroundings<'p> {
    plan: &'p Plan,
    parameters: ParamValues,
    knows: Knowledge,
    dice: Dice,
}

/// Where the numbers that members draw come from.
enum Dice {
    /// The plan's seed.
    Seeded(Xoshiro256PlusPlus),
    /// Somebody who wants to see them all.
    Chosen(Choices),
}

/// Numbers chosen for a member to draw, one after the other; after the last of them, zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// What was drawn, and below which bound.
    drawn: Vec<(u64, u64)>,
    /// How many have been drawn in this attempt.
    at: usize,
}

impl Choices {
    /// Draws the next number.
    pub fn draw(&mut self, bound: u64) -> u64 {
        if self.at == self.drawn.len() {
            self.drawn.push((0, bound));
        }
        self.at += 1;
        self.drawn[self.at - 1].0
    }

    /// How many numbers have been drawn in this attempt.
    #[must_use]
    pub fn count(&self) -> usize {
        self.at
    }

    /// The numbers for the next attempt, where there is one: like an odometer, the last one turns first.
    #[must_use]
    pub fn next(mut self) -> Option<Choices> {
        self.drawn.truncate(self.at);
        while let Some((number, bound)) = self.drawn.pop() {
            if number + 1 < bound {
                self.drawn.push((number + 1, bound));
                return Some(Choices { drawn: self.drawn, at: 0 });
            }
        }
        None
    }
}

impl<'p> Surroundings<'p> {
    pub(crate) fn new(spec: &Spec, plan: &'p Plan) -> Self {
        let dice = Dice::Seeded(stream(plan.seed, Stream::Algorithm));
        Surroundings { plan, parameters: plan.parameters(spec), knows: spec.knows, dice }
    }
}

impl Environment for Surroundings<'_> {
    fn size(&self) -> u32 {
        self.plan.n()
    }

    fn diameter(&self) -> u32 {
        self.plan.diameter.expect("a plan for an algorithm that knows the diameter has one")
    }

    fn ports(&self, member: u32) -> u32 {
        self.plan.topology.ports(member)
    }

    fn flow(&self, member: u32, port: Port) -> Flow {
        self.plan.topology.flow(member, port)
    }

    fn peer_rank(&self, member: u32, port: Port) -> Rank {
        self.plan.ranks[self.plan.topology.peer(member, port).0 as usize]
    }

    fn better_ranks(&self, member: u32) -> u64 {
        self.plan.range.better_than(self.plan.ranks[member as usize])
    }

    fn delay_bound(&self) -> Span {
        self.plan.delay_bound
    }

    fn drift_bound(&self) -> u32 {
        self.plan.drift_bound
    }

    fn parameters(&self) -> &ParamValues {
        &self.parameters
    }

    fn knows(&self) -> Knowledge {
        self.knows
    }

    fn duty(&self, member: u32) -> Duty {
        self.plan.duty(member)
    }

    fn peer_duty(&self, member: u32, port: Port) -> Duty {
        self.plan.duty(self.plan.topology.peer(member, port).0)
    }

    fn draw(&mut self, bound: u64) -> u64 {
        match &mut self.dice {
            Dice::Seeded(dice) => dice.random_range(0..bound),
            Dice::Chosen(choices) => choices.draw(bound),
        }
    }
}

/// What randomness is for: each purpose has a stream of its own, so that drawing more for one does
/// not change the others.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The order of ids.
    Order,
    /// The network's shape.
    Network,
    /// Messages' delays.
    Delay,
    /// The spans of timers.
    Timer,
    /// The algorithm's own draws.
    Algorithm,
    /// Attributes of members.
    Attribute,
    /// What links do to messages.
    Fault,
    /// Detectors' signals: how long they take, and what links do to them.
    Signal,
    /// What a swarm is made of.
    Swarm,
    /// Death certificates: how long they take, and what links do to them.
    Certificate,
}

/// The stream of a seed for a purpose.
#[must_use]
pub fn stream(seed: u64, purpose: Stream) -> Xoshiro256PlusPlus {
    // The generator expands its seed with SplitMix64, so seeds that differ by little do not matter.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ (purpose as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
