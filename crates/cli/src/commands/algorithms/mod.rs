//! `bellwether algorithms`.

mod json;
mod text;

use crate::args::{AlgorithmsArgs, ListFormat};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::output;

/// Lists the algorithms.
pub fn run(args: &AlgorithmsArgs) -> Result<ExitStatus, Failure> {
    match args.format {
        ListFormat::Table => output::print(text::as_table().as_bytes())?,
        ListFormat::Json => output::print_json(&Choice::all().map(json::Listed::new).collect::<Vec<_>>())?,
    }
    Ok(ExitStatus::Fine)
}
