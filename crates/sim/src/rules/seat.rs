//! All there is to one member, and what an input makes of it.

use super::{Liberties, TimeModel};
use crate::plan::Plan;
use crate::world::{Choices, Step, World};
use bellwether_core::{
    Algorithm, Id, Knowledge, Port, Protocol, Role, Span, Starts, Status, Time, TimerChange, Verdict,
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// All there is to one member: a value that can be compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seat<A: Algorithm> {
    /// Its volatile state; none while it is down.
    state: Option<A>,
    /// Whether it is yet to boot for the first time: it is down, but not dead.
    boots: bool,
    /// What it finds when it boots.
    saved: A::Durable,
    /// Its pending timers, and how much of its clock is left of each.
    timers: Vec<(A::Timer, i64)>,
    /// Whether it is yet to call an election.
    calls: bool,
    /// The ports whose neighbours its detector takes for dead.
    told: u32,
    /// What its clock shows, if it may read it.
    clock: u64,
    /// How far its clock moves on in one step of the world's.
    rate: u32,
    /// The terms in which it has led, where no two may lead in one.
    led: Vec<u64>,
    /// How many numbers it has drawn, where it may not draw as many as it likes.
    drawn: u8,
}

/// The most timers of a member that are looked at: as many as fit into a word.
const MOST_TIMERS: usize = u64::BITS as usize;

/// What matters of a member to those that only look on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether it is up.
    pub is_up: bool,
    /// Whether it has crashed and not come back. (Who has not booted yet is neither up nor dead.)
    pub is_dead: bool,
    /// What an outsider sees of it.
    pub status: Status,
    /// Whether it knows what it should at the end.
    pub is_satisfied: bool,
    /// Whether it is yet to call an election.
    pub calls: bool,
    /// The ports whose neighbours its detector takes for dead.
    pub told: u32,
    /// How many timers are pending.
    pub timers: u8,
    /// Those of them that can run out now.
    pub due: u64,
    /// The terms in which it has led, where no two may lead in one.
    pub led: Vec<u64>,
}

/// What can be done to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input<M> {
    /// It boots, for the first time or again; whoever comes back is to call an election.
    Boot {
        /// After a crash.
        again: bool,
    },
    /// It calls an election, and takes the neighbours at these ports for dead.
    Call {
        /// The ports whose neighbours are dead.
        dead: u32,
    },
    /// A message arrives.
    Message(Port, M),
    /// One of its timers, by number, runs out.
    TimeOut(u8),
    /// Its detector changes its mind about a neighbour.
    Word(Port, Verdict),
}

/// What an input can make of a member.
#[derive(Clone, Debug)]
pub struct Outcome<A: Algorithm> {
    /// The member after it.
    pub seat: Seat<A>,
    /// What it sends.
    pub sends: Vec<(Port, A::Msg)>,
    /// Why it acted as it did.
    pub reason: Option<&'static str>,
}

impl Facts {
    /// Whether it is yet to boot for the first time.
    #[must_use]
    pub fn boots(&self) -> bool {
        !self.is_up && !self.is_dead
    }

    /// Whether it does nothing by itself.
    #[must_use]
    pub fn is_still(&self) -> bool {
        !self.boots() && !self.calls && self.timers == 0
    }
}

impl<A: Algorithm> Seat<A> {
    /// A member that has not booted. Its clock gains so many thousandths.
    pub(super) fn new(calls: bool, step: Span, gains: i32) -> Self {
        let rate = (step.ticks() as i64 * i64::from(1_000 + gains) / 1_000) as u32;
        let saved = A::Durable::default();
        Seat {
            state: None,
            boots: true,
            saved,
            timers: Vec::new(),
            calls,
            told: 0,
            clock: 0,
            rate,
            led: Vec::new(),
            drawn: 0,
        }
    }

    /// Its state, if it is up.
    #[must_use]
    pub fn state(&self) -> Option<&A> {
        self.state.as_ref()
    }

    /// A pending timer, by number.
    #[must_use]
    pub fn timer(&self, number: u8) -> Option<&A::Timer> {
        self.timers.get(number as usize).map(|(timer, _)| timer)
    }

