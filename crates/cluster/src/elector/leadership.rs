//! Leadership as a value.

use crate::elector::Shared;
use crate::node::member::Command;
use crate::status::publisher::LeaderEpoch;
use bellwether_core::{Request, Time};
use std::sync::Arc;
use std::time::Duration;

/// While this value exists, its holder wants the member to lead.
#[derive(Debug)]
pub(crate) struct Candidacy {
    shared: Arc<Shared>,
    /// It has come to that, in this epoch.
    epoch: Option<LeaderEpoch>,
}

impl Candidacy {
    pub(crate) fn begin(shared: Arc<Shared>) -> Candidacy {
        shared.candidates.enter();
        shared.tell(Command::Candidates);
        Candidacy { shared, epoch: None }
    }

    pub(crate) fn lead(mut self, epoch: LeaderEpoch) -> Leadership {
        self.shared.candidates.gain(epoch);
        self.epoch = Some(epoch);
        Leadership { epoch, candidacy: self }
    }
}

impl Drop for Candidacy {
    fn drop(&mut self) {
        match self.epoch {
            Some(epoch) => {
                let was_last = self.shared.candidates.give_up(epoch);
                if was_last && self.shared.can_hand_over().is_ok() {
                    // Even if a caller campaigns the next moment: other members are to have their turn.
                    self.shared.tell(Command::Request(Request::Resign, Some(epoch)));
                }
            }
            None => self.shared.candidates.leave(),
        }
        self.shared.tell(Command::Candidates);
    }
}

/// Leadership: held from being elected until it ends, which it does visibly. Dropping it gives it up, if no other handle
/// holds it or campaigns. (A member that always stands remains a candidate then, and may come to lead again.)
///
/// Giving up takes an algorithm that knows how to hand over: those whose leaders have leases do (`quorum-lease`). With
/// any other, dropping it changes nothing: the member leads until its algorithm elects another,
/// [`crate::Elector::is_leader`] says so, and a campaign meanwhile is handed the same leadership again. To give
/// it up there, stop the member.
///
/// **What holds, and when.** As long as [`Leadership::check`] succeeds, no other member of the cluster has a valid
/// leadership, provided that the algorithm is a majority's with leases (the default, `quorum-lease`), that no clock is off by
/// more than the drift bound, that no disk forgets what it has written, and that no two processes go on from copies of one
/// data directory. Between the check and the side effect the process may be stopped for any time: so pass
/// [`Leadership::token`] on with each side effect, and let the resource refuse smaller tokens (see
/// [`crate::Fence`]). Tokens strictly grow from one leader to the next.
///
/// With any other algorithm less holds. Where a majority elects without leases (`raft-vote`, `zookeeper`, `paxos`), no two
/// leaders have the same token, but a former leader's check succeeds until it hears of the next. All others (`bully`, the
/// rings, `omega` and so on) elect among the members that are there: a partition can have two leaders, and what they have
/// is no token (see [`Leadership::token`]).
#[derive(Debug)]
pub struct Leadership {
    pub(crate) epoch: LeaderEpoch,
    pub(crate) candidacy: Candidacy,
}

/// The leader cannot hand over or resign: its algorithm knows no such request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the algorithm '{0}' knows no hand-over: who leads does so until the members elect another; stop the member, or \
     take an algorithm whose leaders have leases, as 'quorum-lease'"
)]
pub struct NoHandOver(pub &'static str);

/// This leadership is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership of term {0} is over")]
pub struct Lost(pub u64);

impl Leadership {
    /// The term in which this member leads.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.epoch.term
    }

    /// What to hand on with every side effect: the term.
    ///
    /// With `quorum-lease` it is greater than every earlier leader's. With the majority's other algorithms no two leaders
    /// have the same. With all others it is no token: most count no terms (in `bully` it is always 0), so that a
    /// [`crate::Fence`] admits every caller; in those that do (`omega`, `invitation`), each part of a partition counts its own.
    #[must_use]
    pub fn token(&self) -> u64 {
        self.epoch.term
    }

    /// When it ends, unless it is renewed meanwhile: by the member's own clock, [`crate::Elector::clock`]. To be kept beside
    /// what is done until then: unlike what remains, it says the same after any pause. Where leaders have no leases it is very
    /// far off.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn deadline(&self) -> Result<Time, Lost> {
        let shared = &self.candidacy.shared;
        shared.lease_cell.held(self.epoch.number, shared.clock.now()).ok_or(Lost(self.epoch.term))
    }

    /// How long it lasts yet, unless it is renewed meanwhile.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn remaining(&self) -> Result<Duration, Lost> {
        Ok(self.candidacy.shared.clock.until(self.deadline()?))
    }

    /// To be asked before each side effect: gives the token to do it with. It takes a look at the clock and at two
    /// numbers in memory, and waits for nothing.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn check(&self) -> Result<u64, Lost> {
        self.deadline().map(|_| self.token())
    }

    /// The application has taken over: everyone may know. Being elected and being ready are two things. It counts for
    /// this leadership only.
    pub fn ready(&self) {
        self.candidacy.shared.tell(Command::Ready(self.epoch));
    }

    /// Comes to an end when the leadership does.
    pub async fn lost(&self) -> Lost {
        let mut view = self.candidacy.shared.view.clone();
        // The sender's end means that the member has ended, and its leadership before it.
        let _ = view.wait_for(|view| view.epoch != Some(self.epoch)).await;
        Lost(self.epoch.term)
    }

    /// Gives it up, and waits until it is. It ends this leadership, and no later one.
    ///
    /// # Errors
    /// [`NoHandOver`], at once, if the algorithm knows no such thing. It is dropped then.
    pub async fn resign(self) -> Result<(), NoHandOver> {
        self.candidacy.shared.can_hand_over()?;
        self.candidacy.shared.tell(Command::Request(Request::Resign, Some(self.epoch)));
        self.lost().await;
        Ok(())
    }
}
