//! What can happen, and what comes of it.

use crate::{
    Action, BudgetUsed, Change, CrashPoint, FaultBudget, Input, Letters, MemberState, Notice, Parts,
    Situation, State, StateOf, TimeModel, Transition, Truncation, Wire, Wires,
};
use bellwether_core::{Decision, Fate, FaultEvent, MachineType, NamedLeader, Occasion, Port};
use bellwether_sim::Plan;

/// The most messages that can be on a wire at once.
pub(crate) const MOST_ON_A_WIRE: u8 = u8::MAX;

/// What can happen, and what comes of it.
#[derive(Clone, Debug)]
pub struct Rules<'p> {
    /// What the run is about.
    pub plan: &'p Plan,
    /// What may go wrong.
    pub liberties: FaultBudget,
    /// Who can send to whom.
    pub wires: Wires,
}

impl<'p> Rules<'p> {
    /// The rules of a plan.
    #[must_use]
    pub fn new(plan: &'p Plan, liberties: FaultBudget) -> Rules<'p> {
        Rules { plan, liberties, wires: Wires::new(plan, liberties.crashes.into()) }
    }

    /// Every moment that can come of something that is possible, and what is left out. `next` is scratch.
    pub fn each_outcome<P: Parts>(
        &self,
        parts: &mut P,
        now: &StateOf<P>,
        what: Action,
        next: &mut StateOf<P>,
        mut visit: impl FnMut(&mut P, Transition, &StateOf<P>),
    ) -> Truncation {
        let letter;
        let (member, input) = match what {
            Action::Member(member, FaultEvent::Start) => (member.into(), Input::Boot { again: false }),
            Action::Member(member, FaultEvent::Recover) => (member.into(), Input::Boot { again: true }),
            Action::CallAgain(_) if now.spent.restarts >= self.liberties.restarts => {
                return Truncation { restarts: true, ..Truncation::default() };
            }
            Action::Member(member, FaultEvent::Call) | Action::CallAgain(member) => {
                (member.into(), Input::Call { dead: self.known_dead(parts, now, member.into()) })
            }
            Action::TimeOut(member, number) => (member.into(), Input::TimeOut(number)),
            Action::Tell(member, port, word) => {
                (member.into(), Input::Verdict(Port(port.into()), word.into()))
            }
            Action::Member(member, FaultEvent::Request(request)) => (member.into(), Input::Request(request)),
            Action::Member(member, FaultEvent::Learn(dead)) => {
                let Some(wire) = self.wires.certificate(dead.into(), member.into()) else {
                    return Truncation::default();
                };
                (member.into(), Input::Death(self.wires.get(wire).at))
            }
            Action::Tick if now.spent.ticks >= self.liberties.ticks => {
                return Truncation { ticks: true, ..Truncation::default() };
            }
            Action::Deliver(wire, place) if self.is_heard(parts, now, wire) => {
                let Wire { to, at, .. } = self.wires.get(wire);
                letter = parts.take(&now.queues[wire as usize], place).0;
                (to, Input::Message(at, &letter))
            }
            _ => {
                next.become_like(now);
                parts.begin_next();
                self.befall(parts, next, what);
                visit(parts, what.into(), next);
                return Truncation::default();
            }
        };
        self.input(parts, now, what, member, input, next, visit)
    }

    /// Whether whoever a wire leads to is up.
    fn is_heard<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, wire: u8) -> bool {
        parts.is_up(&now.seats[self.wires.get(wire).to as usize])
    }

