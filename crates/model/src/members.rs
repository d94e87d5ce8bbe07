//! What an input makes of a member.

use crate::rules::MOST_ON_A_WIRE;
use crate::{FaultBudget, Input, MemberState, Outcome, TimeModel, Truncation, hash_of};
use bellwether_core::{
    AnyMessage, CallPolicy, Decision, Id, MachineType, NamedLeader, Occasion, Port, Span, Spec, Time,
    TimerChange, Verdict,
};
use bellwether_sim::Plan;
use bellwether_sim::world::{Choices, Step, World};

/// Gives members inputs, through the simulator's own [`World`].
pub struct Members<'p> {
    plan: &'p Plan,
    world: World<'p>,
    liberties: FaultBudget,
    policy: CallPolicy,
    step: Span,
    /// How many draws of this attempt have been seen, those for the spans of timers included.
    seen_draws: usize,
    /// How many of them were the member's own.
    drawn: usize,
}

impl<'p> Members<'p> {
    /// The members of a plan.
    #[must_use]
    pub fn new(machine: &'static MachineType, plan: &'p Plan, liberties: FaultBudget) -> Self {
        Members {
            plan,
            world: World::new(machine, plan),
            liberties,
            policy: liberties.call_policy(machine.spec, plan),
            step: liberties.step(plan),
            seen_draws: 0,
            drawn: 0,
        }
    }

