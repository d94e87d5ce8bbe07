//! The messages and timers of [`super`].

use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// The messages, each with its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A request for a vote, with the candidate's log position.
    RequestVote(u64, Attribute),
    /// The vote: yes or no.
    Vote(u64, bool),
    /// Would you vote for the sender in that term?
    PreVote(u64, Attribute),
    /// Yes (in that term), or no (with the sender's own term).
    PreVoted(u64, bool),
    /// The sender leads.
    Heartbeat(u64),
    /// The answer to a heartbeat.
    Heard(u64),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::payload("request-vote"),
        Kind::payload("vote"),
        Kind::payload("pre-vote"),
        Kind::payload("pre-voted"),
        Kind::payload("heartbeat"),
        Kind::payload("heard"),
    ];

    fn kind(&self) -> usize {
        match self {
            Msg::RequestVote(..) => 0,
            Msg::Vote(..) => 1,
            Msg::PreVote(..) => 2,
            Msg::PreVoted(..) => 3,
            Msg::Heartbeat(_) => 4,
            Msg::Heard(_) => 5,
        }
    }
}

impl Msg {
    /// The term that it is about.
    pub(super) fn term(self) -> u64 {
        match self {
            Msg::RequestVote(term, _) | Msg::PreVote(term, _) => term,
            Msg::Vote(term, _) | Msg::PreVoted(term, _) => term,
            Msg::Heartbeat(term) | Msg::Heard(term) => term,
        }
    }

    /// The term that its sender is in.
    pub(super) fn term_of_sender(self) -> Option<u64> {
        match self {
            Msg::RequestVote(term, _) | Msg::Vote(term, _) | Msg::Heartbeat(term) | Msg::Heard(term) => {
                Some(term)
            }
            Msg::PreVoted(term, is_yes) => (!is_yes).then_some(term),
            Msg::PreVote(..) => None,
        }
    }
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// No leader has been heard; for a leader: check whether a majority has answered.
    Election,
    /// Send the next heartbeat.
    Heartbeat,
    /// The shortest election time-out has passed since a leader was heard.
    Led,
}
