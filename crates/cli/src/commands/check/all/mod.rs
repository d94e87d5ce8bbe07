//! `bellwether check --all`: what holds of which algorithm, up to which size.

mod json;
mod markdown;
mod text;

use super::effort;
use crate::args::{CheckArgs, CheckFormat};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::output;
use crate::progress::Progress;
use bellwether_check::{MatrixBound, matrix, matrix_size};
use bellwether_core::{AlgorithmChoice, Entry};
use bellwether_engine::ALGORITHMS;
use std::time::Duration;

/// How long it may take, unless the user says.
const DEFAULT_TIME: Duration = Duration::from_secs(120);
/// How many states each check of the page may have, unless the user says.
const DEFAULT_STATES: u64 = 300_000;

/// Fills the table, and prints it.
pub fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let is_page = args.format == CheckFormat::Markdown;
    if args.time.is_some() && (is_page || args.states.is_some()) {
        let why =
            if is_page { "a page must not depend on how fast the machine is" } else { "one bound is enough" };
        return Err(Failure::input_with_hint(
            format!("{why}: leave out --time"),
            "--states bounds each check",
        ));
    }
    let states = args.states.or(is_page.then_some(DEFAULT_STATES));
    let bound = match states {
        Some(states) => MatrixBound::States(states),
        None => MatrixBound::Time(args.time.unwrap_or(DEFAULT_TIME)),
    };
    let all = Choice::all().map(|choice| (choice.algorithm(), *ALGORITHMS.entries[choice.entry]));
    let algorithms: Vec<(AlgorithmChoice, Entry)> = all.collect();
    let progress = Progress::new(matrix_size(&algorithms) as u64, "cells");
    let mut is_first = true;
    let cells = matrix(&algorithms, &effort(args)?, bound, |cell| {
        if !std::mem::take(&mut is_first) {
            progress.advance();
        }
        let initiators = cell.table.initiators();
        progress.say(format!("({}, initiators {initiators}, {})", cell.algorithm, cell.column.name()));
    })?;
    drop(progress);
    match args.format {
        CheckFormat::Text => output::print(text::as_table(&cells).as_bytes())?,
        CheckFormat::Json => output::print_json(&json::as_json(&cells))?,
        CheckFormat::Markdown => {
            let page = markdown::as_markdown(&cells, states.unwrap_or(DEFAULT_STATES));
            output::print(page.as_bytes())?;
        }
    }
    Ok(ExitStatus::Fine)
}
