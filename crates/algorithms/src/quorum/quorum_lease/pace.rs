//! How fast a quorum with leases goes: the variants of [`super`].

use super::{QuorumLease, figures};
use bellwether_core::*;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;

/// How fast it goes. All lengths are in units: delay bounds, as far as is known.
pub trait Pace: Clone + Debug + Eq + Hash + Send + Sync + Sized + 'static {
    /// The variant's name.
    const VARIANT: &'static str;
    /// What it does, in one line.
    const SUMMARY: &'static str;
    /// What members may know.
    const KNOWS: Knowledge =
        Knowledge::PEERS.and(Knowledge::DELAY_BOUND).and(Knowledge::DRIFT_BOUND).and(Knowledge::DUTIES);
    /// Its figures.
    const CLAIMS: &'static [Claim] = &figures::UNCONTESTED;
    /// How long a promise lasts.
    const LEASE: u64 = 25;
    /// How often a candidate asks, a turn apart, before it gives up.
    const ASKS: u32 = 4;
    /// For how many units a better member has to answer every renewal in time before it comes to lead.
    const STEADY: u64 = 64;
    /// How often that span quadruples, at most, for a member whose leadership did not last.
    const PENALTIES: u32 = 3;

    /// How long a promise lasts.
    #[must_use]
    fn lease(unit: Span) -> Span {
        unit * Self::LEASE
    }

    /// The unit of whoever asks for a promise of this length.
    #[must_use]
    fn unit_of(lease: Span) -> Span {
        Span::from_ticks(lease.ticks() / Self::LEASE)
    }

    /// Whether a promise can be of this length.
    #[must_use]
    fn is_lease(lease: Span, delay_bound: Span) -> bool {
        lease == Self::lease(delay_bound)
    }

    /// The longest that a promise can last.
    #[must_use]
    fn longest_lease(delay_bound: Span) -> Span {
        Self::lease(delay_bound)
    }

    /// How many units a leader waits between renewals, if it is to renew so many times and a little in a lease; but no
    /// answer is there sooner than after two.
    #[must_use]
    fn interval(renewals: u32) -> u64 {
        (Self::LEASE / u64::from(renewals.max(1))).max(2)
    }

    /// After how many turns a member stands, given how many of all rivals are better and how often it has stood in
    /// vain: in the order of ranks, and once everyone has had a turn, again.
    #[must_use]
    fn turns(better: u64, all: u64, attempts: u32) -> RangeInclusive<u64> {
        let turns = better + all * u64::from(attempts.min(1));
        turns..=turns
    }

    /// What the clock shows, where delays are measured.
    fn clock(_: &Cx<'_, QuorumLease<Self>>) -> Option<Time> {
        None
    }

    /// The unit after a majority has answered a round in this time.
    #[must_use]
    fn after_round(unit: Span, _took: Option<Span>, _delay_bound: Span) -> Span {
        unit
    }

    /// The unit after too few have answered.
    #[must_use]
    fn after_failure(unit: Span, _delay_bound: Span) -> Span {
        unit
    }
}

/// The best live member stands first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ranked;

impl Pace for Ranked {
    const VARIANT: &'static str = "ranked";
    const SUMMARY: &'static str = "a majority votes for one in a term, and promises to vote for nobody else while its lease lasts; the best stands first";
}

/// Members stand after random times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Randomised;

impl Pace for Randomised {
    const VARIANT: &'static str = "randomised";
    const SUMMARY: &'static str = "a majority votes for one in a term, and promises to vote for nobody else while its lease lasts; all stand after random times";
    const CLAIMS: &'static [Claim] = &figures::CONTESTED;

    fn turns(_: u64, all: u64, _: u32) -> RangeInclusive<u64> {
        0..=all * 2
    }
}

/// Everything goes as fast as answers come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Adaptive;

impl Pace for Adaptive {
    const VARIANT: &'static str = "adaptive";
    const SUMMARY: &'static str = "a majority votes for one in a term, and promises to vote for nobody else while its lease lasts; leases follow the delays measured";
    const KNOWS: Knowledge = Ranked::KNOWS.and(Knowledge::CLOCK);

    fn is_lease(lease: Span, delay_bound: Span) -> bool {
        let unit = Self::unit_of(lease);
        lease == Self::lease(unit) && unit == within(unit, delay_bound)
    }

    fn longest_lease(delay_bound: Span) -> Span {
        Self::lease(delay_bound * SLOWEST)
    }

    fn clock(cx: &Cx<'_, QuorumLease<Self>>) -> Option<Time> {
        Some(cx.now())
    }

    /// Twice as long as half of there and back; down by an eighth of the difference at a time, up at once.
    fn after_round(unit: Span, took: Option<Span>, delay_bound: Span) -> Span {
        let Some(took) = took else { return unit };
        let (unit, measured) = (unit.ticks(), took.ticks());
        let next = if measured > unit { measured } else { unit - (unit - measured) / 8 };
        within(Span::from_ticks(next), delay_bound)
    }

    fn after_failure(unit: Span, delay_bound: Span) -> Span {
        within(unit * 2, delay_bound)
    }
}

/// How many times the delay bound that members are told a unit can be, at the most.
const SLOWEST: u64 = 4;
/// Which part of it a unit can be, at the least.
const FASTEST: u64 = 8;

fn within(unit: Span, delay_bound: Span) -> Span {
    let least = Span::from_ticks((delay_bound.ticks() / FASTEST).max(1));
    unit.clamp(least, delay_bound * SLOWEST)
}

/// As fast as it can go: for the checker, to which a shorter lease has fewer states. A renewal that takes there and back
/// as long as it can is just in time for a holder whose clock may be a tenth off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tight;

impl Pace for Tight {
    const VARIANT: &'static str = "tight";
    const SUMMARY: &'static str = "a majority votes for one in a term, and promises to vote for nobody else while its lease lasts; the lease is as short as can be";
    const ASKS: u32 = 1;
    const LEASE: u64 = 5;
    const STEADY: u64 = 4;
}
