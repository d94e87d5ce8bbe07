//! Options of `scenarios` and `play`.

use super::{ListFormat, OutcomeFormat};
use crate::play::ColorArg;
use bellwether_lab::export::Format;
use clap::Args;
use std::path::PathBuf;

/// Options of `scenarios`.
#[derive(Debug, Args)]
pub struct ScenariosArgs {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

/// Options of `play`.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// A scenario that comes with the program, by name (see `bellwether scenarios`), or a file
    #[arg(value_name = "NAME|FILE")]
    pub scenario: String,
    /// Write the run in a format for others: mermaid, svg, shiviz or json, into a file or, with '-'
    /// or nothing, to the standard output (repeatable)
    #[arg(long, value_name = "FORMAT[:PATH]", value_parser = parse_export)]
    pub export: Vec<Export>,
    /// Draw with plain letters only [default: unless the locale says UTF-8]
    #[arg(long)]
    pub ascii: bool,
    /// Whether to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub color: ColorArg,
    /// Run it, and compare what comes of it with what the scenario expects
    #[arg(long)]
    pub check: bool,
    /// How to print what comes of --check
    #[arg(long, value_enum, default_value_t, requires = "check")]
    pub format: OutcomeFormat,
}

/// What to export, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The format.
    pub format: Format,
    /// The file; nothing for the standard output.
    pub path: Option<PathBuf>,
}

fn parse_export(text: &str) -> Result<Export, String> {
    let (name, path) = match text.split_once(':') {
        Some((_, "")) => return Err(format!("'{text}' names no file after the colon")),
        Some((name, path)) => (name, Some(path).filter(|path| *path != "-").map(PathBuf::from)),
        None => (text, None),
    };
    Ok(Export { format: name.parse()?, path })
}
