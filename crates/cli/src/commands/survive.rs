//! `bellwether survive`: which algorithm survives which failures.

use super::survive_output;
use crate::args::{PageFormat, SurviveArgs};
use crate::cell::{self, Cell};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::output;
use bellwether_lab::swarm::{Class, Model};

/// How many runs a failure may take to be reduced: enough for runs of nine.
const MOST_RUNS: u64 = 150;

/// Runs everything, and prints what survives what.
pub fn run(args: &SurviveArgs) -> Result<Verdict, Failure> {
    let choices = if args.algorithms.is_empty() {
        Choice::all().collect()
    } else {
        Choice::find_all(&args.algorithms)?
    };
    let models = if args.model.is_empty() { Model::ALL.to_vec() } else { args.model.clone() };
    let cells = cell::run_all(&choices, &models, args.runs, &args.drawing)?;
    // The worst failure of each cell.
    let failures: Vec<(&Cell, Class, u64)> = cells
        .iter()
        .filter_map(|cell| cell.failures().next_back().map(|(class, seed)| (cell, class, seed)))
        .collect();
    let examples = cell::reduce_all(&failures, MOST_RUNS, &args.drawing)?;
    match args.format {
        PageFormat::Table => output::print(survive_output::as_table(&cells, &examples).as_bytes())?,
        PageFormat::Markdown => {
            output::print(survive_output::as_markdown(args, &models, &cells, &examples).as_bytes())?;
        }
        PageFormat::Json => output::print_json(&survive_output::as_json(args, &cells, &examples))?,
    }
    let contradicted = cells.iter().any(Cell::contradicts);
    Ok(if contradicted { Verdict::NotAsClaimed } else { Verdict::Fine })
}
