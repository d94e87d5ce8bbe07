//! `bellwether play`.

use super::play_text;
use super::scenarios::algorithm;
use crate::args::{OutcomeFormat, PlayArgs};
use crate::error::{Failure, Verdict};
use crate::many::problems;
use crate::output::{self, Figure};
use crate::play::{self, Look};
use crate::wording::Heading;
use crate::{file, shipped};
use bellwether_core::Id;
use bellwether_engine::ALGORITHMS;
use bellwether_sim::recording::record;
use bellwether_sim::scenario::{Mismatch, Played, Resolved, Scenario};
use bellwether_sim::{Counts, Outcome};
use serde::Serialize;

/// Plays a scenario, exports it, or checks it.
pub fn run(args: &PlayArgs) -> Result<Verdict, Failure> {
    check_exports(args)?;
    let (name, scenario) = shipped::find(&args.scenario)?;
    if scenario.waits_for.is_some() && !args.check && args.export.is_empty() {
        output::print(play_text::heading(&name, &scenario).as_bytes())?;
        return Ok(Verdict::Fine);
    }
    let resolved = scenario.resolve(&ALGORITHMS)?;
    if !args.check || !args.export.is_empty() {
        show(args, &scenario, &resolved)?;
    }
    if args.check { check(&name, &scenario, &resolved, args.format) } else { Ok(Verdict::Fine) }
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
    let heading = Heading { title: scenario.title.clone(), about: about(scenario) };
    for export in &args.export {
        let written = export.format.write(&recording, &heading);
        match &export.path {
            Some(path) => file::write(path, written.as_bytes())?,
            None => output::print(written.as_bytes())?,
        }
    }
    if args.export.is_empty() {
        play::play(&recording, &heading, Look::of_terminal(args.ascii, args.color))?;
    }
    Ok(())
}

/// The scenario's story, its algorithm and where it comes from.
fn about(scenario: &Scenario) -> String {
    let source = scenario.source.as_ref().map(|source| format!("; {source}")).unwrap_or_default();
    let from = format!("({}{source})", algorithm(scenario));
    if scenario.about.is_empty() { from } else { format!("{}\n{from}", scenario.about.trim_end()) }
}

/// Runs it, and tells whether it came out as expected.
fn check(
    name: &str,
    scenario: &Scenario,
    resolved: &Resolved,
    format: OutcomeFormat,
) -> Result<Verdict, Failure> {
    let played = resolved.play();
    let mismatches = scenario.expect.check(&played);
    let verdict = if mismatches.is_empty() { Verdict::Fine } else { Verdict::NotAsClaimed };
    match format {
        OutcomeFormat::Text => {
            output::print(play_text::verdict(name, scenario, &played, &mismatches).as_bytes())?;
        }
        OutcomeFormat::Json => output::print_json(&Checked::new(name, scenario, &played, &mismatches))?,
    }
    Ok(verdict)
}

/// What came of a check.
#[derive(Serialize)]
struct Checked<'s> {
    scenario: &'s str,
    title: &'s str,
    algorithm: &'s str,
    as_expected: bool,
    mismatches: &'s [Mismatch],
    outcome: Outcome,
    leader: Option<Id>,
    agreed: bool,
    messages: &'s Counts,
    bytes: u64,
    time: Figure,
    rounds: Option<u64>,
    problems: Vec<String>,
}

impl<'s> Checked<'s> {
    fn new(
        name: &'s str,
        scenario: &'s Scenario,
        played: &'s Played,
        mismatches: &'s [Mismatch],
    ) -> Checked<'s> {
        let report = &played.report;
        Checked {
            scenario: name,
            title: &scenario.title,
            algorithm: &scenario.algorithm,
            as_expected: mismatches.is_empty(),
            mismatches,
            outcome: report.ruling.outcome,
            leader: report.ruling.leader,
            agreed: report.ruling.agreed,
            messages: &report.messages,
            bytes: report.bytes,
            time: Figure(report.time.hops()),
            rounds: report.rounds,
            problems: problems(report),
        }
    }
}
