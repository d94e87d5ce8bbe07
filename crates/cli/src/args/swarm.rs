//! Options of `swarm` and `survive`.

use super::ListFormat;
use super::values::threads;
use bellwether_lab::swarm::Model;
use clap::{Args, ValueEnum};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What both have.
#[derive(Debug, Args)]
pub struct Drawing {
    /// Where everything about the first run comes from; the others have the seeds S+1, S+2, ..
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// How many members there are: from so many to so many
    #[arg(long, value_name = "LO..HI", default_value = "5..9", value_parser = parse_nodes)]
    pub nodes: RangeInclusive<u64>,
    /// On how many cores to run; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads())]
    pub threads: u16,
}

/// Options of `swarm`.
#[derive(Debug, Args)]
pub struct SwarmArgs {
    /// Algorithms, as NAME[/VARIANT][:KEY=VALUE,..]; 'rings' are all that run on a ring, 'all' are all
    #[arg(default_value = "all")]
    pub algorithms: Vec<String>,
    /// What goes wrong: one or several failure models
    #[arg(long, value_name = "MODEL,..", value_delimiter = ',', default_value = "mix",
          long_help = models_help())]
    pub model: Vec<Model>,
    /// How many runs of each algorithm under each model
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Reduce the first failure of each kind to a small one
    #[arg(long)]
    pub shrink: bool,
    /// Write the worst failure, reduced, into a scenario file for `play`
    #[arg(long, value_name = "FILE", requires = "shrink")]
    pub save: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

/// Options of `survive`.
#[derive(Debug, Args)]
pub struct SurviveArgs {
    /// Algorithms, as NAME[/VARIANT][:KEY=VALUE,..] [default: every variant of every algorithm]
    pub algorithms: Vec<String>,
    /// What goes wrong: one or several failure models [default: all of them]
    #[arg(long, value_name = "MODEL,..", value_delimiter = ',', long_help = models_help())]
    pub model: Vec<Model>,
    /// How many runs of each algorithm under each model
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    #[command(flatten)]
    pub drawing: Drawing,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: PageFormat,
}

/// How to print what may become a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    /// For people
    #[default]
    Table,
    /// A page of Markdown
    Markdown,
    /// One JSON object
    Json,
}

/// The most members that a swarm's run may have: swarms are about many small runs.
const MOST_NODES: u64 = 100;

/// Reads `LO..HI`, or one number.
fn parse_nodes(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match number(least).zip(number(most)) {
        Some((least, most)) if 1 <= least && least <= most && most <= MOST_NODES => Ok(least..=most),
        _ => Err(format!("expected how many members there are, 1 to {MOST_NODES}, as in 5..9 or 7")),
    }
}

fn models_help() -> String {
    let line = |model: Model| format!("{model:<12} {}\n", model.about());
    format!("What goes wrong: one or several failure models\n\n{}", Model::ALL.map(line).concat())
}