    /// Something happens that is no input to anyone.
    fn befall<P: Parts>(&self, parts: &mut P, next: &mut StateOf<P>, what: Action) {
        match what {
            Action::Tick => {
                next.spent.ticks += u16::from(self.liberties.ticks < u16::MAX);
                for (member, seat) in (0..).zip(&mut next.seats) {
                    *seat = parts.changed(seat, Change::Tick);
                    parts.touch_seat(member);
                }
                for (wire, queue) in (0..).zip(&mut next.queues) {
                    *queue = parts.queue_later(queue, self.liberties.grain());
                    parts.touch_wire(wire);
                }
            }
            Action::Member(member, FaultEvent::Crash) => self.crash(parts, next, member.into()),
            Action::Member(member, event @ (FaultEvent::Pause | FaultEvent::Resume)) => {
                let pauses = event == FaultEvent::Pause;
                next.spent.pauses += u8::from(pauses);
                parts.touch_seat(member.into());
                let seat = &mut next.seats[member as usize];
                *seat = parts.changed(seat, if pauses { Change::Pause } else { Change::Wake });
            }
            Action::Link(wire, place, Fate::Lost) | Action::Deliver(wire, place) => {
                next.spent.losses += u8::from(matches!(what, Action::Link(..)));
                parts.touch_wire(wire);
                let queue = &mut next.queues[wire as usize];
                *queue = parts.take(queue, place).1;
            }
            Action::Link(wire, place, Fate::Twice) => {
                next.spent.duplicates += 1;
                parts.touch_wire(wire);
                let queue = &mut next.queues[wire as usize];
                *queue = parts.double(queue, place);
            }
            // Inputs, or nothing that is possible here.
            Action::Member(..) | Action::CallAgain(_) | Action::TimeOut(..) | Action::Tell(..) => {}
        }
    }

