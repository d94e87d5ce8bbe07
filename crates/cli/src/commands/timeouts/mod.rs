//! `bellwether timeouts`: how the range of time-outs decides how long a crashed leader is missed.

mod json;
mod plot;
mod text;

use crate::args::{ListFormat, TimeoutsArgs};
use crate::error::{ExitStatus, Failure};
use crate::file;
use crate::output;
use crate::progress::Progress;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::timeouts::{Effort, Graphs};

/// Measures, prints and draws.
pub fn run(args: &TimeoutsArgs) -> Result<ExitStatus, Failure> {
    let pending = args.plot.as_deref().map(file::Pending::create).transpose()?;
    let effort = Effort {
        nodes: args.nodes,
        seeds: Seeds { first: args.seed, count: args.runs },
        threads: args.threads.into(),
    };
    let progress = Progress::new(args.runs * Graphs::RANGES, "crashes");
    let graphs = Graphs::measure(&ALGORITHMS, &effort, &progress)?;
    drop(progress);
    if let Some(pending) = pending {
        pending.keep_with(plot::draw(args, &graphs)?.as_bytes())?;
    }
    match args.format {
        ListFormat::Json => output::print_json(&json::as_json(args, &graphs))?,
        ListFormat::Table => output::print(text::as_text(args, &graphs).as_bytes())?,
    }
    Ok(ExitStatus::Fine)
}
