//! Options of `compare`.

use super::values::{self, Bytes, parse_bytes};
use bellwether_core::{Elect, Order};
use bellwether_runspec::form::{ELECTS, ORDERS};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Algorithms, as NAME[/VARIANT][:KEY=VALUE,..]; 'rings' are all that run on a ring, 'all' are all
    #[arg(default_value = "rings")]
    pub algorithms: Vec<String>,
    /// How many members there are, time after time [default: 8, 16, 32 and so on to 512, as long as a run is
    /// claimed to send at most a million messages]
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    pub sizes: Option<Vec<u64>>,
    /// How the ids lie in the network: several orders are shown side by side
    #[arg(
        long,
        value_parser = values::choice::<Order>(ORDERS),
        value_name = "ORDER,..",
        value_delimiter = ',',
        default_value = "worst,best,random"
    )]
    pub order: Vec<Order>,
    /// Which end of the ranking wins
    #[arg(long, value_parser = values::choice::<Elect>(ELECTS), default_value = "best")]
    pub elect: Elect,
    /// What to compare
    #[arg(long, value_enum, default_value_t)]
    pub measure: MeasureArg,
    /// How long messages take, in hops: as for simulate
    #[arg(long, value_name = "DISTRIBUTION", default_value = "unit")]
    pub delay: String,
    /// How many runs a size, with the seeds S, S+1, .. (one will do where nothing is random)
    #[arg(long, value_name = "K", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// On how many cores to run; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads())]
    pub threads: u16,
    /// Refuse what would take more memory, as in 512M or 4G [default: 90 % of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<Bytes>,
    /// Draw it too: a log-log plot, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
}

/// What to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MeasureArg {
    /// Messages sent, as the literature counts them
    #[default]
    Messages,
    /// Hops until nothing moves any more
    Time,
    /// The length of all messages' wire forms
    Bytes,
}

/// How to print a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    #[default]
    Table,
    /// One JSON object
    Json,
    /// A line for each algorithm and size
    Csv,
}
