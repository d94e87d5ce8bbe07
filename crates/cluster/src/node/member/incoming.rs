//! What reaches a member from outside: messages of peers, news of their connections and deaths, and verdicts of the detector.

use super::stores::{Offer, Refusal};
use super::{Fault, Member};
use crate::net::{Incoming, Outgoing};
use crate::node::detector::{DetectorDriver, DetectorInput};
use crate::node::machine::{Input, Malformed, addressed};
use crate::status::event::Event;
use bellwether_core::{Id, Occasion, Port, Signal, Span, StoreId, Verdict};

/// The most signals that are heard in one turn while the disk is waited for.
const MOST_SIGNALS: usize = 64;
/// The most inputs in a row that go before a detector's alarm.
const MOST_BEFORE_DETECTOR: u64 = 4_096;

/// An input for the algorithm of a kind that one occasion can bring several of. The algorithm takes one at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum PendingInput {
    Suspicion(Port, Verdict),
    Death(Port),
    /// This has happened to the member: perhaps it is to start an election. The algorithm has been told before.
    Occasion(Occasion),
    /// This member cannot be reached any more: a ring closes past it.
    Gone(Id),
    /// A member votes from this store.
    Store(Id, StoreId),
}

impl Member {
    pub(super) fn take_incoming(&mut self) -> Result<bool, Fault> {
        let Some(incoming) = self.network.next() else { return Ok(false) };
        let now = self.clock.now(); // read after it came: a promise must not begin before what it answers was sent
        match incoming {
            Incoming::Message { peer, bytes } => {
                let Some((port, msg)) = addressed(bytes) else { return Ok(true) };
                if !self.around.can_hear(port, peer) {
                    return Ok(true);
                }
                if !self.state.has_started {
                    self.state.waiting_messages.put_early(port, msg);
                    return Ok(true);
                }
                if self.around.closes() {
                    let msg = msg.to_vec();
                    if self.take_round(now, Some(peer), port, &msg).is_err() {
                        self.network.reject(peer);
                    }
                    return Ok(true);
                }
                let (around, effects) = (&mut self.around, &mut self.state.effects);
                let taken = self.machine.take(Input::Message(port, msg), now, around, effects);
                match taken {
                    Ok(()) => self.apply_effects(),
                    Err(Malformed) => self.network.reject(peer),
                }
            }
            Incoming::Signal { peer, signal } => self.hear_signal(peer, signal),
            Incoming::Ready { peer, term } => self.publisher.show_ready(now, peer, term),
            Incoming::Up { peer, .. } => {
                let was_dead = self.state.dead.remove(&peer);
                self.note_start(peer);
                self.publisher.say(now, Event::Connected { peer });
                self.around.ports_to(peer).for_each(|port| self.hear(DetectorInput::Connected(port)));
                self.suspect(peer, Verdict::Working, was_dead);
                self.take_back(peer, was_dead);
                self.tell_standing(peer);
                if let Some(epoch) = self.state.epoch.filter(|_| self.state.is_ready) {
                    self.network.send(peer, Outgoing::Ready(epoch.term));
                }
            }
            Incoming::Down { peer, why } => self.is_disconnected(peer, why.to_string()),
            Incoming::Dead { peer, .. } => self.is_dead(peer),
            Incoming::Superseded { peer, by } => self.is_refused(peer, Refusal::Superseded(by))?,
            Incoming::OtherStore { peer } => self.is_refused(peer, Refusal::OtherStore)?,
            Incoming::NewStore { peer, store, known, named_in } => {
                self.take_offer(peer, Offer { store, known, named_in });
            }
            Incoming::Refused { from, why } => {
                let from = from.to_string();
                self.publisher.say(now, Event::Refused { from, why });
            }
        }
        Ok(true)
    }

    /// A connection has closed.
    pub(super) fn is_disconnected(&mut self, peer: Id, why: String) {
        self.publisher.say(self.clock.now(), Event::Disconnected { peer, why });
        self.suspect(peer, Verdict::Suspected, false);
        self.close_past(peer);
    }

    /// A member is dead for certain.
    pub(super) fn is_dead(&mut self, peer: Id) {
        self.state.dead.insert(peer);
        self.publisher.forget_ready(peer);
        self.publisher.say(self.clock.now(), Event::Died { peer });
        self.close_past(peer);
        if self.state.has_started {
            self.state.pending.extend(self.around.ports_to(peer).map(PendingInput::Death));
            self.state.pending.push_back(PendingInput::Occasion(Occasion::Died(peer)));
        }
    }

