//! Synchronous rounds, run natively: everyone moves in step, and nobody who has nothing to do is
//! visited.
//!
//! Round r happens at time r - 1: what is sent in it arrives in the next, one hop later.

use crate::events::LinkCounts;
use crate::judge::{Ending, Live, Survivor};
use crate::mail::{ChainedMail, Mail, RingMail};
use crate::measure::Tally;
use crate::plan::Plan;
use crate::report::{Driver, FinishedRun, Report};
use crate::trace::Observer;
use crate::world::Surroundings;
use bellwether_core::{
    FaultEvent, HOP, Local, Message, Outbox, Port, Rank, Role, RoundAlgorithm, RoundCx, Span, Spec, Status,
    Time, Topology, Wake, encoded_bytes,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Whom to visit in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visit {
    /// Those that have something to do: that heard something, or asked to be woken.
    #[default]
    Awake,
    /// Everyone, as the model says: slow, and the same.
    Everyone,
}

/// Runs a plan to its end. Delays are ignored: in this model every message takes one round.
pub fn run<R: RoundAlgorithm, O: Observer + ?Sized>(
    spec: &'static Spec,
    plan: &Plan,
    observer: &mut O,
    visit: Visit,
) -> Report {
    if matches!(plan.topology, Topology::Ring { two_way: false, .. }) {
        RoundRun::<R, O, RingMail<R::Msg>>::new(spec, plan, observer, visit).run()
    } else {
        RoundRun::<R, O, ChainedMail<R::Msg>>::new(spec, plan, observer, visit).run()
    }
}

/// Whether a member asks to be woken in this round.
fn asks_for<R: RoundAlgorithm>(state: &R, round: u64) -> bool {
    !state.status().halted && state.wake() == Wake::At(round)
}

/// The time of a round.
#[inline]
fn time_of(round: u64) -> Time {
    Time::ZERO + Span::from_hops(round - 1)
}

struct RoundRun<'p, 'o, R: RoundAlgorithm, O: ?Sized, B> {
    spec: &'static Spec,
    plan: &'p Plan,
    observer: &'o mut O,
    surroundings: Surroundings<'p>,
    /// Members' ranks and states; no state for the dead.
    seats: Vec<(Rank, Option<R>)>,
    leaving: B,
    /// Those that asked to be woken in the next round.
    wakers: Vec<u32>,
    /// Those that asked to be woken in a later round. Some have changed their mind since: what a
    /// member asks for now is what counts.
    asleep: BinaryHeap<Reverse<(u64, u32)>>,
    /// For each member, the round it last asked to be woken in, so that asking again adds nothing;
    /// empty until somebody asks.
    alarms: Vec<u64>,
    tally: Tally,
    script_done: usize,
    round: u64,
    last_round: u64,
    leader_round: Option<u64>,
    /// Whether an outsider saw anything in this round.
    published: bool,
    visit: Visit,
}

impl<'p, 'o, R: RoundAlgorithm, O: Observer + ?Sized, B: Mail<R::Msg>> RoundRun<'p, 'o, R, O, B> {
    fn new(spec: &'static Spec, plan: &'p Plan, observer: &'o mut O, visit: Visit) -> Self {
        RoundRun {
            surroundings: Surroundings::new(spec, plan),
            seats: plan.ranks.iter().map(|&rank| (rank, None)).collect(),
            leaving: B::new(&plan.topology),
            wakers: Vec::new(),
            asleep: BinaryHeap::new(),
            alarms: Vec::new(),
            tally: Tally::new(plan.n(), spec.reign),
            script_done: 0,
            round: 1,
            last_round: 0,
            leader_round: None,
            published: false,
            visit,
            spec,
            plan,
            observer,
        }
    }

    fn run(mut self) -> Report {
        self.begin();
        let finished = self.play();
        self.report(finished)
    }

    /// Everyone who is not dead boots and speaks in round 1.
    fn begin(&mut self) {
        self.crash_whom_the_script_says(time_of(self.round));
        let dead = self.plan.dead();
        for member in 0..self.plan.n() {
            if dead.binary_search(&member).is_err() {
                let (rank, state) = &mut self.seats[member as usize];
                let local = Local::new(member, *rank, &mut self.surroundings);
                let started = R::start(&mut RoundCx::new(local, 0));
                self.tally.holds(started.storage());
                *state = Some(started);
                self.observer.started(Time::ZERO, member);
            }
        }
        self.with_seats(|run, seats| {
            for (member, seat) in (0..).zip(seats) {
                run.visit::<true>(member, seat, &[]);
            }
        });
    }

    /// Members' ranks and states apart from all else, so that a visit can change both.
    #[inline(always)]
    fn with_seats(&mut self, change: impl FnOnce(&mut Self, &mut [(Rank, Option<R>)])) {
        let mut seats = std::mem::take(&mut self.seats);
        change(self, &mut seats);
        self.seats = seats;
    }

    /// Until nobody has anything left to do (true) or a limit is reached (false).
    fn play(&mut self) -> bool {
        let mut arriving = B::new(&self.plan.topology);
        let mut awake = Vec::new();
        let mut heard = false;
        loop {
            if heard || !self.leaving.is_empty() || std::mem::take(&mut self.published) {
                self.last_round = self.round;
                self.tally.last_event = time_of(self.round);
            }
            std::mem::swap(&mut arriving, &mut self.leaving);
            let Some(next) = self.next_round(&arriving) else {
                self.crash_whom_the_script_says(self.plan.limits.time);
                return true;
            };
            if self.tally.messages() > self.plan.limits.messages {
                return false;
            }
            if time_of(next) > self.plan.limits.time || time_of(next) == Time::NEVER {
                // Who has died by then waits for nothing any more.
                self.crash_whom_the_script_says(self.plan.limits.time);
                return self.next_round(&arriving).is_none();
            }
            self.round = next;
            self.crash_whom_the_script_says(time_of(self.round));
            self.wake_whoever_asked(&mut awake);
            arriving.retain_without(&mut awake);
            heard = !arriving.is_empty();
            self.with_seats(|run, seats| {
                arriving.deliver(seats, |member, seat, inbox| run.visit::<false>(member, seat, inbox));
                for member in awake.drain(..) {
                    run.visit_without_mail(member, &mut seats[member as usize]);
                }
            });
        }
    }

    /// The next round in which anyone has anything to do.
    fn next_round(&mut self, arriving: &B) -> Option<u64> {
        let alarm = self.next_alarm().map(|(round, _)| round);
        if arriving.is_empty() && self.wakers.is_empty() && (self.visit == Visit::Awake || alarm.is_none()) {
            return alarm;
        }
        Some(self.round + 1)
    }

    /// Who is to be woken next in a later round, and when.
    fn next_alarm(&mut self) -> Option<(u64, u32)> {
        while let Some(&Reverse((round, member))) = self.asleep.peek() {
            if self.seats[member as usize].1.as_ref().is_some_and(|state| asks_for(state, round)) {
                return Some((round, member));
            }
            self.asleep.pop();
            let alarm = &mut self.alarms[member as usize];
            if *alarm == round {
                *alarm = 0; // so that it may ask for this round again
            }
        }
        None
    }

    /// Those that are to act in this round whether or not anything arrives for them.
    fn wake_whoever_asked(&mut self, awake: &mut Vec<u32>) {
        std::mem::swap(awake, &mut self.wakers);
        while let Some((round, member)) = self.next_alarm()
            && round <= self.round
        {
            self.asleep.pop();
            awake.push(member);
        }
        if self.visit == Visit::Everyone {
            awake.clear();
            awake.extend(0..self.plan.n());
        }
        awake.sort_unstable();
        awake.dedup();
    }

    fn crash_whom_the_script_says(&mut self, until: Time) {
        while let Some(&happening) = self.plan.script.get(self.script_done)
            && happening.at <= until
        {
            self.script_done += 1;
            if happening.what == FaultEvent::Crash {
                self.seats[happening.member as usize].1 = None;
                self.tally.crashed(happening.at, happening.member);
                self.observer.crashed(happening.at, happening.member);
            }
        }
    }

    /// Kept apart, so that the busy path is compiled for members that have mail.
    #[inline(never)]
    fn visit_without_mail(&mut self, member: u32, seat: &mut (Rank, Option<R>)) {
        self.visit::<false>(member, seat, &[]);
    }

    /// One member's part in a round.
    #[inline(always)]
    fn visit<const FIRST: bool>(
        &mut self,
        member: u32,
        (rank, state): &mut (Rank, Option<R>),
        inbox: &[(Port, R::Msg)],
    ) {
        let now = time_of(self.round);
        let state = match state {
            Some(state) if FIRST || !state.status().halted => state,
            _ => {
                for (port, msg) in inbox {
                    self.observer.lost(now, member, *port, msg);
                }
                return;
            }
        };
        for (port, msg) in inbox {
            self.observer.delivered(now, member, *port, msg);
        }
        let before = if FIRST { Status::UNDECIDED } else { state.status() };
        let local = Local::new(member, *rank, &mut self.surroundings);
        let mut cx = RoundCx::new(local, self.round);
        if !FIRST {
            state.trans(&mut cx, inbox);
        }
        if let Some(reason) = cx.reason() {
            self.observer.reasoned(now, member, reason);
        }
        self.observer.settled(now, member, state);
        let after = state.status(); // sending does not change it
        let has_changed = before != after;
        let post = &mut Post {
            topology: &self.plan.topology,
            leaving: &mut self.leaving,
            tally: &mut self.tally,
            observer: self.observer,
            member,
            now,
        };
        state.msgs(&cx, post);
        debug_assert_eq!(state.invariant(), Ok(()));
        if std::mem::needs_drop::<R>() {
            self.tally.holds(state.storage()); // else it is what it was at the start
        }
        match state.wake() {
            Wake::OnMessage => {}
            _ if after.halted => {}
            Wake::NextRound => self.wakers.push(member),
            Wake::At(round) => self.set_alarm(member, round),
        }
        if has_changed {
            self.publish(member, before, after);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_alarm(&mut self, member: u32, round: u64) {
        debug_assert!(round > self.round, "member {member} asks in round {} for round {round}", self.round);
        self.alarms.resize(self.plan.n() as usize, 0);
        let alarm = &mut self.alarms[member as usize];
        if *alarm != round {
            *alarm = round;
            self.asleep.push(Reverse((round, member)));
        }
    }

    #[inline(never)]
    fn publish(&mut self, member: u32, before: Status, after: Status) {
        let now = time_of(self.round);
        self.published = true;
        self.tally.published(now, member, before, after);
        if after.role == Role::Leader && self.leader_round.is_none() {
            self.leader_round = Some(self.round);
        }
        self.observer.published(now, member, after);
    }

    fn report(self, finished: bool) -> Report {
        let survivor = |member: u32| {
            let status = self.seats[member as usize].1.as_ref()?.status();
            Some(Survivor { member, status, took_part: true }) // in rounds everyone begins
        };
        FinishedRun {
            plan: self.plan,
            driver: Driver::Rounds,
            rounds: Some(self.last_round),
            leader_round: self.leader_round,
            ending: Ending::of(finished),
            now: self.tally.last_event,
            links: LinkCounts::default(),
            signals: 0,
            tally: self.tally,
        }
        .report(self.spec, R::Msg::KINDS, Live::Among(self.plan.n(), &survivor))
    }
}

/// Takes a member's messages to where they go.
struct Post<'a, B, O: ?Sized> {
    topology: &'a Topology,
    leaving: &'a mut B,
    tally: &'a mut Tally,
    observer: &'a mut O,
    member: u32,
    now: Time,
}

impl<M: Message, B: Mail<M>, O: Observer + ?Sized> Outbox<M> for Post<'_, B, O> {
    #[inline(always)]
    fn send(&mut self, port: Port, msg: M) {
        self.tally.sent(msg.kind(), encoded_bytes(&msg));
        let receiver = self.topology.peer(self.member, port);
        self.observer.sent(self.now, self.member, port, receiver, &msg, self.now + HOP);
        self.leaving.post(self.topology, self.member, port, msg);
    }
}
