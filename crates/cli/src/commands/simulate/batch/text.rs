//! The sum of many runs, for people.

use crate::commands::simulate::text::heading;
use crate::output::{self, Column, line};
use crate::request::Request;
use bellwether_core::Reign;
use bellwether_lab::batch::{Batch, ClaimSummary, FEWEST_FOR_AVERAGES, Figures, Occurrence, Outcomes};
use bellwether_sim::Plan;

pub fn describe(request: &Request, plan: &Plan, batch: &Batch) -> String {
    let mut text = heading(request, plan.n(), batch.m, batch.diameter);
    let last_seed = request.run.seed.wrapping_add(request.runs - 1);
    text.push_str(&line("runs", format!("{}, seeds {} to {last_seed}", request.runs, request.run.seed)));
    let Outcomes { elected, split, none, undecided } = batch.outcomes;
    let outcomes = format!("{elected} elected, {split} split, {none} none, {undecided} undecided");
    text.push_str(&format!("\n{}", line("outcomes", outcomes)));
    text.push_str(&two_led(request.choice.spec.reign, batch));
    if batch.unsafe_in + batch.not_live_in > 0 {
        let counts = format!("unsafe in {} runs, not live in {}", batch.unsafe_in, batch.not_live_in);
        text.push_str(&line("PROBLEM", counts));
    }
    if let Some((seed, problems)) = &batch.first_problem {
        text.push_str(&line(
            "PROBLEM",
            format!("the gravest, first with seed {seed}: {}", problems.join("; ")),
        ));
    }
    let is_troubled = plan.is_disturbed() || plan.detector.is_some();
    text.push_str(&format!("\n{}", figures(batch, is_troubled)));
    if !batch.claims.is_empty() {
        text.push_str(&format!("\n{}", claims(&batch.claims)));
    }
    if batch.claims.iter().any(|claim| claim.holds.is_none()) {
        text.push_str(&format!("(averages are judged from {FEWEST_FOR_AVERAGES} runs on)\n"));
    }
    text.push_str(&format!("\nagain: {}\n", request.again()));
    if let Some((seed, _)) = &batch.first_problem {
        text.push_str(&format!("first problem again: {}\n", request.again_with(*seed)));
    }
    text
}

/// In how many runs two led at once, and in one term: each on a line, before all other problems.
fn two_led(reign: Reign, batch: &Batch) -> String {
    let may_be = reign != Reign::Leased; // for a while: the end has been judged
    let told = [
        ("two led at once", batch.two_at_once, if may_be { "at once" } else { "PROBLEM" }),
        ("two led in one term", batch.two_in_one_term, "PROBLEM"),
    ];
    let lines = told.into_iter().filter_map(|(what, Occurrence { runs, first_seed }, name)| {
        let of = if runs == 1 { "run" } else { "runs" };
        Some(line(name, format!("{what} in {runs} {of}, first with seed {}", first_seed?)))
    });
    lines.collect()
}

fn figures(batch: &Batch, is_troubled: bool) -> String {
    let numbers = ["mean", "p50", "p99", "max", "std. error"].map(Column::Right);
    let mut columns = vec![Column::Left("a run")];
    columns.extend(numbers);
    let mut table = output::table(&columns);
    let messages = &batch.messages;
    let has_control = messages.control.is_some_and(|control| control.max.0 > 0.0);
    let mut rows = vec![("messages", messages.total)];
    if has_control {
        rows.extend([("  payload", messages.payload), ("  control", messages.control)]);
    }
    rows.extend([
        ("bytes", batch.bytes),
        ("time (hops)", batch.time),
        ("rounds", batch.rounds),
        ("storage (bytes)", batch.storage),
    ]);
    if is_troubled {
        let (links, stability) = (&batch.links, &batch.stability);
        let counts = [
            ("lost on the way", links.lost),
            ("doubled", links.duplicated),
            ("held up", links.held_up),
            ("signals", batch.signals),
        ];
        let is_some = |figures: &Option<Figures>| figures.is_some_and(|figures| figures.max.0 > 0.0);
        rows.extend(counts.into_iter().filter(|(_, figures)| is_some(figures)));
        rows.extend([
            ("changes of leader", stability.changes),
            ("without a leader", stability.without_leader),
            ("with several", stability.with_several),
            ("most leaders", stability.most_leaders),
        ]);
        rows.extend(
            [("terms with several", stability.shared_terms)].into_iter().filter(|(_, it)| is_some(it)),
        );
    }
    for (name, figures) in rows {
        let Some(figures) = figures else { continue };
        let Figures { mean, p50, p99, max, std_error } = figures;
        let mut row = vec![name.to_owned()];
        row.extend([mean, p50, p99, max, std_error].map(|figure| figure.to_string()));
        table.add_row(row);
    }
    output::lines_of(&table)
}

fn claims(claims: &[ClaimSummary]) -> String {
    let mut table = output::claims_table();
    for claim in claims {
        let expected = match claim.expected {
            Some(figure) => format!("{} {figure}", claim.relation),
            None => format!("{} (differs)", claim.relation),
        };
        let holds = match claim.held_in {
            Some(held_in) => {
                format!("{} ({held_in} of {})", output::yes_or_no(claim.holds), claim.runs)
            }
            None => output::yes_or_no(claim.holds).to_owned(),
        };
        table.add_row([
            claim.name.to_owned(),
            expected,
            claim.measured.to_string(),
            holds,
            claim.formula.to_owned(),
        ]);
    }
    output::lines_of(&table)
}
