//! What came of a scenario's check, as JSON.

use crate::choice::Named;
use bellwether_core::Id;
use bellwether_lab::scenario::{Mismatch, Played, Resolved, Scenario};
use bellwether_lab::{Figure, problems};
use bellwether_sim::{Counts, Outcome};
use serde::Serialize;

/// What came of a check.
#[derive(Serialize)]
pub struct Checked<'s> {
    scenario: &'s str,
    title: &'s str,
    #[serde(flatten)]
    named: Named,
    as_expected: bool,
    mismatches: &'s [Mismatch],
    outcome: Outcome,
    leader: Option<Id>,
    agreed: bool,
    messages: &'s Counts,
    bytes: u64,
    time: Figure,
    rounds: Option<u64>,
    problems: Vec<String>,
}

impl<'s> Checked<'s> {
    pub fn new(
        name: &'s str,
        scenario: &'s Scenario,
        resolved: &Resolved,
        played: &'s Played,
        mismatches: &'s [Mismatch],
    ) -> Checked<'s> {
        let report = &played.report;
        Checked {
            scenario: name,
            title: &scenario.title,
            named: Named::new(&resolved.choice),
            as_expected: mismatches.is_empty(),
            mismatches,
            outcome: report.ruling.outcome,
            leader: report.ruling.leader,
            agreed: report.ruling.agreed,
            messages: &report.messages,
            bytes: report.bytes,
            time: Figure(report.time.hops()),
            rounds: report.rounds,
            problems: problems(report),
        }
    }
}
