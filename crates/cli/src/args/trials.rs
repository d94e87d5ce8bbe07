//! Options of `trials`.

use super::{PageFormat, values};
use bellwether_lab::failover::FailoverCase;
use clap::Args;

/// Options of `trials`.
#[derive(Debug, Args)]
pub struct TrialsArgs {
    /// Algorithms, as NAME[/VARIANT][:KEY=VALUE,..] [default: those that go on for ever, and bully]
    pub algorithms: Vec<String>,
    /// What the leader goes through: one or several ordeals [default: all of them]
    #[arg(long, value_name = "ORDEAL,..", value_delimiter = ',', long_help = ordeals_help())]
    pub ordeal: Vec<FailoverCase>,
    /// How many runs of each algorithm with each ordeal, with the seeds S, S+1, ..
    #[arg(long, value_name = "K", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: u64,
    /// How many members there are
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(3..=99))]
    pub nodes: u32,
    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// On how many cores to run; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads())]
    pub threads: u16,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: PageFormat,
}

fn ordeals_help() -> String {
    let line = |case: FailoverCase| format!("{case:<14} {}\n", case.about());
    format!(
        "What the leader goes through: one or several ordeals\n\n{}",
        FailoverCase::ALL.map(line).concat()
    )
}
