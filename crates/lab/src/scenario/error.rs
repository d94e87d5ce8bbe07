//! What can be wrong with a scenario file.

use bellwether_runspec::document::Flaw;
use bellwether_sim::rewrite_fields;
use bellwether_sim::text_file::Fault;
use std::io;
use std::path::{Path, PathBuf};

/// A scenario that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The operating system does not let us read the file.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is larger than any that we read.
    #[error("{path} is too large: a scenario has at most {most} bytes", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes we read.
        most: u64,
    },
    /// The file says something that makes no sense.
    #[error("{path}:{line}:{column}: {problem}", path = path.display())]
    Flawed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong there.
        problem: String,
        /// What to do about it, where the problem does not say.
        hint: Option<String>,
    },
}

impl ScenarioError {
    /// What to do about it, where the message does not say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            ScenarioError::Flawed { hint, .. } => hint.as_deref(),
            _ => None,
        }
    }
}

/// Something wrong in a file. What it says of fields it says of the file's keys.
pub(super) fn in_file(flaw: Flaw, path: &Path, text: &str) -> ScenarioError {
    let Flaw { at, problem, hint } = flaw;
    let problem = rewrite_fields(&problem, |field| format!("'{field}'"));
    // A place within a text is reckoned, and may fall into a character of several bytes.
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let Fault { line, column, problem } = Fault::at(text, at.unwrap_or(0), problem);
    ScenarioError::Flawed { path: path.to_owned(), line, column, problem, hint }
}
