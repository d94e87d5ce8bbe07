//! Figures of one-way rings in which members hold ranks and compare them phase by phase, as in Peterson's algorithms
//! and that of Dolev, Klawe and Rodeh.
//!
//! In a one-way ring whose links keep their order, a member receives its messages in one order, whatever the delays;
//! and a member that starts late sends its own rank before it handles the message that made it start. So each member
//! sends the same messages in the same order in every run with the same ranks, whichever members start: the figures
//! follow from playing the phases one after the other.

use crate::ring::figures::is_undisturbed;
use bellwether_core::{Claim, Delivery, Expect, Measure, Rank, Setting};

/// A rank that is still held, and the member that holds it.
#[derive(Clone, Copy)]
pub struct Held {
    pub rank: Rank,
    pub holder: usize,
}

/// At first each member holds its own rank.
pub fn all_members(ranks: &[Rank]) -> Vec<Held> {
    ranks.iter().enumerate().map(|(holder, &rank)| Held { rank, holder }).collect()
}

/// The ranks that stay, given the ranks before and after each; if ranks move, the holder of the next rank holds it.
pub fn next_phase(held: &[Held], move_on: bool, stays: fn(Rank, Rank, Rank) -> bool) -> Vec<Held> {
    let n = held.len();
    let stay = (0..n).filter_map(|at| {
        let (before, here, after) = (held[(at + n - 1) % n], held[at], held[(at + 1) % n]);
        let holder = if move_on { after.holder } else { here.holder };
        stays(before.rank, here.rank, after.rank).then_some(Held { rank: here.rank, holder })
    });
    stay.collect()
}

/// The ranks that are higher than both neighbours.
pub fn next_local_maxima(held: &[Held]) -> Vec<Held> {
    next_phase(held, true, |before, rank, after| rank > before && rank > after)
}

/// A figure of undisturbed runs on links that keep their order.
pub fn in_order(run: &Setting<'_>, figure: impl FnOnce(&[Rank]) -> Expect) -> Option<Expect> {
    let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering;
    applies.then(|| figure(run.ranks))
}

/// If each phase takes 2n messages and keeps at most half of the ranks, and the last takes n. Dolev, Klawe and
/// Rodeh's algorithm attains it for powers of two. Peterson's ends a little sooner, at the owner of the highest rank,
/// and attains it for n = 1 only.
pub const HALVING_BOUND: Claim = Claim {
    name: "messages_bound",
    measure: Measure::Messages,
    formula: "2n floor(log2 n) + n; + n to announce",
    expect: |run| {
        in_order(run, |ranks| {
            let n = ranks.len();
            let phases = n.max(1).ilog2() as usize;
            Expect::AtMost((2 * n * phases + 2 * n) as f64)
        })
    },
};

/// The announcement goes round once.
pub const ANNOUNCEMENTS: Claim = Claim {
    name: "elected",
    measure: Measure::MessagesOf("elected"),
    formula: "n",
    expect: |run| in_order(run, |ranks| Expect::Exactly(ranks.len() as f64)),
};
