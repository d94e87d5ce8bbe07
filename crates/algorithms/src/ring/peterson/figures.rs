//! Figures of Peterson's algorithms.
//!
//! In the basic algorithm a rank v that is still in the race is held by a member clockwise of its
//! owner, but before the owner of the next rank w in the race: when v stays w does not, and v goes to
//! w's holder, which is before the owner of the rank after w. So a message that carries v from its
//! holder to the next one cannot pass v's owner unless v is the only rank left; and one that goes a
//! holder further (a second message) only if two are left. There it ends: the owner knows.
//!
//! In the improved algorithm v and w can both stay, and v can be held by w's owner. So that w passes
//! its owner does not tell that it is the best; that it comes back to its holder does.

use crate::ring::figures::distance;
use crate::ring::phases::*;
use bellwether_core::*;

pub const BASIC: [Claim; 3] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "2n a phase while three ranks are left, less in the last; + n to announce",
        expect: |run| in_order(run, |ranks| Expect::Exactly((basic(ranks) + ranks.len()) as f64)),
    },
    HALVING_BOUND,
    ANNOUNCEMENTS,
];

pub const IMPROVED: [Claim; 3] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "n a phase while two ranks are left, then n; + n to announce",
        expect: |run| {
            in_order(run, |ranks| Expect::Exactly((ranks.len() * (improved_phases(ranks) + 2)) as f64))
        },
    },
    Claim {
        name: "messages_bound",
        measure: Measure::Messages,
        formula: "n p + n, p the greatest with Fibonacci(p + 2) <= n: p <= 1.4405 log2 n; + n to announce",
        expect: |run| {
            in_order(run, |ranks| {
                let n = ranks.len();
                Expect::AtMost((n * phases_at_most(n) + 2 * n) as f64)
            })
        },
    },
    ANNOUNCEMENTS,
];

/// The basic algorithm's messages before the announcement.
fn basic(ranks: &[Rank]) -> usize {
    let n = ranks.len();
    let mut held = everyone(ranks);
    let mut messages = 0;
    while held.len() > 2 {
        messages += 2 * n;
        held = next_local_maxima(&held);
    }
    match held[..] {
        [one, other] => {
            let (best, worse) = if one.rank > other.rank { (one, other) } else { (other, one) };
            // Both send the best rank in their second message: it gets to the worse one's holder, and
            // from there home. That holder takes the best rank over and sends it after the other.
            let onwards = distance(n, best.holder, worse.holder);
            messages + n + onwards + 2 * way_home(ranks, best.rank, worse.holder)
        }
        [best] => messages + way_home(ranks, best.rank, best.holder),
        _ => messages,
    }
}

/// How many phases the improved algorithm takes until one rank is left.
fn improved_phases(ranks: &[Rank]) -> usize {
    let mut held = everyone(ranks);
    let mut phases = 0;
    while held.len() > 1 {
        phases += 1;
        held = if phases % 2 == 1 {
            next_phase(&held, false, |before, rank, _| rank > before)
        } else {
            next_phase(&held, true, |_, rank, after| rank > after)
        };
    }
    phases
}

/// How far it is from a holder to the owner of the rank it sends: at least one hop.
fn way_home(ranks: &[Rank], rank: Rank, holder: usize) -> usize {
    let owner = ranks.iter().position(|&other| other == rank).unwrap_or(holder);
    match distance(ranks.len(), holder, owner) {
        0 => ranks.len(),
        hops => hops,
    }
}

/// How many phases of the improved algorithm n ranks can take until one is left.
///
/// A rank that beats the one after it had another between them, which lost the phase before. So of
/// those in the race in three phases in a row, the first are at least the other two together.
fn phases_at_most(n: usize) -> usize {
    let (mut phases, mut least, mut next) = (0, 1, 2);
    while next <= n {
        (phases, least, next) = (phases + 1, next, least + next);
    }
    phases
}
