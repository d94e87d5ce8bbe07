//! The other side of a fencing token: whoever carries out side effects refuses those of former leaders.

use std::sync::atomic::{AtomicU64, Ordering};

/// Remembers the greatest token that it has seen, and refuses smaller ones. Put one in front of whatever must not hear
/// two leaders: a file, a queue, a device.
///
/// ```
/// use bellwether_cluster::{Fence, Stale};
///
/// let fence = Fence::new();
/// assert_eq!(fence.admit(7), Ok(()));
/// assert_eq!(fence.admit(7), Ok(())); // the same leader again
/// assert_eq!(fence.admit(9), Ok(())); // its successor
/// assert_eq!(fence.admit(7), Err(Stale { token: 7, greatest: 9 })); // it woke up too late
/// ```
///
/// It lives in memory. If what it guards outlives the process, keep [`Fence::greatest`] with it, in the same write, and
/// begin with [`Fence::from`] that.
#[derive(Debug, Default)]
pub struct Fence {
    greatest: AtomicU64,
}

/// A token of a leader that has been succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token {token} is stale: {greatest} has been seen, so another leads by now")]
pub struct Stale {
    /// What was refused.
    pub token: u64,
    /// The greatest that has been seen.
    pub greatest: u64,
}

impl Fence {
    /// One that has seen no token yet.
    #[must_use]
    pub const fn new() -> Fence {
        Fence { greatest: AtomicU64::new(0) }
    }

    /// Lets whoever has this token through, and nobody with a smaller one from then on.
    ///
    /// # Errors
    /// [`Stale`] if a greater one has been seen.
    pub fn admit(&self, token: u64) -> Result<(), Stale> {
        let greatest = self.greatest.fetch_max(token, Ordering::SeqCst);
        if token < greatest { Err(Stale { token, greatest }) } else { Ok(()) }
    }

    /// The greatest token that it has seen.
    #[must_use]
    pub fn greatest(&self) -> u64 {
        self.greatest.load(Ordering::SeqCst)
    }
}

impl From<u64> for Fence {
    fn from(greatest: u64) -> Fence {
        Fence { greatest: AtomicU64::new(greatest) }
    }
}
