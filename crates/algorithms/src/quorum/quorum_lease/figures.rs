//! The claims of [`super`].

use super::QuorumLease;
use super::leader_state::BYTES_A_MEMBER;
use bellwether_core::*;

/// The given number of messages for each member but the first candidate, if it has no rival: the others wait longer
/// than a vote takes. (All members are up, and all vote.)
fn for_each_other(run: &Setting<'_>, messages: u32) -> Option<Expect> {
    let is_uncontested = run.calm && run.bounded && run.dead.is_empty();
    is_uncontested.then(|| Expect::Exactly((run.n() as f64 - 1.0) * f64::from(messages)))
}

pub(super) const UNCONTESTED: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "2(n - 1), and n - 1 to announce",
        expect: |run| for_each_other(run, 3),
    },
    Claim {
        name: "asks",
        measure: Measure::MessagesOf("ask"),
        formula: "n - 1",
        expect: |run| for_each_other(run, 1),
    },
    Claim {
        name: "votes",
        measure: Measure::MessagesOf("vote"),
        formula: "n - 1",
        expect: |run| for_each_other(run, 1),
    },
    Claim {
        name: "announcement",
        measure: Measure::MessagesOf("renew"),
        formula: "n - 1",
        expect: |run| for_each_other(run, 1),
    },
];

/// If several members may be candidates at once, no number of messages is certain.
pub(super) const CONTESTED: [Claim; 1] = [Claim {
    name: "storage",
    measure: Measure::Storage,
    formula: "O(n): at most the ids of all others, their answers, and the failed leaderships of each",
    expect: |run| {
        let heard = run.n() * (BYTES_A_MEMBER + size_of::<(Id, u32)>());
        Some(Expect::AtMost((size_of::<QuorumLease>() + heard) as f64))
    },
}];
