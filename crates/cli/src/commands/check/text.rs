//! What was checked, for people.

use super::story;
use crate::choice::Choice;
use crate::output::line;
use crate::output::{self, Column, grouped};
use bellwether_check::{CheckPlan, CheckReport, CheckResult, InitiatorSets, Property, Violation};
use bellwether_core::Driving;
use bellwether_model::TimeModel;
use bellwether_runspec::form::comma_separated;
use bellwether_runspec::notation::Drift;
use bellwether_runspec::{FAULT_FIELDS, FaultField, quoted};
use bellwether_sim::LinkOrder;
use std::path::Path;

/// Says what holds and what does not, and how it was found. `again` is the command that checks the same again, and `saved`
/// the file in which the counterexample is saved, if it is.
pub fn describe(
    again: &str,
    saved: Option<&Path>,
    choice: &Choice,
    plan: &CheckPlan,
    report: &CheckReport,
) -> String {
    let mut text = format!("{}: {}\n\n", subject(choice, plan), verdict(plan, report));
    text.push_str(&heading(plan));
    text.push_str(&coverage(plan, report));
    text.push('\n');
    text.push_str(&properties(report));
    if let Some((property, violation)) = report.gravest() {
        text.push('\n');
        text.push_str(&counterexample(plan, property, violation));
        text.push_str("\nto play it:\n");
        text.push_str(&commands(again, saved));
    } else {
        text.push_str(&format!("\nagain: {again}\n"));
    }
    text
}

fn subject(choice: &Choice, plan: &CheckPlan) -> String {
    format!("{}, {}", choice.in_full(), count(plan.ids.len() as u64, "member"))
}

/// "1 state", "2 states".
fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

fn verdict(plan: &CheckPlan, report: &CheckReport) -> String {
    match (report.verdict(), &report.incomplete) {
        (CheckResult::Violated, _) => "violated".to_owned(),
        (_, Some(why)) => format!("nothing wrong in the {} seen, but {why}", count(report.states, "state")),
        _ if report.goes_on || report.restarts_cut => {
            let says = match report.verdict_on(Property::OneLeader) {
                CheckResult::Holds => "one leader in all",
                _ => "nothing to hold yet in the",
            };
            format!("{says} {} of {}", count(report.states, "state"), horizon(plan, report))
        }
        (CheckResult::Incomplete, _) => format!("nothing to hold in the {}", count(report.states, "state")),
        _ if report.is_cut => {
            format!("holds in all {} of runs with few draws", count(report.states, "state"))
        }
        _ => format!("holds in all {}", count(report.states, "state")),
    }
}

/// How far runs were followed that go on.
fn horizon(plan: &CheckPlan, report: &CheckReport) -> String {
    let may = &plan.liberties;
    let steps = report.goes_on.then(|| format!("{} of the clock", count(may.ticks.into(), "step")));
    let restarts = report.restarts_cut.then(|| format!("up to {}", count(may.restarts.into(), "restart")));
    steps.into_iter().chain(restarts).collect::<Vec<_>>().join(" and ")
}

/// What was checked.
fn heading(plan: &CheckPlan) -> String {
    let mut text = line("network", &plan.shape);
    let members = match plan.seating {
        None => comma_separated(&plan.ids),
        Some(_) => format!("{}, in every order that matters", comma_separated(&plan.ids)),
    };
    text.push_str(&line("members", members));
    let callers = match &plan.initiators {
        InitiatorSets::All => "everyone".to_owned(),
        InitiatorSets::Any => "every set of members, one after the other".to_owned(),
        InitiatorSets::One => "one member: each in turn".to_owned(),
        InitiatorSets::Ids(ids) => comma_separated(ids),
    };
    text.push_str(&line("initiators", callers));
    text.push_str(&line("faults", faults(plan)));
    text.push_str(&line("time", time(plan)));
    text
}

/// What may go wrong, in words.
fn faults(plan: &CheckPlan) -> String {
    let may = &plan.liberties;
    let counted = |field: &FaultField| {
        let (one, many) = field.nouns?;
        match field.count(may)? {
            0 => None,
            1 => Some(format!("1 {one}")),
            most => Some(format!("{most} {many}")),
        }
    };
    let mut parts: Vec<String> = FAULT_FIELDS.iter().filter_map(counted).collect();
    if plan.run.links == LinkOrder::Reordering {
        parts.push("messages overtake each other".to_owned());
    }
    if parts.is_empty() {
        parts.push("none".to_owned());
    }
    if plan.run.ring_closes {
        parts.push("the ring closes round its dead".to_owned());
    }
    if may.detector {
        parts.push("members are told of deaths, some time after".to_owned());
    }
    if may.certified {
        parts.push("crashes are certified".to_owned());
    }
    parts.join("; ")
}

