//! The shipped scenarios as a table.

use crate::output::{self, Column};
use crate::shipped::Shipped;
use bellwether_lab::scenario::Scenario;
use comfy_table::{ColumnConstraint, Width};

pub fn as_table(scenarios: &[(&Shipped, Scenario)]) -> String {
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
            scenario.run.algorithm_in_full(),
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

fn status(scenario: &Scenario) -> String {
    match &scenario.waits_for {
        Some(reason) => format!("waits for {reason}"),
        None => "ready".to_owned(),
    }
}
