//! `bellwether scenarios`.

use crate::args::{ListFormat, ScenariosArgs};
use crate::error::{Failure, Verdict};
use crate::output::{self, Column};
use crate::shipped::{SHIPPED, Shipped};
use bellwether_core::Id;
use bellwether_lab::scenario::Scenario;
use comfy_table::{ColumnConstraint, Width};
use serde::Serialize;
use std::collections::BTreeMap;

/// Lists the scenarios that come with the program.
pub fn run(args: &ScenariosArgs) -> Result<Verdict, Failure> {
    let scenarios = SHIPPED.iter().map(|shipped| Ok((shipped, shipped.scenario()?)));
    let scenarios: Vec<(&Shipped, Scenario)> = scenarios.collect::<Result<_, Failure>>()?;
    match args.format {
        ListFormat::Table => output::print(as_table(&scenarios).as_bytes())?,
        ListFormat::Json => {
            let listed: Vec<_> =
                scenarios.iter().map(|(shipped, of)| Listed::new(shipped.name, of)).collect();
            output::print_json(&listed)?;
        }
    }
    Ok(Verdict::Fine)
}

fn as_table(scenarios: &[(&Shipped, Scenario)]) -> String {
    let mut table = output::table(&[
        Column::Left("scenario"),
        Column::Left("title"),
        Column::Left("algorithm"),
        Column::Right("members"),
        Column::Left("source"),
        Column::Left("status"),
    ]);
    for (column, most) in [(1, 34), (4, 24), (5, 16)] {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(most)));
        }
    }
    for (shipped, scenario) in scenarios {
        table.add_row([
            shipped.name.to_owned(),
            scenario.title.clone(),
            algorithm(scenario),
            scenario.ids.len().to_string(),
            scenario.source.clone().unwrap_or_default(),
            status(scenario),
        ]);
    }
    format!(
        "{}Watch one: bellwether play NAME. Check one: bellwether play NAME --check\n",
        output::lines_of(&table)
    )
}

/// The algorithm's name, with its variant where the scenario names one.
pub fn algorithm(scenario: &Scenario) -> String {
    match &scenario.variant {
        Some(variant) => format!("{}/{variant}", scenario.algorithm),
        None => scenario.algorithm.clone(),
    }
}

fn status(scenario: &Scenario) -> String {
    match &scenario.waits_for {
        Some(reason) => format!("waits for {reason}"),
        None => "ready".to_owned(),
    }
}

#[derive(Serialize)]
struct Listed<'s> {
    name: &'static str,
    title: &'s str,
    about: &'s str,
    source: Option<&'s str>,
    algorithm: &'s str,
    variant: Option<&'s str>,
    members: &'s [Id],
    status: &'static str,
    waits_for: Option<&'s str>,
    expects: BTreeMap<String, String>,
}

impl<'s> Listed<'s> {
    fn new(name: &'static str, scenario: &'s Scenario) -> Listed<'s> {
        Listed {
            name,
            title: &scenario.title,
            about: &scenario.about,
            source: scenario.source.as_deref(),
            algorithm: &scenario.algorithm,
            variant: scenario.variant.as_deref(),
            members: &scenario.ids,
            status: if scenario.waits_for.is_some() { "waiting" } else { "ready" },
            waits_for: scenario.waits_for.as_deref(),
            expects: scenario.expect.lines().into_iter().collect(),
        }
    }
}
