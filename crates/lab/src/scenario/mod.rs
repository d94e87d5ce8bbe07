//! Scenarios: elections that are written down in a file, each with what is expected of it.
//!
//! A file ([`Scenario::read`], or [`Scenario::parse`] of its text) is checked as far as it goes by
//! itself. [`Scenario::resolve`] finds its algorithm in a registry and gives the run's
//! [`Plan`](bellwether_sim::Plan); [`Expectation::check`] compares what came of it. The format is described
//! in `docs/scenario-format.md`.

mod contradiction;
mod error;
mod event;
mod expect;
mod links;
mod members;
mod play;
mod schedule;
mod table;
mod write;

pub use error::ScenarioError;
pub use expect::{Expectation, Mismatch};
pub use members::MOST_MEMBERS;
pub use play::{Played, Resolved};
pub use write::{Draft, write};

use bellwether_core::{Elect, Id, Time};
use bellwether_sim::RoundMode;
use bellwether_sim::Setup;
use bellwether_sim::faults::notation::DriftBound;
use bellwether_sim::text_file::{decode, read_at_most};
use bellwether_sim::{Delay, DelayError};
use bellwether_sim::{Limits, LinkOrder};
use error::Flaw;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use table::{At, KEYS, Table, Value};
use toml::de::DeTable;

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
    /// The algorithm, by name, as in `quorum-lease:renewals=5`.
    pub algorithm: String,
    /// Its variant, if not the default.
    pub variant: Option<String>,
    /// Who takes part.
    pub ids: Vec<Id>,
    /// The algorithm's parameter `renewals`, where it has a key of its own.
    renewals: Option<u64>,
    /// What to run; the detector and the algorithm's parameters are found with the algorithm.
    pub setup: Setup,
    /// The failure detector, by name and settings, if there is one.
    pub detector: Option<String>,
    /// From which all randomness is drawn.
    pub seed: u64,
    /// How to drive an algorithm in rounds.
    pub mode: RoundMode,
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
        parse(text, path).map_err(|flaw| flaw.in_file(path, text))
    }

    /// Where the value of a key stands, or else the name of the algorithm.
    fn place(&self, key: &str) -> usize {
        self.places.get(key).or_else(|| self.places.get("algorithm")).copied().unwrap_or(0)
    }
}