    /// What an outsider sees of it.
    #[must_use]
    pub fn status(&self) -> Status {
        self.state.as_ref().map_or(Status::UNDECIDED, Protocol::status)
    }

    /// What matters of it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let due = |(_, left): &(A::Timer, i64)| *left <= 0;
        let status = self.status();
        Facts {
            is_up: self.state.is_some(),
            is_dead: self.state.is_none() && !self.boots,
            status,
            is_satisfied: A::SPEC.goal.is_met_by(&status),
            calls: self.calls && self.state.is_some(),
            told: self.told,
            timers: self.timers.len().min(MOST_TIMERS) as u8,
            due: (0..MOST_TIMERS)
                .zip(&self.timers)
                .fold(0, |mask, (at, timer)| mask | u64::from(due(timer)) << at),
            led: self.led.clone(),
        }
    }

    /// The member stops.
    #[must_use]
    pub fn crashed(&self) -> Self {
        Seat { state: None, boots: false, timers: Vec::new(), calls: false, told: 0, ..self.clone() }
    }

    /// The world's clock moves on by a step.
    #[must_use]
    pub fn a_step_later(&self) -> Self {
        let mut later = self.clone();
        later.timers.iter_mut().for_each(|(_, left)| *left -= i64::from(self.rate));
        if A::SPEC.knows.has(Knowledge::CLOCK) {
            later.clock += u64::from(self.rate);
        }
        later
    }
}

/// Gives members inputs, through the simulator's own [`World`].
pub struct Members<'p, A: Algorithm> {
    plan: &'p Plan,
    world: World<'p, A>,
    liberties: Liberties,
    step: Span,
    /// How many draws of this attempt have been seen, those for the spans of timers included.
    seen_draws: usize,
    /// How many of them were the member's own.
    drawn: usize,
}

impl<'p, A: Algorithm> Members<'p, A> {
    /// The members of a plan.
    #[must_use]
    pub fn new(plan: &'p Plan, liberties: Liberties) -> Self {
        Members {
            plan,
            world: World::new(plan),
            liberties,
            step: liberties.step(plan),
            seen_draws: 0,
            drawn: 0,
        }
    }

    /// Everything that an input can make of a member: one outcome for each way in which the numbers that it
    /// draws can fall. True if some are left out because it would draw more than it may, or there are too many.
    pub fn outcomes(
        &mut self,
        member: u32,
        seat: &Seat<A>,
        input: Input<&A::Msg>,
    ) -> (Vec<Outcome<A>>, bool) {
        let (mut outcomes, mut is_cut) = (Vec::new(), false);
        let mut choices = Some(Choices::default());
        while let Some(chosen) = choices {
            if outcomes.len() == usize::from(u16::MAX) {
                return (outcomes, true); // an action's draw is a number of this kind
            }
            self.world.choose(chosen);
            match self.outcome(member, seat, &input) {
                Some(outcome) => outcomes.push(outcome),
                None => is_cut = true,
            }
            choices = self.world.take_choices().next();
        }
        (outcomes, is_cut)
    }

