//! What [`super`] claims.

use bellwether_core::*;

/// How many members are asked for their votes by the first to stand: all voters but itself. Nobody else stands, as the
/// others wait longer than a vote takes. (All of them are up, and everyone votes.)
fn others(run: &Setting<'_>) -> Option<Expect> {
    let is_uncontested = run.calm && run.bounded && run.dead.is_empty();
    is_uncontested.then(|| Expect::Exactly(run.n() as f64 - 1.0))
}

pub(super) const UNCONTESTED: [Claim; 3] = [
    Claim { name: "asks", measure: Measure::MessagesOf("ask"), formula: "n - 1", expect: others },
    Claim { name: "votes", measure: Measure::MessagesOf("vote"), formula: "n - 1", expect: others },
    Claim { name: "announcement", measure: Measure::MessagesOf("renew"), formula: "n - 1", expect: others },
];
