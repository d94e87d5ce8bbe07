//! The effects of an input, in their order: withdraw, persist, send, publish.

use super::{Member, WaitingMessages};
use crate::net::{Network, Outgoing};
use crate::node::machine::addressed;
use crate::status::event::{Event, Loss};
use crate::status::publisher::LeaderEpoch;
use bellwether_core::{Id, Reign, Request, Time};

impl Member {
    /// Applies the effects of an input: all of them, or those before the write until the disk has answered.
    pub(super) fn apply_effects(&mut self) {
        let leads_in = self.machine.leads_until().map(|_| self.machine.status().term);
        if self.state.epoch.is_some_and(|epoch| leads_in != Some(epoch.term)) {
            self.withdraw(Loss::GaveUp);
        }
        if self.state.effects.persists {
            self.network.has_saved();
            self.state.is_writing = true;
            self.disk.write(&self.state.effects.durable);
        } else {
            self.send_and_publish(self.clock.now());
        }
    }

    /// The member leads no longer. Every caller sees that at once, whatever the member waits for.
    pub(super) fn withdraw(&mut self, why: Loss) {
        self.lease_cell.withdraw();
        // Not before: a judge of the events must not take the epoch to have ended while the lease still held.
        let now = self.clock.now();
        if let Some(epoch) = self.state.epoch.take() {
            self.state.ended_in = Some(epoch.term);
            self.state.is_ready = false;
            self.publisher.show_loss(now, epoch.term, why);
            self.reconsider();
        }
    }

    pub(super) fn send_and_publish(&mut self, now: Time) {
        if self.around.closes() {
            self.send_round(now);
        }
        let direct = self.state.effects.sends().filter(|_| !self.around.closes());
        for (port, msg) in direct {
            let (peer, _) = self.around.behind(port);
            dispatch(&mut self.network, &mut self.state.waiting_messages, (self.me, peer), msg);
        }
        self.network.flush();
        self.publish(now);
    }

    pub(super) fn publish(&mut self, now: Time) {
        let status = self.machine.status();
        match self.machine.leads_until().filter(|&until| until > now && !self.state.is_stalled) {
            Some(_) if self.has_led_in(status.term) => self.ask(Request::Resign, None),
            Some(until) => self.hold(now, status.term, until),
            None if self.state.epoch.is_some() => self.withdraw(Loss::Expired),
            None => {}
        }
        let now = self.clock.now(); // after the events that were just reported
        let is_led = self.leader().works();
        if std::mem::replace(&mut self.state.was_led, is_led) || is_led {
            self.state.leaderless_since = now;
        }
        self.note_leader(status.leader);
        self.publisher.show(now, status, self.state.epoch);
    }

    /// Whether an epoch in this term has ended. Another epoch would have the same token, and leftovers of
    /// the first could not be told from the second: so a member that still leads by its algorithm resigns, for a new term.
    fn has_led_in(&self, term: u64) -> bool {
        self.machine.spec().reign == Reign::Leased && self.state.ended_in == Some(term)
    }

    /// The member leads until then: as before, or from now on.
    fn hold(&mut self, now: Time, term: u64, until: Time) {
        let epoch = self.state.epoch.unwrap_or_else(|| {
            self.state.epochs += 1;
            LeaderEpoch { number: self.state.epochs, term }
        });
        self.state.epoch = Some(epoch);
        if self.tells_leases && self.lease_cell.current(now) != Some((epoch.number, until)) {
            // Published before the lease holds, so that a judge of the events never sees too short a lease.
            self.publisher.say(now, Event::Extended { term: epoch.term, until });
        }
        let before = self.lease_cell.current(Time::ZERO);
        self.lease_cell.hold(epoch.number, until);
        if before.is_some_and(|(_, end)| end <= self.clock.now()) {
            // Between the two leases a reader may have seen that this member does not lead: an epoch that has ended must
            // not go on.
            self.withdraw(Loss::Expired);
            self.publish(self.clock.now());
        }
    }

    /// A lease ends when its time is over, whatever the member is busy with.
    pub(super) fn end_expired_epoch(&mut self) {
        if self.state.epoch.is_some() && self.lease_cell.current(self.clock.now()).is_none() {
            self.withdraw(Loss::Expired);
            self.publisher.show(self.clock.now(), self.machine.status(), None);
        }
    }
}

/// Sends a message, or lets it wait if the member sends it to itself. Says whether it was sent.
pub(super) fn dispatch(
    network: &mut Network,
    waiting: &mut WaitingMessages,
    (from, to): (Id, Id),
    message: &[u8],
) -> bool {
    if from != to {
        network.send(to, Outgoing::Message(message));
    } else if let Some((port, message)) = addressed(message) {
        waiting.put(port, message);
    }
    from != to
}
