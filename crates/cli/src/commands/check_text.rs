//! What was checked, for people.

use super::check_story;
use super::simulate_text::line;
use crate::again;
use crate::args::CheckArgs;
use crate::args::values::{Drift, WhoCalls, comma_separated};
use crate::error::Failure;
use crate::found::{Broken, Found};
use crate::inquiry::Inquiry;
use crate::output::{self, Column, grouped};
use bellwether_check::{Property, Verdict};
use bellwether_core::Driving;
use bellwether_sim::LinkOrder;
use bellwether_sim::rules::TimeModel;

/// Says what holds and what does not, and how it was found.
pub fn describe(args: &CheckArgs, inquiry: &Inquiry, found: &Found) -> Result<String, Failure> {
    let mut text = format!("{}: {}\n\n", subject(inquiry), verdict(inquiry, found));
    text.push_str(&heading(inquiry));
    text.push_str(&coverage(inquiry, found));
    text.push('\n');
    text.push_str(&properties(found));
    if let Some((property, broken)) = found.gravest() {
        text.push('\n');
        text.push_str(&counterexample(inquiry, property, broken)?);
        text.push_str("\nto play it:\n");
        text.push_str(&commands(args));
    } else {
        text.push_str(&format!("\nagain: {}\n", again::check(args)));
    }
    Ok(text)
}

fn subject(inquiry: &Inquiry) -> String {
    format!("{}, {}", inquiry.choice.in_full(), count(inquiry.ids.len() as u64, "member"))
}

/// "1 state", "2 states".
fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

fn verdict(inquiry: &Inquiry, found: &Found) -> String {
    match (found.verdict(), &found.incomplete) {
        (Verdict::Violated, _) => "violated".to_owned(),
        (_, Some(why)) => format!("nothing wrong in the {} seen, but {why}", count(found.states, "state")),
        _ if found.goes_on => {
            let says = match found.verdict_on(Property::OneLeader) {
                Verdict::Holds => "one leader in all",
                _ => "nothing to hold yet in the",
            };
            format!("{says} {} of {}", count(found.states, "state"), horizon(inquiry))
        }
        (Verdict::Incomplete, _) => format!("nothing to hold in the {}", count(found.states, "state")),
        _ if found.is_cut => format!("holds in all {} of runs with few draws", count(found.states, "state")),
        _ => format!("holds in all {}", count(found.states, "state")),
    }
}

/// How far runs were followed that go on.
fn horizon(inquiry: &Inquiry) -> String {
    format!("{} of the clock", count(inquiry.liberties.ticks.into(), "step"))
}

/// What was checked.
fn heading(inquiry: &Inquiry) -> String {
    let mut text = line("network", &inquiry.shape);
    let members = match inquiry.seating {
        None => comma_separated(&inquiry.ids),
        Some(_) => format!("{}, in every order that matters", comma_separated(&inquiry.ids)),
    };
    text.push_str(&line("members", members));
    let callers = match &inquiry.callers {
        WhoCalls::All => "everyone".to_owned(),
        WhoCalls::Any => "every set of members, one after the other".to_owned(),
        WhoCalls::One => "one member: each in turn".to_owned(),
        WhoCalls::Ids(ids) => comma_separated(ids),
    };
    text.push_str(&line("initiators", callers));
    text.push_str(&line("faults", faults(inquiry)));
    text.push_str(&line("time", time(inquiry)));
    text
}

