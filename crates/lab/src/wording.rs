//! A recorded run in words: the same on the screen, on paper and in diagrams.

use bellwether_core::{AlgorithmChoice, FaultEvent, Lie, Request, Role, Status, Time, Verdict};
use bellwether_model::recording::{Condition, Input, Recording, Sent, Snapshot, Step};
use bellwether_runspec::notation::{Leap, Rate};
use bellwether_sim::DropReason;

/// What a run is called, and what it shows.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// In a few words.
    pub title: String,
    /// In a sentence or two.
    pub about: String,
    /// The algorithm that is run, where it is known.
    pub algorithm: Option<AlgorithmChoice>,
}

/// What reached the member in a step, after its name: "gets election 80 from 3".
pub fn event(recording: &Recording, step: &Step) -> String {
    if step.inputs.is_empty() {
        return "acts, though nothing reached it".to_owned();
    }
    let events: Vec<String> = step.inputs.iter().map(|input| of_input(recording, input)).collect();
    events.join(", ")
}

fn of_input(recording: &Recording, input: &Input) -> String {
    let from = |message: usize| recording.id(recording.messages[message].from);
    match input {
        Input::Boot => "boots".to_owned(),
        Input::Recovery => "boots again with what it had saved".to_owned(),
        Input::Struck(what) => of_fault(recording, *what),
        Input::Call => "is to call an election".to_owned(),
        Input::Message(message) => format!("gets {} from {}", recording.label(*message), from(*message)),
        Input::Timer(timer) => format!("waited long enough: its timer {timer} runs out"),
        Input::Suspicion { of, verdict } => {
            let verdict = match verdict {
                Verdict::Working => "works",
                Verdict::Suspected => "is silent",
                Verdict::Failed => "is dead",
            };
            format!("hears from its failure detector that {} {verdict}", recording.id(*of))
        }
        Input::Crash => "crashes".to_owned(),
        Input::Loss(message) => {
            format!("does not get {} from {}: it is lost", recording.label(*message), from(*message))
        }
    }
}

/// What goes wrong with a member or is put right, after its name: "freezes".
fn of_fault(recording: &Recording, what: FaultEvent) -> String {
    let id = |member: u32| recording.id(member);
    match what {
        FaultEvent::Crash => "crashes".to_owned(),
        FaultEvent::TornCrash => "is to crash in the middle of what it writes next".to_owned(),
        FaultEvent::CrashSending => "is to crash in the middle of what it sends next".to_owned(),
        FaultEvent::Recover => "recovers".to_owned(),
        FaultEvent::Start => "starts".to_owned(),
        FaultEvent::Call => "is to call an election".to_owned(),
        FaultEvent::Pause => "freezes: messages wait for it, and its timers".to_owned(),
        FaultEvent::Resume => "wakes, and finds what has come meanwhile".to_owned(),
        FaultEvent::Cut(to) => format!("no longer reaches {}: the link is cut", id(to)),
        FaultEvent::Mend(to) => format!("reaches {} again: the link is mended", id(to)),
        FaultEvent::Heal => "reaches everyone again, as all do: all links are mended".to_owned(),
        FaultEvent::Drift(rate) => format!("has a clock that drifts by {} from now on", Rate(rate)),
        FaultEvent::Jump(ticks) => format!("has a clock that jumps by {} hops", Leap(ticks)),
        FaultEvent::Lie(Lie::Pretend(id)) => format!("lies: it goes by the id {id} from now on"),
        FaultEvent::Lie(Lie::Forge(leader)) => {
            format!("lies: it tells its neighbours that {leader} is elected")
        }
        FaultEvent::Lie(Lie::Silence(to)) => format!("lies: it says nothing more to {}", id(to)),
        FaultEvent::Request(request) => asked(request),
        FaultEvent::Learn(of) => format!("learns for certain that {} is dead", id(of)),
    }
}

/// What a member is asked, after its name: "is asked to lead no longer".
pub fn asked(request: Request) -> String {
    match request {
        Request::Resign => "is asked to lead no longer".to_owned(),
        Request::Transfer(id) => format!("is asked to let {id} lead"),
        Request::Admit(id) => format!("is asked to let {id} vote"),
        Request::Dismiss(id) => format!("is asked to let {id} vote no longer"),
        Request::Stand => "is asked to be a candidate".to_owned(),
        Request::Withdraw => "is asked to be no candidate".to_owned(),
    }
}

