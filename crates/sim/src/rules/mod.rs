//! Everything that can happen: the world without a scheduler.
//!
//! The simulator lets one thing happen after the other. Here are all things that can happen next
//! ([`Rules::possible`]), and what comes of each ([`Rules::each_outcome`]): the checker takes all of them, and a
//! run that it finds is a list of [`Action`]s that [`crate::follow`] plays. Members are driven through the
//! simulator's own [`crate::World`].
//!
//! How the parts of a moment are kept is up to [`Parts`]: as they are ([`Whole`]), or as numbers.

mod action;
mod fits;
mod notation;
mod parts;
mod seat;
mod whole;
mod wires;

pub use action::{Action, What, Word};
pub use fits::MOST_MEMBERS;
pub use notation::{Deed, Instruction, Letter, Mouth};
pub use parts::{Moment, MomentOf, Parts, Spent};
pub use seat::{Facts, Input, Members, Outcome, Seat, hash_of};
pub use whole::{Letters, Situation, Whole};
pub use wires::{Wire, Wires};

use crate::plan::{LinkOrder, Plan};
use bellwether_core::{Algorithm, Port, Role, Span, Starts};

/// What may go wrong, and how far: liberties that the world takes with the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liberties {
    /// How many times a member may crash, all members together.
    pub crashes: u8,
    /// How many times a member may come back.
    pub recoveries: u8,
    /// How many messages may be lost.
    pub losses: u8,
    /// How many messages may come twice.
    pub duplicates: u8,
    /// How many numbers each member may draw; any number if it is [`u8::MAX`].
    pub draws: u8,
    /// Whether those that are to call an election may hear from others before they do. If not, they call first,
    /// as the simulator's initiators do.
    pub late_calls: bool,
    /// Whether detectors stand by: members are told of their neighbours' deaths and returns, some time after.
    pub detector: bool,
    /// What time is.
    pub time: TimeModel,
    /// Whether a run is over when the algorithm's goal is reached, as members would go on for ever.
    pub stops_at_goal: bool,
}

/// The most messages that can be on a wire at once.
const MOST_ON_A_WIRE: u8 = u8::MAX;

/// What time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeModel {
    /// Messages take any time, and a timer runs out at any time.
    Any,
    /// Messages take at most the delay bound, and timers run out on time.
    Clock {
        /// The delay bound in steps of the clock.
        grain: u16,
        /// How many thousandths a member's clock may gain or lose.
        drift: u16,
    },
}

impl Default for Liberties {
    fn default() -> Self {
        Liberties::NONE
    }
}

impl Liberties {
    /// Nothing goes wrong.
    pub const NONE: Liberties = Liberties {
        crashes: 0,
        recoveries: 0,
        losses: 0,
        duplicates: 0,
        draws: u8::MAX,
        late_calls: false,
        detector: false,
        time: TimeModel::Any,
        stops_at_goal: false,
    };

    /// One step of the clock.
    #[must_use]
    pub fn step(&self, plan: &Plan) -> Span {
        match self.time {
            TimeModel::Any => Span::default(),
            TimeModel::Clock { grain, .. } => {
                Span::from_ticks((plan.delay_bound.ticks() / u64::from(grain.max(1))).max(1))
            }
        }
    }
}

/// What can happen, and what comes of it.
#[derive(Clone, Debug)]
pub struct Rules<'p> {
    /// What the run is about.
    pub plan: &'p Plan,
    /// What may go wrong.
    pub liberties: Liberties,
    /// Who can send to whom.
    pub wires: Wires,
}

