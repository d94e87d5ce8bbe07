//! Why a member is a candidate: campaigns in its process, and holders of its leadership.

use crate::status::publisher::LeaderEpoch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counted by the callers that campaign, read by the member when it is told that something has changed: whatever the order in
/// which it is told, what it reads last is what is so.
#[derive(Debug, Default)]
pub(crate) struct Candidates(Mutex<Count>);

#[derive(Debug, Default)]
struct Count {
    campaigning: usize,
    /// The latest epoch that was handed out. A holder of an earlier one holds nothing.
    epoch: u64,
    holding: usize,
}

impl Candidates {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner) // a count is whole, even if another thread panicked
    }

    /// One more caller campaigns.
    pub(crate) fn enter(&self) {
        self.count().campaigning += 1;
    }

    /// A caller stops its campaign.
    pub(crate) fn leave(&self) {
        self.count().campaigning -= 1;
    }

    /// A campaign has led to leadership.
    pub(crate) fn gain(&self, epoch: LeaderEpoch) {
        let mut count = self.count();
        count.campaigning -= 1;
        if count.epoch < epoch.number {
            (count.epoch, count.holding) = (epoch.number, 0);
        }
        if count.epoch == epoch.number {
            count.holding += 1;
        }
    }

    /// A caller has dropped its leadership. Returns whether no caller is left that wants this epoch to go on.
    pub(crate) fn give_up(&self, epoch: LeaderEpoch) -> bool {
        let mut count = self.count();
        if count.epoch == epoch.number {
            count.holding -= 1;
        }
        count.epoch == epoch.number && count.holding == 0 && count.campaigning == 0
    }

    /// Whether a caller wants the member to lead, or to go on leading in this epoch.
    pub(crate) fn want(&self, epoch: Option<LeaderEpoch>) -> bool {
        let count = self.count();
        let is_held = epoch.is_some_and(|epoch| count.epoch == epoch.number && count.holding > 0);
        count.campaigning > 0 || is_held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(number: u64) -> LeaderEpoch {
        LeaderEpoch { number, term: 0 }
    }

    #[test]
    fn member_is_wanted_while_a_caller_campaigns_or_holds_this_epoch() {
        let candidates = Candidates::default();
        assert!(!candidates.want(None));
        candidates.enter();
        assert!(candidates.want(None));
        candidates.leave();
        assert!(!candidates.want(None));
        candidates.enter();
        candidates.gain(epoch(1));
        assert!(candidates.want(Some(epoch(1))));
        assert!(!candidates.want(None) && !candidates.want(Some(epoch(2))), "what it held is over");
        candidates.enter();
        candidates.gain(epoch(2));
        assert!(candidates.give_up(epoch(2)));
        assert!(!candidates.want(Some(epoch(2))), "a holder of the first epoch holds nothing");
        assert!(!candidates.give_up(epoch(1)), "it is over already");
        candidates.enter();
        candidates.gain(epoch(1));
        assert!(!candidates.give_up(epoch(1)));
        assert!(!candidates.want(Some(epoch(1))), "nor does a caller that comes late to it");
    }
}
