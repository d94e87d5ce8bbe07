//! `bellwether scenarios`.

mod json;
mod text;

use crate::args::{ListFormat, ScenariosArgs};
use crate::error::{Failure, Verdict};
use crate::output;
use crate::shipped::{SHIPPED, Shipped};
use bellwether_lab::scenario::Scenario;

/// Lists the scenarios that come with the program.
pub fn run(args: &ScenariosArgs) -> Result<Verdict, Failure> {
    let scenarios = SHIPPED.iter().map(|shipped| Ok((shipped, shipped.scenario()?)));
    let scenarios: Vec<(&Shipped, Scenario)> = scenarios.collect::<Result<_, Failure>>()?;
    match args.format {
        ListFormat::Table => output::print(text::as_table(&scenarios).as_bytes())?,
        ListFormat::Json => {
            let listed: Vec<_> =
                scenarios.iter().map(|(shipped, of)| json::Listed::new(shipped.name, of)).collect();
            output::print_json(&listed)?;
        }
    }
    Ok(Verdict::Fine)
}

/// The algorithm's name, with its variant where the scenario names one.
pub fn algorithm(scenario: &Scenario) -> String {
    match &scenario.run.variant {
        Some(variant) => format!("{}/{variant}", scenario.run.algorithm),
        None => scenario.run.algorithm.clone(),
    }
}