impl<'p> Rules<'p> {
    /// The rules of a plan.
    #[must_use]
    pub fn new(plan: &'p Plan, liberties: Liberties) -> Rules<'p> {
        Rules { plan, liberties, wires: Wires::new(plan, liberties.crashes.into()) }
    }

    /// What can happen next, each once: faults come last. Whoever draws numbers or sends several messages can
    /// make several things of one.
    pub fn possible<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>, list: &mut Vec<What>) {
        list.clear();
        if self.liberties.stops_at_goal && self.is_at_its_goal(parts, now) {
            return;
        }
        let n = now.seats.len() as u8;
        // Members that hear nothing before they have booted and called: messages wait for them.
        let mut deaf: u32 = 0;
        let (mut waits, mut due_now) = (false, false);
        for member in 0..n {
            if parts.is_still(&now.seats[member as usize]) {
                continue;
            }
            let facts = parts.facts(&now.seats[member as usize]);
            waits |= facts.timers > 0;
            due_now |= facts.due != 0;
            if facts.boots() {
                list.push(What::Boot(member));
                deaf |= 1 << member;
            } else if facts.calls {
                list.push(What::Call(member));
                deaf |= u32::from(!self.liberties.late_calls) << member;
            }
        }
        for (wire, queue) in (0..).zip(&now.queues) {
            let len = parts.len(queue);
            if len == 0 {
                continue;
            }
            waits = true;
            if deaf >> self.wires.get(wire).to & 1 != 0 {
                continue;
            }
            list.push(What::Deliver(wire, 0));
            if self.plan.links == LinkOrder::Reordering {
                list.extend(
                    (1..len).filter(|&at| parts.differs(queue, at)).map(|at| What::Deliver(wire, at)),
                );
            }
        }
        let has_clock = self.liberties.time != TimeModel::Any;
        let is_overdue = has_clock && waits && self.is_anything_overdue(parts, now);
        if due_now && !is_overdue {
            for member in (0..n).filter(|member| deaf >> member & 1 == 0) {
                let Facts { due, timers, .. } = *parts.facts(&now.seats[member as usize]);
                list.extend((0..timers).filter(|at| due >> at & 1 != 0).map(|at| What::TimeOut(member, at)));
            }
        }
        if self.liberties.detector && now.spent.crashes > 0 {
            for member in (0..n).filter(|member| deaf >> member & 1 == 0) {
                self.words(parts, now, member, list);
            }
        }
        if has_clock && waits && !is_overdue && !due_now && deaf == 0 {
            list.push(What::Tick);
        }
        self.faults(parts, now, list);
    }

