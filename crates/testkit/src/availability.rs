//! For how much of the time there was a leader.

use bellwether::judge::LeadershipInterval;
use std::time::Duration;

/// The part of a run that is judged, in microseconds since the machine booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// When it begins.
    pub from: u64,
    /// The first moment after it.
    pub until: u64,
}

impl Window {
    /// How long it is.
    pub fn length(self) -> Duration {
        Duration::from_micros(self.until.saturating_sub(self.from))
    }

    /// The times in it in which no lease was valid, if they are longer than this.
    pub fn gaps(self, leaderships: &[LeadershipInterval], longer_than: Duration) -> Vec<Window> {
        let mut leases: Vec<(u64, u64)> = leaderships.iter().map(|led| (led.from, led.until)).collect();
        leases.sort_unstable();
        let mut gaps = Vec::new();
        let mut covered = self.from;
        for (from, until) in leases.into_iter().chain([(self.until, self.until)]) {
            let from = from.min(self.until);
            if from > covered {
                gaps.push(Window { from: covered, until: from });
            }
            covered = covered.max(until);
        }
        gaps.retain(|gap| gap.length() > longer_than);
        gaps
    }

    /// The share of it in which a lease was valid, from 0 to 1.
    pub fn led(self, leaderships: &[LeadershipInterval]) -> f64 {
        let gaps = self.gaps(leaderships, Duration::ZERO);
        let without: Duration = gaps.into_iter().map(Window::length).sum();
        1.0 - without.as_secs_f64() / self.length().as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// When a lease was valid again, at or after this time: how much later that was.
pub fn led_again_after(leaderships: &[LeadershipInterval], at: u64) -> Option<Duration> {
    let valid = leaderships.iter().filter(|led| led.until > at);
    valid.map(|led| Duration::from_micros(led.from.saturating_sub(at))).min()
}

/// The middle one of these: of an even number the greater of the two in the middle.
pub fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::id;

    fn leaderships(leases: &[(u64, u64)]) -> Vec<LeadershipInterval> {
        let led =
            |(term, &(from, until))| LeadershipInterval { member: id(1), process: 1, term, from, until };
        (1..).zip(leases).map(led).collect()
    }

    const WINDOW: Window = Window { from: 100, until: 200 };

    #[test]
    fn time_outside_all_leases_is_a_gap() {
        let gap = |from, until| Window { from, until };
        let leases = leaderships(&[(0, 110), (120, 150), (130, 140), (160, 300)]);
        assert_eq!(WINDOW.gaps(&leases, Duration::ZERO), [gap(110, 120), gap(150, 160)]);
        assert_eq!(WINDOW.gaps(&leaderships(&[(0, 90), (210, 300)]), Duration::ZERO), [WINDOW]);
        assert_eq!(WINDOW.gaps(&leaderships(&[(90, 205)]), Duration::ZERO), []);
        let leases = leaderships(&[(100, 110), (112, 150), (170, 200)]);
        assert_eq!(WINDOW.gaps(&leases, Duration::from_micros(2)), [gap(150, 170)]);
    }

    #[test]
    fn share_led_is_what_gaps_leave() {
        assert!((WINDOW.led(&leaderships(&[(0, 110), (120, 150), (130, 190)])) - 0.8).abs() < 1e-9);
        assert!(WINDOW.led(&[]).abs() < 1e-9);
    }

    #[test]
    fn a_lease_that_outlives_the_fault_leaves_no_time_without_a_leader() {
        let leases = leaderships(&[(0, 110), (120, 150)]);
        let after = |at| led_again_after(&leases, at).map(|it| it.as_micros());
        assert_eq!([after(100), after(110), after(130), after(150)], [Some(0), Some(10), Some(0), None]);
    }

    #[test]
    fn median_is_the_middle_one() {
        let of = |millis: &[u64]| median(millis.iter().map(|&it| Duration::from_millis(it)).collect());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3, 1, 2]), Some(Duration::from_millis(2)));
        assert_eq!(of(&[4, 1, 2, 3]), Some(Duration::from_millis(3)));
    }
}
