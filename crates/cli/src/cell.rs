//! Swarms of one algorithm under one failure model, and what became of them.

use crate::again;
use crate::args::Drawing;
use crate::choice::Choice;
use crate::error::Failure;
use crate::progress::Progress;
use bellwether_engine::ALGORITHMS;
use bellwether_sim::swarm::{self, Case, Class, Model, Options, Verdict};
use bellwether_sim::{Setup, in_parallel, shrink};
use std::collections::BTreeMap;

/// What became of the runs of one algorithm under one failure model.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The algorithm.
    pub choice: Choice,
    /// What went wrong.
    pub model: Model,
    /// How many runs became what.
    pub counts: BTreeMap<Class, u64>,
    /// In how many two led at once for a while.
    pub two_for_a_while: u64,
    /// The first seed of each class.
    pub first: BTreeMap<Class, u64>,
}

impl Cell {
    fn new(choice: Choice, model: Model, verdicts: &[Verdict], first_seed: u64) -> Cell {
        let mut cell = Cell {
            choice,
            model,
            counts: BTreeMap::new(),
            two_for_a_while: verdicts.iter().filter(|verdict| verdict.two_for_a_while).count() as u64,
            first: BTreeMap::new(),
        };
        for (number, verdict) in verdicts.iter().enumerate() {
            *cell.counts.entry(verdict.class).or_default() += 1;
            cell.first.entry(verdict.class).or_insert(first_seed.wrapping_add(number as u64));
        }
        cell
    }

    /// How many runs became that.
    pub fn count(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or(0)
    }

    /// The worst that became of any run.
    pub fn worst(&self) -> Class {
        self.counts.last_key_value().map_or(Class::Right, |(&class, _)| class)
    }

    /// Failures, the mildest first: what they are, and the first seed of each.
    pub fn failures(&self) -> impl DoubleEndedIterator<Item = (Class, u64)> + '_ {
        self.first.iter().filter(|(class, _)| class.is_failure()).map(|(&class, &seed)| (class, seed))
    }

    /// Whether it fails though the algorithm declares to survive.
    pub fn contradicts(&self) -> bool {
        self.worst().is_failure() && self.model.is_survived_by(self.choice.spec)
    }

    /// What becomes of a run of this cell, to be followed in full.
    pub fn drawn(&self, seed: u64, options: &Options) -> Setup {
        let case = Case { choice: self.choice.algorithm(), model: self.model, seed };
        swarm::draw_for(&ALGORITHMS, case, options)
    }
}

/// What swarms are drawn from.
pub fn options(drawing: &Drawing) -> Options {
    Options { nodes: drawing.nodes.clone(), ..Options::usual(ALGORITHMS.detectors) }
}

/// Runs every algorithm under every model, on all cores.
pub fn run_all(
    choices: &[Choice],
    models: &[Model],
    runs: u64,
    drawing: &Drawing,
) -> Result<Vec<Cell>, Failure> {
    let options = options(drawing);
    let cells: Vec<(Choice, Model)> =
        choices.iter().flat_map(|&choice| models.iter().map(move |&model| (choice, model))).collect();
    let progress = Progress::new(runs.saturating_mul(cells.len() as u64), "runs");
    let mut all = Vec::with_capacity(cells.len());
    // One cell after the other, so that a swarm of millions does not fill the memory.
    for (choice, model) in cells {
        progress.say(format!("({} under {model})", choice.label()));
        let case = |seed| Case { choice: choice.algorithm(), model, seed };
        let verdicts = in_parallel(drawing.threads.into(), runs, |number| {
            let verdict = swarm::run(&ALGORITHMS, case(drawing.seed.wrapping_add(number)), &options);
            progress.advance();
            verdict
        })?;
        all.push(Cell::new(choice, model, &verdicts, drawing.seed));
    }
    Ok(all)
}

/// A failure, reduced.
#[derive(Clone, Debug)]
pub struct Example {
    /// The algorithm.
    pub choice: Choice,
    /// What went wrong.
    pub model: Model,
    /// What became of it.
    pub class: Class,
    /// The seed of the swarm's run.
    pub found_at: u64,
    /// What is left of its setup.
    pub setup: Setup,
    /// With which seed.
    pub seed: u64,
}

impl Example {
    /// The command that replays it.
    pub fn command(&self) -> String {
        again::simulation(&self.choice, &self.setup, self.seed)
    }

    /// How large it is: members, faults left to chance, other faults.
    pub fn size(&self) -> (usize, usize, usize) {
        shrink::size(&self.setup)
    }
}

/// Reduces failures (a cell, what became of it, a seed), on all cores, with so many runs each.
pub fn reduce_all(
    failures: &[(&Cell, Class, u64)],
    most_runs: u64,
    drawing: &Drawing,
) -> Result<Vec<Example>, Failure> {
    let options = options(drawing);
    let progress = Progress::new(failures.len() as u64, "failures reduced");
    let examples = in_parallel(drawing.threads.into(), failures.len() as u64, |number| {
        let (cell, class, found_at) = failures[number as usize];
        let setup = cell.drawn(found_at, &options);
        let shrunk = swarm::reduce(&ALGORITHMS.entries[cell.choice.entry], &setup, found_at, most_runs);
        progress.advance();
        let (choice, model) = (cell.choice, cell.model);
        Ok(Example { choice, model, class, found_at, setup: shrunk.setup, seed: shrunk.seed })
    })?;
    Ok(examples)
}
