//! `bellwether swarm`: many runs, each drawn from a seed.

use crate::args::{ListFormat, SwarmArgs};
use crate::cell::{self, Cell, Example};
use crate::choice::{Choice, Named};
use crate::error::{Failure, Verdict};
use crate::output::{self, Column};
use crate::{again, file};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::scenario::{self, Draft};
use bellwether_sim::swarm::Class;
use bellwether_sim::{RoundMode, simulate};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// How many runs a failure may take to be reduced.
const MOST_RUNS: u64 = 3_000;

/// Runs the swarms; prints what became of them, and how to see the failures again.
pub fn run(args: &SwarmArgs) -> Result<Verdict, Failure> {
    let choices = Choice::find_all(&args.algorithms)?;
    let began = Instant::now();
    let cells = cell::run_all(&choices, &args.model, args.runs, &args.drawing)?;
    tell_rate(args.runs * cells.len() as u64, began);
    let failures: Vec<(&Cell, Class, u64)> =
        cells.iter().flat_map(|cell| cell.failures().map(move |(class, seed)| (cell, class, seed))).collect();
    let most_runs = if args.shrink { MOST_RUNS } else { 0 };
    let examples = cell::reduce_all(&failures, most_runs, &args.drawing)?;
    match args.format {
        ListFormat::Table => output::print(as_text(args, &cells, &examples).as_bytes())?,
        ListFormat::Json => output::print_json(&as_json(args, &cells, &examples))?,
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
    let Example { choice, model, class, found_at, setup, seed } = example;
    let plan = setup.plan(choice.spec, *seed)?;
    let report = simulate(&ALGORITHMS.entries[choice.entry], &plan, RoundMode::Auto);
    let title = format!("{} under {model}: {class}", choice.label());
    let about = format!("Reduced from run {found_at} of the swarm of {} under {model}.", choice.label());
    let spec = ALGORITHMS.entries[choice.entry].spec;
    Ok(scenario::write(&Draft { title: &title, about: &about, spec, setup, seed: *seed, report: &report }))
}

fn as_text(args: &SwarmArgs, cells: &[Cell], examples: &[Example]) -> String {
    let columns = [
        Column::Left("algorithm"),
        Column::Left("model"),
        Column::Right("right"),
        Column::Right("late"),
        Column::Right("no leader"),
        Column::Right("wrong leader"),
        Column::Right("two leaders"),
        Column::Right("two for a while"),
    ];
    let mut table = output::table(&columns);
    for cell in cells {
        let mut row = vec![cell.choice.label(), cell.model.to_string()];
        row.extend(Class::ALL.map(|class| cell.count(class).to_string()));
        row.push(cell.two_for_a_while.to_string());
        table.add_row(row);
    }
    let mut text = output::lines_of(&table);
    for example in examples {
        let Example { choice, model, class, found_at, .. } = example;
        let reduced = if args.shrink { ", reduced" } else { "" };
        text.push_str(&format!(
            "\n{} under {model}: {class}, first at seed {found_at}{reduced}\n    {}\n    {}\n",
            choice.label(),
            swarm_command(args, example),
            example.command()
        ));
    }
    if args.runs == 1 && examples.is_empty() {
        text.push('\n');
        for cell in cells {
            let setup = cell.drawn(args.drawing.seed, &cell::options(&args.drawing));
            text.push_str(&format!("{}\n", again::simulation(&cell.choice, &setup, args.drawing.seed)));
        }
    }
    text
}

/// The command that draws one run again.
fn swarm_command(args: &SwarmArgs, example: &Example) -> String {
    let (label, model, seed) = (example.choice.label(), example.model, example.found_at);
    let (least, most) = (args.drawing.nodes.start(), args.drawing.nodes.end());
    let nodes = if (*least, *most) == (5, 9) { String::new() } else { format!(" --nodes {least}..{most}") };
    format!("bellwether swarm {label} --model {model}{nodes} --seed {seed} --runs 1")
}

#[derive(Serialize)]
struct SwarmObject {
    seed: u64,
    runs: u64,
    cells: Vec<CellObject>,
    failures: Vec<FailureObject>,
}

/// What became of the runs of one algorithm under one failure model.
#[derive(Serialize)]
pub struct CellObject {
    #[serde(flatten)]
    named: Named,
    model: &'static str,
    declared: bool,
    right: u64,
    late: u64,
    no_leader: u64,
    wrong_leader: u64,
    two_leaders: u64,
    two_for_a_while: u64,
}

impl CellObject {
    /// As JSON.
    pub fn new(cell: &Cell) -> CellObject {
        CellObject {
            named: Named::new(&cell.choice),
            model: cell.model.name(),
            declared: cell.model.is_survived_by(cell.choice.spec),
            right: cell.count(Class::Right),
            late: cell.count(Class::Late),
            no_leader: cell.count(Class::NoLeader),
            wrong_leader: cell.count(Class::WrongLeader),
            two_leaders: cell.count(Class::TwoLeaders),
            two_for_a_while: cell.two_for_a_while,
        }
    }
}

/// A failure, and how to see it again.
#[derive(Serialize)]
pub struct FailureObject {
    algorithm: String,
    model: &'static str,
    class: &'static str,
    seed: u64,
    members: usize,
    command: String,
}

impl FailureObject {
    /// As JSON.
    pub fn new(example: &Example) -> FailureObject {
        FailureObject {
            algorithm: example.choice.label(),
            model: example.model.name(),
            class: example.class.name(),
            seed: example.found_at,
            members: example.size().0,
            command: example.command(),
        }
    }
}

fn as_json(args: &SwarmArgs, cells: &[Cell], examples: &[Example]) -> impl Serialize + use<> {
    SwarmObject {
        seed: args.drawing.seed,
        runs: args.runs,
        cells: cells.iter().map(CellObject::new).collect(),
        failures: examples.iter().map(FailureObject::new).collect(),
    }
}
