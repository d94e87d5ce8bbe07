//! Traces as files have them: the first line says what run it is of, the last one what it came to. Between them is an event
//! a line.

use crate::document::{At, Datum, Flaw, Table, Value, entry};
use crate::fields::file_keys;
use crate::form::Form;
use crate::script::{Script, ScriptLine, Scripted};
use crate::spec::{Callers, RunSpec};
use bellwether_core::{
    Attribute, ChangedParams, Elect, FaultArgument, FaultEvent, FaultKind, HOP, Id, Initiators, Spec, Time,
};
use bellwether_sim::{EventDetails, JsonTrace, Outcome, Plan, Report, TRACE_VERSION};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// What a trace calls itself.
const TRACE_FORMAT: &str = "bellwether-trace";

/// Begins the trace of a run. It is an observer of the run, and [`finish`] ends it.
pub fn begin<'p, W: Write>(run: &RunSpec, spec: &Spec, plan: &'p Plan, to: W) -> JsonTrace<'p, W> {
    JsonTrace::new(to, &plan.topology, &plan.ranks, &Header::new(run, spec, plan))
        .in_ring_that_closes(plan.ring_closes)
}

/// Ends the trace of a run with what it came to.
///
/// # Errors
/// If the trace could not be written.
pub fn finish<W: Write>(trace: JsonTrace<'_, W>, report: &Report) -> io::Result<W> {
    trace.finish(&Footer {
        event: "end",
        outcome: report.ruling.outcome,
        leader: report.ruling.leader,
        messages: report.messages.total,
        time: report.time.to_datum(),
    })
}

/// The last line of a trace.
#[derive(Debug, Serialize)]
struct Footer {
    event: &'static str,
    outcome: Outcome,
    leader: Option<Id>,
    messages: u64,
    time: Datum,
}

/// The first line of a trace.
#[derive(Debug, Serialize)]
struct Header<'r> {
    format: &'static str,
    version: u64,
    /// What was asked for, with the keys of a scenario file.
    run: &'r RunSpec,
    #[serde(flatten)]
    plan: Planned,
}

/// What was planned, for readers that draw nothing themselves.
#[derive(Debug, Serialize)]
struct Planned {
    algorithm: &'static str,
    variant: &'static str,
    /// Those that do not have their default.
    #[serde(skip_serializing_if = "ChangedParams::is_empty")]
    parameters: ChangedParams,
    n: u32,
    seed: u64,
    topology: String,
    delay: String,
    delay_bound: Datum,
    links: String,
    elect: Elect,
    synchroniser: bool,
    ids: Vec<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Vec<Attribute>>,
    initiators: Datum,
    script: Vec<Happened>,
    link_faults: Option<Datum>,
    ring_closes: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    certified_crashes: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    restart_after: Option<u32>,
    detector: Option<String>,
    max_messages: u64,
    until: Option<Datum>,
}

#[derive(Debug, Serialize)]
struct Happened {
    t: Datum,
    event: &'static str,
    member: Id,
    #[serde(flatten)]
    details: EventDetails,
}

impl<'r> Header<'r> {
    fn new(run: &'r RunSpec, spec: &Spec, plan: &Plan) -> Header<'r> {
        let id = |member: u32| plan.ranks[member as usize].id();
        let attributes = || plan.ranks.iter().map(|rank| rank.attribute());
        let happened = |happening: &bellwether_sim::Happening| Happened {
            t: happening.at.to_datum(),
            event: happening.what.kind().word(),
            member: id(happening.member),
            details: EventDetails::of(happening.what, &plan.ranks),
        };
        let plan = Planned {
            algorithm: spec.name,
            variant: spec.variant,
            parameters: plan.params.changed(spec.parameters),
            n: plan.n(),
            seed: plan.seed,
            topology: run.shape(spec).to_string(),
            delay: plan.delay.to_string(),
            delay_bound: plan.delay_bound.to_datum(),
            links: plan.links.to_text(),
            elect: run.elect,
            synchroniser: run.synchroniser,
            ids: plan.ranks.iter().map(|rank| rank.id()).collect(),
            attributes: attributes().any(|attribute| attribute != 0).then(|| attributes().collect()),
            initiators: match &plan.initiators {
                Initiators::All => Callers::All.to_datum(),
                Initiators::Some(members) => Datum::list(members.iter().map(|&member| id(member).to_datum())),
            },
            script: plan.script.iter().map(happened).collect(),
            link_faults: link_faults(run),
            ring_closes: plan.ring_closes,
            certified_crashes: plan.certified_crashes,
            restart_after: run.restart_after,
            detector: plan.detector.as_ref().map(ToString::to_string),
            max_messages: plan.limits.messages,
            until: (plan.limits.time != Time::NEVER).then(|| plan.limits.time.to_datum()),
        };
        Header { format: TRACE_FORMAT, version: TRACE_VERSION, run, plan }
    }
}

/// What links do to messages, if anything.
fn link_faults(run: &RunSpec) -> Option<Datum> {
    let faults = run.link_faults.faults().ok().filter(|faults| !faults.is_none())?;
    let chosen = |patterns: &[crate::notation::Pattern]| Datum::list(patterns.iter().map(Form::to_datum));
    let until = if faults.until == Time::NEVER { Datum::Null } else { faults.until.to_datum() };
    Some(Datum::table([
        ("loss", Datum::number(faults.loss)),
        ("burst", Datum::number(faults.burst)),
        ("duplication", Datum::number(faults.duplication)),
        ("reordering", Datum::number(faults.reordering)),
        ("held_up", faults.held_up.to_datum()),
        ("until", until),
        ("lose", chosen(&run.link_faults.lose)),
        ("duplicate", chosen(&run.link_faults.duplicate)),
    ]))
}

/// The first line of a file that is not what is needed.
#[derive(Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// It is not the header of a trace.
    NoTrace,
    /// It is of a version that this program does not know.
    Version(u64),
    /// It does not describe a run.
    Flawed(String),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderError::NoTrace => {
                write!(f, "this is not a trace: expected a first line with \"format\": \"{TRACE_FORMAT}\"")
            }
            HeaderError::Version(version) => {
                write!(f, "this trace has version {version}, and versions 1 to {TRACE_VERSION} can be read")
            }
            HeaderError::Flawed(problem) => write!(f, "the header of this trace describes no run: {problem}"),
        }
    }
}

