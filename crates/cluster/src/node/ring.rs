//! A ring that closes round members that cannot be reached.
//!
//! All members of a cluster are connected to each other, so a message can pass over a neighbour. In the simulator all
//! members know at once who is dead. Here each member decides for itself, and two members can differ. Five rules make
//! that good:
//!
//! - A member takes a message from any member of the ring, not only from its neighbour.
//! - A message that may have been lost with its receiver is sent again, past the receiver ([`Ring::lost_with`]).
//! - A message that all members pass on unchanged, twice round, is dropped ([`Ring::wrap`]): the member that should
//!   take it off the ring is gone.
//! - Elections are numbered ([`Arrival`]). Most ring algorithms elect once, and their messages do not say in which
//!   election. A message of a later election makes a member boot its algorithm again; one of an earlier election is
//!   dropped, and its sender is told the number of the later one.
//! - An election that loses a member while it is under way gives way to the next one: those that the lost member has
//!   beaten are out, so two of the others could be elected, or the wrong one.

use crate::node::machine::{ByteMachine, Effects, Input, Malformed, addressed};
use crate::node::surroundings::Surroundings;
use bellwether_core::{Decision, Faults, Id, MAX_TERM_STEP, Occasion, Port, Span, Spec, Time};
use serde::{Deserialize, Serialize};
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
    /// The members that a message of this election has passed over, and that are not back yet.
    passed_over: BTreeSet<Id>,
    /// The members that cannot be reached, as far as this member has been told.
    left_out: BTreeSet<Id>,
    /// A member is back that this election has passed over: the next one takes it in.
    owes_call: bool,
    /// The election in which this member takes part, or took part last.
    election: u64,
}

/// What precedes the algorithm's message in a ring.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    election: u64,
    kind: Kind,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// The algorithm's message follows. So many members have passed it on unchanged.
    Message { passed_on: u32 },
    /// The sender's election, and whether it has a leader. No message follows.
    Standing { is_over: bool },
}

/// What a message in a ring is to its receiver.
#[derive(Debug, PartialEq, Eq)]
enum Arrival<'a> {
    /// Of the election under way: the algorithm takes it.
    Current(&'a [u8]),
    /// Of a later election: the algorithm boots again and takes it.
    Later {
        /// Which election.
        election: u64,
        /// The algorithm's message.
        msg: &'a [u8],
    },
    /// Of an earlier election. The sender is to be told the number of this one ([`Ring::standing`]).
    Earlier,
    /// The sender takes part in this election, which is this member's or a later one.
    Standing {
        /// Which election.
        election: u64,
        /// Whether it is over: the sender names a leader.
        is_over: bool,
    },
    /// Nothing comes of it.
    Nothing,
}

/// What came of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The algorithm took it; whether it has booted again for a later election.
    Message {
        /// It has.
        is_later: bool,
    },
    /// The sender is to be told the number of this election ([`Ring::standing`]).
    TellStanding,
    /// This member begins, or joins, the election with this number: so the policy decides.
    Begin(u64),
    /// Nothing came of it.
    Nothing,
}

#[derive(Debug)]
struct Sent {
    at: Time,
    to: Id,
    port: Port,
    bytes: Vec<u8>,
}

impl Ring {
    /// A message came at a port: from a peer, or from this member. `decide` asks the [`CallPolicy`].
    ///
    /// [`CallPolicy`]: bellwether_core::CallPolicy
    ///
    /// # Errors
    /// If it is malformed. The algorithm has not taken it then.
    pub(crate) fn take(
        &mut self,
        (port, bytes): (Port, &[u8]),
        now: Time,
        machine: &mut ByteMachine,
        around: &mut Surroundings,
        effects: &mut Effects,
        decide: impl Fn(Occasion) -> Decision,
    ) -> Result<Taken, Malformed> {
        let begins =
            |is_later, is_over| decide(Occasion::PeerElection { is_later, is_over }) == Decision::Anew;
        Ok(match self.open(bytes).ok_or(Malformed)? {
            Arrival::Current(msg) => {
                machine.take(Input::Message(port, msg), now, around, effects)?;
                Taken::Message { is_later: false }
            }
            Arrival::Later { election, msg } if begins(true, false) => {
                machine.take(Input::MessageAnew(port, msg), now, around, effects)?;
                self.enter(election);
                Taken::Message { is_later: true }
            }
            Arrival::Earlier => Taken::TellStanding,
            Arrival::Standing { election, is_over } if begins(election > self.election, is_over) => {
                Taken::Begin(election.saturating_add(u64::from(is_over)))
            }
            Arrival::Later { .. } | Arrival::Standing { .. } | Arrival::Nothing => Taken::Nothing,
        })
    }

