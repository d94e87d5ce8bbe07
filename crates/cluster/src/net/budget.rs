//! How much of its time a member spends on connections of unknown clients.

use std::time::{Duration, Instant};

/// A share of the time. Work may begin while something is left; what it took is subtracted, so one piece of work may
/// overdraw it. It measures time and not pieces of work: a handshake costs 0.1 ms with one kind of key and 5 ms with another.
#[derive(Debug)]
pub struct Budget {
    /// How much of each second there is to spend.
    share: f64,
    /// In seconds. Below zero while it is overdrawn.
    left: f64,
    since: Instant,
}

/// What may be saved up, in seconds.
const MOST: f64 = 0.010;
/// What one piece of work can cost at the most. A process may be stopped or held up in the middle of it: that is no work.
const MOST_CHARGE: Duration = Duration::from_millis(20);

impl Budget {
    pub fn new(share: f64, now: Instant) -> Budget {
        Budget { share, left: MOST, since: now }
    }

    /// Whether work may begin now.
    pub fn allows(&mut self, now: Instant) -> bool {
        let earned = now.saturating_duration_since(self.since).as_secs_f64() * self.share;
        self.left = (self.left + earned).min(MOST);
        self.since = self.since.max(now);
        self.left > 0.0
    }

    /// So long something took.
    pub fn spend(&mut self, time: Duration) {
        self.left -= time.min(MOST_CHARGE).as_secs_f64();
    }

    /// When work may begin again: in the past if it may now.
    pub fn allows_at(&self) -> Instant {
        let missing = (-self.left / self.share).max(0.0);
        self.since + Duration::from_secs_f64(missing.min(60.0)) + Duration::from_micros(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long it works in ten seconds, if there is always work that takes so long.
    fn spent(share: f64, work: Duration) -> Duration {
        let begin = Instant::now();
        let (mut budget, mut now, mut spent) = (Budget::new(share, begin), begin, Duration::ZERO);
        while now < begin + Duration::from_secs(10) {
            if budget.allows(now) {
                budget.spend(work);
                spent += work;
                now += work;
            } else {
                assert!(budget.allows_at() > now);
                now = budget.allows_at();
                assert!(budget.allows(now));
            }
        }
        spent
    }

    #[test]
    fn work_takes_its_share_of_the_time_however_long_one_piece_takes() {
        for (share, work) in [(0.05, 100), (0.05, 5_000), (0.2, 100), (0.2, 20_000)] {
            let (work, most) = (Duration::from_micros(work), Duration::from_secs_f64(10.0 * share));
            let spent = spent(share, work);
            let extra = Duration::from_secs_f64(MOST) + work;
            assert!(spent <= most + extra && spent + extra >= most, "{share} {work:?}: {spent:?}");
        }
    }

    #[test]
    fn a_process_that_is_stopped_at_its_work_goes_on_with_it_soon() {
        let begin = Instant::now();
        for (share, within) in [(0.05, 400), (0.2, 100)] {
            let mut budget = Budget::new(share, begin);
            let continued = begin + Duration::from_secs(10);
            budget.spend(continued - begin);
            assert!(budget.allows(continued), "what was stopped has had time enough since");
            budget.spend(Duration::from_secs(10));
            assert!(budget.allows_at() < continued + Duration::from_millis(within), "{share}");
        }
    }

    #[test]
    fn unspent_time_is_not_saved_for_long() {
        let begin = Instant::now();
        let mut budget = Budget::new(0.5, begin);
        let later = begin + Duration::from_secs(1_000);
        assert!(budget.allows(later));
        budget.spend(Duration::from_secs_f64(MOST));
        assert!(!budget.allows(later));
    }
}