    /// A connection has opened or closed. That is a suspicion, whatever the reason: every promise stays.
    ///
    /// Only a detector says when a member works again. But a detector that has not missed a member never says that it works
    /// again, even if the member was certified to be dead and is back.
    fn suspect(&mut self, peer: Id, verdict: Verdict, was_dead: bool) {
        if !self.state.has_started || self.detector.is_some() && verdict == Verdict::Working && !was_dead {
            return;
        }
        for port in self.around.ports_to(peer) {
            let known = self.detector.as_ref().map_or(Verdict::Working, |detector| detector.verdict(port));
            if known != Verdict::Failed {
                self.state.pending.push_back(PendingInput::Suspicion(port, verdict));
                self.state.pending.push_back(PendingInput::Occasion(Occasion::Judged(peer, verdict)));
            }
        }
    }

    /// In a ring: what goes to this member is to go past it from now on.
    fn close_past(&mut self, peer: Id) {
        if self.state.has_started && self.around.closes() {
            self.state.pending.push_back(PendingInput::Gone(peer));
        }
    }

    pub(super) fn take_pending(&mut self, input: PendingInput) {
        match input {
            PendingInput::Suspicion(port, verdict) => self.take(Input::Suspicion(port, verdict)),
            PendingInput::Death(port) => self.take(Input::Death(port)),
            PendingInput::Occasion(occasion) => self.consider(occasion),
            PendingInput::Gone(id) => self.leave_out(id),
            PendingInput::Store(id, store) => self.take(Input::Store(id, store)),
        }
    }

    /// While the disk is waited for, the detector goes on: the member sends and hears beats. What the detector says
    /// is told to the algorithm afterwards. A member whose disk has stalled falls silent. Says whether there may be more.
    pub(super) fn serve_detector(&mut self) -> bool {
        if self.state.is_stalled {
            return false;
        }
        for _ in 0..MOST_SIGNALS {
            let Some((peer, signal)) = self.network.next_signal() else {
                self.state.drained_at = self.state.polled_at;
                if self.is_detector_due(Span::default()) {
                    self.hear(DetectorInput::Wake);
                }
                return false;
            };
            self.hear_signal(peer, signal);
        }
        true
    }

    /// Whether the detector is to be woken, so late at least. It hears first what has come in by the time, unless that
    /// has no end: a member that was itself held up must not take that for the silence of others.
    pub(super) fn is_detector_due(&self, late: Span) -> bool {
        let wake_at = self.detector.as_ref().and_then(DetectorDriver::wake_at);
        let is_flooded = self.state.taken_since_drained > MOST_BEFORE_DETECTOR;
        let heard_until = if is_flooded { self.state.polled_at } else { self.state.drained_at };
        wake_at.is_some_and(|at| at + late <= heard_until)
    }

    fn hear_signal(&mut self, peer: Id, signal: Signal) {
        self.around.ports_to(peer).for_each(|port| self.hear(DetectorInput::Signal(port, signal)));
    }

    /// Gives the detector an input.
    pub(super) fn hear(&mut self, input: DetectorInput) {
        let now = self.clock.now();
        let Some(detector) = &mut self.detector else { return };
        if !self.state.has_started {
            return;
        }
        let mut back = Vec::new();
        let wanted = detector.hear(input, now, &mut self.around);
        // A signal reaches a member, not a port. In a ring of two both ports lead to the other member: it hears each
        // signal once, at both.
        let is_first = |port: Port, peer: Id| self.around.ports_to(peer).next() == Some(port);
        for (port, signal) in wanted.signals.drain(..) {
            let peer = self.around.behind(port).0;
            if is_first(port, peer) {
                self.network.send(peer, Outgoing::Signal(signal));
            }
        }
        for (port, verdict) in wanted.verdicts.drain(..) {
            let peer = self.around.behind(port).0;
            if is_first(port, peer) {
                self.publisher.say(now, Event::Judged { peer, verdict });
            }
            self.state.pending.push_back(PendingInput::Suspicion(port, verdict));
            if verdict == Verdict::Failed && self.around.closes() {
                self.state.pending.push_back(PendingInput::Gone(peer));
            }
            self.state.pending.push_back(PendingInput::Occasion(Occasion::Judged(peer, verdict)));
            back.extend((verdict == Verdict::Working).then_some(peer));
        }
        back.into_iter().for_each(|peer| self.take_back(peer, false));
    }
}