/// What time is, in words.
fn time(plan: &CheckPlan) -> String {
    let mut parts = match plan.liberties.time {
        TimeModel::Any => vec!["messages take any time, and timers run out at any time".to_owned()],
        TimeModel::Clock { grain, drift } => {
            let mut parts = vec![format!("a clock, {} to the bound on delays", count(grain.into(), "step"))];
            parts.extend((drift > 0).then(|| format!("members' clocks drift by up to {}", Drift(drift))));
            parts
        }
    };
    if plan.algorithm.driving == Driving::Rounds {
        parts.push("rounds run over a synchroniser".to_owned());
    }
    if plan.liberties.stops_at_goal {
        let goes_on = match (plan.algorithm.driving, plan.liberties.time) {
            (Driving::Rounds, _) => "and is not followed further",
            (_, TimeModel::Clock { .. }) => "(--ticks goes on)",
            (_, TimeModel::Any) => "(--timing clock --ticks goes on)",
        };
        parts.push(format!("a run is over when all is right {goes_on}"));
    }
    if plan.liberties.restarts > 0 {
        let times = count(plan.liberties.restarts.into(), "time");
        let long = match plan.liberties.time {
            TimeModel::Any => "any time".to_owned(),
            TimeModel::Clock { .. } => count(plan.liberties.restart_after.into(), "delay bound"),
        };
        parts.push(format!(
            "members without a leader for {long} start an election again, up to {times} in all"
        ));
    }
    if plan.liberties.late_calls {
        parts.push("members may hear from others before they call".to_owned());
    }
    parts.join("; ")
}

/// What was seen, and what stood for what.
fn coverage(plan: &CheckPlan, report: &CheckReport) -> String {
    let [states, transitions] = [(report.states, "state"), (report.transitions, "transition")]
        .map(|(number, what)| count(number, what));
    let mut text = line("seen", format!("{states}, {transitions}, depth {}", report.depth));
    if plan.size > 1 {
        text.push_str(&line("", format!("in {} of {}", report.checked, count(plan.size, "check"))));
    }
    if let Some(why) = &report.incomplete {
        text.push_str(&line("", format!("not everything: {why}")));
    }
    if report.is_cut {
        let most = count(plan.liberties.draws.into(), "number");
        text.push_str(&line("", format!("only runs in which each member draws at most {most}")));
    }
    if report.goes_on || report.restarts_cut {
        text.push_str(&line("", format!("runs were followed for {}, and go on", horizon(plan, report))));
    }
    let stood = match (report.reduced, report.symmetric) {
        (true, true) => {
            "one order for all that lead to the same, one state for all that differ by a turn or by names"
        }
        (true, false) => "one order for all that lead to the same (--no-reduction follows all)",
        (false, true) => {
            "one state for all that differ by a turn or by names (--no-symmetry tells them apart)"
        }
        (false, false) => "every order, every state",
    };
    text.push_str(&line("followed", stood));
    text.push_str(&line("", "states are compared whole: none is lost to a hash that is like another's"));
    text
}

fn properties(report: &CheckReport) -> String {
    let mut table = output::table(&[
        Column::Left("property"),
        Column::Left("what it says"),
        Column::Left("verdict"),
        Column::Right("seen"),
        Column::Left("of its twin"),
        Column::Right("steps"),
    ]);
    for one in &report.properties {
        let steps = one.violation.as_ref().map(|violation| violation.run.actions.len().to_string());
        table.add_row([
            one.property.name().to_owned(),
            one.property.sentence().to_owned(),
            in_words(one.verdict, one.seen).to_owned(),
            grouped(one.seen),
            one.property.witness().to_owned(),
            steps.unwrap_or_default(),
        ]);
    }
    output::lines_of(&table)
}

fn in_words(verdict: CheckResult, seen: u64) -> &'static str {
    match verdict {
        CheckResult::Holds => "holds",
        CheckResult::Violated => "VIOLATED",
        CheckResult::Incomplete if seen == 0 => "not seen yet",
        CheckResult::Incomplete => "open",
        CheckResult::Vacuous => "says nothing",
    }
}

fn counterexample(plan: &CheckPlan, property: Property, violation: &Violation) -> String {
    let steps = count(violation.run.actions.len() as u64, "step");
    let shortest = match (violation.run.is_shortest, violation.run.loop_from) {
        (true, _) => "no shorter run breaks it",
        (false, None) => "perhaps a shorter run breaks it too",
        (false, Some(_)) => "the loop is the shortest of some that were tried",
    };
    let mut text = format!("{} is violated in {steps}; {shortest}\n", property.name());
    if let Some(claim) = &violation.run.claim {
        text.push_str(&line("claim", claim));
    }
    if plan.size > 1 {
        let (ids, callers) = (violation.ids(), violation.case.initiators());
        text.push_str(&line("members", comma_separated(&ids)));
        text.push_str(&line("initiators", comma_separated(&callers)));
    }
    text.push('\n');
    text.push_str(&story::tell(violation));
    text
}

/// How to see the run again.
fn commands(again: &str, saved: Option<&Path>) -> String {
    let name = saved.map_or_else(|| "run.toml".to_owned(), |path| path.display().to_string());
    let file = quoted(&name);
    let save = if saved.is_some() { String::new() } else { format!("    {again} --save {file}\n") };
    format!("{save}    bellwether play {file}\n")
}
