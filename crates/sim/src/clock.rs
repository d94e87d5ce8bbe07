//! A member's own clock, which may drift and jump.

use bellwether_core::Time;

/// A clock that runs at its own rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clock {
    /// When the rate was last changed.
    since: Time,
    /// What the clock showed then.
    showed: i128,
    /// What it gains, in millionths.
    gains: i32,
}

/// No clock is set later than this, in ticks.
const LATEST: i128 = 1 << 62;
/// A million millionths.
const WHOLE: i128 = 1_000_000;

impl Default for Clock {
    /// Shows the true time.
    fn default() -> Self {
        Clock { since: Time::ZERO, showed: 0, gains: 0 }
    }
}

impl Clock {
    fn rate(&self) -> i128 {
        // A clock never stands still, however much it loses.
        (WHOLE + i128::from(self.gains)).max(1)
    }

    fn exact(&self, now: Time) -> i128 {
        self.showed + i128::from((now - self.since).ticks()) * self.rate() / WHOLE
    }

    /// What it shows.
    #[must_use]
    pub fn show(&self, now: Time) -> Time {
        Time::from_ticks(self.exact(now).clamp(0, u64::MAX.into()) as u64)
    }

    /// When it first shows at least this.
    #[must_use]
    pub fn when(&self, shown: Time) -> Time {
        let to_go = i128::from(shown.ticks()) - self.showed;
        let ticks = (to_go * WHOLE).max(0);
        let ticks = (ticks + self.rate() - 1) / self.rate();
        Time::from_ticks(self.since.ticks().saturating_add(ticks.min(u64::MAX.into()) as u64))
    }

    /// It gains so many millionths from now on.
    pub fn drift(&mut self, now: Time, gains: i32) {
        *self = Clock { since: now, showed: self.exact(now), gains };
    }

    /// It jumps by so many ticks: back to its beginning at most, and forward to where there is still time
    /// to come.
    pub fn jump(&mut self, now: Time, ticks: i64) {
        self.showed = (self.exact(now) + i128::from(ticks)).clamp(0, LATEST);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64) -> Time {
        Time::from_ticks(ticks)
    }

    #[test]
    fn clocks_drift_and_jump() {
        let mut clock = Clock::default();
        assert_eq!((clock.show(at(7)), clock.when(at(7))), (at(7), at(7)));
        clock.drift(at(1_000), 100_000); // gains a tenth
        assert_eq!((clock.show(at(2_000)), clock.when(at(2_100))), (at(2_100), at(2_000)));
        clock.drift(at(2_000), -500_000); // loses half
        assert_eq!((clock.show(at(3_000)), clock.when(at(2_600))), (at(2_600), at(3_000)));
        clock.jump(at(3_000), -2_000);
        assert_eq!(clock.show(at(3_000)), at(600));
        clock.jump(at(3_000), -5_000);
        assert_eq!((clock.show(at(3_000)), clock.show(at(3_200))), (at(0), at(100)), "from the beginning");
        for _ in 0..9 {
            clock.jump(at(4_000), i64::MAX);
        }
        assert!(clock.show(at(4_002)) > clock.show(at(4_000)), "it still goes on");
        clock.drift(at(0), i32::MIN);
        assert_eq!(clock.when(Time::NEVER), Time::NEVER);
    }

    /// `when` is the first time at which the clock shows so much.
    #[test]
    fn reading_a_clock_backwards_is_exact() {
        for gains in [-700_001, -3, 0, 7, 333_333] {
            let mut clock = Clock::default();
            clock.drift(at(11), gains);
            clock.jump(at(11), 5);
            for shown in 20..200 {
                let when = clock.when(at(shown));
                assert!(clock.show(when) >= at(shown), "{gains} {shown}");
                assert!(clock.show(at(when.ticks() - 1)) < at(shown), "{gains} {shown}");
            }
        }
    }
}
