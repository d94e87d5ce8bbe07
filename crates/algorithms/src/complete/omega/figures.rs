//! Omega's figures, of a run in which nothing goes wrong after the beginning and that is over when every member has a
//! leader.
//!
//! Let d be the number of dead members with a rank higher than that of the highest-ranked live member. They are the
//! candidates of rounds 0 to d - 1, and all live members give up each of them at the same time. So each live member
//! starts d + 1 rounds, and announces each to n - 1 others. Then the highest-ranked live member sends `ok`, and again
//! one delay bound later; when the second has arrived, at the latest with its third, the run is over (later, if
//! members are dead: such runs continue for a while).

use super::OKS;
use bellwether_core::*;

pub const CLAIMS: [Claim; 2] = [
    Claim {
        name: "start",
        measure: Measure::MessagesOf("start"),
        formula: "the d highest-ranked dead: (d + 1)(n - d)(n - 1), if no other is",
        expect: |run| {
            let (rounds, alive) = (rounds(run)?, run.n() - run.dead.len());
            Some(Expect::Exactly((rounds * alive * (run.n() - 1)) as f64))
        },
    },
    Claim {
        name: "ok",
        measure: Measure::MessagesOf("ok"),
        formula: "at most three times n - 1; then n - 1 per delay bound",
        expect: |run| {
            rounds(run).filter(|_| run.dead.is_empty())?;
            Some(Expect::AtMost(((usize::from(OKS) + 1) * (run.n() - 1)) as f64))
        },
    },
];

/// The number of rounds.
fn rounds(run: &Setting<'_>) -> Option<usize> {
    let best_alive = run.ranks[run.best_alive()? as usize];
    let better = run.ranks.iter().filter(|&&rank| rank > best_alive).count();
    (run.calm && run.bounded).then_some(better + 1)
}
