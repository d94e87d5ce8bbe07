//! Time as a value: a member's own clock, or a simulator's virtual one.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Mul, Sub};

/// A point in time, in microseconds since the run (or the process) began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(u64);

/// A length of time, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span(u64);

/// One message transmission time, the unit in which the literature counts: 1,000 ticks, so that a
/// simulated hop is a millisecond and fractions of it can be told apart.
pub const HOP: Span = Span(1_000);

impl Time {
    /// The beginning.
    pub const ZERO: Time = Time(0);
    /// After everything: the time of what never happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// The time `ticks` microseconds after the beginning.
    #[inline]
    #[must_use]
    pub const fn from_ticks(ticks: u64) -> Self {
        Time(ticks)
    }

    /// Microseconds since the beginning.
    #[inline]
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// The same time in hops ([`HOP`]).
    #[inline]
    #[must_use]
    pub fn hops(self) -> f64 {
        Span(self.0).hops()
    }
}

impl Span {
    /// A span of `ticks` microseconds.
    #[inline]
    #[must_use]
    pub const fn from_ticks(ticks: u64) -> Self {
        Span(ticks)
    }

    /// A span of whole hops ([`HOP`]).
    #[inline]
    #[must_use]
    pub const fn from_hops(hops: u64) -> Self {
        Span(hops.saturating_mul(HOP.0))
    }

    /// Microseconds.
    #[inline]
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// The same span in hops ([`HOP`]).
    #[inline]
    #[must_use]
    pub fn hops(self) -> f64 {
        self.0 as f64 / HOP.0 as f64
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, times: u64) -> Span {
        Span(self.0.saturating_mul(times))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.hops())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.hops())
    }
}
