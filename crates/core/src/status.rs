//! What an outsider sees of a member.

use crate::Id;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a member says about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It does not know yet whether it is the leader.
    #[default]
    Undecided,
    /// It is the leader.
    Leader,
    /// It knows that it is not the leader.
    Follower,
}

/// All an outsider sees of a member: the lectures' variable *elected*, and what goes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Status {
    /// What the member says about itself.
    pub role: Role,
    /// The member it takes for the leader, if any.
    pub leader: Option<Id>,
    /// The election's number where the algorithm counts them, else 0. Later terms are greater.
    pub term: u64,
    /// It has stopped: it sends nothing more, whatever it hears.
    pub halted: bool,
}

impl Status {
    /// A member that knows nothing yet.
    pub const UNDECIDED: Status = Status { role: Role::Undecided, leader: None, term: 0, halted: false };
}

/// A state that must never be: a bug of ours, never a matter of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken invariant: {}", self.0)
    }
}

impl std::error::Error for Broken {}
