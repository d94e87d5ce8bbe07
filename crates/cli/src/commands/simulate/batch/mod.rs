//! `bellwether simulate --runs`: the same again with other seeds, summed up.

mod json;
mod text;

use crate::args::{OutcomeFormat, SimulateArgs};
use crate::error::{ExitStatus, Failure};
use crate::output;
use crate::progress::Progress;
use crate::request::Request;

/// Runs it all, and prints the sum.
pub fn run(args: &SimulateArgs, request: &Request) -> Result<ExitStatus, Failure> {
    // What cannot be run at all is found out before the bar appears.
    let plan = request.first_plan()?;
    let progress = Progress::new(request.runs, "runs");
    let batch = request.run(&progress)?;
    drop(progress);
    match args.format {
        OutcomeFormat::Json => output::print_json(&json::BatchObject::new(request, plan.n(), &batch))?,
        OutcomeFormat::Text => output::print(text::describe(request, &plan, &batch).as_bytes())?,
    }
    Ok(batch.result.into())
}
