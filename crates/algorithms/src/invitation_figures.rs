//! The invitation algorithm's figures, of a run in which nothing goes wrong after the beginning and that is over when
//! all are in one group.
//!
//! Everyone alive is called at the beginning, and asks all others; each one alive coordinates, and answers all that
//! ask. All wait equally long for answers, so the best one alive invites first, the others before their
//! precedence is over. Each of them accepts and is told that the group is ready.

use bellwether_core::*;

pub const CLAIMS: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "(n - 1)(2n + 3)",
        expect: |run| {
            let (n, alive) = sizes(run)?;
            exactly(alive * (n - 1) + alive * (alive - 1) + 3 * (alive - 1))
        },
    },
    Claim {
        name: "are_you_coordinator",
        measure: Measure::MessagesOf("are-you-coordinator"),
        formula: "n(n - 1)",
        expect: |run| sizes(run).and_then(|(n, alive)| exactly(alive * (n - 1))),
    },
    Claim {
        name: "coordinator",
        measure: Measure::MessagesOf("coordinator"),
        formula: "n(n - 1)",
        expect: |run| sizes(run).and_then(|(_, alive)| exactly(alive * (alive - 1))),
    },
    Claim {
        name: "invitation",
        measure: Measure::MessagesOf("invitation"),
        formula: "n - 1, and as many accept and are told that the group is ready",
        expect: |run| sizes(run).and_then(|(_, alive)| exactly(alive - 1)),
    },
];

fn exactly(figure: usize) -> Option<Expect> {
    Some(Expect::Exactly(figure as f64))
}

/// How many there are, and how many of them are alive.
fn sizes(run: &Setting<'_>) -> Option<(usize, usize)> {
    let alive = run.n() - run.dead.len();
    (run.calm && run.bounded && *run.initiators == Initiators::All && alive > 0).then_some((run.n(), alive))
}
