//! `bellwether trials`: faults strike the leader, and leadership is measured.

mod json;
mod markdown;
mod text;

use crate::args::{PageFormat, TrialsArgs};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::output;
use crate::progress::Progress;
use bellwether_core::Driving;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::Seeds;
use bellwether_lab::failover::{FailoverCase, FailoverFigures, is_usual, measure};

/// Runs each case with each algorithm, and prints the figures.
pub fn run(args: &TrialsArgs) -> Result<ExitStatus, Failure> {
    let choices: Vec<Choice> = if args.algorithms.is_empty() {
        Choice::defaults().filter(|choice| is_usual(choice.spec)).collect()
    } else {
        Choice::find_all(&args.algorithms)?
    };
    if let Some(choice) = choices.iter().find(|choice| choice.driving == Driving::Rounds) {
        let message = format!("{} runs in rounds, and is over before an ordeal could strike", choice.label());
        return Err(Failure::input_with_hint(message, "name algorithms that do not, as raft-vote or bully"));
    }
    let cases = if args.ordeal.is_empty() { FailoverCase::ALL.to_vec() } else { args.ordeal.clone() };
    let pairs: Vec<(FailoverCase, &Choice)> =
        cases.iter().flat_map(|&case| choices.iter().map(move |choice| (case, choice))).collect();
    let progress = Progress::new(args.runs.saturating_mul(pairs.len() as u64), "runs");
    let (seeds, threads) = (Seeds { first: args.seed, count: args.runs }, args.threads.into());
    let figures = pairs.into_iter().map(|(case, choice)| {
        measure(&ALGORITHMS, choice.algorithm(), case, args.nodes, seeds, threads, &progress)
    });
    let figures: Vec<FailoverFigures> = figures.collect::<Result<_, _>>()?;
    drop(progress);
    match args.format {
        PageFormat::Table => output::print(text::as_text(args, &figures).as_bytes())?,
        PageFormat::Markdown => output::print(markdown::as_markdown(args, &figures).as_bytes())?,
        PageFormat::Json => output::print_json(&json::as_json(args, &figures))?,
    }
    Ok(ExitStatus::Fine)
}
