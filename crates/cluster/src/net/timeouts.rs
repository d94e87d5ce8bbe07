//! How long a network waits before it tries again, from the profile's delay bound.
//!
//! TCP repeats what was lost after 0.2 s, 0.4 s, 0.8 s and so on, and a SYN after 1 s. After a cut of some seconds that is
//! far longer than an election takes. So this network gives a silent connection up and dials anew instead, at a
//! rate that does not depend on how long the cut lasts.

use bellwether_core::Span;
use std::time::Duration;

/// The longest wait for an answer of any kind, unless delay bounds are longer.
pub const LONGEST: Duration = Duration::from_secs(3);
/// The shortest pause before a peer is dialled again that refused the connection, or was refused. Both sides have paid a
/// handshake, on the thread that keeps the lease.
pub const REFUSED: Duration = Duration::from_secs(1);
/// TCP repeats a SYN after this time.
pub const SYN_REPEATED: Duration = Duration::from_secs(1);

/// The waits of one network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// If a SYN is not answered within this time, another connection is tried.
    pub answer: Duration,
    /// An attempt to connect lives for so long, beside others that follow it: whatever a network takes that keeps the
    /// bound, and no less than TCP takes to repeat a SYN.
    pub attempt: Duration,
    /// The longest pause between two attempts.
    pub pause: Duration,
    /// Two members must agree on a connection within this time.
    pub greeting: Duration,
    /// If a peer sends nothing for this time after something was sent to it, its system is suspected: then, and after the same
    /// time again, the kernel is asked whether that acknowledges. Together that is one lease. A system may take 40 ms to
    /// acknowledge, so it is never shorter than 50 ms.
    pub suspicion: Duration,
    /// The kernel itself ends a connection if data is not acknowledged within about this time. It counts after it has sent
    /// again, which it does after 0.2 to 0.4 s.
    pub acknowledgement: Duration,
    /// The longest wait for an answer of any kind.
    pub longest: Duration,
}

impl Timeouts {
    /// The waits for this delay bound, in a cluster with so many other members.
    pub fn new(delay_bound: Span, others: usize) -> Timeouts {
        let bound = Duration::from_micros(delay_bound.ticks());
        let times = |factor: u32, least: u64, most: Duration| {
            bound.saturating_mul(factor).clamp(Duration::from_millis(least), most)
        };
        // An answer takes two delay bounds, and one that needs several ways as many times two.
        let slow = bound.saturating_mul(6);
        let longest = LONGEST.max(slow);
        // At most 500 attempts a second in all, however many members are away.
        let share = Duration::from_millis(2) * others as u32;
        Timeouts {
            answer: times(6, 5, SYN_REPEATED),
            pause: times(5, 5, SYN_REPEATED).max(share),
            attempt: SYN_REPEATED.max(slow),
            greeting: times(50, 250, longest),
            suspicion: times(25, 100, longest) / 2,
            acknowledgement: times(25, 250, longest),
            longest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn millis(timeouts: Timeouts) -> [u128; 7] {
        let Timeouts { answer, attempt, pause, greeting, suspicion, acknowledgement, longest } = timeouts;
        [answer, attempt, pause, greeting, suspicion, acknowledgement, longest].map(|wait| wait.as_millis())
    }

    #[test]
    fn waits_are_multiples_of_the_delay_bound_within_limits() {
        for (bound, expected) in [
            (Profile::STEADY.delay_bound, [72, 1_000, 60, 600, 150, 300, 3_000]),
            (Profile::FAST.delay_bound, [6, 1_000, 5, 250, 50, 250, 3_000]),
            (Span::from_ticks(1), [5, 1_000, 5, 250, 50, 250, 3_000]),
            // A second each way: a caller has its answer after two, and has introduced itself after six.
            (Span::from_ticks(1_000_000), [1_000, 6_000, 1_000, 6_000, 3_000, 6_000, 6_000]),
            (Span::from_ticks(60_000_000), [1_000, 360_000, 1_000, 360_000, 180_000, 360_000, 360_000]),
        ] {
            assert_eq!(millis(Timeouts::new(bound, 2)), expected, "{bound:?}");
        }
        assert_eq!(Timeouts::new(Profile::FAST.delay_bound, 99).pause, Duration::from_millis(198));
    }

    /// After a cut a member waits for the next attempt, dials, and stands. The best stands every 21 delay bounds at the
    /// latest and asks every three: nine pass in which it does not ask.
    #[test]
    fn an_attempt_is_due_before_tcp_repeats_and_leaves_time_for_an_election() {
        for (profile, within) in [(Profile::STEADY, 350), (Profile::FAST, 60)] {
            let timeouts = Timeouts::new(profile.delay_bound, 4);
            let longest_wait = timeouts.answer + timeouts.pause.mul_f64(1.5);
            let election = Duration::from_micros(profile.delay_bound.ticks()) * (9 + 4);
            assert!(longest_wait < SYN_REPEATED / 2);
            assert!(longest_wait + election < Duration::from_millis(within), "{longest_wait:?} {election:?}");
        }
    }
}
