//! Until when this member leads, for any thread to read without waiting.

use bellwether_core::Time;
use std::sync::atomic::{AtomicU64, Ordering};

/// The current lease of a member, if it leads. One thread writes, any may read at any time.
///
/// Every time that it comes to lead is an epoch of its own, numbered from 1. A reader must never take one epoch's deadline
/// for another's: so the deadline is cleared before the number changes, and readers look at the deadline first. A
/// reader that sees a deadline sees its epoch, or a later one.
#[derive(Debug, Default)]
pub(crate) struct LeaseCell {
    epoch: AtomicU64,
    /// When its leadership ends on its own clock, in ticks; 0 if it does not lead.
    until: AtomicU64,
}

impl LeaseCell {
    /// In this epoch it leads until then: the first time, or longer than before.
    pub(crate) fn hold(&self, epoch: u64, until: Time) {
        if self.epoch.load(Ordering::Relaxed) != epoch {
            self.until.store(0, Ordering::SeqCst);
            self.epoch.store(epoch, Ordering::SeqCst);
        }
        self.until.store(until.ticks(), Ordering::SeqCst);
    }

    /// The member leads no longer. When this returns, no reader sees it lead.
    pub(crate) fn withdraw(&self) {
        self.until.store(0, Ordering::SeqCst);
    }

    /// Until when it leads, if this epoch is not over.
    pub(crate) fn held(&self, epoch: u64, now: Time) -> Option<Time> {
        let until = Time::from_ticks(self.until.load(Ordering::SeqCst));
        (until > now && self.epoch.load(Ordering::SeqCst) == epoch).then_some(until)
    }

    /// The epoch that is not over, and until when.
    pub(crate) fn current(&self, now: Time) -> Option<(u64, Time)> {
        let until = Time::from_ticks(self.until.load(Ordering::SeqCst));
        let epoch = self.epoch.load(Ordering::SeqCst);
        (until > now).then(|| self.held(epoch, now)).flatten().map(|until| (epoch, until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64) -> Time {
        Time::from_ticks(ticks)
    }

    #[test]
    fn leadership_ends_with_its_lease_its_epoch_or_its_withdrawal() {
        let lease_cell = LeaseCell::default();
        assert_eq!(lease_cell.current(at(0)), None);
        lease_cell.hold(3, at(100));
        assert_eq!(lease_cell.held(3, at(99)), Some(at(100)));
        assert_eq!(lease_cell.held(3, at(100)), None, "the deadline is the first moment without leadership");
        assert_eq!(lease_cell.held(2, at(50)), None);
        lease_cell.hold(3, at(200));
        assert_eq!(lease_cell.current(at(150)), Some((3, at(200))));
        lease_cell.withdraw();
        assert_eq!(lease_cell.held(3, at(150)), None);
        lease_cell.hold(5, at(300));
        assert_eq!((lease_cell.held(3, at(250)), lease_cell.held(5, at(250))), (None, Some(at(300))));
    }

    /// A writer that goes through epochs, each with deadlines of its own, and readers that must never see one epoch's
    /// deadline under another's number. (It fails at once if [`LeaseCell::held`] looks at the epoch first.)
    #[test]
    fn readers_never_take_one_epochs_deadline_for_anothers() {
        let lease_cell = LeaseCell::default();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200_000 {
                        if let Some((epoch, until)) = lease_cell.current(at(0)) {
                            assert_eq!(until.ticks() / 1_000, epoch, "{until:?}");
                        }
                        let epoch = lease_cell.epoch.load(Ordering::SeqCst);
                        if let Some(until) = lease_cell.held(epoch, at(0)) {
                            assert_eq!(until.ticks() / 1_000, epoch, "{until:?}");
                        }
                    }
                });
            }
            for epoch in 1..50_000 {
                lease_cell.hold(epoch, at(epoch * 1_000));
                lease_cell.hold(epoch, at(epoch * 1_000 + 999));
                lease_cell.withdraw();
            }
        });
    }
}
