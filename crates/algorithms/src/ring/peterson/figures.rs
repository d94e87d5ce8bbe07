//! Figures of Peterson's algorithms.
//!
//! In the basic algorithm a rank v that is still held is held by a member clockwise of its owner, but before the
//! owner of the next held rank w: when v stays, w does not, and v moves to the holder of w, which is before the owner
//! of the rank after w. So a message that carries v from its holder to the next one cannot pass v's owner unless v is
//! the only rank left; and one that goes one holder further (a second message) only if two are left. There it ends:
//! the owner recognises it.
//!
//! In the improved algorithm v and w can both stay, and the owner of w can hold v. So it proves nothing that w passes
//! its owner; that w returns to its holder proves that w is the highest.

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
    let mut held = all_members(ranks);
    let mut messages = 0;
    while held.len() > 2 {
        messages += 2 * n;
        held = next_local_maxima(&held);
    }
    match held[..] {
        [one, other] => {
            let (best, worse) = if one.rank > other.rank { (one, other) } else { (other, one) };
            // Both send the highest rank in their second message: it travels to the lower rank's holder, and from
            // there to its owner. That holder then holds the highest rank and sends it after the other.
            let onwards = distance(n, best.holder, worse.holder);
            messages + n + onwards + 2 * way_home(ranks, best.rank, worse.holder)
        }
        [best] => messages + way_home(ranks, best.rank, best.holder),
        _ => messages,
    }
}

/// The number of phases of the improved algorithm until one rank is left.
fn improved_phases(ranks: &[Rank]) -> usize {
    let mut held = all_members(ranks);
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

/// The distance from a holder to the owner of the rank that it sends: at least one hop.
fn way_home(ranks: &[Rank], rank: Rank, holder: usize) -> usize {
    let owner = ranks.iter().position(|&other| other == rank).unwrap_or(holder);
    match distance(ranks.len(), holder, owner) {
        0 => ranks.len(),
        hops => hops,
    }
}

/// The most phases of the improved algorithm with n ranks until one is left.
///
/// A rank that is higher than the one after it had another between them, which was removed in the previous phase. So
/// in three consecutive phases, the first has at least as many ranks as the other two together.
fn phases_at_most(n: usize) -> usize {
    let (mut phases, mut least, mut next) = (0, 1, 2);
    while next <= n {
        (phases, least, next) = (phases + 1, next, least + next);
    }
    phases
}