    /// The ports whose neighbours a member takes for dead when it calls: whoever calls has asked its detector
    /// first, unless that speaks by itself.
    pub(crate) fn known_dead<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, member: u32) -> u32 {
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

    /// What can come of an input to a member, crashes in the middle of its writing and sending included.
    #[expect(clippy::too_many_arguments, reason = "the parts of one step")]
    fn input<P: Parts>(
        &self,
        parts: &mut P,
        now: &StateOf<P>,
        what: Action,
        member: u32,
        input: Input<&P::Message>,
        next: &mut StateOf<P>,
        mut visit: impl FnMut(&mut P, Transition, &StateOf<P>),
    ) -> Truncation {
        let hearing = self.hearing(parts, now, what, member);
        let outcomes = parts.act(member, hearing.as_ref().unwrap_or(&now.seats[member as usize]), input);
        let may_crash = now.spent.crashes < self.liberties.crashes;
        let mut cut = parts.cut(outcomes);
        'draws: for draw in 0..parts.count(outcomes) {
            let (seat, sends) = parts.outcome(outcomes, draw);
            next.become_like(now);
            parts.begin_next();
            parts.touch_seat(member);
            next.spent.recoveries += u8::from(matches!(what, Action::Member(_, FaultEvent::Recover)));
            if let Action::Deliver(wire, place) = what {
                parts.touch_wire(wire);
                next.queues[wire as usize] = parts.take(&now.queues[wire as usize], place).1;
            }
            next.spent.untold &= !self.told_by(parts, now, what);
            next.spent.requests += u8::from(matches!(what, Action::Member(_, FaultEvent::Request(_))));
            next.spent.restarts += u8::from(matches!(what, Action::CallAgain(_)));
            next.spent.suspicions += u8::from(what.is_suspicion());
            next.spent.false_alarms += u8::from(what.is_false_alarm());
            // Nobody can tell a torn write from a crash before it if nobody comes back to find it.
            if may_crash && self.may_return(next) && parts.writes(outcomes, draw) {
                let mut stopped = next.clone();
                self.crash(parts, &mut stopped, member);
                visit(parts, Transition { what, draw, crash_after: Some(CrashPoint::TornWrite) }, &stopped);
            }
            next.seats[member as usize] = seat;
            for nth in 0..sends {
                if may_crash {
                    let mut stopped = next.clone();
                    self.crash(parts, &mut stopped, member);
                    visit(
                        parts,
                        Transition { what, draw, crash_after: Some(CrashPoint::Sends(nth)) },
                        &stopped,
                    );
                }
                let (port, letter) = parts.sent(outcomes, draw, nth);
                if !self.send(parts, next, member, port, &letter) {
                    cut.countless = true;
                    continue 'draws;
                }
            }
            visit(parts, Transition { what, draw, crash_after: None }, next);
        }
        cut
    }

    /// A member that is about to hear of the next life of a neighbour, and so does not take that neighbour for dead any more.
    /// (What is left of the last life on a wire could as well have been heard before.)
    fn hearing<P: Parts>(
        &self,
        parts: &mut P,
        now: &StateOf<P>,
        what: Action,
        member: u32,
    ) -> Option<P::MemberState> {
        let port = match what {
            _ if !self.liberties.certified => return None,
            Action::Deliver(wire, _) => Some(self.wires.get(wire)).filter(|&wire| self.is_direct(wire))?.at,
            Action::Tell(_, port, Notice::Unsuspected) => Port(port.into()),
            _ => return None,
        };
        let seat = &now.seats[member as usize];
        let (peer, _) = self.plan.topology.peer(member, port);
        if parts.facts(seat).known_dead >> port.0 & 1 == 0 || !parts.is_up(&now.seats[peer as usize]) {
            return None;
        }
        let outcomes = parts.act(member, seat, Input::Back(port));
        Some(parts.outcome(outcomes, 0).0)
    }

    /// Whether a wire leads from a member to its neighbour, and not past one that may die.
    fn is_direct(&self, wire: Wire) -> bool {
        self.plan.topology.peer(wire.to, wire.at).0 == wire.from
    }

    /// False if there is no room on the wire.
    fn send<P: Parts>(
        &self,
        parts: &mut P,
        next: &mut StateOf<P>,
        from: u32,
        port: Port,
        letter: &P::Message,
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
    pub(crate) fn may_return<S, Q>(&self, now: &State<S, Q>) -> bool {
        now.spent.recoveries < self.liberties.recoveries
    }

    /// Of whose death a member is not told, or no longer: it is being told, or it hears the dead one's next life. (What
    /// is left of the last life on the wire could as well have been heard before the next one began.)
    fn told_by<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, what: Action) -> u32 {
        match what {
            Action::Member(member, FaultEvent::Learn(dead)) => self.certificate(dead.into(), member.into()),
            Action::Deliver(wire, _) if now.spent.untold != 0 => {
                let Wire { from, to, .. } = self.wires.get(wire);
                if parts.is_up(&now.seats[from as usize]) { self.certificate(from, to) } else { 0 }
            }
            _ => 0,
        }
    }

    /// The bit for the certificate of one member's death to another; none if they are not neighbours.
    fn certificate(&self, dead: u32, member: u32) -> u32 {
        self.wires.certificate(dead, member).map_or(0, |wire| 1 << wire)
    }

    /// A member is dead: those who are up are yet to be told, and it has itself forgotten of whom it was.
    fn certify<P: Parts>(&self, parts: &mut P, next: &mut StateOf<P>, dead: u32) {
        for (number, wire) in self.wires.iter().filter(|(_, wire)| self.is_direct(**wire)) {
            if wire.from == dead && parts.is_up(&next.seats[wire.to as usize]) {
                next.spent.untold |= self.certificate(dead, wire.to);
            } else if wire.to == dead {
                next.spent.untold &= !(1 << number);
            }
        }
    }

    fn crash<P: Parts>(&self, parts: &mut P, next: &mut StateOf<P>, member: u32) {
        next.spent.crashes += 1;
        if self.liberties.certified {
            self.certify(parts, next, member);
        }
        parts.touch_seat(member);
        let seat = &mut next.seats[member as usize];
        *seat = parts.changed(seat, Change::Crash);
        if !self.may_return(next) {
            for &wire in self.wires.leading_to(member) {
                parts.touch_wire(wire);
                next.queues[wire as usize] = parts.empty();
            }
        }
    }

    /// How a run of an algorithm can begin: nobody has booted yet. In several ways where clocks drift.
    #[must_use]
    pub fn beginnings(&self, machine: &'static MachineType) -> Vec<Situation> {
        let step = self.liberties.step(self.plan);
        let gains: Vec<i32> = match self.liberties.time {
            TimeModel::Clock { drift, .. } if drift > 0 => vec![-i32::from(drift), 0, drift.into()],
            _ => vec![0],
        };
        let queues = vec![Letters::default(); self.wires.len()];
        let mut moments = vec![State { seats: Vec::new(), queues, spent: BudgetUsed::default() }];
        let policy = self.liberties.call_policy(machine.spec, self.plan);
        // A call changes nothing in members that do not wait for one: it is left out.
        let calls_if_asked =
            policy.waits_for_calls() && policy.decide(Occasion::Asked, NamedLeader::Nobody) == Decision::Call;
        for member in 0..self.plan.n() {
            let calls = calls_if_asked && self.plan.initiators.contains(member);
            let with = |before: &Situation, gains| {
                let mut next = before.clone();
                next.seats.push(MemberState::new(machine, calls, step, gains));
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
