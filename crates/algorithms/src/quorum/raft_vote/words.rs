//! What members of [`super`] say, and what they are reminded of.

use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// What members say, and in which term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Vote for me; this is how fresh my log is.
    RequestVote(u64, Attribute),
    /// Here is my vote, or not.
    Vote(u64, bool),
    /// Would you vote for me in that term?
    PreVote(u64, Attribute),
    /// I would (in that term), or not (and am in this one).
    PreVoted(u64, bool),
    /// I lead.
    Heartbeat(u64),
    /// I have heard.
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

/// What a member is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// No leader has been heard; of a leader: look whether a majority has answered.
    Election,
    /// Say again that it leads.
    Heartbeat,
    /// The least time-out has passed since a leader was heard.
    Led,
}