/// What a link does to a message, after its label, if it does anything.
pub fn on_the_way(message: &Sent) -> Option<&'static str> {
    match message.dropped {
        None => message.is_copy.then_some("a second time"),
        Some(DropReason::Loss) => Some("lost on the way"),
        Some(DropReason::Cut) => Some("lost: the link is cut"),
        Some(DropReason::Chosen) => Some("lost, as was chosen"),
        Some(DropReason::Silence) => Some("not sent: it keeps silent towards that one"),
    }
}

/// A message that is sent: "election 80 to 3", and what the link does to it.
pub fn sending(recording: &Recording, message: usize) -> String {
    let sent = &recording.messages[message];
    let fate = on_the_way(sent).map(|fate| format!(" ({fate})")).unwrap_or_default();
    format!("{} to {}{fate}", recording.label(message), recording.id(sent.to))
}

/// The messages that arrived in a step, and in which step (its number) each was sent.
pub fn arrivals<'r>(recording: &'r Recording, step: &'r Step) -> impl Iterator<Item = (usize, usize)> + 'r {
    step.inputs.iter().filter_map(|input| match input {
        Input::Message(message) | Input::Loss(message) => {
            Some((*message, recording.messages[*message].in_step + 1))
        }
        _ => None,
    })
}

/// What an outsider sees of a member, after its name: "follows 80".
pub fn standing(status: Status) -> String {
    let stand = match (status.role, status.leader) {
        (Role::Leader, _) => "leads".to_owned(),
        (Role::Follower, Some(leader)) => format!("follows {leader}"),
        (Role::Follower, None) => "knows that it does not lead".to_owned(),
        (Role::Undecided, Some(leader)) => format!("takes {leader} for the leader"),
        (Role::Undecided, None) => "is undecided".to_owned(),
    };
    if status.halted { format!("{stand} and has halted") } else { stand }
}

/// The same in a word or two, for a table.
pub fn short_standing(seat: Option<&Snapshot>) -> String {
    let status = match seat {
        None => return "not up".to_owned(),
        Some(seat) if seat.life == Condition::Dead => return "dead".to_owned(),
        Some(seat) if seat.life == Condition::Frozen => return "frozen".to_owned(),
        Some(seat) if seat.lies => return "lies".to_owned(),
        Some(seat) => seat.status,
    };
    match (status.role, status.leader) {
        (Role::Leader, _) => "leader".to_owned(),
        (Role::Follower, Some(leader)) => format!("follows {leader}"),
        (Role::Follower, None) => "follower".to_owned(),
        (Role::Undecided, Some(leader)) => format!("for {leader}"),
        (Role::Undecided, None) => "undecided".to_owned(),
    }
}

/// Whether a field only says what a member's standing says already.
pub fn is_standing(field: &str) -> bool {
    ["role", "leader", "halted"].contains(&field)
}

/// What a step changed in what its member remembers, besides its standing: "participant false ->
/// true". Nothing of a member that has just booted.
pub fn changes(recording: &Recording, step: usize, becomes: &str) -> Vec<String> {
    let changes = recording.changes(step).into_iter().filter(|change| !is_standing(change.name));
    changes
        .filter_map(|change| Some(format!("{} {} {becomes} {}", change.name, change.before?, change.after)))
        .collect()
}

/// A time, and the round where there are rounds: "t 3" or "round 4".
pub fn time(recording: &Recording, at: Time) -> String {
    if recording.is_in_rounds() { format!("round {}", at.hops() + 1.0) } else { format!("t {at}") }
}

/// What the run came to, in a sentence.
pub fn outcome(recording: &Recording) -> String {
    let ruling = &recording.report.ruling;
    let end = if recording.goes_round_from.is_some() { "It goes round for ever, and" } else { "In the end" };
    let leads = match ruling.leader {
        Some(leader) => format!("{leader} leads"),
        None if ruling.leaders > 1 => format!("{} members lead", ruling.leaders),
        None => "nobody leads".to_owned(),
    };
    let problems: Vec<&str> =
        ruling.unsafe_because.iter().chain(&ruling.not_live_because).map(String::as_str).collect();
    let messages = recording.report.messages.total;
    let end = format!("{end} {leads}, after {messages} messages and {} hops.", recording.report.time);
    if problems.is_empty() { end } else { format!("{end} PROBLEM: {}.", problems.join("; ")) }
}
