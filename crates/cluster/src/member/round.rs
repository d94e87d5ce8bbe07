//! Messages round a ring: past the members that cannot be reached ([`crate::ring`]).

use super::Member;
use super::incoming::News;
use crate::machine::{Input, Malformed, addressed};
use crate::network::Outgoing;
use crate::ring::Arrival;
use crate::watch::Watch;
use bellwether_core::{Decision, Environment as _, Faults, Id, NamedLeader, Occasion, Port, Time, Verdict};

impl Member {
    /// Sends what the algorithm wishes to send in a ring.
    pub(super) fn send_round(&mut self, now: Time) {
        let n = self.around.size();
        let wrapped = |(port, bytes): (Port, &[u8])| {
            let (arrives_at, msg) = addressed(bytes)?;
            Some((port, self.state.ring.wrap(arrives_at, msg, n)?))
        };
        let wrapped: Vec<(Port, Vec<u8>)> = self.state.wishes.sends().filter_map(wrapped).collect();
        for (port, bytes) in wrapped {
            self.send_past(now, port, bytes);
        }
    }

    /// Takes a message that came round the ring: from this member, or before this one had started, if no peer is named.
    pub(super) fn take_round(
        &mut self,
        now: Time,
        peer: Option<Id>,
        port: Port,
        bytes: &[u8],
    ) -> Result<(), Malformed> {
        let has_leader = self.machine.status().leader.is_some();
        match self.state.ring.open(bytes, has_leader).ok_or(Malformed)? {
            Arrival::Current(msg) => {
                let (around, wishes) = (&mut self.around, &mut self.state.wishes);
                self.machine.take(Input::Message(port, msg), now, around, wishes)?;
                self.fulfil();
            }
            Arrival::Later { election, msg } => {
                let (around, wishes) = (&mut self.around, &mut self.state.wishes);
                self.machine.take(Input::MessageAnew(port, msg), now, around, wishes)?;
                self.state.ring.enter(election);
                self.state.leaderless_since = now;
                self.fulfil();
            }
            Arrival::Earlier => peer.into_iter().for_each(|peer| self.send_standing(peer)),
            Arrival::Behind { election } => self.begin_election(election),
            Arrival::Nothing => {}
        }
        Ok(())
    }

    /// Begins the election with this number, or joins it.
    pub(super) fn begin_election(&mut self, election: u64) {
        self.state.ring.enter(election);
        self.state.leaderless_since = self.clock.now();
        self.take(Input::Anew);
    }

    /// A peer has been connected. If it has just started, its first election has a number that the others have passed.
    pub(super) fn tell_standing(&mut self, peer: Id) {
        if self.state.has_started && self.policy.begins_anew() && self.machine.status().leader.is_some() {
            self.send_standing(peer);
        }
    }

    fn send_standing(&mut self, peer: Id) {
        if let Some(bytes) = self.state.ring.standing(self.machine.status().leader.is_some()) {
            self.network.send(peer, Outgoing::Message(&bytes));
        }
    }

    fn send_past(&mut self, now: Time, port: Port, bytes: Vec<u8>) {
        let to = self.around.behind_past(port, |id| self.is_passed_over(id));
        for id in self.around.between(port, to) {
            self.state.ring.note_passed_over(id);
        }
        if to != self.me {
            self.network.send(to, Outgoing::Message(&bytes));
            if self.machine.spec().survives.has(Faults::DUPLICATION) {
                self.state.ring.note_sent(now, to, port, bytes);
            }
        } else if let Some((arrives_at, wrapped)) = addressed(&bytes) {
            self.state.own_mail.put(arrives_at, wrapped);
        }
    }

    /// A message to this member would be lost, as far as is known.
    fn is_passed_over(&self, id: Id) -> bool {
        !self.network.is_connected(id) || self.state.dead.contains(&id) || self.has_failed(id)
    }

    /// The failure detector says so.
    pub(super) fn has_failed(&self, id: Id) -> bool {
        let judges_failed =
            |watch: &Watch| self.around.ports_to(id).any(|port| watch.verdict(port) == Verdict::Failed);
        self.watch.as_ref().is_some_and(judges_failed)
    }

    /// A member cannot be reached any more. If an election is under way, that member may have beaten others in it, so
    /// the next one begins. If not, what may be lost with the member is sent again, past it.
    pub(super) fn leave_out(&mut self, peer: Id) {
        let is_new = self.state.ring.leave_out(peer);
        if is_new && self.start_election(self.decide(Occasion::LeftOut)) {
            return;
        }
        let now = self.clock.now();
        for (port, bytes) in self.state.ring.lost_with(peer, now, self.around.delay_bound()) {
            self.send_past(now, port, bytes);
        }
    }

    /// A member can be reached again. If a message has passed over it, an election takes it in: as soon as the election
    /// under way is over, if one is. A member that was dead calls one itself, which may have begun without it.
    pub(super) fn take_back(&mut self, peer: Id, was_dead: bool) {
        if was_dead || !self.has_failed(peer) {
            self.state.ring.owes_call |= self.state.ring.take_back(peer) && self.policy.waits_for_calls();
            self.note_taken_back();
        }
    }

    /// The algorithm names this leader.
    pub(super) fn doubt(&mut self, leader: Option<Id>) {
        let before = std::mem::replace(&mut self.state.led_by, leader);
        if before != leader && self.leader().is_gone() {
            self.state.news.push_back(News::Occasion(Occasion::NamesLeader));
        }
        self.note_taken_back();
    }

    fn note_taken_back(&mut self) {
        if self.state.ring.owes_call && self.decide(Occasion::TakenBack) != Decision::No {
            self.state.ring.owes_call = false;
            self.state.news.push_back(News::Occasion(Occasion::TakenBack));
        }
    }

    pub(super) fn settle_taken_back(&mut self) {
        self.state.ring.owes_call = !self.start_election(self.decide(Occasion::TakenBack));
    }

    /// The leader that the algorithm names, and what this member has heard of it.
    pub(super) fn leader(&self) -> NamedLeader {
        let (spec, status) = (self.machine.spec(), self.machine.status());
        NamedLeader::new(spec, &status, |id| self.has_failed(id), |id| self.state.dead.contains(&id))
    }

    pub(super) fn decide(&self, occasion: Occasion) -> Decision {
        self.policy.decide(occasion, self.leader())
    }

    /// What happens to a member that has had no leader for as long as this one has by now.
    pub(super) fn leaderless_at(&self, now: Time) -> Occasion {
        Occasion::Leaderless(now - self.state.leaderless_since)
    }

    /// Starts an election, if that is the decision. Says whether it is.
    pub(super) fn start_election(&mut self, decision: Decision) -> bool {
        match decision {
            Decision::No | Decision::Wait(_) => return false,
            Decision::Anew => self.begin_election(self.state.ring.next_election()),
            Decision::Call => {
                self.state.leaderless_since = self.clock.now();
                self.take(Input::Call);
            }
        }
        true
    }
}