fn parse(text: &str, path: &Path) -> Result<Scenario, Flaw> {
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start.min(text.len()));
        Flaw::new(at, format!("this is not TOML: {}", error.message()))
    })?;
    let file = Table::new(document.get_ref(), 0, "a scenario", KEYS)?;
    let required = |key| {
        let words = file.read(key, Value::words)?;
        words.ok_or_else(|| Flaw::new(0, format!("'{key}' is missing: {key} = \"...\"")))
    };
    let words = |key| Ok::<_, Flaw>(file.read(key, Value::words)?.map(|words| words.value));

    let (title, algorithm) = (required("title")?.value, required("algorithm")?.value);
    let waits_for = words("waits_for")?;
    let until = file.read("until", Value::hops)?;
    let max_messages = file.read("max_messages", Value::whole)?;
    let group = members::read(&file)?;
    let events = event::read(file.get("event"))?;
    let until_time = until.map(|until| until.value);
    events.check(&group.ids, until_time)?;
    let link_faults = links::read(&file, &group.ids)?;
    let ring_closes = file.read("ring_closes", Value::flag)?.is_some_and(|flag| flag.value);
    let certified_crashes = file.read("certified_crashes", Value::flag)?.is_some_and(|flag| flag.value);
    let detector = words("detector")?;
    let identical = identical(&file)?;
    let steps = schedule::read(&file)?;
    let expect = Expectation::read(file.get("expect"))?;
    // A run in which something goes wrong is given up in any case, and one said step by step may end early.
    let goes_wrong =
        events.disturb() || !link_faults.is_none() || ring_closes || certified_crashes || detector.is_some();
    let restarts = file.get("restart_after").is_some();
    let is_limited =
        until.is_some() || max_messages.is_some() || goes_wrong || restarts || steps.schedule.is_some();
    let run = contradiction::Run { ids: &group.ids, events: &events, is_limited, until: until_time };
    expect.check_against(&run)?;
    if expect.is_empty() && waits_for.is_none() {
        let hint = "add [expect] with at least one line, as leader = 80";
        return Err(Flaw::new(text.len(), "nothing is expected of this scenario").hint(hint));
    }
    let synchroniser = file.read("synchroniser", Value::flag)?.is_some_and(|flag| flag.value);
    Ok(Scenario {
        about: words("about")?.unwrap_or_default(),
        source: words("source")?,
        variant: words("variant")?,
        renewals: file.read("renewals", Value::whole)?.map(|renewals| renewals.value),
        seed: file.read("seed", Value::whole)?.map_or(0, |seed| seed.value),
        mode: if synchroniser { RoundMode::Synchroniser } else { RoundMode::Auto },
        setup: Setup {
            elect: elect(&file)?,
            attributes: members::attributes(&file, &group)?,
            id_bound: file.read("id_bound", Value::whole)?.map(|bound| bound.value),
            identical,
            witnesses: members::named(&file, "witnesses", "witness", &group.ids)?,
            observers: members::named(&file, "observers", "observer", &group.ids)?,
            callers: members::callers(&file, &group.ids, &events)?,
            delay: delay(&file)?,
            delay_bound: file.read("delay_bound", Value::hops)?.map(|bound| bound.value - Time::ZERO),
            drift_bound: drift_bound(&file)?,
            restart_after: file.read("restart_after", schedule::small::<u32>)?.map(|bounds| bounds.value),
            links: link_order(&file)?,
            script: events.script(),
            partitions: events.partitions.into_iter().map(|partition| partition.value).collect(),
            heals: events.heals.iter().map(|heal| heal.value).collect(),
            link_faults,
            ring_closes,
            certified_crashes,
            schedule: steps.schedule,
            limits: Limits {
                messages: max_messages.map_or(Limits::default().messages, |most| most.value),
                time: until_time.unwrap_or(Limits::default().time),
            },
            shape: group.shape,
            members: group.members,
            ..Setup::default()
        },
        ids: group.ids,
        places: KEYS.iter().filter_map(|&key| Some((key, file.get(key)?.at))).collect(),
        steps_at: steps.places,
        path: path.to_owned(),
        text: text.to_owned(),
        title,
        algorithm,
        waits_for,
        detector,
        expect,
    })
}

fn elect(file: &Table<'_>) -> Result<Elect, Flaw> {
    let elect =
        file.read("elect", |value| value.choice(&[("best", Elect::Best), ("worst", Elect::Worst)]))?;
    Ok(elect.map_or(Elect::Best, |elect| elect.value))
}

/// Members that are identical have nothing to list.
fn identical(file: &Table<'_>) -> Result<bool, Flaw> {
    let identical = file.read("identical", Value::flag)?.is_some_and(|flag| flag.value);
    for key in ["ids", "order", "attributes"] {
        if let Some(value) = file.get(key).filter(|_| identical) {
            let problem = format!("identical members have no '{key}' of their own: use 'nodes' alone");
            return Err(Flaw::new(value.at, problem));
        }
    }
    Ok(identical)
}

fn drift_bound(file: &Table<'_>) -> Result<Option<u32>, Flaw> {
    let Some(At { value: text, at }) = file.read("drift_bound", Value::text)? else { return Ok(None) };
    let bound: Result<DriftBound, String> = text.parse();
    bound.map(|bound| Some(bound.0)).map_err(|problem| Flaw::new(at, problem))
}

fn link_order(file: &Table<'_>) -> Result<LinkOrder, Flaw> {
    let links = file.read("links", |value| {
        let orders = [("fifo", LinkOrder::Fifo), ("reordering", LinkOrder::Reordering)];
        let hint = "'links' says whether messages keep their order; list a network's links in 'topology'";
        value.choice(&orders).map_err(|flaw| if value.as_list().is_some() { flaw.hint(hint) } else { flaw })
    })?;
    Ok(links.map_or(LinkOrder::Fifo, |links| links.value))
}

fn delay(file: &Table<'_>) -> Result<Delay, Flaw> {
    let Some(At { value: text, at }) = file.read("delay", Value::text)? else { return Ok(Delay::Unit) };
    if text.starts_with("file:") {
        let problem = "a scenario is complete in itself and reads no other file";
        return Err(Flaw::new(at, problem).hint("use unit, uniform, exponential or lognormal"));
    }
    text.parse().map_err(|error: DelayError| Flaw::new(at, error.to_string()))
}
