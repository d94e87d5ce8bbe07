//! The other side of a fencing token: the resource refuses side effects of former leaders.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Remembers the greatest token that it has seen, and refuses smaller ones. Put one in front of whatever must not hear
/// two leaders: a file, a queue, a device.
///
/// ```
/// use bellwether_cluster::{Fence, Stale};
///
/// let fence = Fence::new();
/// let mut ledger = Vec::new();
/// assert_eq!(fence.admit_then(7, || ledger.push("opened")), Ok(()));
/// assert_eq!(fence.admit_then(7, || ledger.push("paid 30")), Ok(())); // the same leader again
/// assert_eq!(fence.admit_then(9, || ledger.push("paid 20")), Ok(())); // its successor
/// let refused = fence.admit_then(7, || ledger.push("nothing was paid")); // it woke up too late
/// assert_eq!(refused, Err(Stale { token: 7, greatest: 9 }));
/// assert_eq!(ledger, ["opened", "paid 30", "paid 20"]);
/// ```
///
/// **It takes tokens that grow** from one leader to the next: those of `quorum-lease`, and of the other algorithms in
/// which a majority elects. Where terms are not counted, as in `bully`, all tokens are the same, and every caller is
/// admitted: see [`crate::Leadership::token`].
///
/// **Being admitted and the effect must be one step.** A writer that is admitted first and writes afterwards can fall
/// asleep in between, wake after its successor has written, and write all the same. [`Fence::admit_then`] makes them one:
/// while the effect runs, no other caller is admitted. Use [`Fence::admit`] only where something else does, such as a lock
/// that is held from before it is asked until after the effect, or a transaction.
///
/// It lives in memory. If what it guards outlives the process, keep [`Fence::greatest`] with it, in the same write, and
/// begin with [`Fence::from`] that.
#[derive(Debug, Default)]
pub struct Fence {
    greatest: AtomicU64,
    /// Held while a caller is admitted, and while the effect lasts.
    gate: Mutex<()>,
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
        Fence { greatest: AtomicU64::new(0), gate: Mutex::new(()) }
    }

    /// Runs an effect for the holder of this token, unless a greater one has been seen; no smaller token is let
    /// through from then on. Until it is done, no other caller is: so the effect is over before a successor's begins. It must
    /// not ask this fence to admit a caller itself, which would wait for ever.
    ///
    /// # Errors
    /// [`Stale`] if a greater one has been seen. Nothing is done then.
    pub fn admit_then<T>(&self, token: u64, effect: impl FnOnce() -> T) -> Result<T, Stale> {
        // An effect that panicked was one of a leader that had been admitted: what has been seen is right all the same.
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let greatest = self.greatest.fetch_max(token, Ordering::SeqCst);
        if token < greatest { Err(Stale { token, greatest }) } else { Ok(effect()) }
    }

    /// Lets the holder of this token through, and no smaller token from then on. **It says nothing about what
    /// comes after it returns**: a successor may be let through, and act, before the caller does. See
    /// [`Fence::admit_then`].
    ///
    /// # Errors
    /// [`Stale`] if a greater one has been seen.
    pub fn admit(&self, token: u64) -> Result<(), Stale> {
        self.admit_then(token, || ())
    }

    /// The greatest token that it has seen. An effect may ask for it.
    #[must_use]
    pub fn greatest(&self) -> u64 {
        self.greatest.load(Ordering::SeqCst)
    }
}

impl From<u64> for Fence {
    fn from(greatest: u64) -> Fence {
        Fence { greatest: AtomicU64::new(greatest), gate: Mutex::new(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// What must not be: the last write in the ledger is a former leader's.
    fn is_wrong(ledger: &[u64]) -> bool {
        ledger.windows(2).any(|pair| pair[0] > pair[1])
    }

    #[test]
    fn to_be_admitted_first_and_to_act_afterwards_is_too_late() {
        let (fence, mut ledger) = (Fence::new(), Vec::new());
        fence.admit(7).unwrap();
        // Here it falls asleep, and its successor comes.
        fence.admit(9).unwrap();
        ledger.push(9);
        ledger.push(7);
        assert!(is_wrong(&ledger), "the fence could not help it");
    }

    #[test]
    fn a_successor_waits_for_an_effect_that_has_begun() {
        let (fence, ledger) = (Fence::new(), Mutex::new(Vec::new()));
        let (done, is_done) = channel();
        std::thread::scope(|scope| {
            let effect = || {
                let (fence, ledger) = (&fence, &ledger);
                scope.spawn(move || {
                    fence.admit_then(9, || ledger.lock().unwrap().push(9)).unwrap();
                    done.send(()).unwrap();
                });
                // It falls asleep until the successor has acted. That one cannot, so the sleep has another end.
                let _ = is_done.recv_timeout(Duration::from_millis(100));
                ledger.lock().unwrap().push(7);
                fence.greatest()
            };
            assert_eq!(fence.admit_then(7, effect), Ok(7));
        });
        let ledger = ledger.into_inner().unwrap();
        assert!(ledger == [7, 9] && !is_wrong(&ledger), "{ledger:?}");
        assert_eq!(fence.admit_then(7, || panic!("it is not done")), Err(Stale { token: 7, greatest: 9 }));
    }

    #[test]
    fn an_effect_that_panics_leaves_the_fence_as_it_should_be() {
        let fence = Fence::from(3);
        let died = std::panic::catch_unwind(|| fence.admit_then(5, || panic!("on purpose")));
        assert!(died.is_err());
        assert_eq!(fence.admit(4), Err(Stale { token: 4, greatest: 5 }));
        assert_eq!(fence.admit(5), Ok(()));
    }
}
