//! Scenarios: elections that are written down in a file, each with what is expected of it.
//!
//! A file ([`Scenario::read`], or [`Scenario::parse`] of its text) is checked as far as it goes by
//! itself. [`Scenario::resolve`] finds its algorithm in a registry and gives the run's
//! [`Plan`](bellwether_sim::Plan); [`Expectation::check`] compares what came of it. The format is described
//! in `book/src/reference/scenario-format.md`.

mod contradiction;
mod error;
mod events;
mod expect;
mod members;
mod play;
mod write;

pub use error::ScenarioError;
pub use expect::{Expectation, Mismatch};
pub use members::MOST_MEMBERS;
pub use play::{Played, Resolved};
pub use write::{Draft, write};

use bellwether_core::Id;
use bellwether_runspec::document::{Entries, Flaw, Table, Value, parse_toml};
use bellwether_runspec::{RunSpec, file_keys, read_events};
use bellwether_sim::text_file::{decode, read_at_most};
use events::Events;
use std::path::{Path, PathBuf};

/// The largest file that is read.
pub const MAX_SCENARIO_BYTES: u64 = 1 << 20;
/// When to give up unless the file says: a scenario is to be watched.
const MOST_MESSAGES: u64 = 1_000_000;

/// An election that is written down in a file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called.
    pub title: String,
    /// What there is to see, in a paragraph; empty if it does not say.
    pub about: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// What has to be built before it can be run, if anything.
    pub waits_for: Option<String>,
    /// The members that the file names or counts.
    pub ids: Vec<Id>,
    /// The run.
    pub run: RunSpec,
    /// What should come of it.
    pub expect: Expectation,
    path: PathBuf,
    text: String,
    /// What the file says, with the place of each value.
    entries: Entries,
    events: Events,
}

impl Scenario {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what to do.
    pub fn read(path: &Path) -> Result<Scenario, ScenarioError> {
        let bytes = match read_at_most(path, MAX_SCENARIO_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                return Err(ScenarioError::TooLarge { path: path.to_owned(), most: MAX_SCENARIO_BYTES });
            }
            Err(source) => return Err(ScenarioError::Unreadable { path: path.to_owned(), source }),
        };
        let text = decode(&bytes).map_err(|fault| ScenarioError::Flawed {
            path: path.to_owned(),
            line: fault.line,
            column: fault.column,
            problem: fault.problem,
            hint: None,
        })?;
        Scenario::parse(text, path)
    }

    /// Makes out the text of a file; the path is for error messages.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what to do.
    pub fn parse(text: &str, path: &Path) -> Result<Scenario, ScenarioError> {
        parse(text, path).map_err(|flaw| error::in_file(flaw, path, text))
    }
}

/// The keys that a scenario has besides those of its run.
const OWN_KEYS: [&str; 5] = ["title", "about", "source", "waits_for", "expect"];

fn parse(text: &str, path: &Path) -> Result<Scenario, Flaw> {
    let entries = parse_toml(text)?;
    let keys: Vec<&'static str> =
        OWN_KEYS[..4].iter().copied().chain(file_keys()).chain(["expect"]).collect();
    let file = Table::new(&entries, 0, "a scenario", &keys, &keys)?;
    let required = |key| {
        let words = file.read(key, Value::words)?;
        words.ok_or_else(|| Flaw::new(0, format!("'{key}' is missing: {key} = \"...\"")))
    };
    let words = |key| Ok::<_, Flaw>(file.read(key, Value::words)?.map(|words| words.value));

    let title = required("title")?.value;
    required("algorithm")?;
    members::refuse_files(&file)?;
    let run = RunSpec::read(&file)?;
    let ids = members::ids(&file, &run)?;
    let events = file.get("event").map(|events| read_events(events, &keys)).transpose()?;
    let events = Events(events.unwrap_or_default());
    events.check_times(run.until)?;
    let expect = Expectation::read(file.get("expect"), &keys)?;
    let waits_for = words("waits_for")?;
    if expect.is_empty() && waits_for.is_none() {
        let hint = "add [expect] with at least one line, as leader = 80";
        return Err(Flaw::new(text.len(), "nothing is expected of this scenario").hint(hint));
    }
    let (about, source) = (words("about")?.unwrap_or_default(), words("source")?);
    Ok(Scenario {
        title,
        about,
        source,
        waits_for,
        ids,
        run,
        expect,
        entries,
        events,
        path: path.to_owned(),
        text: text.to_owned(),
    })
}
