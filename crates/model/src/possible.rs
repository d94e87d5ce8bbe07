//! What can happen next.

use crate::rules::MOST_ON_A_WIRE;
use crate::{Action, Attention, Facts, Notice, Parts, Patience, Rules, StateOf, TimeModel};
use bellwether_core::{Fate, FaultEvent, Lasting, Port, Request, Role, Spec};
use bellwether_sim::{Ending, LinkOrder, Live, Survivor, is_required, rule};

impl Rules<'_> {
    /// What can happen next, each once: what need not happen comes last. Whoever draws numbers or sends several
    /// messages can make several things of one. (Where the clock may make no more steps, its next is possible and
    /// nothing comes of it: the run goes on, but is not followed.)
    pub fn possible<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, list: &mut Vec<Action>) {
        list.clear();
        if self.liberties.stops_at_goal && self.is_over(parts, now) {
            return;
        }
        let n = now.seats.len() as u8;
        // Members that hear nothing before they have booted and called: messages wait for them. So they do for those
        // that are frozen.
        let (mut deaf, mut paused, mut waking): (u32, u32, u32) = (0, 0, 0);
        let (mut waits, mut due_now) = (false, false);
        for member in 0..n {
            if parts.is_still(&now.seats[member as usize]) {
                continue;
            }
            let facts = parts.facts(&now.seats[member as usize]);
            match facts.attention {
                Attention::Awake => {}
                Attention::Waking => waking |= 1 << member,
                Attention::Paused => {
                    paused |= 1 << member;
                    waits |= u32::from(facts.timers) > facts.due.count_ones();
                    waits |= facts.patience == Patience::Waiting;
                    list.push(Action::Member(member, FaultEvent::Resume));
                    continue;
                }
            }
            waits |= facts.timers > 0 || facts.patience == Patience::Waiting;
            due_now |= facts.due != 0 || facts.restarts();
            if facts.boots() {
                list.push(Action::Member(member, FaultEvent::Start));
                deaf |= 1 << member;
            } else if facts.calls {
                list.push(Action::Member(member, FaultEvent::Call));
                deaf |= u32::from(!self.liberties.late_calls) << member;
            }
        }
        for (wire, queue) in (0..).zip(&now.queues) {
            let len = parts.len(queue);
            let to = self.wires.get(wire).to;
            if len == 0 || paused >> to & 1 != 0 {
                continue;
            }
            waits = true;
            if deaf >> to & 1 != 0 {
                continue;
            }
            list.push(Action::Deliver(wire, 0));
            if self.plan.links == LinkOrder::Reordering {
                list.extend(
                    (1..len).filter(|&at| parts.differs(queue, at)).map(|at| Action::Deliver(wire, at)),
                );
            }
        }
        let has_clock = self.liberties.time != TimeModel::Any;
        let overdue = if has_clock && waits { self.overdue(parts, now) & !paused } else { 0 };
        if due_now {
            // What comes on time comes before timers. Whoever has just woken is late with all of it.
            let on_time = if overdue & !waking == 0 { u32::MAX } else { waking };
            for member in (0..n).filter(|member| on_time & !deaf & !paused & 1 << member != 0) {
                let facts = parts.facts(&now.seats[member as usize]);
                let Facts { due, timers, .. } = *facts;
                list.extend(
                    (0..timers).filter(|at| due >> at & 1 != 0).map(|at| Action::TimeOut(member, at)),
                );
                list.extend(facts.restarts().then_some(Action::CallAgain(member)));
            }
        }
        if self.liberties.detector && (now.spent.crashes > 0 || now.spent.false_alarms > 0) {
            for member in (0..n).filter(|member| (deaf | paused) >> member & 1 == 0) {
                self.words(parts, now, member, list);
            }
        }
        if has_clock && waits && overdue == 0 && !due_now && deaf == 0 {
            list.push(Action::Tick);
        }
        self.faults(parts, now, list);
        if now.spent.untold != 0 {
            self.certificates(parts, now, deaf | paused, list);
        }
        if self.liberties.detector && now.spent.false_alarms < self.liberties.false_alarms {
            self.false_alarms(parts, now, deaf | paused, list);
        }
        if now.spent.suspicions < self.liberties.suspicions {
            self.suspicions(parts, now, deaf | paused, list);
        }
        if now.spent.requests < self.liberties.requests {
            self.requests(parts, now, deaf, list);
        }
    }

    /// The members to whom a message has been under way for as long as it can be.
    fn overdue<P: Parts>(&self, parts: &mut P, now: &StateOf<P>) -> u32 {
        let grain = self.liberties.grain();
        let late = (0..).zip(&now.queues).filter(|(_, queue)| parts.has_waited(queue, grain));
        late.fold(0, |members, (wire, _)| members | 1 << self.wires.get(wire).to)
    }

    /// What a member's detector has yet to say.
    fn words<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, member: u8, list: &mut Vec<Action>) {
        let Facts { is_up: true, told, .. } = *parts.facts(&now.seats[member as usize]) else { return };
        for port in 0..self.plan.topology.ports(member.into()) {
            let (peer, _) = self.plan.topology.peer(member.into(), Port(port));
            let is_dead = parts.facts(&now.seats[peer as usize]).is_dead;
            match told >> port & 1 != 0 {
                false if is_dead => list.push(Action::Tell(member, port as u8, Notice::Failed)),
                true if !is_dead => list.push(Action::Tell(member, port as u8, Notice::Working)),
                _ => {}
            }
        }
    }

    fn faults<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, list: &mut Vec<Action>) {
        let (may, spent) = (&self.liberties, &now.spent);
        let (crashes, pauses) = (spent.crashes < may.crashes, spent.pauses < may.pauses);
        let recovers = spent.recoveries < may.recoveries;
        if crashes || pauses || recovers {
            for member in 0..now.seats.len() as u8 {
                let Facts { is_dead, is_up, attention, .. } = *parts.facts(&now.seats[member as usize]);
                list.extend((crashes && !is_dead).then_some(Action::Member(member, FaultEvent::Crash)));
                list.extend((recovers && is_dead).then_some(Action::Member(member, FaultEvent::Recover)));
                let can_pause = is_up && attention != Attention::Paused;
                list.extend((pauses && can_pause).then_some(Action::Member(member, FaultEvent::Pause)));
            }
        }
        let (loses, doubles) = (spent.losses < may.losses, spent.duplicates < may.duplicates);
        if loses || doubles {
            // A message behind others is lost or doubled no later than when it is the first.
            let deliveries: Vec<(u8, u8)> = list
                .iter()
                .filter_map(|what| {
                    if let Action::Deliver(wire, place) = what { Some((*wire, *place)) } else { None }
                })
                .collect();
            for (wire, place) in deliveries {
                list.extend(loses.then_some(Action::Link(wire, place, Fate::Lost)));
                let has_room = parts.len(&now.queues[wire as usize]) < MOST_ON_A_WIRE;
                list.extend((doubles && has_room).then_some(Action::Link(wire, place, Fate::Twice)));
            }
        }
    }

    /// Of whose deaths members may be told for certain.
    fn certificates<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, deaf: u32, list: &mut Vec<Action>) {
        for (_, wire) in self.wires.iter().filter(|(number, _)| now.spent.untold >> number & 1 != 0) {
            if deaf >> wire.to & 1 == 0 && parts.is_up(&now.seats[wire.to as usize]) {
                list.push(Action::Member(wire.to as u8, FaultEvent::Learn(wire.from as u8)));
            }
        }
    }

    /// Which living members detectors may declare failed.
    fn false_alarms<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, deaf: u32, list: &mut Vec<Action>) {
        for member in (0..now.seats.len() as u8).filter(|member| deaf >> member & 1 == 0) {
            let Facts { is_up: true, told, .. } = *parts.facts(&now.seats[member as usize]) else { continue };
            for port in (0..self.plan.topology.ports(member.into())).filter(|port| told >> port & 1 == 0) {
                let (peer, _) = self.plan.topology.peer(member.into(), Port(port));
                if parts.is_up(&now.seats[peer as usize]) {
                    list.push(Action::Tell(member, port as u8, Notice::FalselyFailed));
                }
            }
        }
    }

    /// What members may hear of their neighbours, rightly or wrongly. Of one that the detector has declared failed it alone
    /// says more, and no connection opens to one that is dead for certain.
    fn suspicions<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, deaf: u32, list: &mut Vec<Action>) {
        for member in (0..now.seats.len() as u8).filter(|member| deaf >> member & 1 == 0) {
            let Facts { is_up: true, told, known_dead, .. } = *parts.facts(&now.seats[member as usize])
            else {
                continue;
            };
            for port in (0..self.plan.topology.ports(member.into())).filter(|port| told >> port & 1 == 0) {
                let (peer, _) = self.plan.topology.peer(member.into(), Port(port));
                let can_connect = known_dead >> port & 1 == 0 || parts.is_up(&now.seats[peer as usize]);
                list.push(Action::Tell(member, port as u8, Notice::Suspected));
                list.extend(can_connect.then_some(Action::Tell(member, port as u8, Notice::Unsuspected)));
            }
        }
    }

    /// What may be asked of those that take themselves for the leader: others have nothing to give up.
    fn requests<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, deaf: u32, list: &mut Vec<Action>) {
        let n = now.seats.len() as u8;
        for member in (0..n).filter(|member| deaf >> member & 1 == 0) {
            let facts = parts.facts(&now.seats[member as usize]);
            if facts.status.role == Role::Leader && facts.attention != Attention::Paused {
                let asked = |request| Action::Member(member, FaultEvent::Request(request));
                list.push(asked(Request::Resign));
                let others = (0..n).filter(|other| *other != member);
                list.extend(
                    others.map(|other| asked(Request::Transfer(self.plan.ranks[other as usize].id()))),
                );
            }
        }
    }

    /// Whether something can be asked of a member, though those who look at all runs may not ask it.
    pub fn can_be_asked<P: Parts>(&self, parts: &mut P, now: &StateOf<P>, member: u8) -> bool {
        let Facts { is_up, calls, attention, .. } = *parts.facts(&now.seats[member as usize]);
        let is_deaf = calls && !self.liberties.late_calls;
        let is_awake = is_up && !is_deaf && attention != Attention::Paused;
        is_awake && now.spent.requests < self.liberties.requests
    }

    /// Whether the goal is reached, and will be if nothing goes wrong: where nobody leads because too few are left,
    /// those who come back change that.
    fn is_over<P: Parts>(&self, parts: &mut P, now: &StateOf<P>) -> bool {
        let stays = !self.may_return(now) || now.seats.iter().any(|seat| parts.facts(seat).leads);
        stays && self.is_at_its_goal(parts, now)
    }

    /// Whether somebody leads and everyone alive knows what the algorithm promises. Where members go on for ever, no run
    /// has another end: there, all must be right, and it is if nobody leads as too few are left.
    pub fn is_at_its_goal<P: Parts>(&self, parts: &mut P, now: &StateOf<P>) -> bool {
        let (mut somebody_leads, mut everyone_knows, mut everyone_boots) = (false, true, true);
        for seat in &now.seats {
            let facts = parts.facts(seat);
            somebody_leads |= facts.leads;
            everyone_knows &= facts.is_dead || facts.is_satisfied;
            everyone_boots &= !facts.boots();
        }
        let spec = parts.spec();
        match spec.lasting {
            Lasting::Ends => somebody_leads && everyone_knows,
            Lasting::GoesOn if somebody_leads && !everyone_knows || !everyone_boots => false,
            Lasting::GoesOn => {
                let live = self.live(parts, now);
                !live.is_empty() && rule(spec, self.plan, Live::Listed(&live), Ending::ByItself).is_right()
            }
        }
    }

    /// Whether a change of a member may be one from a moment short of the goal to one at it, or back.
    pub fn bears_on_the_goal(&self, spec: &Spec, before: &Facts, after: &Facts) -> bool {
        before.leads != after.leads
            || before.status != after.status
            || before.is_dead != after.is_dead
            || spec.lasting == Lasting::GoesOn && before.boots() != after.boots()
    }

    /// The live members, and what they are: who leads for a time only does not when that is up.
    pub fn live<P: Parts>(&self, parts: &mut P, now: &StateOf<P>) -> Vec<Survivor> {
        let mut live = Vec::new();
        for (member, seat) in (0..).zip(&now.seats) {
            let Facts { is_up, leads, took_part, mut status, .. } = *parts.facts(seat);
            if status.role == Role::Leader && !leads {
                status.role = Role::Undecided;
            }
            live.extend(is_up.then_some(Survivor { member, status, took_part }));
        }
        live
    }

    /// Whether a run that stays as it is now for ever misses anything: see [`is_required`].
    pub fn is_required<P: Parts>(&self, parts: &mut P, now: &StateOf<P>) -> bool {
        let live = self.live(parts, now);
        is_required(parts.spec(), Live::Listed(&live))
    }
}
