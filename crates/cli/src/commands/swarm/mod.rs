//! `bellwether swarm`: many runs, each drawn from a seed.

mod json;
mod text;

pub use json::{CellObject, FailureObject};

use crate::args::{Drawing, ListFormat, SwarmArgs};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::file;
use crate::output;
use crate::progress::Progress;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::matrix::{Example, FailedRun, Matrix, MatrixCell};
use bellwether_lab::scenario::{self, Draft};
use bellwether_lab::swarm::{Class, Model, Options};
use bellwether_model::run_plan;
use bellwether_runspec::Chosen;
use bellwether_sim::RoundMode;
use std::path::Path;
use std::time::Instant;

/// How many runs a failure may take to be reduced.
const MOST_RUNS: u64 = 3_000;

/// Runs the swarms; prints what became of them, and how to see the failures again.
pub fn run(args: &SwarmArgs) -> Result<Verdict, Failure> {
    let choices = Choice::find_all(&args.algorithms)?;
    let began = Instant::now();
    let cells = fill(&choices, &args.model, args.runs, &args.drawing)?;
    tell_rate(args.runs * cells.len() as u64, began);
    let failures: Vec<FailedRun<'_>> = cells.iter().flat_map(MatrixCell::failures).collect();
    let most_runs = if args.shrink { MOST_RUNS } else { 0 };
    let examples = reduce(&failures, most_runs, &args.drawing)?;
    match args.format {
        ListFormat::Table => output::print(text::as_text(args, &cells, &examples).as_bytes())?,
        ListFormat::Json => output::print_json(&json::as_json(args, &cells, &examples))?,
    }
    if let Some(path) = &args.save {
        save(path, &examples)?;
    }
    Ok(cells.iter().map(|cell| verdict(cell.worst())).max().unwrap_or_default())
}

fn matrix(drawing: &Drawing) -> Matrix<'static> {
    let options = Options { nodes: drawing.nodes.clone(), ..Options::usual(ALGORITHMS.detectors) };
    Matrix { registry: &ALGORITHMS, options, threads: drawing.threads.into() }
}

/// Runs every algorithm under every model, one cell after the other: so a swarm of millions does not fill the memory.
pub fn fill(
    choices: &[Choice],
    models: &[Model],
    runs: u64,
    drawing: &Drawing,
) -> Result<Vec<MatrixCell>, Failure> {
    let (matrix, seeds) = (matrix(drawing), Seeds { first: drawing.seed, count: runs });
    let cells = choices.len() as u64 * models.len() as u64;
    let progress = Progress::new(runs.saturating_mul(cells), "runs");
    let mut all = Vec::new();
    for choice in choices {
        for &model in models {
            progress.say(format!("({} under {model})", choice.label()));
            all.push(matrix.fill(choice.algorithm(), model, seeds, || progress.advance())?);
        }
    }
    Ok(all)
}

/// Reduces failures, with so many runs each.
pub fn reduce(
    failures: &[FailedRun<'_>],
    most_runs: u64,
    drawing: &Drawing,
) -> Result<Vec<Example>, Failure> {
    let progress = Progress::new(failures.len() as u64, "failures reduced");
    Ok(matrix(drawing).reduce(failures, most_runs, || progress.advance())?)
}

/// The command that replays an example.
pub fn replay_command(example: &Example) -> String {
    bellwether_runspec::command(&example.run)
}

/// How fast it was is not part of the data.
fn tell_rate(runs: u64, began: Instant) {
    let seconds = began.elapsed().as_secs_f64().max(1e-9);
    eprintln!("{runs} runs in {seconds:.1} s: {:.0} runs a second", runs as f64 / seconds);
}

fn verdict(worst: Class) -> Verdict {
    match worst {
        Class::Right | Class::Late => Verdict::Fine,
        Class::NoLeader => Verdict::NotLive,
        Class::WrongLeader | Class::TwoLeaders => Verdict::Unsafe,
    }
}

fn save(path: &Path, examples: &[Example]) -> Result<(), Failure> {
    let worst = examples.iter().max_by_key(|example| (example.class, std::cmp::Reverse(example.size())));
    let Some(worst) = worst else {
        eprintln!("no run failed: there is nothing to save, and {} is not written", path.display());
        return Ok(());
    };
    file::write(path, as_scenario(worst)?.as_bytes())
}

fn as_scenario(example: &Example) -> Result<String, Failure> {
    let Example { choice, model, class, found_at, run } = example;
    let algorithm = &ALGORITHMS.entries[choice.entry];
    let chosen = Chosen::of(algorithm.spec, run, ALGORITHMS.detectors)?;
    let plan = run.plan(chosen, run.seed)?;
    let report = run_plan(algorithm, &plan, RoundMode::Auto);
    let run = &run.clone().of_choice(choice);
    let title = format!("{choice} under {model}: {class}");
    let about = format!("Reduced from run {found_at} of the swarm of {choice} under {model}.");
    Ok(scenario::write(&Draft { title: &title, about: &about, run, report: &report }))
}
