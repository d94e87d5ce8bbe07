//! The loop for runs in which nothing goes wrong and nobody looks on: compiled for each algorithm, as it is the one that
//! people wait for.
//!
//! It does what [`crate::run_events`] does with the same plan, and reports the same. Only messages and timers happen:
//! at one time messages arrive in the order in which they were sent, then timers run out.

use crate::delay::Sampler;
use crate::events::LinkCounts;
use crate::judge::{Ending, Live, Survivor};
use crate::measure::Tally;
use crate::plan::{LinkOrder, Plan};
use crate::report::{Driver, FinishedRun, Report};
use crate::timers::Timers;
use crate::wheel::{Packet, Wheel};
use crate::world::{Stream, Surroundings, stream};
use bellwether_core::{
    Algorithm, Buffers, Cx, Effects, Initiators, Lasting, Local, Message, NEXT, PREV, Port, Rank, Reign,
    Role, Span, Spec, Status, Time, TimerChange, Topology, encoded_bytes,
};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The network as the loop asks for it: a one-way ring, which people simulate the largest of, takes one comparison.
#[derive(Clone, Copy)]
struct Links<'p> {
    topology: &'p Topology,
    /// How many members a one-way ring has; 0 if the network is none.
    ring: u32,
}

impl<'p> Links<'p> {
    fn new(topology: &'p Topology) -> Self {
        let ring = if let Topology::Ring { n, two_way: false } = *topology { n } else { 0 };
        Links { topology, ring }
    }

    /// Where a message arrives that leaves a member by a port.
    #[inline(always)]
    fn peer(self, member: u32, port: Port) -> (u32, Port) {
        if self.ring != 0 && port == NEXT {
            (if member + 1 == self.ring { 0 } else { member + 1 }, PREV)
        } else {
            self.topology.peer(member, port)
        }
    }

    /// The dense number of the link.
    #[inline(always)]
    fn slot(self, member: u32, port: Port) -> usize {
        if self.ring != 0 && port == NEXT { member as usize } else { self.topology.link_slot(member, port) }
    }
}

/// Whether a run of a plan is calm: nothing goes wrong, no detector speaks, no lease runs out, and it ends when nothing
/// is left to happen.
#[must_use]
pub fn is_calm(spec: &Spec, plan: &Plan) -> bool {
    plan.features().is_empty() && can_be_calm(spec)
}

/// Whether runs of an algorithm can be calm: they end, and no lease runs out.
#[must_use]
pub const fn can_be_calm(spec: &Spec) -> bool {
    matches!(spec.lasting, Lasting::Ends) && !matches!(spec.reign, Reign::Leased)
}

/// Runs a calm plan of a variant of the algorithm to its end.
pub fn run<A: Algorithm>(spec: &'static Spec, plan: &Plan) -> Report {
    let mut run = CalmRun::<A>::new(spec, plan);
    run.begin();
    let finished = run.play();
    run.report(finished)
}

struct CalmRun<'p, A: Algorithm> {
    spec: &'static Spec,
    plan: &'p Plan,
    links: Links<'p>,
    members: Vec<(Rank, A)>,
    surroundings: Surroundings<'p>,
    buffers: Buffers<A>,
    wheel: Wheel<A::Msg>,
    timers: Timers<A::Timer>,
    tally: Tally,
    delays: Sampler,
    delay_dice: Xoshiro256PlusPlus,
    timer_dice: Xoshiro256PlusPlus,
    /// For each link, when its last message arrives: later ones do not arrive before. Empty where messages cannot
    /// overtake each other, or may.
    link_busy_until: Vec<Time>,
    now: Time,
    /// Whether any member was given an input since the clock moved on.
    something_happened: bool,
}

/// What an outsider sees of a member after an input that it did not see before. Two words, and not two [`Status`]es: those
/// would be written into memory for each message, to be passed on in the few cases in which they differ.
#[derive(Clone, Copy)]
struct Change {
    /// The member names another leader, or none any more.
    of_leader: bool,
    /// It has another role, or the same in another term.
    of_role: bool,
}

impl Change {
    #[inline(always)]
    fn between(before: Status, after: Status) -> Change {
        Change {
            of_leader: before.leader != after.leader,
            of_role: (before.role, before.term) != (after.role, after.term),
        }
    }
}

/// One input to one member. A macro and not a function with a closure: the compiler inlines a closure's body or not as
/// it sees fit, and this is the innermost of all loops.
macro_rules! input {
    ($run:expr, $member:expr, |$state:ident, $cx:ident| $handle:expr) => {{
        let (rank, $state) = &mut $run.members[$member as usize];
        let before = $state.status();
        let local = Local::new($member, *rank, &mut $run.surroundings);
        let mut cx = Cx::new(local, $run.now, &mut $run.buffers);
        {
            let $cx = &mut cx;
            $handle;
        }
        debug_assert_eq!($state.invariant(), Ok(()));
        if std::mem::needs_drop::<A>() {
            $run.tally.holds($state.storage()); // else it is what it was at the start
        }
        let (effects, change) = (cx.into_effects(), Change::between(before, $state.status()));
        $run.settle($member, effects, change);
    }};
}

impl<'p, A: Algorithm> CalmRun<'p, A> {
    fn new(spec: &'static Spec, plan: &'p Plan) -> Self {
        let may_overtake = plan.links == LinkOrder::Fifo && !plan.delay.is_constant();
        let expected = match &plan.initiators {
            Initiators::All => plan.n() as usize,
            Initiators::Some(members) => members.len(),
        };
        CalmRun {
            links: Links::new(&plan.topology),
            members: Vec::with_capacity(plan.n() as usize),
            surroundings: Surroundings::new(spec, plan),
            buffers: Buffers::default(),
            wheel: Wheel::new(plan.delay.bound().ticks(), plan.delay.is_constant(), expected),
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
            now: Time::ZERO,
            something_happened: false,
            spec,
            plan,
        }
    }

