//! The simulator proper: one event after the other, in virtual time.
//!
//! At one point in time, what the script says happens first, then messages arrive in the order in
//! which they were sent, then detectors speak, then timers run out: a time-out of T means that nothing
//! came within T.

mod disturbed;
mod lease;
mod life;
mod obituary;
mod watch;

pub use disturbed::LinkCounts;

use crate::delay::Sampler;
use crate::judge::{self, Ending, Survivor};
use crate::measure::Tally;
use crate::plan::{LinkOrder, Plan};
use crate::report::{Driver, Ended, Report};
use crate::timers::Timers;
use crate::trace::Observer;
use crate::wheel::{Packet, Wheel};
use crate::world::{Step, Stream, World, stream};
use bellwether_core::{
    Algorithm, Goal, Initiators, Lasting, Port, Protocol, Role, RoundAlgorithm, Rounds, Span, Spec, Starts,
    Status, Time, TimerChange,
};
use disturbed::Disturbance;
use obituary::Obituaries;
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
pub fn run<A: Algorithm, O: Observer + ?Sized>(plan: &Plan, observer: &mut O, stop: Stop) -> Report {
    let mut simulation = Simulation::<A, O>::new(plan, observer, stop);
    simulation.begin();
    let finished = simulation.play();
    simulation.report(finished, Driver::Events)
}

/// Runs an algorithm in rounds over a synchroniser.
pub fn run_synchronised<R: RoundAlgorithm, O: Observer + ?Sized>(plan: &Plan, observer: &mut O) -> Report {
    // Who does not halt never stops sending markers.
    let stop = if R::SPEC.goal == Goal::EveryoneHalts { Stop::WhenQuiet } else { Stop::AtItsGoal };
    let mut simulation = Simulation::<Rounds<R>, O>::new(plan, observer, stop);
    simulation.begin();
    let finished = simulation.play();
    simulation.report(finished, Driver::Synchroniser)
}

struct Simulation<'p, 'o, A: Algorithm, O: ?Sized> {
    plan: &'p Plan,
    observer: &'o mut O,
    world: World<'p, A>,
    wheel: Wheel<A::Msg>,
    timers: Timers<A::Timer>,
    tally: Tally,
    delays: Sampler,
    delay_dice: Xoshiro256PlusPlus,
    timer_dice: Xoshiro256PlusPlus,
    /// For each link, when its last message arrives: later ones do not arrive before. Empty where
    /// messages cannot overtake each other, or may.
    link_busy_until: Vec<Time>,
    /// What waits at the doors of members that have not started.
    at_the_door: BTreeMap<u32, Vec<Packet<A::Msg>>>,
    /// What waited for those that have just started: it is delivered before anything else.
    let_in: Vec<Packet<A::Msg>>,
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
    disturbed: Option<Box<Disturbance<A>>>,
    /// Who watches whom, where anyone does.
    watch: Option<Box<Watch>>,
    /// Word of deaths that is under way, where crashes are certified.
    obituaries: Option<Box<Obituaries>>,
    /// The last time that a member was given an input that mattered, or the script was followed.
    busy_until: Time,
    /// For each member, whether it has taken part in an election: it was called, or heard a message. Messages
    /// are noted only where a caller may crash or messages be lost: elsewhere, if one is heard, a live member was called.
    took_part: Vec<bool>,
}

