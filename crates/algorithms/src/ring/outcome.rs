//! The announcement of the leader, on its way once round a ring.

use bellwether_core::{Id, Role, Status};
use serde::{Deserialize, Serialize};

/// What a member knows of the outcome, and whether it announced the outcome itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    role: Role,
    elected: Option<Id>,
    announcing: bool,
}

impl Outcome {
    pub const NONE: Outcome = Outcome { role: Role::Undecided, elected: None, announcing: false };

    /// The member found the leader, and announces it.
    pub fn announce(me: Id, leader: Id) -> Outcome {
        Outcome { announcing: true, ..Outcome::of(me, leader) }
    }

    /// The announcement arrives. Returns whether to forward it: yes unless this member sent it first.
    pub fn receive(&mut self, me: Id, leader: Id) -> bool {
        let began_here = std::mem::take(&mut self.announcing);
        if !began_here {
            *self = Outcome::of(me, leader);
        }
        !began_here
    }

    /// Whether the member waits for its own announcement to return.
    pub fn is_announcing(&self) -> bool {
        self.announcing
    }

    pub fn status(&self) -> Status {
        Status { role: self.role, leader: self.elected, ..Status::UNDECIDED }
    }

    fn of(me: Id, leader: Id) -> Outcome {
        let role = if leader == me { Role::Leader } else { Role::Follower };
        Outcome { role, elected: Some(leader), announcing: false }
    }
}
