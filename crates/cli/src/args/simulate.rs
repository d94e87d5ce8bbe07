//! Options of `simulate`.

use super::OutcomeFormat;
use super::run::{RUN, RunArgs};
use super::values::{self, Bytes, parse_bytes};
use crate::error::Failure;
use crate::trace;
use bellwether_runspec::RunSpec;
use clap::Args;
use std::path::PathBuf;

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Run again what a trace is of: its first line stands for the algorithm and all options of the run
    #[arg(long, value_name = "FILE", conflicts_with = RUN, help_heading = "Runs")]
    pub from_trace: Option<PathBuf>,
    /// Repeat with the seeds S, S+1, .. and sum up
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..),
          help_heading = "Runs")]
    pub runs: u64,
    /// On how many cores to repeat; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads(), help_heading = "Runs")]
    pub threads: u16,
    /// Refuse what would take more memory, as in 512M or 4G [default: 90 % of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Runs")]
    pub memory: Option<Bytes>,

    /// Write everything that happens into a file, one JSON object a line (for a single run)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// How to print the outcome
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: OutcomeFormat,
}

impl SimulateArgs {
    /// The run that is asked for.
    pub fn described(&self) -> Result<RunSpec, Failure> {
        match &self.from_trace {
            Some(path) => trace::read_run(path),
            None => self.run.described(),
        }
    }
}
