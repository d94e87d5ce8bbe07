//! `bellwether play`.

mod json;
mod text;
mod viewer;

use crate::args::{OutcomeFormat, PlayArgs};
use crate::error::{ExitStatus, Failure};
use crate::look::Look;
use crate::output;
use crate::{file, shipped};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::scenario::{Resolved, Scenario};
use bellwether_lab::wording::Heading;
use bellwether_model::recording::record;

/// Plays a scenario, exports it, or checks it.
pub fn run(args: &PlayArgs) -> Result<ExitStatus, Failure> {
    check_exports(args)?;
    let (name, scenario) = shipped::find(&args.scenario)?;
    if scenario.waits_for.is_some() && !args.check && args.export.is_empty() {
        output::print(text::heading(&name, &scenario).as_bytes())?;
        return Ok(ExitStatus::Fine);
    }
    let resolved = scenario.resolve(&ALGORITHMS)?;
    if !args.check || !args.export.is_empty() {
        show(args, &scenario, &resolved)?;
    }
    if args.check { check(&name, &scenario, &resolved, args.format) } else { Ok(ExitStatus::Fine) }
}

/// The standard output has room for one thing.
fn check_exports(args: &PlayArgs) -> Result<(), Failure> {
    let to_stdout = args.export.iter().filter(|export| export.path.is_none()).count();
    if to_stdout + usize::from(args.check) > 1 {
        return Err(Failure::input_with_hint(
            "the standard output has room for one thing",
            "give exports a file, as in --export svg:run.svg",
        ));
    }
    Ok(())
}

/// Records the run, and writes it or lets the user step through it.
fn show(args: &PlayArgs, scenario: &Scenario, resolved: &Resolved) -> Result<(), Failure> {
    let recording = record(&ALGORITHMS.entries[resolved.choice.entry], &resolved.plan, resolved.mode)?;
    let (title, algorithm) = (scenario.title.clone(), Some(resolved.choice));
    let heading = Heading { title, about: about(scenario), algorithm };
    for export in &args.export {
        let written = export.format.write(&recording, &heading);
        match &export.path {
            Some(path) => file::write(path, written.as_bytes())?,
            None => output::print(written.as_bytes())?,
        }
    }
    if args.export.is_empty() {
        viewer::play(&recording, &heading, Look::of_terminal(args.ascii, args.color))?;
    }
    Ok(())
}

/// The scenario's story, its algorithm and where it comes from.
fn about(scenario: &Scenario) -> String {
    let source = scenario.source.as_ref().map(|source| format!("; {source}")).unwrap_or_default();
    let from = format!("({}{source})", scenario.run.algorithm_in_full());
    if scenario.about.is_empty() { from } else { format!("{}\n{from}", scenario.about.trim_end()) }
}

/// Runs it, and tells whether it came out as expected.
fn check(
    name: &str,
    scenario: &Scenario,
    resolved: &Resolved,
    format: OutcomeFormat,
) -> Result<ExitStatus, Failure> {
    let played = resolved.play();
    let mismatches = scenario.expect.check(&played);
    let verdict = if mismatches.is_empty() { ExitStatus::Fine } else { ExitStatus::NotAsClaimed };
    match format {
        OutcomeFormat::Text => {
            output::print(text::verdict(name, scenario, &played, &mismatches).as_bytes())?;
        }
        OutcomeFormat::Json => {
            output::print_json(&json::Checked::new(name, scenario, resolved, &played, &mismatches))?;
        }
    }
    Ok(verdict)
}
