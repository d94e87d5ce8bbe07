//! The messages and timers of [`super`].

use super::{Version, Voters};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// The messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The term; in an answer, the term of the member that answers.
    pub term: u64,
    /// The content.
    pub word: Payload,
}

/// The content of a message, about a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// Would you vote for the sender in this term?
    Probe {
        /// The sender's version of the list of voters.
        version: Version,
        /// Assume that the leader of this term has stepped down.
        released: Option<u64>,
    },
    /// Yes (in the term asked for), or no (in the sender's own term).
    Would(bool),
    /// A request for a vote.
    Ask {
        /// The candidate's version of the list of voters.
        version: Version,
        /// The length of the promise to vote for no other member.
        lease: Span,
        /// The leader of this term has stepped down.
        released: Option<u64>,
    },
    /// The vote: yes or no.
    Vote(bool),
    /// The sender leads.
    Renew {
        /// The round of renewal.
        round: u64,
        /// The length of the promise to vote for no other member.
        lease: Span,
        /// The voters, if the receiver may not know them.
        voters: Option<Voters>,
    },
    /// The promise is renewed; or, if its term is later than the leader's, the leader is no longer the leader.
    Kept {
        /// The round that it answers.
        round: u64,
        /// The sender's version of the list of voters.
        version: Version,
        /// Whether the sender can be handed over to.
        stands: bool,
    },
    /// The sender has stepped down: become a candidate.
    HandOver {
        /// Whether an operator named this successor; otherwise the leader prefers it.
        is_named: bool,
    },
    /// The sender has stepped down, or is no longer a candidate.
    Release,
    /// Could you win if the sender stepped down?
    Canvass {
        /// The round in which the leader asks.
        round: u64,
        /// The number of votes needed.
        votes: u32,
    },
    /// The sender could win, by the answers that it has just received.
    Able {
        /// The round in which the leader asked.
        round: u64,
    },
    /// The probe carried an older list of voters than this.
    List(Voters),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::control("probe"),
        Kind::control("would"),
        Kind::payload("ask"),
        Kind::payload("vote"),
        Kind::payload("renew"),
        Kind::control("kept"),
        Kind::payload("hand-over"),
        Kind::payload("release"),
        Kind::control("canvass"),
        Kind::control("able"),
        Kind::control("list"),
    ];

    fn kind(&self) -> usize {
        match self.word {
            Payload::Probe { .. } => 0,
            Payload::Would(_) => 1,
            Payload::Ask { .. } => 2,
            Payload::Vote(_) => 3,
            Payload::Renew { .. } => 4,
            Payload::Kept { .. } => 5,
            Payload::HandOver { .. } => 6,
            Payload::Release => 7,
            Payload::Canvass { .. } => 8,
            Payload::Able { .. } => 9,
            Payload::List(_) => 10,
        }
    }

    fn brief(&self) -> Option<String> {
        let term = self.term;
        Some(match self.word {
            Payload::Would(yes) | Payload::Vote(yes) => {
                format!("term {term}: {}", if yes { "yes" } else { "no" })
            }
            Payload::Renew { round, .. }
            | Payload::Kept { round, .. }
            | Payload::Canvass { round, .. }
            | Payload::Able { round } => format!("term {term}, round {round}"),
            _ => format!("term {term}"),
        })
    }
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// The end of its promise.
    Promise,
    /// Its turn to be a candidate.
    Stand,
    /// The end of the wait for answers.
    Patience,
    /// The next renewal.
    Renew,
    /// The end of the lease that it requested in this round.
    Lease(u64),
}
