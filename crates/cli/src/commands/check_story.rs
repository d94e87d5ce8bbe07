//! A run that the checker found, step by step.

use crate::error::Failure;
use crate::found::Broken;
use crate::inquiry::Inquiry;
use bellwether_core::{HOP, Role, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::recording::{Input, Recording, record};
use bellwether_lab::wording;
use bellwether_model::{Action, What};
use bellwether_sim::RoundMode;

/// The run, a line a step: what happens, and what it meant.
pub fn tell(inquiry: &Inquiry, broken: &Broken) -> Result<String, Failure> {
    let recording = record(&ALGORITHMS.entries[inquiry.choice.entry], &broken.plan, RoundMode::Auto)?;
    let steps = broken.steps();
    let actions = &broken.run.actions;
    let booting = actions.iter().take_while(|action| matches!(action.what, What::Boot(_))).count();
    let digits = steps.len().to_string().len();
    let width = steps.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (number, (step, action)) in steps.iter().zip(actions).enumerate() {
        if broken.run.loop_from == Some(number as u32) {
            text.push_str(&format!("{:digits$}  -- from here on it goes round for ever --\n", ""));
        }
        // As the simulator plays it: those that boot first do so at time 0, and then each step takes a hop.
        let at = Time::ZERO + HOP * (number + 1).saturating_sub(booting) as u64;
        let meaning = recorded(&recording, at, *action)
            .map(|recorded| meaning(&recording, recorded, *action))
            .unwrap_or_default();
        let line = format!("{:>digits$}  {step:<width$}  {meaning}", number + 1);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    Ok(text)
}

/// What was recorded of a step.
fn recorded(recording: &Recording, at: Time, action: Action) -> Option<usize> {
    let boots = if let What::Boot(member) = action.what { Some(u32::from(member)) } else { None };
    recording.steps.iter().position(|step| step.at == at && boots.is_none_or(|member| step.member == member))
}

/// What a step meant: what the message says, why the member acts as it does, and what it is then.
fn meaning(recording: &Recording, number: usize, action: Action) -> String {
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
