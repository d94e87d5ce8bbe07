//! Scenarios: elections that are written down in a file, each with what is expected of it.
//!
//! A file ([`Scenario::read`], or [`Scenario::parse`] of its text) is checked as far as it goes by
//! itself. [`Scenario::resolve`] finds its algorithm in a registry and gives the run's
//! [`Plan`](bellwether_sim::Plan); [`Expectation::check`] compares what came of it. The format is described
//! in `docs/scenario-format.md`.

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
use bellwether_runspec::document::{Flaw, Table, Value, parse_toml};
use bellwether_runspec::{RunSpec, file_keys, read_events};
use bellwether_sim::SetupError;
use bellwether_sim::text_file::{decode, read_at_most};
use events::Events;
use std::collections::BTreeMap;
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
    /// Who takes part.
    pub ids: Vec<Id>,
    /// The run.
    pub run: RunSpec,
    /// What should come of it.
    pub expect: Expectation,
    path: PathBuf,
    text: String,
    /// Where the values of the file's keys stand.
    places: BTreeMap<&'static str, usize>,
    /// Where the steps of its schedule stand.
    steps_at: Vec<usize>,
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

    /// Where the value of a key stands, or else the name of the algorithm.
    fn place(&self, key: &str) -> usize {
        self.places.get(key).or_else(|| self.places.get("algorithm")).copied().unwrap_or(0)
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
    events.check(&ids, run.until)?;
    run.link_faults.faults().map_err(|error| members::setup_flaw(place_of_links(&file, &error), &error))?;
    members::check(&file, &run, &ids, &events)?;
    let expect = Expectation::read(file.get("expect"), &keys)?;
    // A run in which something goes wrong is given up in any case, and one said step by step may end early.
    let goes_wrong = events.disturb()
        || !run.link_faults.is_none()
        || run.ring_closes
        || run.certified_crashes
        || run.detector.is_some();
    let is_limited = run.until.is_some()
        || run.max_messages.is_some()
        || goes_wrong
        || run.restart_after.is_some()
        || run.schedule.is_some();
    expect.check_against(&contradiction::Run { ids: &ids, events: &events, is_limited, until: run.until })?;
    let waits_for = words("waits_for")?;
    if expect.is_empty() && waits_for.is_none() {
        let hint = "add [expect] with at least one line, as leader = 80";
        return Err(Flaw::new(text.len(), "nothing is expected of this scenario").hint(hint));
    }
    let steps = file.get("schedule").and_then(|schedule| schedule.as_list()).unwrap_or_default();
    Ok(Scenario {
        title,
        about: words("about")?.unwrap_or_default(),
        source: words("source")?,
        waits_for,
        ids,
        run,
        expect,
        places: keys.iter().filter_map(|&key| Some((key, file.get(key)?.at))).collect(),
        steps_at: steps.iter().map(|step| step.at).collect(),
        path: path.to_owned(),
        text: text.to_owned(),
    })
}

/// Where the file says what does not go together.
fn place_of_links(file: &Table<'_>, error: &SetupError) -> usize {
    let SetupError::Fault { key, .. } = error else { return file.at };
    file.get(key).map_or(file.at, |value| value.at)
}
