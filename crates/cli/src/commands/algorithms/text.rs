//! The algorithms as a table.

use crate::choice::Choice;
use crate::markdown::short;
use crate::output::{self, Column};
use bellwether_core::{Identities, Links, Measure, Spec, Starts, Timing};
use comfy_table::{ColumnConstraint, Width};

pub fn as_table() -> String {
    let columns = ["algorithm", "variant", "needs", "guarantees", "claimed cost", "source"].map(Column::Left);
    let mut table = output::table(&columns);
    // The cost has the longest texts, and so the rest of the line.
    for (column, most) in [(2, 26), (3, 18), (5, 18)] {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(most)));
        }
    }
    let mut last_name = "";
    for choice in Choice::all() {
        let spec = choice.spec;
        // An algorithm's name stands once, beside its default variant.
        let name = if spec.name == last_name { "" } else { spec.name };
        last_name = spec.name;
        table.add_row([
            name.to_owned(),
            spec.variant.to_owned(),
            needs(spec),
            guarantees(spec),
            costs(spec),
            spec.sources.first().map(short).unwrap_or_default(),
        ]);
        table.add_row([""]);
    }
    format!(
        "{}The first variant of an algorithm is its default. More: bellwether algorithms --format json\n",
        output::lines_of(&table)
    )
}

fn needs(spec: &Spec) -> String {
    let mut needs = vec![spec.need.to_string(), spec.timing.to_string()];
    if spec.links == Links::Fifo && spec.timing != Timing::Rounds {
        needs.push("links that keep order".to_owned());
    }
    if spec.starts == Starts::Everyone {
        needs.push("everyone starts".to_owned());
    }
    if spec.identities == Identities::Anonymous {
        needs.push("members may be identical".to_owned());
    }
    let knows = spec.knows.words();
    if !knows.is_empty() {
        needs.push(format!("knows {}", knows.join(", ")));
    }
    if spec.randomised {
        needs.push("random numbers".to_owned());
    }
    needs.join("; ")
}

fn guarantees(spec: &Spec) -> String {
    let survives = spec.survives.words();
    match survives.is_empty() {
        true => spec.goal.to_string(),
        false => format!("{}; survives {}", spec.goal, survives.join(", ")),
    }
}

/// Messages and time; the JSON has all claims.
fn costs(spec: &Spec) -> String {
    let claims =
        spec.claims.iter().filter(|claim| matches!(claim.measure, Measure::Messages | Measure::Time));
    let costs: Vec<String> = claims.map(|claim| format!("{}: {}", claim.name, claim.formula)).collect();
    costs.join("\n")
}
