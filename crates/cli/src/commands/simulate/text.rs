//! One run, for people.

use super::Run;
use crate::output::{self, Column, line};
use crate::request::Request;
use bellwether_core::{Elect, Goal, Identities, Role, Time};
use bellwether_lab::{Figure, FinalState, problems};
use bellwether_runspec::Attributes;
use bellwether_runspec::form::Form as _;
use bellwether_sim::{Driver, LinkCounts, Outcome, Report, Stability};

/// Describes a run.
pub fn describe(request: &Request, run: &Run) -> String {
    let mut text = heading(request, run.plan.n(), Some(run.plan.topology.links()), run.plan.diameter);
    text.push('\n');
    text.push_str(&outcome(request.choice.spec.goal, &run.report));
    let is_eventful = run.plan.script.iter().any(|happening| happening.at > Time::ZERO);
    if is_eventful || run.plan.is_disturbed() || run.plan.detector.is_some() {
        text.push_str(&trouble(&run.report));
    }
    for problem in problems(&run.report) {
        text.push_str(&line("PROBLEM", problem));
    }
    if !run.report.claims.is_empty() {
        text.push('\n');
        text.push_str(&claims(&run.report));
    }
    if !run.seats.is_empty() {
        text.push('\n');
        text.push_str(&members(request, run));
    }
    text.push_str(&format!("\nagain: {}\n", request.again()));
    text
}

/// What is run, on what, and how.
pub fn heading(request: &Request, n: u32, m: Option<u64>, diameter: Option<u32>) -> String {
    let spec = request.choice.spec;
    let unless_known = |figure: Option<u64>| figure.map_or("unknown".to_owned(), |figure| figure.to_string());
    let winner = match (spec.identities, request.run.elect, &request.run.attributes) {
        (Identities::Anonymous, ..) => "luck: members are identical",
        (_, Elect::Best, Attributes::None) => "the highest id",
        (_, Elect::Worst, Attributes::None) => "the lowest id",
        (_, Elect::Best, _) => "the highest attribute",
        (_, Elect::Worst, _) => "the lowest attribute",
    };
    let settings = match request.choice.settings() {
        settings if settings.is_empty() => settings,
        settings => format!(", {settings}"),
    };
    [
        line("algorithm", format!("{} ({}{settings}): {}", spec.name, spec.variant, spec.summary)),
        line(
            "network",
            format!(
                "{}; n = {n}, m = {}, diameter {}",
                request.shape,
                unless_known(m),
                unless_known(diameter.map(u64::from))
            ),
        ),
        line("delivery", format!("delay {}, links {}", request.run.delay, request.run.links.to_text())),
        line("to win", winner),
    ]
    .concat()
}

fn outcome(goal: Goal, report: &Report) -> String {
    let ruling = &report.ruling;
    let everyone_decided = goal == Goal::EveryoneDecides && ruling.not_live_because.is_none();
    let elected = match (ruling.outcome, ruling.leader) {
        (Outcome::Elected, Some(leader)) if ruling.agreed => format!("{leader}, and everyone knows"),
        (Outcome::Elected, Some(leader)) if everyone_decided => {
            format!("{leader}, and everyone knows whether it leads")
        }
        (Outcome::Elected, Some(leader)) => format!("{leader}, but not everyone knows"),
        (Outcome::Split, _) => "split: there is more than one leader".to_owned(),
        (Outcome::Undecided, _) => "nobody before the run was stopped".to_owned(),
        (Outcome::None, _) if !ruling.required => {
            "nobody: no live member called an election or heard of one, so none was required".to_owned()
        }
        _ => "nobody".to_owned(),
    };
    let kinds: Vec<String> =
        report.messages.by_kind.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let mut text = line("elected", elected);
    text.push_str(&line("messages", format!("{} ({})", report.messages.total, kinds.join(", "))));
    text.push_str(&line("bytes", report.bytes));
    let known = match report.known_between() {
        Some((first, last)) => format!(" (the first knew at {first}, the last at {last})"),
        None => String::new(),
    };
    text.push_str(&line("time", format!("{} hops{known}", report.time)));
    if let Some(rounds) = report.rounds {
        text.push_str(&line("rounds", rounds));
    }
    if report.driver == Driver::Synchroniser {
        text.push_str(&line("rounds", "over a synchroniser"));
    }
    text.push_str(&line("storage", format!("{} bytes a member, at most", report.storage_max)));
    if !report.finished {
        text.push_str(&line("stopped", "before everything had happened"));
    }
    text
}

/// What links did to messages, what detectors cost, and how stable leadership was.
fn trouble(report: &Report) -> String {
    let mut text = String::new();
    let LinkCounts { lost, duplicated, held_up } = report.links;
    if lost + duplicated + held_up > 0 {
        let fates = format!("{lost} lost, {duplicated} doubled, {held_up} held up");
        text.push_str(&line("on the way", fates));
    }
    if report.signals > 0 {
        text.push_str(&line("signals", format!("{} between failure detectors", report.signals)));
    }
    let Stability { changes, without_leader, with_several, most_leaders, shared_terms } = report.stability;
    let several = match most_leaders {
        0 | 1 => String::new(),
        most => format!(", several for {with_several} ({most} at once)"),
    };
    let shared = match shared_terms {
        0 => String::new(),
        1 => "; in one term several led".to_owned(),
        count => format!("; in {count} terms several led"),
    };
    let changes = format!("{changes} {}", if changes == 1 { "change" } else { "changes" });
    let stability = format!("{changes} of leader; nobody led for {without_leader} hops{several}{shared}");
    text.push_str(&line("stability", stability));
    text
}

fn claims(report: &Report) -> String {
    let mut table = output::claims_table();
    for claim in &report.claims {
        table.add_row([
            claim.name.to_owned(),
            format!("{} {}", claim.relation, Figure(claim.expected)),
            Figure(claim.measured).to_string(),
            output::yes_or_no(Some(claim.holds)).to_owned(),
            claim.formula.to_owned(),
        ]);
    }
    output::lines_of(&table)
}

fn members(request: &Request, run: &Run) -> String {
    let has_attributes = request.run.attributes != Attributes::None;
    let mut columns = vec![Column::Right("member")];
    if has_attributes {
        columns.push(Column::Right("attribute"));
    }
    columns.push(Column::Left("role"));
    // Identical members have no names for each other.
    let has_names = request.choice.spec.identities == Identities::Unique;
    if has_names {
        columns.extend([Column::Right("leader"), Column::Right("known since")]);
    }
    let mut table = output::table(&columns);
    for ((rank, seat), &since) in run.plan.ranks.iter().zip(&run.seats).zip(&run.report.knew_at) {
        let mut row = vec![rank.id().to_string()];
        if has_attributes {
            row.push(rank.attribute().to_string());
        }
        let nothing = || "-".to_owned();
        let (role, leader) = match seat {
            FinalState::Absent => ("not started", None),
            FinalState::Dead => ("dead", None),
            FinalState::Up(status) => (role(status.role), status.leader),
        };
        row.push(role.to_owned());
        if has_names {
            row.push(leader.map_or_else(nothing, |leader| leader.to_string()));
            let since = Some(since).filter(|&since| since != Time::NEVER && leader.is_some());
            row.push(since.map_or_else(nothing, |since| since.to_string()));
        }
        table.add_row(row);
    }
    output::lines_of(&table)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Undecided => "undecided",
        Role::Leader => "leader",
        Role::Follower => "follower",
    }
}
