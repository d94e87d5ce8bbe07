//! The survival matrix: swarms of algorithms under failure models, and what became of them.

use crate::parallel::in_parallel;
use crate::progress::Progress;
use crate::scenario::{self, Draft};
use crate::seeds::Seeds;
use crate::shrink;
use crate::swarm::{self, Case, Class, Model, Options, Reduced, RunVerdict};
use bellwether_core::{AlgorithmChoice, Registry};
use bellwether_runspec::{RunSpec, command};
use bellwether_sim::{Report, Runner, SetupError};
use std::collections::BTreeMap;

/// How the cells of a matrix are filled.
#[derive(Clone, Debug)]
pub struct Matrix<'r> {
    /// Where the algorithms are.
    pub registry: &'r Registry<Runner>,
    /// What is the same for all runs.
    pub options: Options,
    /// On how many cores; 0: on all of them.
    pub threads: usize,
}

/// What became of the runs of one algorithm under one failure model.
#[derive(Clone, Debug)]
pub struct MatrixCell {
    /// The algorithm, with its parameters.
    pub choice: AlgorithmChoice,
    /// What went wrong.
    pub model: Model,
    /// How many runs became what.
    pub counts: BTreeMap<Class, u64>,
    /// In how many two led at once for a while.
    pub two_for_a_while: u64,
    /// The first seed of each class.
    pub first: BTreeMap<Class, u64>,
}

/// A run that failed.
#[derive(Clone, Copy, Debug)]
pub struct FailedRun<'c> {
    /// In which cell.
    pub cell: &'c MatrixCell,
    /// What became of it.
    pub class: Class,
    /// Its seed.
    pub seed: u64,
}

/// A run that failed, reduced.
#[derive(Clone, Debug)]
pub struct Example {
    /// The algorithm, with its parameters.
    pub choice: AlgorithmChoice,
    /// What went wrong.
    pub model: Model,
    /// What became of it.
    pub class: Class,
    /// The seed of the swarm's run.
    pub found_at: u64,
    /// What is left of it.
    pub run: RunSpec,
    /// What the reduced run came to.
    pub report: Report,
}

impl Matrix<'_> {
    /// Runs every algorithm under every model with these seeds, one cell after the other: so a swarm of millions does not
    /// fill the memory.
    ///
    /// # Errors
    /// The first [`SetupError`].
    pub fn fill(
        &self,
        choices: &[AlgorithmChoice],
        models: &[Model],
        seeds: Seeds,
        progress: &dyn Progress,
    ) -> Result<Vec<MatrixCell>, SetupError> {
        let pairs = choices.iter().flat_map(|&choice| models.iter().map(move |&model| (choice, model)));
        pairs.map(|(choice, model)| self.fill_cell(choice, model, seeds, progress)).collect()
    }

    fn fill_cell(
        &self,
        choice: AlgorithmChoice,
        model: Model,
        seeds: Seeds,
        progress: &dyn Progress,
    ) -> Result<MatrixCell, SetupError> {
        progress.begin(&format!("{choice} under {model}"));
        let verdicts = in_parallel(self.threads, seeds.count, |number| {
            let case = Case { choice, model, seed: seeds.at(number) };
            let verdict = swarm::run(self.registry, case, &self.options);
            progress.advance();
            verdict
        })?;
        Ok(MatrixCell::new(choice, model, &verdicts, seeds))
    }

    /// One run of a cell.
    #[must_use]
    pub fn draw(&self, cell: &MatrixCell, seed: u64) -> RunSpec {
        let case = Case { choice: cell.choice, model: cell.model, seed };
        swarm::draw_for(self.registry, case, &self.options)
    }

    /// Reduces failures, with so many runs each.
    ///
    /// # Errors
    /// [`SetupError::Threads`].
    pub fn reduce(
        &self,
        failures: &[FailedRun<'_>],
        most_runs: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<Example>, SetupError> {
        in_parallel(self.threads, failures.len() as u64, |number| {
            let FailedRun { cell, class, seed: found_at } = failures[number as usize];
            let run = self.draw(cell, found_at);
            let algorithm = &self.registry.entries[cell.choice.entry];
            let reduced = swarm::reduce(algorithm, &run, self.registry.detectors, most_runs);
            progress.advance();
            let Reduced { run, report } = reduced?;
            let MatrixCell { choice, model, .. } = *cell;
            Ok(Example { choice, model, class, found_at, run, report })
        })
    }
}

impl MatrixCell {
    fn new(choice: AlgorithmChoice, model: Model, verdicts: &[RunVerdict], seeds: Seeds) -> MatrixCell {
        let two_for_a_while = verdicts.iter().filter(|verdict| verdict.two_for_a_while).count() as u64;
        let (mut counts, mut first) = (BTreeMap::new(), BTreeMap::new());
        for (number, verdict) in (0..).zip(verdicts) {
            *counts.entry(verdict.class).or_default() += 1;
            first.entry(verdict.class).or_insert(seeds.at(number));
        }
        MatrixCell { choice, model, counts, two_for_a_while, first }
    }

    /// How many runs became that.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or(0)
    }

    /// The worst that became of any run.
    #[must_use]
    pub fn worst(&self) -> Class {
        self.counts.last_key_value().map_or(Class::Right, |(&class, _)| class)
    }

    /// The first failure of each class, the mildest first.
    pub fn failures(&self) -> impl DoubleEndedIterator<Item = FailedRun<'_>> {
        let failed = self.first.iter().filter(|(class, _)| class.is_failure());
        failed.map(|(&class, &seed)| FailedRun { cell: self, class, seed })
    }

    /// Whether the algorithm fails though it declares to survive.
    #[must_use]
    pub fn contradicts(&self) -> bool {
        self.worst().is_failure() && self.model.is_survived_by(self.choice.spec)
    }
}

impl Example {
    /// How large it is: members, faults left to chance, other faults.
    #[must_use]
    pub fn size(&self) -> (usize, usize, usize) {
        shrink::size(&self.run)
    }

    /// The command that runs it again.
    #[must_use]
    pub fn command(&self) -> String {
        command(&self.run)
    }

    /// The text of a scenario that expects the same.
    #[must_use]
    pub fn scenario(&self) -> String {
        let Example { choice, model, class, found_at, run, report } = self;
        let title = format!("{choice} under {model}: {class}");
        let about = format!("Reduced from run {found_at} of the swarm of {choice} under {model}.");
        let run = run.clone().of_choice(choice);
        scenario::write(&Draft { title: &title, about: &about, run: &run, report })
    }
}