/// What may go wrong, in words.
fn faults(inquiry: &Inquiry) -> String {
    let may = &inquiry.liberties;
    let budgets = [
        (may.crashes, "crash", "crashes"),
        (may.recoveries, "recovery", "recoveries"),
        (may.losses, "lost message", "lost messages"),
        (may.duplicates, "message that comes twice", "messages that come twice"),
        (may.pauses, "pause", "pauses"),
        (may.requests, "request to a leader", "requests to leaders"),
    ];
    let mut parts: Vec<String> = budgets
        .into_iter()
        .filter(|(most, ..)| *most > 0)
        .map(|(most, one, many)| if most == 1 { format!("1 {one}") } else { format!("{most} {many}") })
        .collect();
    if inquiry.setup.links == LinkOrder::Reordering {
        parts.push("messages overtake each other".to_owned());
    }
    if parts.is_empty() {
        parts.push("none".to_owned());
    }
    if inquiry.setup.ring_closes {
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
fn time(inquiry: &Inquiry) -> String {
    let mut parts = match inquiry.liberties.time {
        TimeModel::Any => vec!["messages take any time, and timers run out at any time".to_owned()],
        TimeModel::Clock { grain, drift } => {
            let mut parts = vec![format!("a clock, {} to the bound on delays", count(grain.into(), "step"))];
            parts.extend((drift > 0).then(|| format!("members' clocks drift by up to {}", Drift(drift))));
            parts
        }
    };
    if inquiry.choice.driving == Driving::Rounds {
        parts.push("rounds run over a synchroniser".to_owned());
    }
    if inquiry.liberties.stops_at_goal {
        let goes_on = match (inquiry.choice.driving, inquiry.liberties.time) {
            (Driving::Rounds, _) => "and is not followed further",
            (_, TimeModel::Clock { .. }) => "(--ticks goes on)",
            (_, TimeModel::Any) => "(--timing clock --ticks goes on)",
        };
        parts.push(format!("a run is over when all is right {goes_on}"));
    }
    if inquiry.liberties.late_calls {
        parts.push("members may hear from others before they call".to_owned());
    }
    parts.join("; ")
}

/// What was seen, and what stood for what.
fn coverage(inquiry: &Inquiry, found: &Found) -> String {
    let [states, transitions] = [(found.states, "state"), (found.transitions, "transition")]
        .map(|(number, what)| count(number, what));
    let mut text = line("seen", format!("{states}, {transitions}, depth {}", found.depth));
    if inquiry.size > 1 {
        text.push_str(&line("", format!("in {} of {}", found.checked, count(inquiry.size, "check"))));
    }
    if let Some(why) = &found.incomplete {
        text.push_str(&line("", format!("not everything: {why}")));
    }
    if found.is_cut {
        let most = count(inquiry.liberties.draws.into(), "number");
        text.push_str(&line("", format!("only runs in which each member draws at most {most}")));
    }
    if found.goes_on {
        text.push_str(&line("", format!("runs were followed for {}, and go on", horizon(inquiry))));
    }
    let stood = match (found.reduced, found.symmetric) {
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

fn properties(found: &Found) -> String {
    let mut table = output::table(&[
        Column::Left("property"),
        Column::Left("what it says"),
        Column::Left("verdict"),
        Column::Right("seen"),
        Column::Left("of its twin"),
        Column::Right("steps"),
    ]);
    for ruled in &found.properties {
        let steps = ruled.broken.as_ref().map(|broken| broken.run.actions.len().to_string());
        table.add_row([
            ruled.property.name().to_owned(),
            ruled.property.sentence().to_owned(),
            in_words(ruled.verdict, ruled.seen).to_owned(),
            grouped(ruled.seen),
            ruled.property.twin().to_owned(),
            steps.unwrap_or_default(),
        ]);
    }
    output::lines_of(&table)
}

fn in_words(verdict: Verdict, seen: u64) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "VIOLATED",
        Verdict::Incomplete if seen == 0 => "not seen yet",
        Verdict::Incomplete => "open",
        Verdict::Vacuous => "says nothing",
    }
}

fn counterexample(inquiry: &Inquiry, property: Property, broken: &Broken) -> Result<String, Failure> {
    let steps = count(broken.run.actions.len() as u64, "step");
    let shortest = match (broken.run.is_shortest, broken.run.loop_from) {
        (true, _) => "no shorter run breaks it",
        (false, None) => "perhaps a shorter run breaks it too",
        (false, Some(_)) => "the loop is the shortest of some that were tried",
    };
    let mut text = format!("{} is violated in {steps}; {shortest}\n", property.name());
    if let Some(claim) = &broken.run.claim {
        text.push_str(&line("claim", claim));
    }
    if inquiry.size > 1 {
        let (ids, callers) = (broken.ids(), broken.case.callers());
        text.push_str(&line("members", comma_separated(&ids)));
        text.push_str(&line("initiators", comma_separated(&callers)));
    }
    text.push('\n');
    text.push_str(&check_story::tell(inquiry, broken)?);
    Ok(text)
}

/// How to see the run again.
fn commands(args: &CheckArgs) -> String {
    let name = args.files.save.as_ref().map(|path| path.display().to_string());
    let file = again::quoted(name.as_deref().unwrap_or("run.toml"));
    let save =
        if name.is_some() { String::new() } else { format!("    {} --save {file}\n", again::check(args)) };
    format!("{save}    bellwether play {file}\n")
}
