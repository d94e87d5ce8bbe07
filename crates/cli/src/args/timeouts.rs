//! Options of `timeouts`.

use super::{ListFormat, values};
use clap::Args;
use std::path::PathBuf;

/// Options of `timeouts`.
#[derive(Debug, Args)]
pub struct TimeoutsArgs {
    /// How many members there are
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(3..=99))]
    pub nodes: u32,
    /// How many leaders crash for each range of time-outs, with the seeds S, S+1, ..
    #[arg(long, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: u64,
    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// On how many cores to run; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads())]
    pub threads: u16,
    /// Draw it too, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}