    /// Whether a message has been under way for as long as it can be.
    fn is_anything_overdue<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>) -> bool {
        match self.liberties.time {
            TimeModel::Any => false,
            TimeModel::Clock { grain, .. } => {
                now.queues.iter().any(|queue| parts.has_waited(queue, grain.max(1)))
            }
        }
    }

    /// What a member's detector has yet to say.
    fn words<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>, member: u8, list: &mut Vec<What>) {
        let Facts { is_up: true, told, .. } = *parts.facts(&now.seats[member as usize]) else { return };
        for port in 0..self.plan.topology.ports(member.into()) {
            let (peer, _) = self.plan.topology.peer(member.into(), Port(port));
            let is_dead = parts.facts(&now.seats[peer as usize]).is_dead;
            match told >> port & 1 != 0 {
                false if is_dead => list.push(What::Tell(member, port as u8, Word::Failed)),
                true if !is_dead => list.push(What::Tell(member, port as u8, Word::Working)),
                _ => {}
            }
        }
    }

    fn faults<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>, list: &mut Vec<What>) {
        let (may, spent) = (&self.liberties, &now.spent);
        for member in 0..now.seats.len() as u8 {
            let is_dead = parts.facts(&now.seats[member as usize]).is_dead;
            if !is_dead && spent.crashes < may.crashes {
                list.push(What::Crash(member));
            }
            if is_dead && spent.recoveries < may.recoveries {
                list.push(What::Recover(member));
            }
        }
        let (loses, doubles) = (spent.losses < may.losses, spent.duplicates < may.duplicates);
        if loses || doubles {
            // A message behind others is lost or doubled no later than when it is the first.
            let deliveries: Vec<(u8, u8)> = list
                .iter()
                .filter_map(
                    |what| if let What::Deliver(wire, place) = what { Some((*wire, *place)) } else { None },
                )
                .collect();
            for (wire, place) in deliveries {
                list.extend(loses.then_some(What::Lose(wire, place)));
                let has_room = parts.len(&now.queues[wire as usize]) < MOST_ON_A_WIRE;
                list.extend((doubles && has_room).then_some(What::Duplicate(wire, place)));
            }
        }
    }

    /// Whether somebody leads and everyone alive knows what the algorithm promises.
    pub fn is_at_its_goal<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>) -> bool {
        let mut somebody_leads = false;
        let everyone_knows = now.seats.iter().all(|seat| {
            let facts = parts.facts(seat);
            somebody_leads |= facts.status.role == Role::Leader;
            facts.is_dead || facts.is_satisfied
        });
        somebody_leads && everyone_knows
    }

    /// Every moment that can come of something that is possible. True if some are left out because members
    /// would draw more numbers than they may, or more messages be on a wire than there can be. `next` is scratch.
    pub fn each_outcome<P: Parts>(
        &self,
        parts: &mut P,
        now: &MomentOf<P>,
        what: What,
        next: &mut MomentOf<P>,
        mut visit: impl FnMut(&mut P, Action, &MomentOf<P>),
    ) -> bool {
        let letter;
        let (member, input) = match what {
            What::Boot(member) => (member.into(), Input::Boot { again: false }),
            What::Recover(member) => (member.into(), Input::Boot { again: true }),
            What::Call(member) => {
                (member.into(), Input::Call { dead: self.known_dead(parts, now, member.into()) })
            }
            What::TimeOut(member, number) => (member.into(), Input::TimeOut(number)),
            What::Tell(member, port, word) => (member.into(), Input::Word(Port(port.into()), word.into())),
            What::Deliver(wire, place) if self.is_heard(parts, now, wire) => {
                let Wire { to, at, .. } = self.wires.get(wire);
                letter = parts.take(&now.queues[wire as usize], place).0;
                (to, Input::Message(at, &letter))
            }
            _ => {
                next.become_like(now);
                parts.begin_next();
                self.befall(parts, next, what);
                visit(parts, what.into(), next);
                return false;
            }
        };
        self.input(parts, now, what, member, input, next, visit)
    }

    /// Whether whoever a wire leads to is up.
    fn is_heard<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>, wire: u8) -> bool {
        parts.is_up(&now.seats[self.wires.get(wire).to as usize])
    }

    /// Something happens that is no input to anyone.
    fn befall<P: Parts>(&self, parts: &mut P, next: &mut MomentOf<P>, what: What) {
        match what {
            What::Tick => {
                for (member, seat) in (0..).zip(&mut next.seats) {
                    *seat = parts.seat_later(seat);
                    parts.touch_seat(member);
                }
                for (wire, queue) in (0..).zip(&mut next.queues) {
                    *queue = parts.queue_later(queue);
                    parts.touch_wire(wire);
                }
            }
            What::Crash(member) => self.crash(parts, next, member.into()),
            What::Lose(wire, place) | What::Deliver(wire, place) => {
                next.spent.losses += u8::from(matches!(what, What::Lose(..)));
                parts.touch_wire(wire);
                let queue = &mut next.queues[wire as usize];
                *queue = parts.take(queue, place).1;
            }
            What::Duplicate(wire, place) => {
                next.spent.duplicates += 1;
                parts.touch_wire(wire);
                let queue = &mut next.queues[wire as usize];
                *queue = parts.double(queue, place);
            }
            What::Boot(_) | What::Recover(_) | What::Call(_) | What::TimeOut(..) | What::Tell(..) => {}
        }
    }

    /// The ports whose neighbours a member takes for dead when it calls: whoever calls has asked its detector
    /// first, unless that speaks by itself.
    pub(crate) fn known_dead<P: Parts>(&self, parts: &mut P, now: &MomentOf<P>, member: u32) -> u32 {
        if self.liberties.detector || now.spent.crashes == 0 {
            return 0;
        }
        let topology = &self.plan.topology;
        let is_dead = |port: &u32| {
            let (peer, _) = topology.peer(member, Port(*port));
            parts.facts(&now.seats[peer as usize]).is_dead
        };
        (0..topology.ports(member)).filter(is_dead).fold(0, |mask, port| mask | 1 << port)
    }

    /// What can come of an input to a member, crashes in the middle of its sending included.
    #[expect(clippy::too_many_arguments, reason = "the parts of one step")]
    fn input<P: Parts>(
        &self,
        parts: &mut P,
        now: &MomentOf<P>,
        what: What,
        member: u32,
        input: Input<&P::Letter>,
        next: &mut MomentOf<P>,
        mut visit: impl FnMut(&mut P, Action, &MomentOf<P>),
    ) -> bool {
        let outcomes = parts.act(member, &now.seats[member as usize], input);
        let may_crash = now.spent.crashes < self.liberties.crashes;
        let mut is_cut = parts.is_cut(outcomes);
        'draws: for draw in 0..parts.count(outcomes) {
            let (seat, sends) = parts.outcome(outcomes, draw);
            next.become_like(now);
            parts.begin_next();
            parts.touch_seat(member);
            next.spent.recoveries += u8::from(matches!(what, What::Recover(_)));
            if let What::Deliver(wire, place) = what {
                parts.touch_wire(wire);
                next.queues[wire as usize] = parts.take(&now.queues[wire as usize], place).1;
            }
            next.seats[member as usize] = seat;
            for nth in 0..sends {
                if may_crash {
                    let mut stopped = next.clone();
                    self.crash(parts, &mut stopped, member);
                    visit(parts, Action { what, draw, crash_after: Some(nth) }, &stopped);
                }
                let (port, letter) = parts.sent(outcomes, draw, nth);
                if !self.send(parts, next, member, port, &letter) {
                    is_cut = true;
                    continue 'draws;
                }
            }
            visit(parts, Action { what, draw, crash_after: None }, next);
        }
        is_cut
    }

    /// False if there is no room on the wire.
    fn send<P: Parts>(
        &self,
        parts: &mut P,
        next: &mut MomentOf<P>,
        from: u32,
        port: Port,
        letter: &P::Letter,
    ) -> bool {
        let wire = self.wires.route(from, port, |to| parts.is_dead(&next.seats[to as usize]));
        let to = self.wires.get(wire).to;
        let is_heard = !parts.is_dead(&next.seats[to as usize]) || self.may_return(next);
        if is_heard {
            parts.touch_wire(wire);
            let queue = &mut next.queues[wire as usize];
            if parts.len(queue) == MOST_ON_A_WIRE {
                return false;
            }
            *queue = parts.put(queue, letter);
        }
        true
    }

    /// Whether somebody who is down may come back.
    fn may_return<S, Q>(&self, now: &Moment<S, Q>) -> bool {
        now.spent.recoveries < self.liberties.recoveries
    }

    fn crash<P: Parts>(&self, parts: &mut P, next: &mut MomentOf<P>, member: u32) {
        next.spent.crashes += 1;
        parts.touch_seat(member);
        let seat = &mut next.seats[member as usize];
        *seat = parts.crash(seat);
        if !self.may_return(next) {
            for &wire in self.wires.leading_to(member) {
                parts.touch_wire(wire);
                next.queues[wire as usize] = parts.empty();
            }
        }
    }

    /// How a run of an algorithm can begin: nobody has booted yet. In several ways where clocks drift.
    #[must_use]
    pub fn beginnings<A: Algorithm>(&self) -> Vec<Situation<A>> {
        let step = self.liberties.step(self.plan);
        let gains: Vec<i32> = match self.liberties.time {
            TimeModel::Clock { drift, .. } if drift > 0 => vec![-i32::from(drift), 0, drift.into()],
            _ => vec![0],
        };
        let queues = vec![Letters::default(); self.wires.len()];
        let mut moments = vec![Moment { seats: Vec::new(), queues, spent: Spent::default() }];
        for member in 0..self.plan.n() {
            let calls = A::SPEC.starts == Starts::Callers && self.plan.initiators.contains(member);
            let with = |before: &Situation<A>, gains| {
                let mut next = before.clone();
                next.seats.push(Seat::new(calls, step, gains));
                next
            };
            moments = moments
                .iter()
                .flat_map(|before| gains.iter().map(move |&gains| with(before, gains)))
                .collect();
        }
        moments
    }
}
