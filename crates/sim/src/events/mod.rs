//! The simulator proper: one event after the other, in virtual time.
//!
//! At one point in time, what the script says happens first, then messages arrive in the order in
//! which they were sent, then detectors speak, then timers run out: a time-out of T means that nothing
//! came within T. Last come the elections that members start because of what they have come to know ([`calls`]).

mod calls;
mod death_certificates;
mod disturbed;
mod lease;
mod life;
mod watch;

pub use disturbed::LinkCounts;

use crate::delay::Sampler;
use crate::judge::{self, Ending, Live, Survivor};
use crate::measure::Tally;
use crate::plan::{LinkOrder, Plan};
use crate::report::{Driver, FinishedRun, Report};
use crate::timers::Timers;
use crate::trace::Observer;
use crate::wheel::{Packet, Wheel};
use crate::world::{Step, Stream, World, stream};
use bellwether_core::machine::Machine;
use bellwether_core::{
    AnyMessage, AnyValue, Goal, Initiators, Lasting, MachineType, Port, Reign, Role, Span, Spec, Starts,
    Status, Time, TimerChange,
};
use calls::Calls;
use death_certificates::DeathCertificates;
use disturbed::FaultState;
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use watch::Watch;

/// When a run is over, besides when nothing is left to happen or a limit is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// At nothing else.
    #[default]
    WhenQuiet,
    /// As soon as somebody leads and everyone alive knows what the algorithm promises: for
    /// algorithms that never fall silent.
    AtItsGoal,
    /// As soon as all is as it should be ([`crate::rule`]), but not before what goes wrong has had time to show
    /// ([`Plan::settles_at`]): for algorithms that go on for ever.
    WhenRight,
}

impl Stop {
    /// When runs of an algorithm are over.
    #[must_use]
    pub fn of(spec: &Spec) -> Stop {
        match spec.lasting {
            Lasting::Ends => Stop::WhenQuiet,
            Lasting::GoesOn => Stop::WhenRight,
        }
    }
}

/// Runs a plan to its end.
pub fn run(machine: &'static MachineType, plan: &Plan, observer: &mut dyn Observer, stop: Stop) -> Report {
    drive(machine, plan, observer, stop, Driver::Events)
}

/// Runs an algorithm in rounds over a synchroniser, which is what `machine` is.
pub fn run_synchronised(machine: &'static MachineType, plan: &Plan, observer: &mut dyn Observer) -> Report {
    // Who does not halt never stops sending markers.
    let halts = machine.spec.goal == Goal::EveryoneHalts;
    let stop = if halts { Stop::WhenQuiet } else { Stop::AtItsGoal };
    drive(machine, plan, observer, stop, Driver::Synchroniser)
}

fn drive(
    machine: &'static MachineType,
    plan: &Plan,
    observer: &mut dyn Observer,
    stop: Stop,
    driver: Driver,
) -> Report {
    let mut simulation = Simulation::new(machine, plan, observer, stop);
    simulation.begin();
    let finished = simulation.play();
    simulation.report(finished, driver)
}

struct Simulation<'p, 'o> {
    plan: &'p Plan,
    observer: &'o mut dyn Observer,
    world: World<'p>,
    wheel: Wheel<AnyMessage>,
    timers: Timers<AnyValue>,
    tally: Tally,
    delays: Sampler,
    delay_dice: Xoshiro256PlusPlus,
    timer_dice: Xoshiro256PlusPlus,
    /// For each link, when its last message arrives: later ones do not arrive before. Empty where
    /// messages cannot overtake each other, or may.
    link_busy_until: Vec<Time>,
    /// What waits at the doors of members that have not started.
    at_the_door: BTreeMap<u32, Vec<Packet<AnyMessage>>>,
    /// What waited for those that have just started: it is delivered before anything else.
    let_in: Vec<Packet<AnyMessage>>,
    crashed: Vec<u32>,
    script_done: usize,
    now: Time,
    /// Whether any member was given an input since the clock moved on.
    something_happened: bool,
    stop: Stop,
    /// From when on it may be over because all is right.
    settles_at: Time,
    /// Whether an outsider has seen anything new since it was last asked whether to stop.
    has_news: bool,
    /// What goes wrong, where anything does.
    disturbed: Option<Box<FaultState>>,
    /// Who watches whom, where anyone does.
    watch: Option<Box<Watch>>,
    /// Death certificates, where there can be any.
    certificates: Option<Box<DeathCertificates>>,
    /// Who starts an election when.
    calls: Calls,
    /// The last time that a member was given an input that mattered, or the script was followed.
    busy_until: Time,
    /// For each member, whether it has taken part in an election: it was called, or heard a message. Messages
    /// are noted only where a caller may crash or messages be lost: elsewhere, if one is heard, a live member was called.
    took_part: Vec<bool>,
}

