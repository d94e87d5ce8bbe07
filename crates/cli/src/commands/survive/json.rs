//! What survives what, as JSON.

use crate::args::SurviveArgs;
use crate::commands::swarm::{CellObject, FailureObject};
use bellwether_lab::matrix::{Example, MatrixCell};
use serde::Serialize;

#[derive(Serialize)]
struct SurvivalObject {
    seed: u64,
    runs: u64,
    cells: Vec<CellObject>,
    failures: Vec<FailureObject>,
}

/// As JSON.
pub fn as_json(args: &SurviveArgs, cells: &[MatrixCell], examples: &[Example]) -> impl Serialize + use<> {
    SurvivalObject {
        seed: args.drawing.seed,
        runs: args.runs,
        cells: cells.iter().map(CellObject::new).collect(),
        failures: examples.iter().map(FailureObject::new).collect(),
    }
}
