//! A whole run in memory, to be gone through step by step, forwards and backwards.
//!
//! A [`Step`] is one input to one member and everything that came of it; in a run in rounds, one
//! member's part in one round. Going back is a matter of an index ([`Recording::after`]), so it is
//! exact.

mod clocks;
mod recorder;
mod shown;

pub use clocks::Clocks;
pub use shown::Field;

use crate::follow::Replay;
use crate::run_plan_observed;
use bellwether_core::{FaultEvent, Id, Kind, Port, Rank, Status, Time, Topology, Verdict};
use bellwether_sim::{Driver, DropReason, Plan, Report, RoundMode, Runner};
use recorder::Recorder;
use std::ops::Range;
use std::sync::Arc;

/// The most steps that are kept: nobody goes through more, and each takes some hundred bytes.
pub const MOST_STEPS: usize = 200_000;

/// A run of more than [`MOST_STEPS`] steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the run has more than {MOST_STEPS} steps, too many to go through: use fewer members, or end it earlier"
)]
pub struct TooLong;

/// A whole run.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The network.
    pub topology: Topology,
    /// Everyone's rank, by index: in a ring, clockwise.
    pub ranks: Vec<Rank>,
    /// The kinds of messages there were to send.
    pub kinds: &'static [Kind],
    /// Everything that happened, in order.
    pub steps: Vec<Step>,
    /// All messages, in the order in which they were sent.
    pub messages: Vec<Sent>,
    /// If the run goes round for ever: since when. Its loop is there twice.
    pub goes_round_from: Option<Time>,
    /// What the run came to.
    pub report: Report,
    /// The steps of each member.
    steps_of: Vec<Vec<usize>>,
}

/// One input to one member, and what came of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub at: Time,
    /// To whom, by index.
    pub member: u32,
    /// What reached it: one thing, but in a run in rounds all messages of the round, or none.
    pub inputs: Vec<Input>,
    /// Why it acted as it did, in its own words.
    pub reason: Option<&'static str>,
    /// What it sent: numbers of messages, that is places in [`Recording::messages`].
    pub sends: Range<usize>,
    /// The member after it.
    pub seat: Snapshot,
}

/// What reached a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// It boots.
    Boot,
    /// It boots again after a crash, with what it had saved.
    Recovery,
    /// Something goes wrong with it, or is put right.
    Struck(FaultEvent),
    /// An election is called at it.
    Call,
    /// This message arrives.
    Message(usize),
    /// Its timer runs out.
    Timer(String),
    /// Its failure detector speaks of a member.
    Suspicion {
        /// Of whom, by index.
        of: u32,
        /// What it says.
        verdict: Verdict,
    },
    /// It stops.
    Crash,
    /// This message comes, but the member is dead or has halted.
    Loss(usize),
}

/// What there is to be seen of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Whether it is up.
    pub life: Condition,
    /// Whether it has lied.
    pub lies: bool,
    /// What it remembers; of the dead, what they remembered last.
    pub state: Arc<[Field]>,
    /// What an outsider sees of it.
    pub status: Status,
}

/// Whether a member is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// It has not booted yet.
    Absent,
    /// It is up.
    Up,
    /// It is frozen.
    Frozen,
    /// It has crashed.
    Dead,
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// By whom.
    pub from: u32,
    /// By which of its ports.
    pub port: Port,
    /// To whom.
    pub to: u32,
    /// Its kind: a place in [`Recording::kinds`].
    pub kind: usize,
    /// What it says besides that.
    pub text: String,
    /// In which step (its index).
    pub in_step: usize,
    /// When.
    pub at: Time,
    /// When it reaches its receiver. If that one has not booted or is frozen, it waits at its door. One that
    /// a link loses would have taken a hop.
    pub due: Time,
    /// Whether it is the second of two that the link made of one.
    pub is_copy: bool,
    /// Why the link lost it, if it did.
    pub dropped: Option<DropReason>,
    /// What became of it, if the run went on for so long.
    pub end: Option<End>,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// In which step (its index).
    pub in_step: usize,
    /// Whether it was lost: by a link in the step in which it was sent, or on a member that is dead or has
    /// halted.
    pub lost: bool,
}

/// Something that a step changed about a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'r> {
    /// What: a field's name.
    pub name: &'static str,
    /// What it was; nothing in a member that has just booted.
    pub before: Option<&'r str>,
    /// What it is.
    pub after: &'r str,
}

/// Runs a plan, and keeps all of it.
///
/// # Errors
/// [`TooLong`] if there are more than [`MOST_STEPS`] steps. A run that never ends does not keep
/// anyone waiting: it is stopped when it has sent as many messages.
pub fn record(algorithm: &Runner, plan: &Plan, mode: RoundMode) -> Result<Recording, TooLong> {
    let mut bounded = plan.clone();
    bounded.limits.messages = bounded.limits.messages.min(MOST_STEPS as u64);
    let mut recorder = Recorder::new(plan);
    let report = run_plan_observed(algorithm, &bounded, mode, &mut recorder);
    let stopped_here = !report.finished && report.messages.total > MOST_STEPS as u64;
    if stopped_here { Err(TooLong) } else { recorder.finish(report).ok_or(TooLong) }
}

