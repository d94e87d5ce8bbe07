//! The subcommands, a folder each.

mod algorithms;
mod check;
mod compare;
mod completions;
mod detectors;
mod explain;
mod man;
mod member;
mod play;
mod scenarios;
mod secret;
mod simulate;
mod supervise;
mod survive;
mod swarm;
mod timeouts;
mod trials;
mod up;

use crate::args::Command;
use crate::error::{ExitStatus, Failure};

/// Does what is asked for.
pub fn run(command: Command) -> Result<ExitStatus, Failure> {
    match command {
        Command::Up(args) => up::run(&args),
        Command::Member { settings, quiet } => member::run(&settings, quiet),
        Command::Supervise { settings, quiet } => supervise::run(&settings, quiet),
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
