//! `bellwether swarm`: many runs, each drawn from a seed.

mod text;

use crate::args::{ListFormat, SwarmArgs};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::matrix::MatrixObject;
use crate::{file, output};
use bellwether_lab::matrix::{Example, FailedRun, MatrixCell};
use bellwether_lab::swarm::Class;
use std::path::Path;
use std::time::Instant;

/// How many runs a failure may take to be reduced.
const MOST_RUNS: u64 = 3_000;

/// Runs the swarms; prints what became of them, and how to see the failures again.
pub fn run(args: &SwarmArgs) -> Result<ExitStatus, Failure> {
    let choices = Choice::find_all(&args.algorithms)?;
    let began = Instant::now();
    let cells = args.drawing.fill(&choices, &args.model, args.runs)?;
    tell_rate(args.runs * cells.len() as u64, began);
    let failures: Vec<FailedRun<'_>> = cells.iter().flat_map(MatrixCell::failures).collect();
    let most_runs = if args.shrink { MOST_RUNS } else { 0 };
    let examples = args.drawing.reduce(&failures, most_runs)?;
    match args.format {
        ListFormat::Table => output::print(text::as_text(args, &cells, &examples).as_bytes())?,
        ListFormat::Json => {
            output::print_json(&MatrixObject::new(args.drawing.seed, args.runs, &cells, &examples))?;
        }
    }
    if let Some(path) = &args.save {
        save(path, &examples)?;
    }
    Ok(cells.iter().map(|cell| verdict(cell.worst())).max().unwrap_or_default())
}

/// How fast it was is not part of the data.
fn tell_rate(runs: u64, began: Instant) {
    let seconds = began.elapsed().as_secs_f64().max(1e-9);
    eprintln!("{runs} runs in {seconds:.1} s: {:.0} runs a second", runs as f64 / seconds);
}

fn verdict(worst: Class) -> ExitStatus {
    match worst {
        Class::Right | Class::Late => ExitStatus::Fine,
        Class::NoLeader => ExitStatus::NotLive,
        Class::WrongLeader | Class::TwoLeaders => ExitStatus::Unsafe,
    }
}

fn save(path: &Path, examples: &[Example]) -> Result<(), Failure> {
    let worst = examples.iter().max_by_key(|example| (example.class, std::cmp::Reverse(example.size())));
    let Some(worst) = worst else {
        eprintln!("no run failed: there is nothing to save, and {} is not written", path.display());
        return Ok(());
    };
    file::write(path, worst.scenario().as_bytes())
}