impl std::error::Error for HeaderError {}

/// The run of which a trace is, from its first line.
///
/// # Errors
/// [`HeaderError`] says what is wrong.
pub fn read_header(line: &str) -> Result<RunSpec, HeaderError> {
    let header: serde_json::Value = serde_json::from_str(line).map_err(|_| HeaderError::NoTrace)?;
    if header["format"] != TRACE_FORMAT {
        return Err(HeaderError::NoTrace);
    }
    let flawed = |flaw: Flaw| HeaderError::Flawed(flaw.problem);
    match header["version"].as_u64() {
        Some(1) => read_version_1(&header).map_err(flawed),
        Some(TRACE_VERSION) => serde_json::from_value(header["run"].clone())
            .map_err(|error| HeaderError::Flawed(error.to_string())),
        version => Err(HeaderError::Version(version.unwrap_or(0))),
    }
}

/// Version 1 says what was planned, with most of the keys of a scenario file.
fn read_version_1(header: &serde_json::Value) -> Result<RunSpec, Flaw> {
    let Datum::Table(mut entries) = Datum::from(header) else { return Ok(RunSpec::default()) };
    let faults = &header["link_faults"];
    let reorders = faults["reordering"].as_f64().is_some_and(|share| share > 0.0);
    for (key, value) in faults.as_object().into_iter().flatten() {
        let value = Datum::from(value);
        // Version 1 says of everything that links can do whether they do it.
        let matters = match key.as_str() {
            "held_up" => reorders,
            "burst" => value != Datum::Whole(1),
            "lose" | "duplicate" => value != Datum::list([]),
            _ => value != Datum::Whole(0),
        };
        let key = if key == "until" { "faults_until" } else { key };
        entries.extend(matters.then(|| entry(key, value)));
    }
    let keys = file_keys();
    entries.retain(|(key, _)| keys.contains(&key.value.as_str()));
    let mut run = RunSpec::read(&Table::of_any(&entries, 0))?;
    for (name, value) in header["parameters"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        run.add_parameter(&format!("{name}={value}"));
    }
    let script = At { value: Datum::from(&header["script"]), at: 0 };
    let script = Value::new("script", &script);
    let events = script.as_list().ok_or_else(|| script.unlike("a list of events"))?;
    run.script = events.iter().map(read_event).collect::<Result<Script, Flaw>>()?;
    Ok(run)
}

/// An event as traces have it.
fn read_event(event: &Value<'_>) -> Result<ScriptLine, Flaw> {
    let (mut at, mut kind, mut member, mut argument) = (None, None, None, None);
    for (key, value) in event.named()? {
        match key.value {
            "t" => at = Some(value.hops()?),
            "event" => kind = value.as_text().and_then(FaultKind::from_word),
            "member" => member = Some(value.id()?),
            "peer" | "as" | "leader" => argument = Some(FaultArgument::Id(value.id()?)),
            "rate_ppm" => argument = i32::try_from(value.signed()?).ok().map(FaultArgument::Rate),
            "by" => {
                let ticks = value.as_signed_number().map(|hops| (hops * HOP.ticks() as f64).round() as i64);
                argument = ticks.map(FaultArgument::Ticks);
            }
            _ => {}
        }
    }
    let event_of = |kind| {
        let as_member = match argument {
            Some(FaultArgument::Id(id)) => Some(FaultArgument::Member(id)),
            other => other,
        };
        FaultEvent::from_parts(kind, argument).or(FaultEvent::from_parts(kind, as_member))
    };
    let scripted: Option<Scripted> =
        member.zip(kind.and_then(event_of)).zip(at).map(|((id, what), at)| (id, what, at));
    scripted.map(ScriptLine::of).ok_or_else(|| event.unlike("an event of a trace"))
}
