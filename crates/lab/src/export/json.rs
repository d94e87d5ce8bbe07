//! A run as JSON, with everything in it: `book/src/reference/recording-format.md`.

use crate::Figure;
use crate::wording::Heading;
use bellwether_core::{
    AlgorithmChoice, Attribute, ChangedParams, Id, Kind, Port, Spec, Status, Time, Topology, Verdict,
};
use bellwether_model::recording::{Condition, Input, Recording, Sent, Step};
use bellwether_sim::{Driver, DropReason, EventDetails, Outcome};
use serde::Serialize;
use serde_json::{Map, Value};

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    title: &'a str,
    about: &'a str,
    #[serde(flatten)]
    algorithm: Option<Algorithm>,
    driver: Driver,
    outcome: Outcome,
    leader: Option<Id>,
    topology: Network,
    members: Vec<Member>,
    kinds: &'static [Kind],
    steps: Vec<StepObject<'a>>,
}

#[derive(Serialize)]
struct Algorithm {
    algorithm: &'static str,
    variant: &'static str,
    /// Those that do not have their default.
    #[serde(skip_serializing_if = "ChangedParams::is_empty")]
    parameters: ChangedParams,
}

#[derive(Serialize)]
struct Network {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<(Id, Id)>>,
}

#[derive(Serialize)]
struct Member {
    id: Id,
    attribute: Attribute,
    position: u32,
}

#[derive(Serialize)]
struct StepObject<'a> {
    number: usize,
    t: Figure,
    member: Id,
    inputs: Vec<InputObject<'a>>,
    reason: Option<&'static str>,
    sends: Vec<Sending<'a>>,
    life: Condition,
    #[serde(skip_serializing_if = "is_not")]
    lies: bool,
    state: Map<String, Value>,
    status: Status,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum InputObject<'a> {
    Boot,
    Recovery,
    Struck(Strike),
    Call,
    Message(Arrival<'a>),
    Timer { timer: &'a str },
    Suspicion { of: Id, verdict: Verdict },
    Crash,
    Loss(Arrival<'a>),
}

#[derive(Serialize)]
struct Strike {
    what: &'static str,
    #[serde(flatten)]
    details: EventDetails,
}

#[derive(Serialize)]
struct Arrival<'a> {
    message: usize,
    from: Id,
    kind: &'static str,
    text: &'a str,
    sent_in_step: usize,
}

#[derive(Serialize)]
struct Sending<'a> {
    message: usize,
    to: Id,
    kind: &'static str,
    text: &'a str,
    /// Nothing if a link loses it.
    arrives: Option<Figure>,
    /// In which step it reached its receiver, or was lost.
    ends_in_step: Option<usize>,
    lost: bool,
    /// Why a link lost it.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<DropReason>,
    /// Whether it is the second of two that a link made of one.
    #[serde(skip_serializing_if = "is_not")]
    copy: bool,
}

impl Algorithm {
    fn new(choice: &AlgorithmChoice) -> Algorithm {
        let Spec { name, variant, .. } = *choice.spec;
        Algorithm { algorithm: name, variant, parameters: choice.parameters() }
    }
}

fn is_not(flag: &bool) -> bool {
    !flag
}

/// Writes the document.
pub fn write(recording: &Recording, heading: &Heading) -> String {
    let document = Document {
        format: "bellwether-play",
        version: VERSION,
        title: &heading.title,
        about: &heading.about,
        algorithm: heading.algorithm.as_ref().map(Algorithm::new),
        driver: recording.report.driver,
        outcome: recording.report.ruling.outcome,
        leader: recording.report.ruling.leader,
        topology: network(recording),
        members: recording.ranks.iter().zip(0..).map(member).collect(),
        kinds: recording.kinds,
        steps: recording
            .steps
            .iter()
            .zip(1..)
            .map(|(step, number)| object(recording, step, number))
            .collect(),
    };
    // Nothing in it can fail to be written: names are strings, and numbers are finite.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn member((rank, position): (&bellwether_core::Rank, u32)) -> Member {
    Member { id: rank.id(), attribute: rank.attribute(), position }
}

/// Where everyone is everyone's neighbour, that says it all.
fn network(recording: &Recording) -> Network {
    let topology = &recording.topology;
    let kind = match topology {
        Topology::Ring { two_way: false, .. } => "one-way-ring",
        Topology::Ring { two_way: true, .. } => "two-way-ring",
        Topology::Overlay { .. } => "overlay-ring",
        Topology::Complete { .. } => "complete",
        Topology::Graph(_) => "graph",
    };
    let links = || {
        let sending = (0..recording.n()).flat_map(|member| {
            let ports = (0..topology.ports(member)).map(Port);
            ports.filter(move |&port| topology.flow(member, port).sends()).map(move |port| (member, port))
        });
        sending.map(|(member, port)| (recording.id(member), recording.id(topology.peer(member, port).0)))
    };
    let is_dense = matches!(topology, Topology::Overlay { .. } | Topology::Complete { .. });
    Network { kind, links: (!is_dense).then(|| links().collect()) }
}

fn object<'a>(recording: &'a Recording, step: &'a Step, number: usize) -> StepObject<'a> {
    StepObject {
        number,
        t: hops(step.at),
        member: recording.id(step.member),
        inputs: step.inputs.iter().map(|input| self::input(recording, input)).collect(),
        reason: step.reason,
        sends: step.sends.clone().map(|message| sending(recording, message)).collect(),
        life: step.seat.life,
        lies: step.seat.lies,
        state: step
            .seat
            .state
            .iter()
            .map(|field| (field.name.to_owned(), field.value.clone().into()))
            .collect(),
        status: step.seat.status,
    }
}

fn input<'a>(recording: &'a Recording, input: &'a Input) -> InputObject<'a> {
    let arrival = |message: usize| {
        let Sent { from, kind, text, in_step, .. } = &recording.messages[message];
        let (from, kind) = (recording.id(*from), recording.kinds[*kind].name);
        Arrival { message, from, kind, text, sent_in_step: in_step + 1 }
    };
    match input {
        Input::Boot => InputObject::Boot,
        Input::Recovery => InputObject::Recovery,
        Input::Struck(what) => InputObject::Struck(Strike {
            what: what.kind().word(),
            details: EventDetails::of(*what, &recording.ranks),
        }),
        Input::Call => InputObject::Call,
        Input::Message(message) => InputObject::Message(arrival(*message)),
        Input::Timer(timer) => InputObject::Timer { timer },
        Input::Suspicion { of, verdict } => {
            InputObject::Suspicion { of: recording.id(*of), verdict: *verdict }
        }
        Input::Crash => InputObject::Crash,
        Input::Loss(message) => InputObject::Loss(arrival(*message)),
    }
}

fn sending(recording: &Recording, message: usize) -> Sending<'_> {
    let sent = &recording.messages[message];
    Sending {
        message,
        to: recording.id(sent.to),
        kind: recording.kinds[sent.kind].name,
        text: &sent.text,
        arrives: sent.dropped.is_none().then(|| hops(sent.due)),
        ends_in_step: sent.end.map(|end| end.in_step + 1),
        lost: sent.end.is_some_and(|end| end.lost),
        dropped: sent.dropped,
        copy: sent.is_copy,
    }
}

fn hops(at: Time) -> Figure {
    Figure(at.hops())
}
