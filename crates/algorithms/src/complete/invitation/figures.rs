//! The invitation algorithm's figures, of a run in which nothing goes wrong after the beginning and that is over when
//! all members are in one group.
//!
//! At the beginning each member asks all others, coordinates, and answers all that ask. All wait equally long for
//! answers, so the highest-ranked member invites first, before the others have given it precedence for long enough.
//! Each of them accepts and learns that the group is ready. If some members are dead, the run continues for a while
//! after the outcome, and so do the questions to other coordinators; no other message counted here is sent again.

use bellwether_core::*;

pub const CLAIMS: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "(n - 1)(2n + 3)",
        expect: |run| {
            let n = alive(run).filter(|_| run.dead.is_empty())?;
            exactly((n - 1) * (2 * n + 3))
        },
    },
    Claim {
        name: "coordinator",
        measure: Measure::MessagesOf("coordinator"),
        formula: "n(n - 1), if all are alive",
        expect: |run| alive(run).and_then(|alive| exactly(alive * (alive - 1))),
    },
    Claim {
        name: "invitation",
        measure: Measure::MessagesOf("invitation"),
        formula: "n - 1, if all are alive",
        expect: |run| alive(run).and_then(|alive| exactly(alive - 1)),
    },
    Claim {
        name: "accept",
        measure: Measure::MessagesOf("accept"),
        formula: "n - 1, if all are alive",
        expect: |run| alive(run).and_then(|alive| exactly(alive - 1)),
    },
];

fn exactly(figure: usize) -> Option<Expect> {
    Some(Expect::Exactly(figure as f64))
}

/// The number of live members, if nothing goes wrong.
fn alive(run: &Setting<'_>) -> Option<usize> {
    let alive = run.n() - run.dead.len();
    (run.calm && run.bounded && alive > 0).then_some(alive)
}