    /// A member cannot be reached any more; whether that is new.
    pub(crate) fn leave_out(&mut self, id: Id) -> bool {
        self.left_out.insert(id)
    }

    /// A member can be reached again. If a message of this election has passed over it, an election is to take it in: as
    /// soon as the election under way is over, if one is. A member that was dead calls one itself, which may have begun
    /// without it.
    pub(crate) fn take_back(&mut self, id: Id) {
        self.left_out.remove(&id);
        self.owes_call |= self.passed_over.remove(&id);
    }

    /// Whether an election is owed to a member that is back. It is owed no longer.
    pub(crate) fn take_owed_call(&mut self) -> bool {
        std::mem::take(&mut self.owes_call)
    }

    /// An election is owed to a member that is back: the one that was to be called was not.
    pub(crate) fn owe_call(&mut self) {
        self.owes_call = true;
    }

    /// The algorithm's messages in a ring of `n`, each message as it is sent.
    pub(crate) fn wrap_all(&self, effects: &Effects, n: u32) -> Vec<(Port, Vec<u8>)> {
        let wrapped = |(port, bytes): (Port, &[u8])| {
            let (arrives_at, msg) = addressed(bytes)?;
            Some((port, self.wrap(arrives_at, msg, n)?))
        };
        effects.sends().filter_map(wrapped).collect()
    }

    /// Who gets what leaves by a port, past these.
    pub(crate) fn route(
        &mut self,
        around: &Surroundings,
        port: Port,
        is_passed_over: impl Fn(Id) -> bool,
    ) -> Id {
        let to = around.behind_past(port, is_passed_over);
        self.passed_over.extend(around.between(port, to));
        to
    }

    /// What came, without the port. Nothing if it is malformed.
    fn open<'a>(&mut self, wrapped: &'a [u8]) -> Option<Arrival<'a>> {
        let (Header { election, kind }, msg) = postcard::take_from_bytes::<Header>(wrapped).ok()?;
        if election > self.election.saturating_add(MAX_TERM_STEP) {
            return Some(Arrival::Nothing); // no honest member is so far ahead
        }
        Some(match kind {
            Kind::Message { .. } if election < self.election => Arrival::Earlier,
            Kind::Message { passed_on } => {
                self.at_hand = Some((passed_on, msg.to_vec()));
                if election > self.election {
                    Arrival::Later { election, msg }
                } else {
                    Arrival::Current(msg)
                }
            }
            Kind::Standing { is_over } if election >= self.election => {
                Arrival::Standing { election, is_over }
            }
            Kind::Standing { .. } => Arrival::Nothing,
        })
    }

    /// The member takes part in this election from now on. It owes earlier ones nothing.
    pub(crate) fn enter(&mut self, election: u64) {
        self.election = election;
        self.sent.clear();
        self.passed_over.clear();
        self.owes_call = false;
    }

    /// The number of the next election.
    pub(crate) fn next_election(&self) -> u64 {
        self.election.saturating_add(1)
    }

    /// What a member is told that is behind, or has just been connected: the port, which does not matter, and a header.
    pub(crate) fn standing(&self, has_leader: bool) -> Option<Vec<u8>> {
        let header = Header { election: self.election, kind: Kind::Standing { is_over: has_leader } };
        postcard::to_stdvec(&(0_u32, header)).ok()
    }

    /// The algorithm is about to take something else.
    pub(crate) fn let_go(&mut self) {
        self.at_hand = None;
    }

    /// A message as it is sent in a ring of `n`: the port at which it arrives, how many members have passed it on
    /// unchanged, and the algorithm's message. Nothing if it has gone round too often.
    fn wrap(&self, arrives_at: Port, msg: &[u8], n: u32) -> Option<Vec<u8>> {
        let passed_on = match &self.at_hand {
            Some((passed_on, at_hand)) if at_hand == msg => passed_on.saturating_add(1),
            _ => 0,
        };
        if passed_on > n.saturating_mul(TURNS) {
            return None;
        }
        let header = Header { election: self.election, kind: Kind::Message { passed_on } };
        let mut bytes = postcard::to_stdvec(&(arrives_at.0, header)).ok()?;
        bytes.extend_from_slice(msg);
        Some(bytes)
    }

    /// A message was sent to a peer. It may be sent again if the algorithm bears that.
    pub(crate) fn note_sent(&mut self, spec: &Spec, now: Time, to: Id, (port, bytes): (Port, Vec<u8>)) {
        if !spec.survives.contains(Faults::DUPLICATION) {
            return;
        }
        if self.sent.len() == MOST_KEPT {
            self.sent.pop_front();
        }
        self.sent.push_back(Sent { at: now, to, port, bytes });
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
