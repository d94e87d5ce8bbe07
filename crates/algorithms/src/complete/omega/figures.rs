//! Omega's figures, of a run in which nothing goes wrong after the beginning and that is over when all know.
//!
//! Let d be how many of those that are better than the best one alive are dead. They are the candidates of rounds
//! 0 to d - 1, and all members give each of them up at the same time. So everyone alive starts d + 1 rounds, and
//! tells n - 1 others of each. Then the best one alive says `ok`, and says it again one message time later; when
//! that has arrived, at the latest with its third, it is over (later, if some are dead: such runs go on for a while).

use super::WORDS;
use bellwether_core::*;

pub const CLAIMS: [Claim; 2] = [
    Claim {
        name: "start",
        measure: Measure::MessagesOf("start"),
        formula: "the d best dead: (d + 1)(n - d)(n - 1), if nobody else is",
        expect: |run| {
            let (rounds, alive) = (rounds(run)?, run.n() - run.dead.len());
            Some(Expect::Exactly((rounds * alive * (run.n() - 1)) as f64))
        },
    },
    Claim {
        name: "ok",
        measure: Measure::MessagesOf("ok"),
        formula: "three times n - 1 at most; then n - 1 every message time",
        expect: |run| {
            rounds(run).filter(|_| run.dead.is_empty())?;
            Some(Expect::AtMost(((usize::from(WORDS) + 1) * (run.n() - 1)) as f64))
        },
    },
];

/// How many rounds there are.
fn rounds(run: &Setting<'_>) -> Option<usize> {
    let best_alive = run.ranks[run.best_alive()? as usize];
    let better = run.ranks.iter().filter(|&&rank| rank > best_alive).count();
    (run.calm && run.bounded).then_some(better + 1)
}
