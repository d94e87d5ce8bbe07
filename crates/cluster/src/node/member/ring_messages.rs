//! Messages round a ring, past the members that cannot be reached ([`crate::node::ring`]).

use super::Member;
use super::effects::dispatch;
use crate::net::Outgoing;
use crate::node::machine::Malformed;
use crate::node::ring::Taken;
use bellwether_core::{Environment as _, Id, Occasion, Port, Time};

impl Member {
    /// Sends the algorithm's messages in a ring.
    pub(super) fn send_round(&mut self, now: Time) {
        for (port, bytes) in self.state.ring.wrap_all(&self.state.effects, self.around.size()) {
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
        let (policy, leader) = (self.policy, self.leader());
        let decide = |occasion| policy.decide(occasion, leader);
        let (machine, around, effects) = (&mut self.machine, &mut self.around, &mut self.state.effects);
        match self.state.ring.take((port, bytes), now, machine, around, effects, decide)? {
            Taken::Message { is_later } => {
                if is_later {
                    self.state.leaderless_since = now;
                }
                self.apply_effects();
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

    /// A peer has been connected. If it has just started, its first election has a number that the others have passed.
    pub(super) fn tell_standing(&mut self, peer: Id) {
        if self.state.has_started && self.policy.begins_anew() && self.has_leader() {
            let standing = self.state.ring.standing(true);
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
        if dispatch(&mut self.network, &mut self.state.waiting_messages, (self.me, to), &bytes) {
            self.state.ring.note_sent(self.machine.spec(), now, to, (port, bytes));
        }
    }

    /// A message to this member would be lost, as far as is known.
    fn is_passed_over(&self, id: Id) -> bool {
        !self.network.is_connected(id) || self.state.dead.contains(&id) || self.has_failed(id)
    }

    /// A member cannot be reached any more. Unless the next election begins, what may be lost with the member is sent
    /// again, past it.
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

    /// A member can be reached again, unless the failure detector still takes it for failed.
    pub(super) fn take_back(&mut self, peer: Id, was_dead: bool) {
        if was_dead || !self.has_failed(peer) {
            self.state.ring.take_back(peer);
            self.note_taken_back();
        }
    }
}
