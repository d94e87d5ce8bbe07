//! The run that breaks the gravest property, in files.

use crate::args::FileArgs;
use crate::choice::Choice;
use crate::error::Failure;
use crate::file::{self, Pending};
use crate::trace;
use bellwether_check::{CheckPlan, CheckReport, Property, Violation};
use bellwether_lab::export::Format;
use bellwether_lab::scenario::{self, Draft};
use bellwether_lab::wording::Heading;
use bellwether_sim::network::Shape;
use std::path::{Path, PathBuf};

impl FileArgs {
    fn paths(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let named = [
            ("--save", &self.save),
            ("--trace", &self.trace),
            ("--mermaid", &self.mermaid),
            ("--svg", &self.svg),
        ];
        named.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)))
    }
}

/// What could not be written at the end is refused at the beginning: a search may take long.
pub fn refuse(files: &FileArgs, plan: &CheckPlan) -> Result<(), Failure> {
    let mut known: Vec<&PathBuf> = Vec::new();
    for (option, path) in files.paths() {
        if path == Path::new("-") {
            return Err(Failure::input(format!(
                "{option} needs a file: the standard output has the outcome"
            )));
        }
        if known.contains(&path) {
            return Err(Failure::input(format!("{} is to be written twice: name two files", path.display())));
        }
        known.push(path);
        drop(Pending::create(path)?);
    }
    if files.save.is_some() && matches!(plan.shape, Shape::File(_)) {
        return Err(Failure::input(
            "a scenario cannot name a network's file: leave out --save, or use --trace",
        ));
    }
    Ok(())
}

/// Writes what the report holds of the run. Nothing is replayed.
pub fn write(
    files: &FileArgs,
    choice: &Choice,
    plan: &CheckPlan,
    report: &CheckReport,
) -> Result<(), Failure> {
    let Some((property, violation)) = report.gravest() else {
        for (_, path) in files.paths() {
            eprintln!("nothing is violated: there is no run to write, and {} is not written", path.display());
        }
        return Ok(());
    };
    let heading = heading(choice, property, violation);
    if let Some(path) = &files.save {
        let draft = Draft {
            title: &heading.title,
            about: &heading.about,
            run: &violation.described,
            report: &violation.report,
        };
        file::write(path, scenario::write(&draft).as_bytes())?;
    }
    if let Some(path) = &files.trace {
        trace::write(&violation.described, plan.algorithm.spec, &violation.plan, path, |mut trace| {
            (violation.show(&mut trace), ((), trace))
        })?;
    }
    for (format, path) in [(Format::Mermaid, &files.mermaid), (Format::Svg, &files.svg)] {
        if let Some(path) = path {
            match &violation.recording {
                Some(recording) => file::write(path, format.write(recording, &heading).as_bytes())?,
                None => eprintln!("the run is too long to be drawn: {} is not written", path.display()),
            }
        }
    }
    Ok(())
}

/// What the run is called, and what it shows.
fn heading(choice: &Choice, property: Property, violation: &Violation) -> Heading {
    let title = format!("{}: {} is violated", choice.label(), property.name());
    let shortest =
        if violation.run.is_shortest { "No shorter run does." } else { "Perhaps a shorter run does too." };
    let about = format!("Found by the checker: a run that breaks '{}'. {shortest}", property.sentence());
    Heading { title, about, algorithm: Some(choice.algorithm()) }
}
