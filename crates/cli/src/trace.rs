//! Traces in files: the first and the last line, and what is between.

use crate::choice::Named;
use crate::error::Failure;
use crate::file::Pending;
use crate::request::Request;
use bellwether_core::{Attribute, Elect, Fate, Id, Initiators, Time};
use bellwether_lab::Figure;
use bellwether_sim::faults::LinkFaults;
use bellwether_sim::faults::notation::Pattern;
use bellwether_sim::{EventDetails, JsonTrace, LinkOrder, Outcome, Plan, Report, RoundMode, TRACE_VERSION};
use serde::Serialize;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// A trace that goes into a file.
pub type FileTrace<'p> = JsonTrace<'p, BufWriter<File>>;

/// Everything that it takes to run it again.
#[derive(Serialize)]
pub struct Header {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    named: Named,
    n: u32,
    seed: u64,
    topology: String,
    delay: String,
    delay_bound: Figure,
    links: &'static str,
    elect: Elect,
    synchroniser: bool,
    ids: Vec<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Vec<Attribute>>,
    initiators: Callers,
    script: Vec<Happening>,
    link_faults: Option<Faults>,
    ring_closes: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    certified_crashes: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    restart_after: Option<u32>,
    detector: Option<String>,
    max_messages: u64,
    until: Option<Figure>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Callers {
    Everyone(&'static str),
    Some(Vec<Id>),
}

#[derive(Serialize)]
struct Happening {
    t: Figure,
    event: &'static str,
    member: Id,
    #[serde(flatten)]
    details: EventDetails,
}

/// What the links do to messages.
#[derive(Serialize)]
struct Faults {
    loss: Figure,
    burst: Figure,
    duplication: Figure,
    reordering: Figure,
    held_up: Figure,
    until: Option<Figure>,
    lose: Vec<String>,
    duplicate: Vec<String>,
}

impl Faults {
    fn new(faults: &LinkFaults<Id>) -> Faults {
        let chosen = |fate| {
            let chosen = faults.chosen.iter().filter(move |chosen| chosen.fate == fate);
            chosen.map(|chosen| Pattern::from(chosen).to_string()).collect()
        };
        Faults {
            loss: Figure(faults.loss),
            burst: Figure(faults.burst),
            duplication: Figure(faults.duplication),
            reordering: Figure(faults.reordering),
            held_up: Figure(faults.held_up.hops()),
            until: (faults.until != Time::NEVER).then(|| Figure(faults.until.hops())),
            lose: chosen(Fate::Lost),
            duplicate: chosen(Fate::Twice),
        }
    }
}

impl Header {
    /// The header of a plan's trace.
    pub fn new(request: &Request, plan: &Plan) -> Header {
        let id = |member: u32| plan.ranks[member as usize].id();
        let attributes = || plan.ranks.iter().map(|rank| rank.attribute());
        Header {
            format: "bellwether-trace",
            version: TRACE_VERSION,
            named: Named::new(&request.choice),
            n: plan.n(),
            seed: plan.seed,
            topology: request.shape.to_string(),
            delay: plan.delay.to_string(),
            delay_bound: Figure(plan.delay_bound.hops()),
            links: links(plan.links),
            elect: request.setup.elect,
            synchroniser: request.mode == RoundMode::Synchroniser,
            ids: plan.ranks.iter().map(|rank| rank.id()).collect(),
            attributes: attributes().any(|attribute| attribute != 0).then(|| attributes().collect()),
            initiators: match &plan.initiators {
                Initiators::All => Callers::Everyone("all"),
                Initiators::Some(members) => Callers::Some(members.iter().copied().map(id).collect()),
            },
            script: plan
                .script
                .iter()
                .map(|happening| Happening {
                    t: Figure(happening.at.hops()),
                    event: happening.what.kind().word(),
                    member: id(happening.member),
                    details: EventDetails::of(happening.what, &plan.ranks),
                })
                .collect(),
            link_faults: Some(&request.setup.link_faults).filter(|it| !it.is_none()).map(Faults::new),
            ring_closes: plan.ring_closes,
            certified_crashes: plan.certified_crashes,
            restart_after: request.setup.restart_after,
            detector: plan.detector.as_ref().map(ToString::to_string),
            max_messages: plan.limits.messages,
            until: (plan.limits.time != Time::NEVER).then(|| Figure(plan.limits.time.hops())),
        }
    }
}

/// What came of it.
#[derive(Serialize)]
pub struct Footer {
    event: &'static str,
    outcome: Outcome,
    leader: Option<Id>,
    messages: u64,
    time: Figure,
}

impl Footer {
    /// The footer of a run's trace.
    pub fn new(report: &Report) -> Footer {
        Footer {
            event: "end",
            outcome: report.ruling.outcome,
            leader: report.ruling.leader,
            messages: report.messages.total,
            time: Figure(report.time.hops()),
        }
    }
}

/// Writes a trace into a file. `run` shows the run to it, and gives it back with what came of the run.
pub fn write<T>(
    request: &Request,
    plan: &Plan,
    path: &Path,
    run: impl FnOnce(FileTrace<'_>) -> (Report, (T, FileTrace<'_>)),
) -> Result<(Report, T), Failure> {
    let mut file = Pending::create(path)?;
    let writer = file.take_writer().ok_or_else(|| Failure::unwritable(path, "it was begun twice"))?;
    let trace = JsonTrace::new(writer, &plan.topology, &plan.ranks, &Header::new(request, plan))
        .in_ring_that_closes(plan.ring_closes);
    let (report, (other, trace)) = run(trace);
    trace.finish(&Footer::new(&report)).map_err(|error| Failure::unwritable(path, error))?;
    file.keep()?;
    Ok((report, other))
}

/// The word for links that keep or do not keep the order of messages.
pub fn links(links: LinkOrder) -> &'static str {
    match links {
        LinkOrder::Fifo => "fifo",
        LinkOrder::Reordering => "reordering",
    }
}
