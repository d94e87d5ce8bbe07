//! Paxos' figures, for a calm election.
//!
//! The highest-ranked live member proposes first, and all others wait longer than its ballot takes. It asks all
//! others for promises, then to accept, and sends the decision to all; the live ones promise and accept.

use super::GRACE;
use bellwether_core::*;

/// Two phases, there and back, and the announcement; a single member needs none.
const BALLOT: u64 = 5;

const fn of(kind: &'static str, formula: &'static str, expect: fn(&Setting<'_>) -> Option<Expect>) -> Claim {
    Claim { name: kind, measure: Measure::MessagesOf(kind), formula, expect }
}

pub const CLAIMS: [Claim; 7] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "5(n - 1)",
        expect: |run| figure(run, 3 * others(run) + 2 * answering(run)),
    },
    of("prepare", "n - 1", |run| figure(run, others(run))),
    of("promise", "n - 1", |run| figure(run, answering(run))),
    of("accept", "n - 1", |run| figure(run, others(run))),
    of("accepted", "n - 1", |run| figure(run, answering(run))),
    of("decided", "n - 1", |run| {
        // A member that learns the decision before it is asked answers with the decision.
        figure(run, others(run)).filter(|_| run.delivery != Delivery::Reordering)
    }),
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "7",
        expect: |run| {
            // If a member is dead, runs continue for a while after the outcome.
            let is_in_step = is_calm(run) && run.delivery == Delivery::Unit && run.dead.is_empty();
            let ballot = if run.n() == 1 { 0 } else { BALLOT };
            is_in_step.then_some(Expect::Exactly((GRACE + ballot) as f64))
        },
    },
];

fn others(run: &Setting<'_>) -> usize {
    run.n() - 1
}

/// The live members except the proposer.
fn answering(run: &Setting<'_>) -> usize {
    others(run).saturating_sub(run.dead.len())
}

fn is_calm(run: &Setting<'_>) -> bool {
    run.calm && run.bounded && run.n() - run.dead.len() > run.n() / 2
}

/// If messages do not take equally long, all members may know the outcome before all messages are sent.
fn figure(run: &Setting<'_>, messages: usize) -> Option<Expect> {
    let figure = messages as f64;
    let expect =
        if run.delivery == Delivery::Unit { Expect::Exactly(figure) } else { Expect::AtMost(figure) };
    is_calm(run).then_some(expect)
}
