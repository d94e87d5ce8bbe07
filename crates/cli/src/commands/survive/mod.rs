//! `bellwether survive`: which algorithm survives which failures.

mod markdown;
mod text;

use crate::args::{PageFormat, SurviveArgs};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::matrix::MatrixObject;
use crate::output;
use bellwether_lab::matrix::{FailedRun, MatrixCell};
use bellwether_lab::swarm::Model;

/// How many runs a failure may take to be reduced: enough for runs of nine.
const MOST_RUNS: u64 = 150;

/// Runs everything, and prints what survives what.
pub fn run(args: &SurviveArgs) -> Result<ExitStatus, Failure> {
    let choices = if args.algorithms.is_empty() {
        Choice::all().collect()
    } else {
        Choice::find_all(&args.algorithms)?
    };
    let models = if args.model.is_empty() { Model::ALL.to_vec() } else { args.model.clone() };
    let cells = args.drawing.fill(&choices, &models, args.runs)?;
    // The worst failure of each cell.
    let failures: Vec<FailedRun<'_>> = cells.iter().filter_map(|cell| cell.failures().next_back()).collect();
    let examples = args.drawing.reduce(&failures, MOST_RUNS)?;
    match args.format {
        PageFormat::Table => output::print(text::as_table(&cells, &examples).as_bytes())?,
        PageFormat::Markdown => {
            output::print(markdown::as_markdown(args, &models, &cells, &examples).as_bytes())?;
        }
        PageFormat::Json => {
            output::print_json(&MatrixObject::new(args.drawing.seed, args.runs, &cells, &examples))?;
        }
    }
    let contradicted = cells.iter().any(MatrixCell::contradicts);
    Ok(if contradicted { ExitStatus::NotAsClaimed } else { ExitStatus::Fine })
}