impl<'p, 'o, A: Algorithm, O: Observer + ?Sized> Simulation<'p, 'o, A, O> {
    fn new(plan: &'p Plan, observer: &'o mut O, stop: Stop) -> Self {
        let may_overtake = plan.links == LinkOrder::Fifo && !plan.delay.is_constant();
        // If a caller may crash, it must be noted who has heard of its call.
        let is_disturbed = plan.is_disturbed() || A::SPEC.starts == Starts::Callers && plan.has_late_crash();
        let expected = match &plan.initiators {
            Initiators::All => plan.n() as usize,
            Initiators::Some(members) => members.len(),
        };
        Simulation {
            world: World::new(plan),
            wheel: Wheel::new(
                plan.delay.bound().ticks(),
                plan.delay.is_constant() && !is_disturbed,
                expected,
            ),
            timers: Timers::new(),
            tally: Tally::new(plan.n(), A::SPEC.reign),
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
            disturbed: is_disturbed.then(|| Box::new(Disturbance::new(plan.seed))),
            watch: Watch::new(plan),
            obituaries: Obituaries::new(plan),
            busy_until: Time::ZERO,
            took_part: vec![false; plan.n() as usize],
            plan,
            observer,
        }
    }

    /// Until nothing is left to happen, or it is time to stop (true), or a limit is reached (false).
    fn play(&mut self) -> bool {
        loop {
            let scripted = self.plan.script.get(self.script_done).map(|happening| happening.at);
            let told = self.obituaries.as_ref().and_then(|obituaries| obituaries.next_time());
            let next =
                [scripted, self.wheel.next_time(), self.timers.next_time(), told].into_iter().flatten().min();
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
            if self.obituaries.is_some() {
                self.hear_certificates();
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
                self.settle_aside(member, step);
            }
            if self.watch.is_some() {
                self.let_the_doubtful_call();
            }
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
    #[inline(always)]
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
        judge::rule(&A::SPEC, self.plan, self.survivors(), Ending::ByItself).is_right()
    }

    /// Those that are alive and do not lie.
    fn survivors(&self) -> impl Iterator<Item = Survivor> + Clone {
        (0..self.plan.n()).filter_map(|member| {
            let state = self.world.state(member).filter(|_| self.is_honest(member))?;
            let took_part = self.took_part[member as usize];
            Some(Survivor { member, status: self.seen(member, state), took_part })
        })
    }

    fn is_at_its_goal(&self) -> bool {
        let mut statuses =
            (0..self.plan.n()).filter_map(|member| self.world.state(member)).map(Protocol::status);
        statuses.clone().any(|status| status.role == Role::Leader)
            && statuses.all(|status| A::SPEC.goal.is_met_by(&status))
    }

    #[inline(always)]
    fn deliver(&mut self, member: u32, port: Port, msg: A::Msg) {
        if self.world.state(member).is_none() {
            self.miss(member, port, msg);
            return;
        }
        self.observer.delivered(self.now, member, port, &msg);
        if self.disturbed.is_some() {
            return self.deliver_disturbed(member, port, msg);
        }
        if let Some(step) = self.world.deliver(member, self.now, port, msg) {
            self.settle::<true>(member, step);
        }
    }

    /// Kept apart, so that nothing on the busy path asks a second time whether anything can go wrong.
    #[cold]
    #[inline(never)]
    fn deliver_disturbed(&mut self, member: u32, port: Port, msg: A::Msg) {
        self.took_part[member as usize] = true;
        let step = self.world.deliver(member, self.clock(member), port, msg);
        self.settle_aside(member, step);
    }

    /// A message has come to a member that is not up.
    #[cold]
    #[inline(never)]
    fn miss(&mut self, member: u32, port: Port, msg: A::Msg) {
        match self.at_the_door.get_mut(&member) {
            Some(waiting) => waiting.push(Packet { to: member, port, msg }),
            None => self.observer.lost(self.now, member, port, &msg),
        }
    }

    /// Applies all effects of an input, in the contract's order: persist, timers, send, publish. `CALM`: nothing
    /// can go wrong.
    #[inline(always)]
    fn settle<const CALM: bool>(&mut self, member: u32, step: Step<A>) {
        if !CALM && let Some(doom) = self.doom(member, &step.effects) {
            return self.settle_and_crash(member, step, doom);
        }
        let Step { effects, before, after } = step;
        self.something_happened = true;
        if let Some(reason) = effects.reason {
            self.observer.reasoned(self.now, member, reason);
        }
        if let Some(state) = self.world.state(member) {
            self.tally.holds(state);
            self.observer.settled(self.now, member, state);
        }
        if let Some(durable) = effects.persist {
            self.world.persist(member, durable);
        }
        if effects.has_timers {
            self.change_timers(member);
        }
        if let Some((port, msg)) = effects.first_send {
            self.send::<CALM>(member, port, msg);
            if effects.has_more_sends {
                self.send_more(member);
            }
        }
        if before != after {
            self.publish(member, before, after);
        }
        if Self::LEASED && (before.role == Role::Leader || after.role == Role::Leader) {
            self.look_at_lease(member, after.term);
        }
    }

    /// The same off the hot path: one copy of the code for all rare callers.
    #[inline(never)]
    fn settle_aside(&mut self, member: u32, step: Option<Step<A>>) {
        if let Some(step) = step {
            self.settle::<false>(member, step);
        }
    }

    #[inline(never)]
    fn publish(&mut self, member: u32, before: Status, after: Status) {
        self.tally.named(self.now, member, before, after);
        if !Self::LEASED && (before.role, before.term) != (after.role, after.term) && self.is_honest(member) {
            self.tally.reigns.note(self.now, member, (after.role == Role::Leader).then_some(after.term));
        }
        self.has_news = true;
        self.observer.published(self.now, member, after);
        if let Some(leader) = after.leader.filter(|_| before.leader != after.leader && self.watch.is_some()) {
            self.doubt(member, leader);
        }
    }

    #[inline(always)]
    fn send<const CALM: bool>(&mut self, member: u32, port: Port, msg: A::Msg) {
        if !CALM && self.disturbed.is_some() {
            return self.send_disturbed(member, port, msg);
        }
        self.tally.sent(&msg);
        let mut at = self.now + self.delays.draw(&mut self.delay_dice);
        if !self.link_busy_until.is_empty() {
            let busy_until = &mut self.link_busy_until[self.plan.topology.link_slot(member, port)];
            at = at.max(*busy_until);
            *busy_until = at;
        }
        let (to, at_port) = self.plan.topology.peer(member, port);
        self.observer.sent(self.now, member, port, (to, at_port), &msg, at);
        self.wheel.push(at, to, at_port, msg);
    }

    #[inline(never)]
    fn send_more(&mut self, member: u32) {
        // The list is taken out and put back, so that it is allocated once.
        let mut sends = self.world.buffers().take_sends();
        for (port, msg) in sends.drain(..) {
            self.send::<false>(member, port, msg);
        }
        self.world.buffers().return_sends(sends);
    }

    #[cold]
    #[inline(never)]
    fn change_timers(&mut self, member: u32) {
        let mut changes = self.world.buffers().take_timers();
        for change in changes.drain(..) {
            match change {
                TimerChange::Set(timer, range) => {
                    let (least, most) = (range.start().ticks(), range.end().ticks());
                    let after = if least < most { self.timer_dice.random_range(least..=most) } else { least };
                    self.timers.set(member, timer, self.after(member, Span::from_ticks(after)));
                }
                TimerChange::Cancel(timer) => self.timers.cancel(member, &timer),
            }
        }
        self.world.buffers().return_timers(changes);
    }

    fn report(mut self, finished: bool, driver: Driver) -> Report {
        let ended = Ended {
            plan: self.plan,
            tally: std::mem::replace(&mut self.tally, Tally::new(0, A::SPEC.reign)),
            driver,
            rounds: None,
            leader_round: None,
            ending: Ending::of(finished),
            now: self.now,
            links: self.disturbed.as_ref().map_or_else(LinkCounts::default, |disturbed| disturbed.counts),
            signals: self.watch.as_ref().map_or(0, |watch| watch.signals),
        };
        ended.report::<A>(self.survivors())
    }
}
