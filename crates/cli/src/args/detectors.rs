//! Options of `detectors`.

use super::values;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of `detectors`.
#[derive(Debug, Args)]
pub struct DetectorsArgs {
    /// Detectors, as NAME or NAME:K=V,K=V [default: all of them; to measure, all but those that are told
    /// the truth]
    #[arg(value_name = "NAME[:K=V,..]")]
    pub detectors: Vec<String>,
    /// Measure how good they are: detection time, mistakes and messages
    #[arg(long)]
    pub measure: bool,
    /// Measure how T and D trade speed against cost and mistakes, for the heartbeat
    #[arg(long, conflicts_with = "measure")]
    pub trade_off: bool,
    /// How long signals take, in hops: as for simulate (repeatable) [default: several]
    #[arg(long, value_name = "DISTRIBUTION")]
    pub delay: Vec<String>,
    /// The shares of signals that are lost, as in 5% or 0.05
    #[arg(long, value_name = "SHARE,..", value_delimiter = ',', default_value = "0,5%", value_parser = parse_loss)]
    pub loss: Vec<f64>,
    /// How many watches, each with a death at its end, with the seeds S, S+1, ..
    #[arg(long, value_name = "K", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: u64,
    /// How long a watch lasts until the death, on average, in hops
    #[arg(long, value_name = "HOPS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub hops: u64,
    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// On how many cores to run; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads())]
    pub threads: u16,
    /// Draw the trade-off too, as SVG
    #[arg(long, value_name = "FILE.svg", requires = "trade_off", conflicts_with = "measure")]
    pub plot: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: DetectorsFormat,
}

/// How to print detectors, or what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DetectorsFormat {
    /// For people
    #[default]
    Table,
    /// JSON with everything
    Json,
    /// Markdown: what the detectors do, not how well
    Markdown,
}

/// Reads a share below 1, in per cent or not.
fn parse_loss(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().ok().map(|number| number / scale);
    share
        .filter(|share| (0.0..1.0).contains(share))
        .ok_or_else(|| format!("'{text}' is no share: expected a number from 0 to below 1, as in 5% or 0.05"))
}
