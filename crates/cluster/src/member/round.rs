//! Messages round a ring: past the members that cannot be reached. What is done, and when, [`crate::ring`] decides.

use super::incoming::News;
use super::{Member, PATIENCE};
use crate::machine::{Input, Malformed, addressed};
use crate::network::Outgoing;
use crate::ring::{self, Next, Taken};
use crate::watch::Watch;
use bellwether_core::{Environment as _, Id, Port, Span, Time, Verdict};

impl Member {
    /// Sends what the algorithm wishes to send in a ring.
    pub(super) fn send_round(&mut self, now: Time) {
        for (port, bytes) in self.state.ring.wrap_all(&self.state.wishes, self.around.size()) {
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
        let (machine, around, wishes) = (&mut self.machine, &mut self.around, &mut self.state.wishes);
        match self.state.ring.take((port, bytes), now, machine, around, wishes)? {
            Taken::Message { is_later } => {
                if is_later {
                    self.state.leaderless_since = now;
                }
                self.fulfil();
            }
            Taken::TellStanding => {
                let standing = self.state.ring.standing(self.has_leader());
                peer.into_iter().for_each(|peer| self.send_standing(peer, standing.as_deref()));
            }
            Taken::Begin(election) => self.begin_election(election),
            Taken::Nothing => {}
        }
        Ok(())
    }

    /// Calls an election.
    pub(super) fn call(&mut self) {
        let next = self.state.ring.call(self.machine.spec(), self.has_leader());
        self.go_on(next);
    }

    /// Calls an election, for there has been no leader for long.
    pub(super) fn call_again(&mut self) {
        let next = self.state.ring.call_again(self.machine.spec());
        self.go_on(next);
    }

    fn go_on(&mut self, next: Next) {
        match next {
            Next::Call => self.take(Input::Call),
            Next::Begin(election) => self.begin_election(election),
            Next::SendAgain(messages) => {
                let now = self.clock.now();
                messages.into_iter().for_each(|(port, bytes)| self.send_past(now, port, bytes));
            }
        }
    }

    /// Begins the election with this number, or joins it.
    fn begin_election(&mut self, election: u64) {
        self.state.ring.enter(election);
        self.state.leaderless_since = self.clock.now();
        self.take(Input::Anew);
    }

    /// A peer has been connected.
    pub(super) fn tell_standing(&mut self, peer: Id) {
        if self.state.has_started {
            let standing = self.state.ring.standing_for_new(self.machine.spec(), self.has_leader());
            self.send_standing(peer, standing.as_deref());
        }
    }

    fn send_standing(&mut self, peer: Id, standing: Option<&[u8]>) {
        if let Some(bytes) = standing {
            self.network.send(peer, Outgoing::Message(bytes));
        }
    }

    fn has_leader(&self) -> bool {
        self.machine.status().leader.is_some()
    }

    fn send_past(&mut self, now: Time, port: Port, bytes: Vec<u8>) {
        let passed_over: Vec<Id> = self.around.ids().filter(|&id| self.is_passed_over(id)).collect();
        let to = self.state.ring.route(&self.around, port, |id| passed_over.contains(&id));
        if to != self.me {
            self.network.send(to, Outgoing::Message(&bytes));
            self.state.ring.note_sent(self.machine.spec(), now, to, (port, bytes));
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

    /// A member cannot be reached any more.
    pub(super) fn leave_out(&mut self, peer: Id) {
        let times = (self.clock.now(), self.around.delay_bound());
        let next = self.state.ring.leave_out(peer, self.machine.spec(), self.has_leader(), times);
        self.go_on(next);
    }

    /// A member can be reached again, unless the failure detector still takes it for failed.
    pub(super) fn take_back(&mut self, peer: Id, was_dead: bool) {
        if was_dead || !self.has_failed(peer) {
            self.state.ring.take_back(peer, self.machine.spec());
            self.settle_owed_call();
        }
    }

    /// The algorithm names this leader. If that member is dead, an election is called, as when the leader dies.
    pub(super) fn doubt(&mut self, leader: Option<Id>) {
        let before = std::mem::replace(&mut self.state.led_by, leader);
        if let Some(dead) = leader.filter(|leader| self.state.dead.contains(leader))
            && before != leader
        {
            self.state.news.push_back(News::NoLeader(dead));
        }
        self.settle_owed_call();
    }

    fn settle_owed_call(&mut self) {
        if self.state.ring.settle_owed_call(self.has_leader()) {
            self.state.news.push_back(News::Call);
        }
    }

    /// How long an election may take before it is called again. One that is begun anew must have had the time to go
    /// round: to the best member, back to it, and once more with its name.
    pub(super) fn patience_with_elections(&self) -> Span {
        let begins_anew = ring::begins_anew(self.machine.spec());
        let turns = if begins_anew { 4 * u64::from(self.around.size()) } else { 0 };
        self.around.delay_bound() * (2 * PATIENCE + turns)
    }
}
