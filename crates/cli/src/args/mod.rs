//! The command line. Help, errors, completions and man pages all come from these definitions.

mod check;
mod compare;
mod detectors;
mod play;
mod run;
mod simulate;
mod swarm;
mod timeouts;
mod trials;
mod up;
pub mod values;

pub use check::{CheckArgs, CheckFormat, FileArgs};
pub use compare::{CompareArgs, CompareFormat, MeasureArg};
pub use detectors::{DetectorsArgs, DetectorsFormat};
pub use play::{PlayArgs, ScenariosArgs};
pub use simulate::SimulateArgs;
pub use swarm::{Drawing, PageFormat, SurviveArgs, SwarmArgs};
pub use timeouts::TimeoutsArgs;
pub use trials::TrialsArgs;
pub use up::UpArgs;

use crate::error::{CHECK_CODES, EXIT_CODES, MEMBER_CODES, SURVIVE_CODES, SWARM_CODES, UP_CODES};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Leader election: run a real cluster; look algorithms up, simulate them, and compare them with what theory says.
#[derive(Debug, Parser)]
#[command(name = "bellwether", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a real cluster on this machine, every member a process: watch it, kill the leader, see another take over
    #[command(after_help = UP_CODES)]
    Up(UpArgs),
    /// List the algorithms: what each needs, guarantees and claims to cost, and its source
    Algorithms(AlgorithmsArgs),
    /// Explain an algorithm in a page of plain words: idea, assumptions, rules, cost, what breaks it
    Explain(ExplainArgs),
    /// Run an algorithm, once or many times, and check the outcome against theory
    #[command(after_help = EXIT_CODES)]
    Simulate(Box<SimulateArgs>),
    /// Measure several algorithms over several sizes against what they claim
    #[command(after_help = EXIT_CODES)]
    Compare(CompareArgs),
    /// List the failure detectors, explain them, and measure how good they are
    Detectors(DetectorsArgs),
    /// List the scenarios that come with the program: the lectures' examples and some more
    Scenarios(ScenariosArgs),
    /// Play a scenario, export it, or check that it comes out as expected
    #[command(after_help = EXIT_CODES)]
    Play(PlayArgs),
    /// Run swarms: everything about each run is drawn from its seed, faults included
    #[command(after_help = SWARM_CODES)]
    Swarm(SwarmArgs),
    /// Say which algorithm survives which failures, by running them all
    #[command(after_help = SURVIVE_CODES)]
    Survive(SurviveArgs),
    /// Check every run there can be: every order of events, every fault up to a budget
    #[command(after_help = CHECK_CODES)]
    Check(Box<CheckArgs>),
    /// Measure how the range of time-outs decides how long a crashed leader is missed, for Raft's vote
    Timeouts(TimeoutsArgs),
    /// Put whoever leads through ordeals, and measure what they do to leadership
    Trials(TrialsArgs),
    /// Run one member of a cluster from a settings file, without a supervisor
    #[command(after_help = MEMBER_CODES)]
    Member {
        /// The settings file
        settings: PathBuf,
        /// Do not print the guarantee
        #[arg(long)]
        quiet: bool,
    },
    /// Run one member of a cluster from a settings file below a supervisor, which certifies its death to the others
    #[command(after_help = MEMBER_CODES)]
    Supervise {
        /// The settings file
        settings: PathBuf,
        /// Do not print the guarantee
        #[arg(long)]
        quiet: bool,
    },
    /// Print a new secret for the members of a cluster: 256 random bits
    Secret,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages into a directory
    Man {
        /// Write one page for the program and one for each subcommand into this directory
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// Options of `algorithms`.
#[derive(Debug, clap::Args)]
pub struct AlgorithmsArgs {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

/// How to print a list.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ListFormat {
    /// A table for people
    #[default]
    Table,
    /// JSON with everything
    Json,
}

/// Options of `explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The algorithm, as NAME[/VARIANT][:KEY=VALUE,..] [default: all of them]
    pub algorithm: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: ExplainFormat,
}

/// How to print an explanation.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ExplainFormat {
    /// For a terminal
    #[default]
    Text,
    /// Markdown
    Markdown,
    /// A JSON object, or an array of all of them
    Json,
}

/// How to print an outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutcomeFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// The word that the command line has for a value.
pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
