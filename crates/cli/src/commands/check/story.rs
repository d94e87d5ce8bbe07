//! A run that the checker found, step by step.

use bellwether_check::Violation;
use bellwether_core::{FaultEvent, Role, Time};
use bellwether_lab::wording;
use bellwether_model::recording::{Input, Recording};
use bellwether_model::{Action, Transition};
use bellwether_sim::Schedule;

/// The run, a line a step: what happens, and what it meant.
pub fn tell(violation: &Violation) -> String {
    let steps = violation.steps();
    let times = violation.described.schedule.iter().flat_map(Schedule::times);
    let digits = steps.len().to_string().len();
    let width = steps.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (number, ((step, action), at)) in steps.iter().zip(&violation.run.actions).zip(times).enumerate() {
        if violation.run.loop_from == Some(number as u32) {
            text.push_str(&format!("{:digits$}  -- from here on it goes round for ever --\n", ""));
        }
        let meaning = violation.recording.as_ref().and_then(|recording| {
            let recorded = recorded(recording, at, *action)?;
            Some(meaning(recording, recorded, *action))
        });
        let meaning = meaning.unwrap_or_default();
        let line = format!("{:>digits$}  {step:<width$}  {meaning}", number + 1);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What was recorded of a step.
fn recorded(recording: &Recording, at: Time, action: Transition) -> Option<usize> {
    let boots = if let Action::Member(member, FaultEvent::Start) = action.what {
        Some(u32::from(member))
    } else {
        None
    };
    recording.steps.iter().position(|step| step.at == at && boots.is_none_or(|member| step.member == member))
}

/// What a step meant: what the message says, why the member acts as it does, and what it is then.
fn meaning(recording: &Recording, number: usize, action: Transition) -> String {
    let step = &recording.steps[number];
    let mut parts: Vec<String> = step
        .inputs
        .iter()
        .filter_map(|input| match input {
            Input::Message(message) => Some(recording.label(*message)),
            Input::Loss(message) => Some(format!("{}, and nobody is there", recording.label(*message))),
            Input::Timer(timer) => Some(format!("its timer {timer}")),
            _ => None,
        })
        .collect();
    parts.extend(step.reason.map(str::to_owned));
    let status = step.seat.status;
    let has_decided = status.role != Role::Undecided || status.leader.is_some();
    if recording.is_decision(number) && has_decided && action.crash_after.is_none() {
        parts.push(format!("now it {}", wording::standing(status)));
    }
    parts.join("; ")
}
