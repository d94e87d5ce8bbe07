//! Failover figures, as JSON.

use super::text::shared_terms;
use crate::args::TrialsArgs;
use crate::choice::Named;
use bellwether_lab::Figure;
use bellwether_lab::batch::Figures;
use bellwether_lab::failover::{FailoverCase, FailoverFigures};
use serde::Serialize;

#[derive(Serialize)]
struct Trials {
    nodes: u32,
    runs: u64,
    seed: u64,
    trials: Vec<Row>,
}

/// Times are in delay bounds.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    named: Named,
    ordeal: FailoverCase,
    without_leader: Option<Figures>,
    runs_with_several: u64,
    longest_with_several: Figure,
    shared_terms: Option<u64>,
    changes: Option<Figures>,
    came_right: u64,
}

/// As JSON.
pub fn as_json(args: &TrialsArgs, all: &[FailoverFigures]) -> impl Serialize + use<> {
    let row = |one: &FailoverFigures| Row {
        named: Named::new(&one.choice),
        ordeal: one.case,
        without_leader: one.without_leader.map(Figures::from),
        runs_with_several: one.runs_with_several,
        longest_with_several: Figure(one.longest_with_several),
        shared_terms: shared_terms(one),
        changes: one.changes.map(Figures::from),
        came_right: one.came_right,
    };
    Trials { nodes: args.nodes, runs: args.runs, seed: args.seed, trials: all.iter().map(row).collect() }
}
