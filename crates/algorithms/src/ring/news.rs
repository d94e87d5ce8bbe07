//! The announcement of the leader, on its way once round a ring.

use bellwether_core::{Id, Role, Status};
use serde::{Deserialize, Serialize};

/// What a member knows of the outcome, and whether it announced the outcome itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct News {
    role: Role,
    elected: Option<Id>,
    announcing: bool,
}

impl News {
    pub const NONE: News = News { role: Role::Undecided, elected: None, announcing: false };

    /// The member found the leader, and announces it.
    pub fn announce(me: Id, leader: Id) -> News {
        News { announcing: true, ..News::of(me, leader) }
    }

    /// The announcement arrives. Returns whether to forward it: yes unless this member sent it first.
    pub fn arrive(&mut self, me: Id, leader: Id) -> bool {
        let began_here = std::mem::take(&mut self.announcing);
        if !began_here {
            *self = News::of(me, leader);
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

    fn of(me: Id, leader: Id) -> News {
        let role = if leader == me { Role::Leader } else { Role::Follower };
        News { role, elected: Some(leader), announcing: false }
    }
}
