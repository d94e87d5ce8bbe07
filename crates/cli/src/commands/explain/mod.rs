//! `bellwether explain`: an algorithm in a page of plain words.
//!
//! Idea, rules and what breaks it are the text beside the algorithm's code; everything else on the
//! page comes from its [`Spec`](bellwether_core::Spec).

mod json;
mod markdown;

use crate::args::{ExplainArgs, ExplainFormat};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::markdown::as_text;
use crate::output;
use bellwether_engine::ALGORITHMS;
use json::Page;

/// Prints the page of an algorithm, or all pages.
pub fn run(args: &ExplainArgs) -> Result<ExitStatus, Failure> {
    let pages: Vec<Page> = match &args.algorithm {
        Some(name) => {
            let choice = Choice::find(name, None)?;
            vec![Page { given: choice.parameters(), ..Page::new(choice.spec.name) }]
        }
        None => ALGORITHMS.names().into_iter().map(Page::new).collect(),
    };
    match args.format {
        ExplainFormat::Text => output::print(as_text(&markdown::all(&pages), output::width()).as_bytes())?,
        ExplainFormat::Markdown => output::print(markdown::all(&pages).as_bytes())?,
        ExplainFormat::Json if args.algorithm.is_some() => output::print_json(&pages.first())?,
        ExplainFormat::Json => output::print_json(&pages)?,
    }
    Ok(ExitStatus::Fine)
}
