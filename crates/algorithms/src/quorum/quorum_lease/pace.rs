//! How fast a member of [`super`] works: its parameters.

use super::QuorumLease;
use super::variants::SLOWEST;
use bellwether_core::*;
use std::ops::RangeInclusive;

/// The smallest measured delay bound, as a part of the configured one.
const FASTEST: u64 = 8;

const RENEWALS: Key<QuorumLease, u64> = Key::whole("renewals");
const LEASE: Key<QuorumLease, u64> = Key::whole("lease");
const ASKS: Key<QuorumLease, u64> = Key::whole("asks");
const STEADY: Key<QuorumLease, u64> = Key::whole("steady");
const PENALTIES: Key<QuorumLease, u64> = Key::whole("penalties");
const ORDER: Key<QuorumLease, bool> = Key::policy("order");
const DELAYS: Key<QuorumLease, bool> = Key::policy("delays");

/// How fast a member works. All lengths are in units: one unit is the known delay bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How often a leader renews during one lease.
    renewals: u64,
    /// The length of a promise.
    pub lease: u64,
    /// How often a candidate asks, one turn apart, before it gives up.
    pub(super) asks: u64,
    /// For how many units a higher-ranked member has to answer every renewal in time before it becomes the leader.
    pub steady: u64,
    /// How often that span quadruples, at most, for a member whose leadership did not last.
    pub(super) penalties: u32,
    is_random: bool,
    is_measured: bool,
}

impl Pace {
    /// The pace that these parameters set, whatever the variant.
    #[must_use]
    pub fn of(parameters: &ParamValues) -> Pace {
        Pace {
            renewals: parameters.get(RENEWALS),
            lease: parameters.get(LEASE),
            asks: parameters.get(ASKS),
            steady: parameters.get(STEADY),
            penalties: parameters.get(PENALTIES) as u32,
            is_random: parameters.get(ORDER),
            is_measured: parameters.get(DELAYS),
        }
    }

    /// The length of a promise.
    #[must_use]
    pub fn lease(&self, unit: Span) -> Span {
        unit * self.lease
    }

    /// The unit of a member that asks for a promise of this length.
    #[must_use]
    pub(super) fn unit_of(&self, lease: Span) -> Span {
        Span::from_ticks(lease.ticks() / self.lease)
    }

    /// Whether a promise can have this length.
    #[must_use]
    pub fn is_lease(&self, lease: Span, delay_bound: Span) -> bool {
        let unit = if self.is_measured { self.unit_of(lease) } else { delay_bound };
        lease == self.lease(unit) && (!self.is_measured || unit == within(unit, delay_bound))
    }

    /// The longest possible promise.
    #[must_use]
    pub fn longest_lease(&self, delay_bound: Span) -> Span {
        self.lease(if self.is_measured { delay_bound * SLOWEST } else { delay_bound })
    }

    /// The interval between renewals, in units, if the leader is to renew this often in a lease with a small reserve;
    /// at least two, because no answer arrives sooner.
    #[must_use]
    pub fn interval(&self) -> u64 {
        (self.lease / self.renewals).max(2)
    }

    /// After how many turns a member is a candidate, given the number of higher-ranked rivals, the number of all, and
    /// how often it has been a candidate in vain: in the order of ranks, and once all have had a turn, again; or at
    /// random.
    #[must_use]
    pub(super) fn turns(&self, better: u64, all: u64, attempts: u32) -> RangeInclusive<u64> {
        if self.is_random {
            return 0..=all * 2;
        }
        let turns = better + all * u64::from(attempts.min(1));
        turns..=turns
    }

    /// The unit after a majority has answered a round in this time. If delays are measured, the unit follows the
    /// round-trip time, which is twice a one-way delay. It falls by an eighth of the difference at a time, and rises
    /// at once.
    #[must_use]
    pub(super) fn after_round(&self, unit: Span, took: Option<Span>, delay_bound: Span) -> Span {
        let Some(took) = took.filter(|_| self.is_measured) else { return unit };
        let (unit, measured) = (unit.ticks(), took.ticks());
        let next = if measured > unit { measured } else { unit - (unit - measured) / 8 };
        within(Span::from_ticks(next), delay_bound)
    }

    /// The unit after too few members have answered.
    #[must_use]
    pub(super) fn after_failure(&self, unit: Span, delay_bound: Span) -> Span {
        if self.is_measured { within(unit * 2, delay_bound) } else { unit }
    }
}

/// The pace that this member's parameters set.
pub(super) fn pace(cx: &Cx<'_, QuorumLease>) -> Pace {
    Pace::of(cx.parameters())
}

fn within(unit: Span, delay_bound: Span) -> Span {
    let least = Span::from_ticks((delay_bound.ticks() / FASTEST).max(1));
    unit.clamp(least, delay_bound * SLOWEST)
}
