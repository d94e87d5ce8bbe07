//! A ring that closes round members that cannot be reached.
//!
//! All members of a cluster are connected to each other, so a message can pass over a neighbour. In the simulator all
//! members know at once who is dead. Here each member decides for itself, and two members can differ. Three rules make
//! that good:
//!
//! - A member takes a message from any member of the ring, not only from its neighbour.
//! - A message that may have been lost with its receiver is sent again, past the receiver ([`Ring::lost_with`]).
//! - A message that all members pass on unchanged, twice round, is dropped ([`Ring::wrap`]): the member that should
//!   take it off the ring is gone.

use bellwether_core::{Id, Port, Span, Time};
use std::collections::{BTreeSet, VecDeque};

/// Within so many delay bounds a message arrives, and the receiver sends what comes of it.
const IN_FLIGHT: u64 = 2;
/// The most messages that are kept to be sent again. An election has fewer in flight.
const MOST_KEPT: usize = 64;
/// So often a message goes round before it is dropped. Once is enough if all members pass over the same ones.
const TURNS: u32 = 2;

/// What a member of a ring keeps to close it.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    /// The message that the algorithm takes, and how many members have passed it on unchanged.
    at_hand: Option<(u32, Vec<u8>)>,
    /// What was sent last, the oldest first.
    sent: VecDeque<Sent>,
    /// The members that a message has passed over, and that are not back yet.
    passed_over: BTreeSet<Id>,
    /// A member is back, and no election since has taken it in.
    pub(crate) owes_call: bool,
}

#[derive(Debug)]
struct Sent {
    at: Time,
    to: Id,
    port: Port,
    bytes: Vec<u8>,
}

impl Ring {
    /// The algorithm is about to take a message: what came, without the port. Nothing if it is malformed.
    pub(crate) fn open<'a>(&mut self, wrapped: &'a [u8]) -> Option<&'a [u8]> {
        let (passed_on, msg) = postcard::take_from_bytes::<u32>(wrapped).ok()?;
        self.at_hand = Some((passed_on, msg.to_vec()));
        Some(msg)
    }

    /// The algorithm is about to take something else.
    pub(crate) fn let_go(&mut self) {
        self.at_hand = None;
    }

    /// A message as it is sent in a ring of `n`: the port at which it arrives, how many members have passed it on
    /// unchanged, and the algorithm's message. Nothing if it has gone round too often.
    pub(crate) fn wrap(&self, arrives_at: Port, msg: &[u8], n: u32) -> Option<Vec<u8>> {
        let passed_on = match &self.at_hand {
            Some((passed_on, at_hand)) if at_hand == msg => passed_on.saturating_add(1),
            _ => 0,
        };
        if passed_on > n.saturating_mul(TURNS) {
            return None;
        }
        let mut bytes = postcard::to_stdvec(&(arrives_at.0, passed_on)).ok()?;
        bytes.extend_from_slice(msg);
        Some(bytes)
    }

    /// A message was sent to this member, past those.
    pub(crate) fn note_sent(&mut self, now: Time, to: Id, port: Port, bytes: Vec<u8>) {
        if self.sent.len() == MOST_KEPT {
            self.sent.pop_front();
        }
        self.sent.push_back(Sent { at: now, to, port, bytes });
    }

    /// A message passed over this member.
    pub(crate) fn note_passed_over(&mut self, id: Id) {
        self.passed_over.insert(id);
    }

    /// A member is back; whether a message has passed over it meanwhile.
    pub(crate) fn take_back(&mut self, id: Id) -> bool {
        self.passed_over.remove(&id)
    }

    /// The messages that were sent to a member so late that they may be lost with it, and by which port they left.
    pub(crate) fn lost_with(&mut self, id: Id, now: Time, delay_bound: Span) -> Vec<(Port, Vec<u8>)> {
        let sent = std::mem::take(&mut self.sent);
        let (to_it, others) = sent.into_iter().partition(|sent| sent.to == id);
        self.sent = others;
        let to_it: VecDeque<Sent> = to_it;
        let is_recent = |sent: &Sent| sent.at + delay_bound * IN_FLIGHT >= now;
        to_it.into_iter().filter(is_recent).map(|sent| (sent.port, sent.bytes)).collect()
    }
}

#[cfg(test)]
mod tests;