    /// Everyone boots; then the initiators are called: where nothing goes wrong, nobody else has a reason to be
    /// ([`bellwether_core::CallPolicy`]).
    fn begin(&mut self) {
        for (member, &rank) in (0..).zip(&self.plan.ranks) {
            let local = Local::new(member, rank, &mut self.surroundings);
            let mut cx = Cx::new(local, self.now, &mut self.buffers);
            let state = A::start(&mut cx, A::Durable::default());
            let effects = cx.into_effects();
            self.tally.holds(state.storage());
            let change = Change::between(Status::UNDECIDED, state.status());
            self.members.push((rank, state));
            self.settle(member, effects, change);
        }
        match &self.plan.initiators {
            Initiators::All => (0..self.plan.n()).for_each(|member| self.call(member)),
            Initiators::Some(members) => members.iter().for_each(|&member| self.call(member)),
        }
        self.something_happened = false; // all of this was at time 0
    }

    fn call(&mut self, member: u32) {
        // Calls alone can exceed the limit: everyone may ask everyone.
        if self.tally.messages() <= self.plan.limits.messages {
            input!(self, member, |state, cx| state.on_call(cx));
        }
    }

    /// Until nothing is left to happen (true), or a limit is reached (false).
    fn play(&mut self) -> bool {
        loop {
            let next = [self.wheel.next_time(), self.timers.next_time()].into_iter().flatten().min();
            let Some(now) = next else { return true };
            if now > self.plan.limits.time || self.tally.messages() > self.plan.limits.messages {
                return false;
            }
            self.now = now;
            self.wheel.advance(now);
            let mut due = self.wheel.take_due();
            for Packet { to, port, msg } in due.drain(..) {
                input!(self, to, |state, cx| state.on_message(cx, port, msg));
            }
            self.wheel.recycle(due);
            while let Some((member, timer)) = self.timers.pop_at(now) {
                self.fire(member, timer);
            }
            if std::mem::take(&mut self.something_happened) {
                self.tally.last_event = now;
            }
        }
    }

    #[inline(never)]
    fn fire(&mut self, member: u32, timer: A::Timer) {
        input!(self, member, |state, cx| state.on_timer(cx, timer));
    }

    /// Applies all effects of an input, in the contract's order. What is persisted nobody reads: nobody crashes.
    ///
    /// What an outsider sees comes first, not last as in the contract: here nobody can tell, and what was before the input need
    /// not be kept while messages are sent.
    #[inline(always)]
    fn settle(&mut self, member: u32, effects: Effects<A>, change: Change) {
        self.something_happened = true;
        if change.of_leader | change.of_role {
            self.publish(member, change);
        }
        if effects.has_timers {
            self.change_timers(member);
        }
        if let Some((port, msg)) = effects.first_send {
            self.send(member, port, msg);
            if effects.has_more_sends {
                self.send_more(member);
            }
        }
    }

    #[inline(never)]
    fn publish(&mut self, member: u32, change: Change) {
        let Status { role, leader, term, .. } = self.members[member as usize].1.status();
        if change.of_leader {
            self.tally.names(self.now, member, leader);
        }
        if change.of_role {
            self.tally.reigns.note(self.now, member, (role == Role::Leader).then_some(term));
        }
    }

    #[inline(always)]
    fn send(&mut self, member: u32, port: Port, msg: A::Msg) {
        self.tally.sent(msg.kind(), encoded_bytes(&msg));
        let mut at = self.now + self.delays.draw(&mut self.delay_dice);
        if let Some(busy_until) = self.link_busy_until.get_mut(self.links.slot(member, port)) {
            at = at.max(*busy_until);
            *busy_until = at;
        }
        let (to, at_port) = self.links.peer(member, port);
        self.wheel.push(at, to, at_port, msg);
    }

    #[inline(never)]
    fn send_more(&mut self, member: u32) {
        // The list is taken out and put back, so that it is allocated once.
        let mut sends = self.buffers.take_sends();
        for (port, msg) in sends.drain(..) {
            self.send(member, port, msg);
        }
        self.buffers.return_sends(sends);
    }

    #[cold]
    #[inline(never)]
    fn change_timers(&mut self, member: u32) {
        let mut changes = self.buffers.take_timers();
        for change in changes.drain(..) {
            match change {
                TimerChange::Set(timer, range) => {
                    let (least, most) = (range.start().ticks(), range.end().ticks());
                    let after = if least < most { self.timer_dice.random_range(least..=most) } else { least };
                    self.timers.set(member, timer, self.now + Span::from_ticks(after));
                }
                TimerChange::Cancel(timer) => self.timers.cancel(member, &timer),
            }
        }
        self.buffers.return_timers(changes);
    }

    fn report(self, finished: bool) -> Report {
        let ended = FinishedRun {
            plan: self.plan,
            tally: self.tally,
            driver: Driver::Events,
            rounds: None,
            leader_round: None,
            ending: Ending::of(finished),
            now: self.now,
            links: LinkCounts::default(),
            signals: 0,
        };
        let survivor = |member: u32| {
            let status = self.members[member as usize].1.status();
            Some(Survivor { member, status, took_part: self.plan.initiators.contains(member) })
        };
        ended.report(self.spec, A::Msg::KINDS, Live::Among(self.plan.n(), &survivor))
    }
}
