//! `bellwether scenarios`.

mod json;
mod text;

use crate::args::{ListFormat, ScenariosArgs};
use crate::error::{ExitStatus, Failure};
use crate::output;
use crate::shipped::{SHIPPED, Shipped};
use bellwether_lab::scenario::Scenario;

/// Lists the scenarios that come with the program.
pub fn run(args: &ScenariosArgs) -> Result<ExitStatus, Failure> {
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
    Ok(ExitStatus::Fine)
}
