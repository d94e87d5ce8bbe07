//! A scenario, for people.

use crate::output::line;
use bellwether_core::{FaultEvent, Id};
use bellwether_lab::scenario::{Mismatch, Played, Scenario};
use bellwether_lab::wording::asked;
use bellwether_runspec::quoted;
use bellwether_sim::{LinkOrder, Schedule};

/// What a scenario is about: title, story, members, what happens, what is expected.
pub fn heading(name: &str, scenario: &Scenario) -> String {
    let mut text = format!("{}\n", scenario.title);
    if !scenario.about.is_empty() {
        text.push_str(&format!("\n{}\n", scenario.about));
    }
    text.push('\n');
    text.push_str(&line("scenario", name));
    text.push_str(&line("algorithm", scenario.run.algorithm_in_full()));
    if let Some(shape) = &scenario.run.topology {
        text.push_str(&line("network", shape));
    }
    text.push_str(&line("members", listed(&scenario.ids)));
    let links = if scenario.run.links == LinkOrder::Reordering { ", reordering links" } else { "" };
    text.push_str(&line("delay", format!("{}{links}", scenario.run.delay)));
    for (id, what, at) in scenario.run.script.events() {
        let does = match what {
            FaultEvent::Crash => "crashes".to_owned(),
            FaultEvent::Start => "starts".to_owned(),
            FaultEvent::Call => "calls".to_owned(),
            FaultEvent::Request(request) => asked(request),
            other => other.kind().word().to_owned(),
        };
        text.push_str(&line("event", format!("{id} {does} at {at}")));
    }
    if let Some(source) = &scenario.source {
        text.push_str(&line("source", source));
    }
    if let Some(reason) = &scenario.waits_for {
        text.push_str(&line("waits for", reason));
    }
    for (key, value) in scenario.expect.lines() {
        text.push_str(&line("expected", format!("{key} = {value}")));
    }
    text
}

/// Up to so many members are named.
const MOST_NAMED: usize = 24;

fn listed(ids: &[Id]) -> String {
    let mut names: Vec<String> = ids.iter().take(MOST_NAMED).map(Id::to_string).collect();
    if ids.len() > MOST_NAMED {
        names.push(format!("... ({} in all)", ids.len()));
    }
    names.join(", ")
}

/// Whether a scenario came out as expected.
pub fn verdict(name: &str, scenario: &Scenario, played: &Played, mismatches: &[Mismatch]) -> String {
    let mut text = line("scenario", format!("{name}: {}", scenario.title));
    let report = &played.report;
    text.push_str(&line("messages", report.messages.payload));
    text.push_str(&line("time", format!("{} hops", report.time)));
    if !report.finished {
        text.push_str(&match &played.plan.schedule {
            None => line("stopped", "at a limit ('until' or 'max_messages'), before it was over"),
            Some(Schedule { loop_from: None, .. }) => {
                line("stopped", "with its schedule, before it was over")
            }
            Some(_) => line("stopped", "never: it goes round for ever, and the loop was played twice"),
        });
    }
    for (key, value) in scenario.expect.lines() {
        let holds = !mismatches.iter().any(|mismatch| mismatch.what == key);
        text.push_str(&line("expected", format!("{key} = {value}{}", if holds { ": yes" } else { ": NO" })));
    }
    for mismatch in mismatches {
        text.push_str(&line("MISMATCH", mismatch));
    }
    let outcome = if mismatches.is_empty() { "as expected" } else { "not as expected" };
    text.push_str(&line("verdict", outcome));
    if !mismatches.is_empty() {
        text.push_str(&format!("\nagain: bellwether play {} --check\n", quoted(name)));
    }
    text
}