/// Keeps a schedule that was carried out. `plan` is the one that it belongs to.
///
/// # Errors
/// [`TooLong`] if there are more than [`MOST_STEPS`] steps.
pub fn record_replay(replay: &Replay, plan: &Plan) -> Result<Recording, TooLong> {
    let mut recorder = Recorder::new(plan);
    let report = replay.show(plan, &mut recorder);
    recorder.finish(report).ok_or(TooLong)
}

impl Recording {
    /// How many members there are.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// A member's id.
    #[must_use]
    pub fn id(&self, member: u32) -> Id {
        self.ranks[member as usize].id()
    }

    /// Whether members moved in step.
    #[must_use]
    pub fn is_in_rounds(&self) -> bool {
        self.report.driver == Driver::Rounds
    }

    /// A message's kind and what it says, as in "election 80".
    #[must_use]
    pub fn label(&self, message: usize) -> String {
        let Sent { kind, text, .. } = &self.messages[message];
        let kind = self.kinds[*kind].name;
        if text.is_empty() { kind.to_owned() } else { format!("{kind} {text}") }
    }

    /// The run after its first `done` steps.
    #[must_use]
    pub fn after(&self, done: usize) -> RunState<'_> {
        RunState { recording: self, done: done.min(self.steps.len()) }
    }

    /// The step of the same member before a step.
    #[must_use]
    pub fn step_before(&self, step: usize) -> Option<&Step> {
        let own = &self.steps_of[self.steps[step].member as usize];
        let earlier = own.partition_point(|&other| other < step);
        earlier.checked_sub(1).map(|last| &self.steps[own[last]])
    }

    /// What a step changed in what its member remembers.
    #[must_use]
    pub fn changes(&self, step: usize) -> Vec<Change<'_>> {
        let before = self.step_before(step).map_or(&[][..], |step| &step.seat.state);
        let was = |name| before.iter().find(|field| field.name == name).map(|field| field.value.as_str());
        let after = self.steps[step].seat.state.iter();
        after
            .map(|field| Change { name: field.name, before: was(field.name), after: &field.value })
            .filter(|change| change.before != Some(change.after))
            .collect()
    }

    /// Whether an outsider sees anything new of the member after a step.
    #[must_use]
    pub fn is_decision(&self, step: usize) -> bool {
        let before = self.step_before(step).map_or(Status::UNDECIDED, |step| step.seat.status);
        before != self.steps[step].seat.status
    }

    /// Vector clocks of all steps, in order.
    #[must_use]
    pub fn clocks(&self) -> Clocks<'_> {
        Clocks::new(self)
    }
}

/// A run after some of its steps.
#[derive(Clone, Copy, Debug)]
pub struct RunState<'r> {
    recording: &'r Recording,
    done: usize,
}

/// A message under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Its number: its place in [`Recording::messages`].
    pub message: usize,
    /// How much of its way lies behind it: 0 to 1.
    pub along: f64,
    /// It has arrived, but the receiver has not booted.
    pub waits: bool,
}

impl<'r> RunState<'r> {
    /// How many steps have been made.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done
    }

    /// The last of them.
    #[must_use]
    pub fn step(&self) -> Option<&'r Step> {
        self.done.checked_sub(1).map(|last| &self.recording.steps[last])
    }

    /// The time of the last step.
    #[must_use]
    pub fn now(&self) -> Time {
        self.step().map_or(Time::ZERO, |step| step.at)
    }

    /// A member's last step, if it has made one: its index.
    #[must_use]
    pub fn last_step_of(&self, member: u32) -> Option<usize> {
        let own = &self.recording.steps_of[member as usize];
        own[..own.partition_point(|&step| step < self.done)].last().copied()
    }

    /// What there is to be seen of a member; nothing before its first step.
    #[must_use]
    pub fn seat(&self, member: u32) -> Option<&'r Snapshot> {
        self.last_step_of(member).map(|step| &self.recording.steps[step].seat)
    }

    /// The messages under way, in the order in which they were sent.
    #[must_use]
    pub fn in_flight(&self) -> Vec<Flight> {
        let now = self.now();
        let messages = &self.recording.messages;
        let sent = messages.partition_point(|message| message.in_step < self.done);
        let on_the_way = |message: &Sent| message.end.is_none_or(|end| end.in_step >= self.done);
        messages[..sent]
            .iter()
            .enumerate()
            .filter(|(_, message)| on_the_way(message))
            .map(|(number, message)| Flight {
                message: number,
                along: share(now - message.at, message.due - message.at),
                waits: message.due < now,
            })
            .collect()
    }
}

/// How much of a span has passed.
fn share(passed: bellwether_core::Span, all: bellwether_core::Span) -> f64 {
    if passed >= all { 1.0 } else { passed.ticks() as f64 / all.ticks() as f64 }
}
