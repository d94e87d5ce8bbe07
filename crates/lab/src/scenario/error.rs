//! What can be wrong with a scenario file.

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

/// Something wrong at a byte of the text.
#[derive(Debug)]
pub(super) struct Flaw {
    at: usize,
    problem: String,
    hint: Option<String>,
}

impl Flaw {
    pub fn new(at: usize, problem: impl Into<String>) -> Flaw {
        Flaw { at, problem: problem.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Flaw {
        Flaw { hint: Some(hint.into()), ..self }
    }

    /// With the name that was probably meant, if there is one like it.
    pub fn meant(self, name: &str, names: &[&str]) -> Flaw {
        match crate::suggest::nearest(name, names) {
            Some(meant) => self.hint(format!("did you mean '{meant}'?")),
            None => self,
        }
    }

    pub fn in_file(self, path: &Path, text: &str) -> ScenarioError {
        // A place within a text is reckoned, and may fall into a character of several bytes.
        let at = (0..=self.at.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
        let Fault { line, column, problem } = Fault::at(text, at.unwrap_or(0), self.problem);
        ScenarioError::Flawed { path: path.to_owned(), line, column, problem, hint: self.hint }
    }
}
