//! Leadership as a value.

use crate::elector::Shared;
use crate::member::Command;
use crate::outlook::Reign;
use bellwether_core::Request;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// As long as it lives, the member stands.
#[derive(Debug)]
pub(crate) struct Stands(Arc<Shared>);

impl Stands {
    pub(crate) fn begin(shared: Arc<Shared>) -> Stands {
        shared.candidates.fetch_add(1, Ordering::SeqCst);
        Stands(shared)
    }

    pub(crate) fn say_so(&self) {
        self.0.tell(Command::Request(Request::Stand));
    }
}

impl Drop for Stands {
    fn drop(&mut self) {
        if self.0.candidates.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.tell(Command::Request(Request::Withdraw));
        }
    }
}

/// Leadership: held from being elected until it ends, which it does visibly. Dropping it gives it up.
///
/// **What holds, and when.** As long as [`Leadership::check`] succeeds, no other member of the cluster has a valid
/// leadership, provided that the algorithm is a majority's with leases (the default, `quorum-lease`), that no clock is off by
/// more than the drift bound, and that no disk forgets what it has written. Between the check and the side effect the
/// process may be stopped for any time: so pass [`Leadership::token`] on with each side effect, and let whoever carries
/// it out refuse smaller tokens (see [`crate::Fence`]). Tokens strictly grow from one leader to the next.
#[derive(Debug)]
pub struct Leadership {
    pub(crate) reign: Reign,
    pub(crate) stands: Stands,
}

/// This leadership is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership of term {0} is over")]
pub struct Lost(pub u64);

impl Leadership {
    /// The term in which this member leads.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.reign.term
    }

    /// What to hand on with every side effect: greater than every earlier leader's.
    #[must_use]
    pub fn token(&self) -> u64 {
        self.reign.term
    }

    /// How long it lasts yet, unless it is renewed meanwhile.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn remaining(&self) -> Result<Duration, Lost> {
        let shared = &self.stands.0;
        let until = shared.seat.held(self.reign.number, shared.clock.now()).ok_or(Lost(self.reign.term))?;
        Ok(shared.clock.until(until))
    }

    /// To be asked before each side effect: gives the token to do it with. It takes a look at the clock and at two
    /// numbers in memory, and waits for nothing.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn check(&self) -> Result<u64, Lost> {
        self.remaining().map(|_| self.token())
    }

    /// The application has taken over: everyone may know. Being elected and being ready are two things.
    pub fn ready(&self) {
        self.stands.0.tell(Command::Ready(self.reign));
    }

    /// Comes to an end when the leadership does.
    pub async fn lost(&self) -> Lost {
        let mut view = self.stands.0.view.clone();
        // The sender's end means that the member has ended, and its leadership before it.
        let _ = view.wait_for(|view| view.reign != Some(self.reign)).await;
        Lost(self.reign.term)
    }

    /// Gives it up, and waits until it is.
    pub async fn resign(self) {
        self.stands.0.tell(Command::Request(Request::Resign));
        self.lost().await;
    }
}
