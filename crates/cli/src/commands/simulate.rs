//! `bellwether simulate`: one run. Many are `batch`.

use super::{batch, simulate_json, simulate_text};
use crate::args::{OutcomeFormat, SimulateArgs};
use crate::error::{Failure, Verdict};
use crate::file::Pending;
use crate::output;
use crate::progress::Progress;
use crate::request::Request;
use crate::trace::{Footer, Header};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::{Roster, Seat};
use bellwether_model::{run_plan, run_plan_observed};
use bellwether_sim::{JsonTrace, Observer, Plan, Report};
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
    pub seats: Vec<Seat>,
}

/// Runs what is asked for, and prints what came of it.
pub fn run(args: &SimulateArgs) -> Result<Verdict, Failure> {
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
            let report = run_plan(&ALGORITHMS.entries[request.choice.entry], &plan, request.mode);
            Run { plan, report, seats: Vec::new() }
        }
    };
    drop(progress);
    match args.format {
        OutcomeFormat::Json => output::print_json(&simulate_json::RunObject::new(args, &request, &run))?,
        OutcomeFormat::Text => output::print(simulate_text::describe(args, &request, &run).as_bytes())?,
    }
    Ok(Verdict::of(&run.report))
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

fn watched<O: Observer>(request: &Request, plan: &Plan, other: O) -> (Report, (Vec<Seat>, O)) {
    let mut roster = Roster::new(plan.n(), other);
    let report =
        run_plan_observed(&ALGORITHMS.entries[request.choice.entry], plan, request.mode, &mut roster);
    (report, roster.into_parts())
}

/// Runs a plan, and writes down everything that happens.
pub fn traced(request: &Request, plan: Plan, path: &Path) -> Result<Run, Failure> {
    let mut file = Pending::create(path)?;
    let writer = file.take_writer().ok_or_else(|| Failure::unwritable(path, "it was begun twice"))?;
    let trace = JsonTrace::new(writer, &plan.topology, &plan.ranks, &Header::new(request, &plan))
        .in_ring_that_closes(plan.ring_closes);
    let (report, (mut seats, trace)) = watched(request, &plan, trace);
    trace.finish(&Footer::new(&report)).map_err(|error| Failure::unwritable(path, error))?;
    file.keep()?;
    if plan.n() > MOST_LISTED {
        seats.clear();
    }
    Ok(Run { plan, report, seats })
}
