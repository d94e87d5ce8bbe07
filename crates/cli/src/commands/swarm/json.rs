//! What became of swarms, as JSON.

use super::replay_command;
use crate::args::SwarmArgs;
use crate::choice::Named;
use bellwether_lab::matrix::{Example, MatrixCell};
use bellwether_lab::swarm::Class;
use serde::Serialize;

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
    pub fn new(cell: &MatrixCell) -> CellObject {
        CellObject {
            named: Named::new(&cell.choice.into()),
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
            algorithm: example.choice.to_string(),
            model: example.model.name(),
            class: example.class.name(),
            seed: example.found_at,
            members: example.size().0,
            command: replay_command(example),
        }
    }
}

pub fn as_json(args: &SwarmArgs, cells: &[MatrixCell], examples: &[Example]) -> impl Serialize + use<> {
    SwarmObject {
        seed: args.drawing.seed,
        runs: args.runs,
        cells: cells.iter().map(CellObject::new).collect(),
        failures: examples.iter().map(FailureObject::new).collect(),
    }
}