impl<'p, 'o> Simulation<'p, 'o> {
    fn new(
        machine: &'static MachineType,
        plan: &'p Plan,
        observer: &'o mut dyn Observer,
        stop: Stop,
    ) -> Self {
        let spec = machine.spec;
        let may_overtake = plan.links == LinkOrder::Fifo && !plan.delay.is_constant();
        // If a caller may crash, it must be noted who has heard of its call.
        let is_disturbed = plan.is_disturbed() || spec.starts == Starts::Callers && plan.has_late_crash();
        let expected = match &plan.initiators {
            Initiators::All => plan.n() as usize,
            Initiators::Some(members) => members.len(),
        };
        Simulation {
            world: World::new(machine, plan),
            wheel: Wheel::new(
                plan.delay.bound().ticks(),
                plan.delay.is_constant() && !is_disturbed,
                expected,
            ),
            timers: Timers::new(),
            tally: Tally::new(plan.n(), spec.reign),
            delays: plan.delay.sampler(),
            delay_dice: stream(plan.seed, Stream::Delay),
            timer_dice: stream(plan.seed, Stream::Timer),
            link_busy_until: if may_overtake {
                vec![Time::ZERO; plan.topology.link_slots()]
            } else {
                Vec::new()
            },
            at_the_door: BTreeMap::new(),
            let_in: Vec::new(),
            crashed: plan.dead(),
            script_done: 0,
            now: Time::ZERO,
            something_happened: false,
            stop,
            settles_at: plan.settles_at(),
            has_news: stop == Stop::WhenRight,
            disturbed: is_disturbed.then(|| Box::new(FaultState::new(plan.seed))),
            watch: Watch::new(plan),
            certificates: DeathCertificates::new(plan),
            calls: Calls::new(spec, plan),
            busy_until: Time::ZERO,
            took_part: vec![false; plan.n() as usize],
            plan,
            observer,
        }
    }

