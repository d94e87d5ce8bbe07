//! Figures of Itai and Rodeh's algorithm: averages over all draws.
//!
//! Links keep their order, so phases do not mix. In a phase a member receives the tokens of the others in the order
//! in which they lie before it, and its own token last. So a member that receives its own token and begins the next
//! phase has already forwarded the tokens of all others that receive theirs, and its token of the next phase comes
//! after them.
//!
//! Let a members draw from 1..=n in a phase. A token with the number v travels to the next member that drew a higher
//! number, or once round: over the gap to the next active member, and over the k-th gap after that if none of the
//! first k drew a higher number, which has the probability (v/n)^k. Summed over all a members the k-th gaps are n
//! hops for each k, wherever the members are. So the phase takes on average
//!
//! n g(a), g(a) = sum over k in 0..a of 1/n sum over v in 1..=n of (v/n)^k.
//!
//! The s members that drew the highest number continue, if there are at least two; with u = v - 1 numbers below the
//! one that they drew, that has the probability
//!
//! P(s | a) = C(a, s) sum over u in 0..n of (1/n)^s (u/n)^(a-s).
//!
//! So T(a) = n g(a) + sum over s in 2..=a of P(s | a) T(s), with T(a) itself on both sides; and the number of phases
//! is F(a) = 1 + sum over s in 2..=a of P(s | a) F(s).

use crate::ring::figures::{all_start, is_undisturbed};
use bellwether_core::*;

pub const CLAIMS: [Claim; 2] = [
    Claim {
        name: "mean_messages",
        measure: Measure::Messages,
        formula: "T(n) = n g(n) + sum of P(s | n) T(s): a phase takes n g(a), s of a members continue",
        expect: |run| {
            let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering;
            on_average(applies, run.n(), |n, moments| {
                // g(a) grows by the mean of (v/n)^a, v in 1..=n.
                let mut g = 0.0;
                let phase_costs = (0..n).map(|k| {
                    let below_n = if k == 0 { n as f64 - 1.0 } else { moments[k] };
                    g += (below_n + 1.0) / n as f64;
                    n as f64 * g
                });
                phase_costs.collect()
            })
        },
    },
    Claim {
        name: "mean_time",
        measure: Measure::Time,
        formula: "n F(n), F(n) = 1 + sum of P(s | n) F(s): a phase takes n hops, s of a members continue",
        expect: |run| {
            let applies = is_undisturbed(run) && run.delivery == Delivery::Unit && all_start(run);
            on_average(applies, run.n(), |n, _| vec![n as f64; n])
        },
    },
];

/// There are no claims for more members: computing them would take longer than the run.
const MOST: usize = 1024;

/// A power or a probability below this adds nothing.
const NEGLIGIBLE: f64 = 1e-20;

fn on_average(applies: bool, n: usize, phase_costs: fn(usize, &[f64]) -> Vec<f64>) -> Option<Expect> {
    if !applies || n > MOST {
        return None;
    }
    let moments = moments(n);
    Some(Expect::OnAverage(total(n, &moments, &phase_costs(n, &moments))))
}

/// For each m in 0..=n the sum over u in 0..n of (u/n)^m, where 0^0 is 1.
fn moments(n: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n + 1];
    for u in 0..n {
        let base = u as f64 / n as f64;
        let mut power = 1.0;
        for sum in &mut sums {
            *sum += power;
            power *= base;
            if power < NEGLIGIBLE {
                break;
            }
        }
    }
    sums
}

/// The average cost of all phases from n active members on, where `costs[a - 1]` is the cost of one phase with a of
/// them.
fn total(n: usize, moments: &[f64], costs: &[f64]) -> f64 {
    let mut totals = vec![0.0; n + 1];
    for a in 1..=n {
        let mut known = costs[a - 1];
        let mut same_again = 0.0;
        // C(a, s) / n^s, which falls faster than 1/s!.
        let mut ways = a as f64 / n as f64;
        for s in 2..=a {
            ways *= (a + 1 - s) as f64 / (s * n) as f64;
            if ways < NEGLIGIBLE {
                break;
            }
            let chance = ways * moments[a - s];
            if s == a {
                same_again = chance;
            } else {
                known += chance * totals[s];
            }
        }
        totals[a] = known / (1.0 - same_again);
    }
    totals[n]
}
