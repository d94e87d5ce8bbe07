//! The cost of an election with Hirschberg and Sinclair's algorithm.
//!
//! What happens to a probe depends on ranks alone, so the counts do not depend on the initiators or the delays, and
//! hold even if messages overtake each other.

use crate::ring::figures::{
    distances_back_to_better, distances_to_better, is_undisturbed, somebody_starts, waking_hops,
};
use bellwether_core::{Claim, Delivery, Expect, Measure, Order, Setting};

pub const CLAIMS: [Claim; 5] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "each member's probes and replies, by its distances to the next higher rank; n more to announce",
        expect: |run| applies(run).then(|| Expect::Exactly(messages(run) as f64)),
    },
    Claim {
        name: "messages_bound",
        measure: Measure::Messages,
        formula: "6n + sum of n(5r+1)/(r+1), r = 1, 2, 4 .. < n/2; at most n(5 ceil(log2 n) + 1); 3 if n = 1",
        expect: |run| applies(run).then(|| Expect::AtMost(messages_bound(run.n() as u64) as f64)),
    },
    Claim {
        name: "classic_bound",
        measure: Measure::Messages,
        formula: "8n(1 + ceil(log2 n))",
        expect: |run| {
            let bound = 8 * run.n() as u64 * (1 + u64::from(last_phase(run.n() as u64)));
            applies(run).then_some(Expect::AtMost(bound as f64))
        },
    },
    Claim {
        name: "mean_messages",
        measure: Measure::Messages,
        formula: "n + 2n (probabilities of being the highest of a stretch, summed over phases and hops)",
        expect: |run| {
            let is_random = applies(run) && run.order == Order::Random;
            is_random.then(|| Expect::OnAverage(mean_messages(run.n())))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "d + 2(2^ceil(log2 n) - 1) + 2n, if the highest rank is d hops from an initiator",
        expect: |run| {
            let is_claimed = applies(run) && run.delivery == Delivery::Unit;
            is_claimed.then(|| hops(run).map(|hops| Expect::Exactly(hops as f64)))?
        },
    },
];

fn applies(run: &Setting<'_>) -> bool {
    is_undisturbed(run) && somebody_starts(run)
}

/// The phase in which a probe can go once round the ring: the first that reaches n hops.
fn last_phase(n: u64) -> u32 {
    n.next_power_of_two().ilog2()
}

fn messages(run: &Setting<'_>) -> u64 {
    let clockwise = distances_to_better(run.ranks);
    let back = distances_back_to_better(run.ranks);
    let probes_and_replies =
        clockwise.iter().zip(&back).map(|(&one, &other)| of_member(one.into(), other.into()));
    probes_and_replies.sum::<u64>() + run.n() as u64
}

/// The hops of one member's probes and of the replies to them, given the distance to the next higher-ranked member on
/// either side (n for the highest, which meets itself).
///
/// Its last phase is the first that reaches the nearer one: that probe is dropped there. In the phases before, of 1 +
/// 2 + 4 + .. hops, both probes went out and both replies came back.
fn of_member(one: u64, other: u64) -> u64 {
    let (near, far) = (one.min(other), one.max(other));
    let reach = near.next_power_of_two();
    4 * (reach - 1) + near + if far <= reach { far } else { 2 * reach }
}

/// The most messages that any order takes.
///
/// - Phase 0: two probes pass each of the n links, and the probe of the higher-ranked end is replied to: 3n. (A
///   single member meets itself at once.)
/// - A later phase that does not reach round the ring, of reach 2r: each remaining member is the highest within r, so
///   neighbours among them are g > r hops apart, and these gaps add up to n. If g <= 2r, the lower-ranked one's probe
///   is dropped after at most g hops, and the higher-ranked one's costs 4r with its reply: g + 4r. If g > 2r, each
///   costs 4r: 8r. Either is at most g (5r+1)/(r+1). A phase attains this if all gaps are r + 1.
/// - The last phase, in which only the highest-ranked member remains: 2n. The announcement: n.
fn messages_bound(n: u64) -> u64 {
    if n == 1 {
        return 3;
    }
    let between = (1..last_phase(n)).map(|phase| 1 << (phase - 1)).map(|r: u64| n * (5 * r + 1) / (r + 1));
    6 * n + between.sum::<u64>()
}

/// The mean over all orders, by linearity of expectation.
///
/// A member sends in a phase if it is the highest within the reach of the previous phase (`known`). Its probe makes
/// one more hop after `hops` if it is also the highest of those `hops` on that side, and is replied to if it is the
/// highest of all within reach. The probability of being the highest of k members is 1/k.
fn mean_messages(n: usize) -> f64 {
    let best_of = |members: usize| 1.0 / members.min(n) as f64;
    let (mut known, mut reach, mut one_side) = (0, 1, 0.0);
    loop {
        one_side += (0..reach.min(n)).map(|hops| best_of(known + 1 + hops.max(known))).sum::<f64>();
        if reach >= n {
            return n as f64 * (1.0 + 2.0 * one_side);
        }
        one_side += reach as f64 * best_of(known + 1 + reach);
        (known, reach) = (reach, 2 * reach);
    }
}

/// The highest-ranked member starts, probes and gets replies in every phase but the last, and its messages go round
/// twice: its last probes and its `elected`. All others end before.
fn hops(run: &Setting<'_>) -> Option<u64> {
    let n = run.n() as u64;
    let best = run.best_alive()? as usize;
    let wakes = u64::from(waking_hops(run)?[best]);
    Some(wakes + 2 * (n.next_power_of_two() - 1) + 2 * n)
}