    fn spec(&self) -> &'static Spec {
        self.world.machine().spec
    }

    /// Whether its members lead under leases.
    fn is_leased(&self) -> bool {
        self.spec().reign == Reign::Leased
    }

    /// Until nothing is left to happen, or it is time to stop (true), or a limit is reached (false).
    fn play(&mut self) -> bool {
        loop {
            let scripted = self.plan.script.get(self.script_done).map(|happening| happening.at);
            let told = self.certificates.as_ref().and_then(|it| it.next_time());
            let again = self.calls.next_time();
            let times = [scripted, self.wheel.next_time(), self.timers.next_time(), told, again];
            let next = times.into_iter().flatten().min();
            let Some(now) = self.or_watch(next) else { return true };
            let said = self.tally.messages() + self.watch.as_ref().map_or(0, |watch| watch.signals);
            if now > self.plan.limits.time || said > self.plan.limits.messages {
                return false;
            }
            self.now = now;
            self.wheel.advance(now);
            while let Some(&happening) = self.plan.script.get(self.script_done)
                && happening.at == now
            {
                self.script_done += 1;
                self.busy_until = now;
                self.happen(happening.what, happening.member);
            }
            let mut due = self.wheel.take_due();
            if !self.let_in.is_empty() {
                due.splice(0..0, self.let_in.drain(..));
            }
            for Packet { to, port, msg } in due.drain(..) {
                self.deliver(to, port, msg);
            }
            self.wheel.recycle(due);
            if self.certificates.is_some() {
                self.receive_certificates();
            }
            if self.watch.is_some() {
                self.keep_watch();
            }
            while let Some((member, timer)) = self.timers.pop_at(now) {
                if self.world.state(member).is_none() {
                    self.postpone(member, timer);
                    continue;
                }
                self.observer.timed_out(now, member, &timer);
                let step = self.world.fire(member, self.clock(member), timer);
                self.settle(member, step);
            }
            self.let_the_doubtful_call();
            self.let_the_leaderless_call();
            if std::mem::take(&mut self.something_happened) {
                self.tally.last_event = now;
                self.busy_until = now;
            }
            if self.stop != Stop::WhenQuiet && self.is_over() {
                return true;
            }
        }
    }

    /// When the next thing happens, detectors included: unless only they have anything left to do, and
    /// have had time enough to say all there is to say.
    fn or_watch(&mut self, next: Option<Time>) -> Option<Time> {
        match &mut self.watch {
            None => next,
            Some(watch) => {
                let give_up_at = self.busy_until + watch.linger;
                let watched = watch.next_time().filter(|&at| next.is_some() || at <= give_up_at);
                [next, watched].into_iter().flatten().min()
            }
        }
    }

    /// Whether it is time to stop, though more could happen: looked at only where there is something new to see.
    fn is_over(&mut self) -> bool {
        match self.stop {
            Stop::WhenQuiet => false,
            Stop::AtItsGoal => std::mem::take(&mut self.has_news) && self.is_at_its_goal(),
            Stop::WhenRight => {
                self.now >= self.settles_at && std::mem::take(&mut self.has_news) && self.is_right()
            }
        }
    }

    fn is_right(&self) -> bool {
        let live = Live::Among(self.plan.n(), &|member| self.survivor(member));
        judge::rule(self.spec(), self.plan, live, Ending::ByItself).is_right()
    }

    /// A member that is alive and does not lie.
    fn survivor(&self, member: u32) -> Option<Survivor> {
        let state = self.world.state(member).filter(|_| self.is_honest(member))?;
        let took_part = self.took_part[member as usize];
        Some(Survivor { member, status: self.seen(member, state), took_part })
    }

    fn is_at_its_goal(&self) -> bool {
        let mut statuses =
            (0..self.plan.n()).filter_map(|member| self.world.state(member)).map(Machine::status);
        statuses.clone().any(|status| status.role == Role::Leader)
            && statuses.all(|status| self.spec().goal.is_met_by(&status))
    }

    fn deliver(&mut self, member: u32, port: Port, msg: AnyMessage) {
        if self.world.state(member).is_none() {
            self.miss(member, port, msg);
            return;
        }
        self.observer.delivered(self.now, member, port, &*msg);
        if self.disturbed.is_some() {
            self.took_part[member as usize] = true;
        }
        let step = self.world.deliver(member, self.clock(member), port, msg);
        self.settle(member, step);
    }

    /// A message has come to a member that is not up.
    fn miss(&mut self, member: u32, port: Port, msg: AnyMessage) {
        match self.at_the_door.get_mut(&member) {
            Some(waiting) => waiting.push(Packet { to: member, port, msg }),
            None => self.observer.lost(self.now, member, port, &*msg),
        }
    }

    /// Applies what came of an input, in the contract's order: persist, timers, send, publish.
    fn settle(&mut self, member: u32, step: Option<Step>) {
        let Some(Step { before, after }) = step else { return };
        // The outputs are taken out and put back, so that their lists are allocated once.
        let mut outputs = std::mem::take(self.world.outputs());
        if let Some(doom) = self.doom(member, &outputs) {
            return self.settle_and_crash(member, outputs, doom);
        }
        self.something_happened = true;
        if let Some(reason) = outputs.reason {
            self.observer.reasoned(self.now, member, reason);
        }
        if let Some(state) = self.world.state(member) {
            self.tally.holds(state.storage());
            self.observer.settled(self.now, member, state.as_state());
        }
        if let Some(saved) = outputs.persist.take() {
            self.world.persist(member, saved);
        }
        for change in outputs.timers.drain(..) {
            self.change_timer(member, change);
        }
        for (port, msg) in outputs.sends.drain(..) {
            self.send(member, port, msg);
        }
        *self.world.outputs() = outputs;
        if before != after {
            self.publish(member, before, after);
        }
        if self.is_leased() && (before.role == Role::Leader || after.role == Role::Leader) {
            self.look_at_lease(member, after.term);
        }
        if self.calls.keeps_time() {
            self.note_leader(member);
        }
    }

    fn publish(&mut self, member: u32, before: Status, after: Status) {
        self.tally.named(self.now, member, before, after);
        if !self.is_leased()
            && (before.role, before.term) != (after.role, after.term)
            && self.is_honest(member)
        {
            self.tally.reigns.note(self.now, member, (after.role == Role::Leader).then_some(after.term));
        }
        self.has_news = true;
        self.observer.published(self.now, member, after);
        if before.leader != after.leader && (self.watch.is_some() || self.certificates.is_some()) {
            self.doubt(member);
        }
    }

    fn send(&mut self, member: u32, port: Port, msg: AnyMessage) {
        if self.disturbed.is_some() {
            return self.send_disturbed(member, port, msg);
        }
        self.tally.sent(msg.kind_index(), msg.encoded_bytes());
        let mut at = self.now + self.delays.draw(&mut self.delay_dice);
        if !self.link_busy_until.is_empty() {
            let busy_until = &mut self.link_busy_until[self.plan.topology.link_slot(member, port)];
            at = at.max(*busy_until);
            *busy_until = at;
        }
        let (to, at_port) = self.plan.topology.peer(member, port);
        self.observer.sent(self.now, member, port, (to, at_port), &*msg, at);
        self.wheel.push(at, to, at_port, msg);
    }

    fn change_timer(&mut self, member: u32, change: TimerChange<AnyValue>) {
        match change {
            TimerChange::Set(timer, range) => {
                let (least, most) = (range.start().ticks(), range.end().ticks());
                let after = if least < most { self.timer_dice.random_range(least..=most) } else { least };
                self.timers.set(member, timer, self.after(member, Span::from_ticks(after)));
            }
            TimerChange::Cancel(timer) => self.timers.cancel(member, &timer),
        }
    }

    fn report(mut self, finished: bool, driver: Driver) -> Report {
        let ended = FinishedRun {
            plan: self.plan,
            tally: std::mem::replace(&mut self.tally, Tally::new(0, Reign::AtOnce)),
            driver,
            rounds: None,
            leader_round: None,
            ending: Ending::of(finished),
            now: self.now,
            links: self.disturbed.as_ref().map_or_else(LinkCounts::default, |disturbed| disturbed.counts),
            signals: self.watch.as_ref().map_or(0, |watch| watch.signals),
        };
        let MachineType { spec, kinds, .. } = self.world.machine();
        ended.report(spec, kinds, Live::Among(self.plan.n(), &|member| self.survivor(member)))
    }
}
