//! `bellwether algorithms`.

use crate::args::{AlgorithmsArgs, ListFormat};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::output::{self, Column};
use crate::parameters::ParameterObject;
use bellwether_core::{Citation, Driving, Goal, Identities, Links, Measure, Need, Spec, Starts, Timing};
use comfy_table::{ColumnConstraint, Width};
use serde::Serialize;

/// Lists the algorithms.
pub fn run(args: &AlgorithmsArgs) -> Result<Verdict, Failure> {
    match args.format {
        ListFormat::Table => output::print(as_table().as_bytes())?,
        ListFormat::Json => output::print_json(&Choice::all().map(Listed::new).collect::<Vec<_>>())?,
    }
    Ok(Verdict::Fine)
}

fn as_table() -> String {
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

/// A source in a few words; the JSON has it in full.
pub(super) fn short(source: &Citation) -> String {
    format!("{} {}", source.authors, source.year)
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    variant: &'static str,
    default: bool,
    summary: &'static str,
    driving: &'static str,
    randomised: bool,
    parameters: Vec<ParameterObject>,
    needs: Needs,
    guarantees: Guarantees,
    claims: Vec<ListedClaim>,
    sources: &'static [Citation],
}

#[derive(Serialize)]
struct Needs {
    network: Need,
    timing: Timing,
    links: Links,
    starts: Starts,
    identities: Identities,
    knows: Vec<&'static str>,
}

#[derive(Serialize)]
struct Guarantees {
    goal: Goal,
    survives: Vec<&'static str>,
}

#[derive(Serialize)]
struct ListedClaim {
    name: &'static str,
    measure: Measure,
    formula: &'static str,
}

impl Listed {
    fn new(choice: Choice) -> Listed {
        let spec = choice.spec;
        let claim = |claim: &bellwether_core::Claim| ListedClaim {
            name: claim.name,
            measure: claim.measure,
            formula: claim.formula,
        };
        Listed {
            name: spec.name,
            variant: spec.variant,
            default: choice.is_default,
            summary: spec.summary,
            driving: match choice.driving {
                Driving::Events => "events",
                Driving::Rounds => "rounds",
            },
            randomised: spec.randomised,
            parameters: spec.parameters.iter().map(ParameterObject::new).collect(),
            needs: Needs {
                network: spec.need,
                timing: spec.timing,
                links: spec.links,
                starts: spec.starts,
                identities: spec.identities,
                knows: spec.knows.words(),
            },
            guarantees: Guarantees { goal: spec.goal, survives: spec.survives.words() },
            claims: spec.claims.iter().map(claim).collect(),
            sources: spec.sources,
        }
    }
}
