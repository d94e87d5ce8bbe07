//! The news of who leads, on its way once round a ring.

use bellwether_core::{Id, Role, Status};
use serde::{Deserialize, Serialize};

/// What a member knows of the outcome, and whether it is the one that tells the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct News {
    role: Role,
    elected: Option<Id>,
    announcing: bool,
}

impl News {
    pub const NONE: News = News { role: Role::Undecided, elected: None, announcing: false };

    /// The member found out who leads, and tells everyone.
    pub fn announce(me: Id, leader: Id) -> News {
        News { announcing: true, ..News::of(me, leader) }
    }

    /// The news arrives. Tells whether it goes on: it does unless it began here.
    pub fn arrive(&mut self, me: Id, leader: Id) -> bool {
        let began_here = std::mem::take(&mut self.announcing);
        if !began_here {
            *self = News::of(me, leader);
        }
        !began_here
    }

    /// Whether the member waits for its announcement to come back.
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
