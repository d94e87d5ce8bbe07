//! A member's own clock.

use bellwether_core::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// A clock that goes on while the machine sleeps, as leases do: `CLOCK_BOOTTIME`, from when this value was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: u64,
    /// How many millionths it gains.
    #[cfg(feature = "faults")]
    gains: i32,
}

impl Clock {
    /// A clock that shows [`Time::ZERO`] now.
    #[must_use]
    pub fn new() -> Clock {
        Clock {
            origin: boot_time(),
            #[cfg(feature = "faults")]
            gains: 0,
        }
    }

    /// A clock that gains (or loses) so many millionths, for trials with clocks that are off.
    #[cfg(feature = "faults")]
    #[must_use]
    pub fn drifting(millionths: i32) -> Clock {
        Clock { gains: millionths, ..Clock::new() }
    }

    /// How much it goes on in a million microseconds.
    fn rate(&self) -> i128 {
        #[cfg(feature = "faults")]
        return 1_000_000 + i128::from(self.gains);
        #[cfg(not(feature = "faults"))]
        1_000_000
    }

    /// What it shows.
    #[must_use]
    pub fn now(&self) -> Time {
        let true_micros = boot_time().saturating_sub(self.origin);
        Time::from_ticks((i128::from(true_micros) * self.rate() / 1_000_000).max(0) as u64)
    }

    /// When it shows this, in microseconds since the machine booted: the same for all clocks of the machine.
    #[must_use]
    pub fn boot_micros(&self, time: Time) -> u64 {
        self.origin.saturating_add(self.true_micros(time.ticks()))
    }

    /// How much true time it takes to go on by so many microseconds.
    fn true_micros(&self, shown: u64) -> u64 {
        u64::try_from(i128::from(shown) * 1_000_000 / self.rate().max(1)).unwrap_or(u64::MAX)
    }

    /// How long to wait, in true time, until it shows this.
    #[must_use]
    pub fn until(&self, time: Time) -> std::time::Duration {
        let left: Span = time - self.now();
        std::time::Duration::from_micros(self.true_micros(left.ticks()))
    }
}

impl Default for Clock {
    fn default() -> Self {
        Clock::new()
    }
}

/// Microseconds since the machine booted.
fn boot_time() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    (now.tv_sec as u64).saturating_mul(1_000_000).saturating_add(now.tv_nsec as u64 / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "faults")]
    #[test]
    fn clock_that_gains_shows_more_and_is_waited_for_less_long() {
        let (right, fast) = (Clock::new(), Clock::drifting(500_000));
        let aim = Time::from_ticks(60_000_000);
        assert!(fast.until(aim) < right.until(aim));
        while right.now() < Time::from_ticks(2_000) {}
        assert!(fast.now() > right.now());
    }
}
