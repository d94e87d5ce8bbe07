//! Swarms and the survival matrix, as `swarm` and `survive` do them: runs with a bar, and their JSON.

use crate::args::Drawing;
use crate::choice::{Choice, Named};
use crate::error::Failure;
use crate::progress::Progress;
use bellwether_core::AlgorithmChoice;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::matrix::{Example, FailedRun, Matrix, MatrixCell};
use bellwether_lab::swarm::{Class, Model, Options};
use serde::Serialize;

impl Drawing {
    /// How the cells are filled.
    pub fn matrix(&self) -> Matrix<'static> {
        let options = Options { nodes: self.nodes.clone(), ..Options::usual(ALGORITHMS.detectors) };
        Matrix { registry: &ALGORITHMS, options, threads: self.threads.into() }
    }

    /// Runs every algorithm under every model.
    pub fn fill(&self, choices: &[Choice], models: &[Model], runs: u64) -> Result<Vec<MatrixCell>, Failure> {
        let choices: Vec<AlgorithmChoice> = choices.iter().map(Choice::algorithm).collect();
        let cells = choices.len() as u64 * models.len() as u64;
        let progress = Progress::new(runs.saturating_mul(cells), "runs");
        let seeds = Seeds { first: self.seed, count: runs };
        Ok(self.matrix().fill(&choices, models, seeds, &progress)?)
    }

    /// Reduces failures, with so many runs each.
    pub fn reduce(&self, failures: &[FailedRun<'_>], most_runs: u64) -> Result<Vec<Example>, Failure> {
        let progress = Progress::new(failures.len() as u64, "failures reduced");
        Ok(self.matrix().reduce(failures, most_runs, &progress)?)
    }
}

/// Cells and examples as JSON.
#[derive(Serialize)]
pub struct MatrixObject {
    seed: u64,
    runs: u64,
    cells: Vec<CellObject>,
    failures: Vec<FailureObject>,
}

/// The runs of one algorithm under one failure model.
#[derive(Serialize)]
struct CellObject {
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
    fn new(cell: &MatrixCell) -> CellObject {
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

/// A failure, and the command that runs it again.
#[derive(Serialize)]
struct FailureObject {
    algorithm: String,
    model: &'static str,
    class: &'static str,
    seed: u64,
    members: usize,
    command: String,
}

impl FailureObject {
    fn new(example: &Example) -> FailureObject {
        FailureObject {
            algorithm: example.choice.to_string(),
            model: example.model.name(),
            class: example.class.name(),
            seed: example.found_at,
            members: example.size().0,
            command: example.command(),
        }
    }
}

impl MatrixObject {
    /// As JSON.
    pub fn new(seed: u64, runs: u64, cells: &[MatrixCell], examples: &[Example]) -> MatrixObject {
        MatrixObject {
            seed,
            runs,
            cells: cells.iter().map(CellObject::new).collect(),
            failures: examples.iter().map(FailureObject::new).collect(),
        }
    }
}
