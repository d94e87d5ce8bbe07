//! `bellwether timeouts`: how the range of time-outs decides how long a crashed leader is missed.

mod json;
mod measure;
mod plot;
mod text;

use crate::args::{ListFormat, TimeoutsArgs};
use crate::error::{Failure, Verdict};
use crate::file;
use crate::output;
use measure::Graphs;

/// Measures, prints and draws.
pub fn run(args: &TimeoutsArgs) -> Result<Verdict, Failure> {
    let pending = args.plot.as_deref().map(file::Pending::create).transpose()?;
    let graphs = Graphs::measure(args)?;
    if let Some(pending) = pending {
        pending.keep_with(plot::draw(args, &graphs)?.as_bytes())?;
    }
    match args.format {
        ListFormat::Json => output::print_json(&json::as_json(args, &graphs))?,
        ListFormat::Table => output::print(text::as_text(args, &graphs).as_bytes())?,
    }
    Ok(Verdict::Fine)
}
