//! The subcommands, a file each.

mod algorithms;
mod batch;
mod check;
mod check_files;
mod check_json;
mod check_story;
mod check_text;
mod compare;
mod compare_output;
mod completions;
mod detectors;
mod detectors_measure;
mod detectors_output;
mod detectors_pages;
mod explain;
mod man;
mod play;
mod play_text;
mod proven;
mod proven_output;
mod scenarios;
mod secret;
mod simulate;
mod simulate_json;
mod simulate_text;
mod survive;
mod survive_output;
mod swarm;
mod timeouts;
mod timeouts_measure;
mod trials;
mod trials_output;
mod up;

pub use compare::{Series, orders};
pub use detectors_measure::{Row, TradeOff};
pub use detectors_output::HOPS_AN_HOUR;
pub use timeouts_measure::{Graphs, Missed};

use crate::args::Command;
use crate::error::{Failure, Verdict};

/// Does what is asked for.
pub fn run(command: Command) -> Result<Verdict, Failure> {
    match command {
        Command::Up(args) => up::run(&args),
        Command::Member { settings, quiet } => up::member(&settings, quiet),
        Command::Supervise { settings, quiet } => up::supervise(&settings, quiet),
        Command::Algorithms(args) => algorithms::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Detectors(args) => detectors::run(&args),
        Command::Scenarios(args) => scenarios::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Swarm(args) => swarm::run(&args),
        Command::Survive(args) => survive::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Timeouts(args) => timeouts::run(&args),
        Command::Trials(args) => trials::run(&args),
        Command::Secret => secret::run(),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { dir } => man::run(dir.as_deref()),
    }
}