    /// What the members are.
    #[must_use]
    pub fn machine(&self) -> &'static MachineType {
        self.world.machine()
    }

    fn spec(&self) -> &'static Spec {
        self.machine().spec
    }

    /// Everything that an input can make of a member: one outcome for each way in which the numbers that it
    /// draws can fall. And what is left out: where it would draw more than it may, or there are too many ways.
    pub fn outcomes(
        &mut self,
        member: u32,
        seat: &MemberState,
        input: Input<&AnyMessage>,
    ) -> (Vec<Outcome>, Truncation) {
        let (mut outcomes, mut cut) = (Vec::new(), Truncation::default());
        let mut choices = Some(Choices::default());
        while let Some(chosen) = choices {
            if outcomes.len() == usize::from(u16::MAX) {
                cut.countless = true; // an action's draw is a number of this kind
                break;
            }
            self.world.choose(chosen);
            match self.outcome(member, seat, &input) {
                Some(outcome) if outcome.sends.len() > MOST_ON_A_WIRE.into() => cut.countless = true,
                Some(outcome) => outcomes.push(outcome),
                None => cut.numbers = true,
            }
            choices = self.world.take_choices().next();
        }
        (outcomes, cut)
    }

    fn outcome(&mut self, member: u32, before: &MemberState, input: &Input<&AnyMessage>) -> Option<Outcome> {
        (self.seen_draws, self.drawn) = (0, 0);
        let mut after = Outcome { seat: before.clone(), writes: false, sends: Vec::new(), reason: None };
        let now = Time::from_ticks(before.clock);
        if let Some(state) = after.seat.state.take() {
            self.world.thaw(member, state);
        }
        if self.policy.waits_for_calls() && matches!(input, Input::Call { .. } | Input::Message(..)) {
            after.seat.took_part = true;
        }
        match input {
            Input::Boot { .. } => {
                after.seat.boots = false;
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
            Input::Verdict(port, verdict) => {
                let bit = 1 << port.0;
                after.seat.told = match verdict {
                    Verdict::Working => before.told & !bit,
                    Verdict::Suspected => before.told,
                    Verdict::Failed => before.told | bit,
                };
                let step = self.world.suspect(member, now, *port, *verdict);
                self.settle(&mut after, step);
            }
            Input::Death(port) => {
                if self.policy.waits_for_calls() {
                    after.seat.dead = before.dead | 1 << port.0;
                }
                let step = self.world.on_peer_dead(member, now, *port);
                self.settle(&mut after, step);
            }
            Input::Back(port) => after.seat.dead = before.dead & !(1 << port.0),
            Input::Request(request) => {
                let step = self.world.request(member, now, *request);
                self.settle(&mut after, step);
            }
        }
        after.seat.state = self.world.freeze(member);
        self.conclude(member, before, input, &mut after.seat);
        if self.liberties.draws < u8::MAX {
            let drawn = usize::from(before.drawn) + self.drawn;
            after.seat.drawn = u8::try_from(drawn).ok().filter(|&drawn| drawn <= self.liberties.draws)?;
        }
        Some(after)
    }

    /// Takes up the effects of one handler's run.
    fn settle(&mut self, after: &mut Outcome, step: Option<Step>) {
        if step.is_none() {
            return;
        }
        let mut outputs = std::mem::take(self.world.outputs());
        let mut choices = self.world.take_choices();
        self.drawn += choices.count() - self.seen_draws;
        after.reason = outputs.reason.or(after.reason);
        if let Some(durable) = outputs.persist.take() {
            after.seat.saved = durable;
            after.writes = true;
        }
        for change in outputs.timers.drain(..) {
            let (TimerChange::Set(timer, _) | TimerChange::Cancel(timer)) = &change;
            after.seat.timers.retain(|(pending, _)| pending != timer);
            if let TimerChange::Set(timer, range) = change {
                let left = self.pick(&mut choices, *range.start(), *range.end());
                after.seat.timers.push((timer, left));
            }
        }
        self.seen_draws = choices.count();
        self.world.choose(choices);
        // Two members that set the same timers in another order are not different members.
        after.seat.timers.sort_by_cached_key(|(timer, left)| (*left, hash_of(timer)));
        after.sends.append(&mut outputs.sends);
        *self.world.outputs() = outputs;
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

    /// What follows from what an outsider sees: whether the member is to start an election, and the terms in which it leads
    /// are noted.
    fn conclude(
        &self,
        member: u32,
        before: &MemberState,
        input: &Input<&AnyMessage>,
        after: &mut MemberState,
    ) {
        let status = after.status();
        let peer = |port: Port| self.id(self.plan.topology.peer(member, port).0);
        let is_among = |ports: u32, id| {
            let mut those = (0..self.plan.topology.ports(member)).filter(|port| ports & 1 << port != 0);
            those.any(|port| peer(Port(port)) == id)
        };
        let (told, dead) = (after.told, after.dead);
        let (failed, gone) = (|id| is_among(told, id), |id| is_among(dead, id));
        let leader = NamedLeader::new(self.spec(), &status, failed, gone);
        let occasion = match *input {
            Input::Boot { again: true } => Some(Occasion::Recovered),
            Input::Boot { again: false } => Some(Occasion::Started),
            Input::Verdict(port, verdict) => Some(Occasion::Judged(peer(port), verdict)),
            Input::Death(port) => Some(Occasion::Died(peer(port))),
            Input::Call { .. }
            | Input::Message(..)
            | Input::TimeOut(_)
            | Input::Request(_)
            | Input::Back(_) => None,
        };
        let names_another = (status.leader != before.status().leader).then_some(Occasion::NamesLeader);
        for occasion in occasion.into_iter().chain(names_another) {
            after.calls |= self.policy.decide(occasion, leader) == Decision::Call;
        }
        if let Some(patience) = self.policy.restart_after() {
            let is_called = matches!(input, Input::Call { .. });
            let left = before.patience.filter(|_| !is_called).unwrap_or(patience.ticks() as i64);
            after.patience = (!leader.works()).then_some(left);
        }
        if self.spec().reign.counts_terms()
            && after.leads()
            && let Err(at) = after.led.binary_search(&status.term)
        {
            after.led.insert(at, status.term);
        }
    }

    fn id(&self, member: u32) -> Id {
        self.plan.ranks[member as usize].id()
    }
}