    fn outcome(&mut self, member: u32, before: &Seat<A>, input: &Input<&A::Msg>) -> Option<Outcome<A>> {
        (self.seen_draws, self.drawn) = (0, 0);
        let mut after = Outcome { seat: before.clone(), sends: Vec::new(), reason: None };
        let now = Time::from_ticks(before.clock);
        if let Some(state) = after.seat.state.take() {
            self.world.thaw(member, state);
        }
        match input {
            Input::Boot { again } => {
                after.seat.boots = false;
                after.seat.calls |= *again && A::SPEC.starts == Starts::Callers;
                self.world.persist(member, before.saved.clone());
                let step = self.world.start(member, now);
                self.settle(&mut after, Some(step));
            }
            Input::Call { dead } => {
                for port in (0..u32::BITS).filter(|port| dead & 1 << port != 0).map(Port) {
                    let step = self.world.suspect(member, now, port, Verdict::Failed);
                    self.settle(&mut after, step);
                }
                after.seat.calls = false;
                let step = self.world.call(member, now);
                self.settle(&mut after, step);
            }
            Input::Message(port, msg) => {
                let step = self.world.deliver(member, now, *port, (*msg).clone());
                self.settle(&mut after, step);
            }
            Input::TimeOut(number) => {
                let (timer, _) = after.seat.timers.remove(*number as usize);
                let step = self.world.fire(member, now, timer);
                self.settle(&mut after, step);
            }
            Input::Word(port, verdict) => {
                let bit = 1 << port.0;
                after.seat.told = match verdict {
                    Verdict::Working => before.told & !bit,
                    _ => before.told | bit,
                };
                let step = self.world.suspect(member, now, *port, *verdict);
                self.settle(&mut after, step);
            }
        }
        after.seat.state = self.world.freeze(member);
        self.conclude(member, before, &mut after.seat);
        if self.liberties.draws < u8::MAX {
            let drawn = usize::from(before.drawn) + self.drawn;
            after.seat.drawn = u8::try_from(drawn).ok().filter(|&drawn| drawn <= self.liberties.draws)?;
        }
        Some(after)
    }

    /// Takes up the effects of one handler's run.
    fn settle(&mut self, after: &mut Outcome<A>, step: Option<Step<A>>) {
        let Some(Step { effects, .. }) = step else { return };
        let mut choices = self.world.take_choices();
        self.drawn += choices.count() - self.seen_draws;
        after.reason = effects.reason.or(after.reason);
        if let Some(durable) = effects.persist {
            after.seat.saved = durable;
        }
        let mut timers = self.world.buffers().take_timers();
        for change in timers.drain(..) {
            let (TimerChange::Set(timer, _) | TimerChange::Cancel(timer)) = &change;
            after.seat.timers.retain(|(pending, _)| pending != timer);
            if let TimerChange::Set(timer, range) = change {
                let left = self.pick(&mut choices, *range.start(), *range.end());
                after.seat.timers.push((timer, left));
            }
        }
        self.world.buffers().return_timers(timers);
        self.seen_draws = choices.count();
        self.world.choose(choices);
        // Two members that set the same timers in another order are not different members.
        after.seat.timers.sort_by_cached_key(|(timer, left)| (*left, hash_of(timer)));
        after.sends.extend(effects.first_send);
        let mut sends = self.world.buffers().take_sends();
        after.sends.append(&mut sends);
        self.world.buffers().return_sends(sends);
    }

    /// After how much of its clock a timer runs out: any number of steps within its range.
    fn pick(&self, choices: &mut Choices, least: Span, most: Span) -> i64 {
        match self.liberties.time {
            TimeModel::Any => 0,
            TimeModel::Clock { .. } => {
                let steps = most.ticks().saturating_sub(least.ticks()).div_ceil(self.step.ticks());
                let chosen = if steps == 0 { 0 } else { choices.draw(steps + 1) };
                (least.ticks() + chosen * self.step.ticks()).min(most.ticks()) as i64
            }
        }
    }

    /// What follows from what an outsider sees: whoever has come to name a leader that it takes for dead is
    /// to call, and the terms in which it leads are noted.
    fn conclude(&self, member: u32, before: &Seat<A>, after: &mut Seat<A>) {
        let status = after.status();
        let is_dead = |id: Id| {
            let mut told = (0..self.plan.topology.ports(member)).filter(|port| after.told & 1 << port != 0);
            told.any(|port| {
                let (peer, _) = self.plan.topology.peer(member, Port(port));
                self.plan.ranks[peer as usize].id() == id
            })
        };
        let is_news = status.leader != before.status().leader || after.told & !before.told != 0;
        if A::SPEC.starts == Starts::Callers && is_news && status.leader.is_some_and(is_dead) {
            after.calls = true;
        }
        if A::SPEC.reign.counts_terms()
            && status.role == Role::Leader
            && let Err(at) = after.led.binary_search(&status.term)
        {
            after.led.insert(at, status.term);
        }
    }
}

/// A hash that is the same on every machine and in every run.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
