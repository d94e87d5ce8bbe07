//! Who leads until when, for any thread to see without waiting.

use bellwether_core::Time;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a member says of its own leadership. One thread writes, any may read at any time.
///
/// Every time that it comes to lead is a reign of its own, numbered from 1. A reader must never take one reign's deadline
/// for another's: so the deadline is cleared before the number changes, and readers look at the deadline first. Whoever
/// sees a deadline sees its reign, or a later one.
#[derive(Debug, Default)]
pub(crate) struct Seat {
    reign: AtomicU64,
    /// When its leadership ends on its own clock, in ticks; 0 if it does not lead.
    until: AtomicU64,
}

impl Seat {
    /// In this reign it leads until then: the first time, or longer than before.
    pub(crate) fn hold(&self, reign: u64, until: Time) {
        if self.reign.load(Ordering::Relaxed) != reign {
            self.until.store(0, Ordering::SeqCst);
            self.reign.store(reign, Ordering::SeqCst);
        }
        self.until.store(until.ticks(), Ordering::SeqCst);
    }

    /// It leads no longer. When this returns, nobody sees it lead.
    pub(crate) fn withdraw(&self) {
        self.until.store(0, Ordering::SeqCst);
    }

    /// Until when it leads, if this reign is not over.
    pub(crate) fn held(&self, reign: u64, now: Time) -> Option<Time> {
        let until = Time::from_ticks(self.until.load(Ordering::SeqCst));
        (until > now && self.reign.load(Ordering::SeqCst) == reign).then_some(until)
    }

    /// The reign that is not over, and until when.
    pub(crate) fn current(&self, now: Time) -> Option<(u64, Time)> {
        let until = Time::from_ticks(self.until.load(Ordering::SeqCst));
        let reign = self.reign.load(Ordering::SeqCst);
        (until > now).then(|| self.held(reign, now)).flatten().map(|until| (reign, until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64) -> Time {
        Time::from_ticks(ticks)
    }

    #[test]
    fn leadership_ends_with_its_lease_its_reign_and_its_word() {
        let seat = Seat::default();
        assert_eq!(seat.current(at(0)), None);
        seat.hold(3, at(100));
        assert_eq!(seat.held(3, at(99)), Some(at(100)));
        assert_eq!(seat.held(3, at(100)), None, "the deadline is the first moment without leadership");
        assert_eq!(seat.held(2, at(50)), None);
        seat.hold(3, at(200));
        assert_eq!(seat.current(at(150)), Some((3, at(200))));
        seat.withdraw();
        assert_eq!(seat.held(3, at(150)), None);
        seat.hold(5, at(300));
        assert_eq!((seat.held(3, at(250)), seat.held(5, at(250))), (None, Some(at(300))));
    }

    /// A writer that goes through reigns, each with deadlines of its own, and readers that must never see one reign's
    /// deadline under another's number. (It fails at once if [`Seat::held`] looks at the reign first.)
    #[test]
    fn readers_never_take_one_reigns_deadline_for_anothers() {
        let seat = Seat::default();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200_000 {
                        if let Some((reign, until)) = seat.current(at(0)) {
                            assert_eq!(until.ticks() / 1_000, reign, "{until:?}");
                        }
                        let reign = seat.reign.load(Ordering::SeqCst);
                        if let Some(until) = seat.held(reign, at(0)) {
                            assert_eq!(until.ticks() / 1_000, reign, "{until:?}");
                        }
                    }
                });
            }
            for reign in 1..50_000 {
                seat.hold(reign, at(reign * 1_000));
                seat.hold(reign, at(reign * 1_000 + 999));
                seat.withdraw();
            }
        });
    }
}
