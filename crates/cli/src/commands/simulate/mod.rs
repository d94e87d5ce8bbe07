//! `bellwether simulate`: one run. Many are `batch`.

mod batch;
mod json;
pub mod text;

use crate::args::{OutcomeFormat, SimulateArgs};
use crate::error::{ExitStatus, Failure};
use crate::output;
use crate::progress::Progress;
use crate::request::Request;
use crate::trace;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::{FinalState, Roster, RunResult};
use bellwether_model::{run_plan, run_plan_observed};
use bellwether_sim::{Observer, Plan, Report};
use std::path::Path;

/// Up to so many members, people get to see each.
const MOST_LISTED: u32 = 32;

/// A run, and what there is to be seen of each member where there are few.
pub struct Run {
    /// What was run.
    pub plan: Plan,
    /// What came of it.
    pub report: Report,
    /// The members, by index; empty where there are many.
    pub seats: Vec<FinalState>,
}

/// Runs what is asked for, and prints what came of it.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, Failure> {
    check_trace(args)?;
    let request = Request::from_simulate(args)?;
    if args.runs > 1 {
        return batch::run(args, &request);
    }
    let plan = request.first_plan()?;
    let progress = Progress::endless(format!("{} members elect", plan.n()));
    let run = match &args.trace {
        Some(path) => traced(&request, plan, path)?,
        None if plan.n() <= MOST_LISTED => {
            let (report, (seats, ())) = watched(&request, &plan, ());
            Run { plan, report, seats }
        }
        None => {
            let report = run_plan(&ALGORITHMS.entries[request.choice.entry], &plan, request.mode());
            Run { plan, report, seats: Vec::new() }
        }
    };
    drop(progress);
    match args.format {
        OutcomeFormat::Json => output::print_json(&json::RunObject::new(&request, &run))?,
        OutcomeFormat::Text => output::print(text::describe(&request, &run).as_bytes())?,
    }
    Ok(RunResult::of(&run.report).into())
}

fn check_trace(args: &SimulateArgs) -> Result<(), Failure> {
    match &args.trace {
        Some(path) if path == Path::new("-") => {
            Err(Failure::input("--trace needs a file: the standard output has the outcome"))
        }
        Some(_) if args.runs > 1 => Err(Failure::input_with_hint(
            "--trace follows a single run",
            "leave out --runs, or name one seed",
        )),
        _ => Ok(()),
    }
}

fn watched<O: Observer>(request: &Request, plan: &Plan, other: O) -> (Report, (Vec<FinalState>, O)) {
    let mut roster = Roster::new(plan.n(), other);
    let report =
        run_plan_observed(&ALGORITHMS.entries[request.choice.entry], plan, request.mode(), &mut roster);
    (report, roster.into_parts())
}

/// Runs a plan, and writes down everything that happens.
fn traced(request: &Request, plan: Plan, path: &Path) -> Result<Run, Failure> {
    let (report, mut seats) =
        trace::write(&request.run, request.choice.spec, &plan, path, |trace| watched(request, &plan, trace))?;
    if plan.n() > MOST_LISTED {
        seats.clear();
    }
    Ok(Run { plan, report, seats })
}
