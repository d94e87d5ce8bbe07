//! The cost of an election with Franklin's algorithm.
//!
//! In each round every link carries one rank in each direction. Which members are active in a round depends on ranks
//! alone, so the count does not depend on the initiators or the delays, as long as links keep their order.

use crate::ring::figures::{is_undisturbed, somebody_starts, waking_hops};
use bellwether_core::{Claim, Delivery, Expect, Measure, Rank, Setting};

pub const CLAIMS: [Claim; 3] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "2n a round, as many rounds as the order takes; n more to announce",
        expect: |run| {
            applies(run).then(|| Expect::Exactly((run.n() as u64 * (2 * rounds(run.ranks) + 1)) as f64))
        },
    },
    Claim {
        name: "messages_bound",
        measure: Measure::Messages,
        formula: "2n(floor(log2 n) + 1) + n",
        // Of two neighbouring active members at most one stays active: each round leaves at most half of them, until
        // one is left in the last round.
        expect: |run| {
            let rounds = u64::from(run.n().ilog2()) + 1;
            applies(run).then_some(Expect::AtMost((run.n() as u64 * (2 * rounds + 1)) as f64))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "as long as ranks wait for the slower side in each round; n more to announce",
        expect: |run| {
            let is_claimed = applies(run) && run.delivery == Delivery::Unit;
            is_claimed.then(|| hops(run).map(|hops| Expect::Exactly(hops as f64)))?
        },
    },
];

fn applies(run: &Setting<'_>) -> bool {
    is_undisturbed(run) && run.delivery != Delivery::Reordering && somebody_starts(run)
}

/// The number of rounds, including the last, in which the only active member receives its own rank.
fn rounds(ranks: &[Rank]) -> u64 {
    let mut rounds = 1;
    let mut standing = ranks.to_vec();
    while standing.len() > 1 {
        standing = (0..standing.len()).filter(|&at| goes_on(&standing, at)).map(|at| standing[at]).collect();
        rounds += 1;
    }
    rounds
}

/// Whether an active member has a higher rank than both its active neighbours.
fn goes_on(standing: &[Rank], at: usize) -> bool {
    let n = standing.len();
    standing[at] > standing[(at + 1) % n] && standing[at] > standing[(at + n - 1) % n]
}

/// A member that was active in the previous round.
struct Standing {
    at: u64,
    rank: Rank,
    /// When it ended that round: from then on it forwards, or sends its own rank if it stays active.
    ready: u64,
    goes_on: bool,
}

/// When the last message arrives, if each takes one hop.
///
/// Round by round: a rank travels from one active member to the next, and waits at each member in between that has
/// not ended the previous round yet (members that became passive earlier have). When the last active member has its
/// rank back from one side, no member delays the rank on the other side: n hops later the election is over.
fn hops(run: &Setting<'_>) -> Option<u64> {
    let n = run.n() as u64;
    let stand = |(at, (&rank, woke))| Standing { at, rank, ready: u64::from(woke), goes_on: true };
    let mut stood: Vec<Standing> = (0..).zip(run.ranks.iter().zip(waking_hops(run)?)).map(stand).collect();
    loop {
        let places = 0..stood.len();
        let clockwise = arrivals(n, &stood, places.clone(), |from, to| to + n - from);
        let back = arrivals(n, &stood, places.rev(), |from, to| from + n - to);
        let ends = clockwise.iter().zip(&back);
        let next: Vec<Standing> = stood
            .iter()
            .zip(ends)
            .filter(|(member, _)| member.goes_on)
            .map(|(member, (one, other))| Standing { ready: member.ready.max(*one).max(*other), ..*member })
            .collect();
        if let [_] = next[..] {
            let only = stood.iter().position(|member| member.goes_on)?;
            return Some(clockwise[only].min(back[only]) + n);
        }
        let ranks: Vec<Rank> = next.iter().map(|member| member.rank).collect();
        stood = next;
        for (at, member) in stood.iter_mut().enumerate() {
            member.goes_on = goes_on(&ranks, at);
        }
    }
}

/// When a rank that travels in this direction reaches each member that stays active. The first turn finds where a
/// rank starts, the second is complete.
fn arrivals(
    n: u64,
    stood: &[Standing],
    way: impl Iterator<Item = usize> + Clone,
    gap: impl Fn(u64, u64) -> u64,
) -> Vec<u64> {
    let mut arrived = vec![0; stood.len()];
    let mut under_way: Option<(u64, u64)> = None;
    for place in way.clone().chain(way) {
        let here = &stood[place];
        let arrives = under_way.map(|(from, left)| left + (gap(from, here.at) - 1) % n + 1);
        if here.goes_on {
            arrived[place] = arrives.unwrap_or(0);
            under_way = Some((here.at, here.ready));
        } else {
            under_way = arrives.map(|arrives| (here.at, arrives.max(here.ready)));
        }
    }
    arrived
}
