//! `bellwether check`: every run there can be.

use super::simulate::traced;
use super::{check_json, check_text, proven};
use crate::args::{CheckArgs, CheckFormat, FileArgs};
use crate::error::{Failure, Verdict};
use crate::file::{self, Pending};
use crate::found::{self, Broken, Found};
use crate::inquiry::{Effort, Inquiry};
use crate::output;
use crate::progress::Progress;
use crate::request::Request;
use bellwether_check::Property;
use bellwether_engine::ALGORITHMS;
use bellwether_lab::export::Format;
use bellwether_lab::recording::record;
use bellwether_lab::scenario::{self, Draft};
use bellwether_lab::wording::Heading;
use bellwether_sim::RoundMode;
use bellwether_sim::network::Shape;
use std::path::{Path, PathBuf};

/// Checks what is asked for; prints what holds, and the run that breaks what does not.
pub fn run(args: &CheckArgs) -> Result<Verdict, Failure> {
    if args.all {
        return proven::run(args);
    }
    if args.format == CheckFormat::Markdown {
        return Err(Failure::input(
            "--format markdown is for the table of all algorithms: it goes with --all",
        ));
    }
    let inquiry = Inquiry::from_args(args)?;
    let effort = Effort::from_args(args)?;
    check_files(&args.files, &inquiry)?;
    let progress = Progress::endless(inquiry.choice.label());
    let found = found::find(&inquiry, &effort, &|how| progress.say(how))?;
    drop(progress);
    match args.format {
        CheckFormat::Json => output::print_json(&check_json::CheckObject::new(args, &inquiry, &found))?,
        _ => output::print(check_text::describe(args, &inquiry, &found)?.as_bytes())?,
    }
    write_files(&args.files, &inquiry, &found)?;
    Ok(found.ended())
}

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
fn check_files(files: &FileArgs, inquiry: &Inquiry) -> Result<(), Failure> {
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
    if files.save.is_some() && matches!(inquiry.shape, Shape::File(_)) {
        return Err(Failure::input(
            "a scenario cannot name a network's file: leave out --save, or use --trace",
        ));
    }
    Ok(())
}

/// Writes the run that breaks the gravest property, as asked for.
fn write_files(files: &FileArgs, inquiry: &Inquiry, found: &Found) -> Result<(), Failure> {
    let Some((property, broken)) = found.gravest() else {
        for (_, path) in files.paths() {
            eprintln!("nothing is violated: there is no run to write, and {} is not written", path.display());
        }
        return Ok(());
    };
    let heading = heading(inquiry, property, broken);
    if let Some(path) = &files.save {
        let draft = Draft {
            title: &heading.title,
            about: &heading.about,
            spec: inquiry.choice.spec,
            setup: &broken.setup,
            seed: inquiry.seed,
            report: &broken.report,
        };
        file::write(path, scenario::write(&draft).as_bytes())?;
    }
    if let Some(path) = &files.trace {
        let request = Request {
            choice: inquiry.choice,
            shape: inquiry.shape.clone(),
            setup: broken.setup.clone(),
            mode: RoundMode::Auto,
            seed: inquiry.seed,
            runs: 1,
            threads: 1,
        };
        traced(&request, broken.plan.clone(), path)?;
    }
    for (format, path) in [(Format::Mermaid, &files.mermaid), (Format::Svg, &files.svg)] {
        if let Some(path) = path {
            let recording = record(&ALGORITHMS.entries[inquiry.choice.entry], &broken.plan, RoundMode::Auto)?;
            file::write(path, format.write(&recording, &heading).as_bytes())?;
        }
    }
    Ok(())
}

/// What the run is called, and what it shows.
fn heading(inquiry: &Inquiry, property: Property, broken: &Broken) -> Heading {
    let title = format!("{}: {} is violated", inquiry.choice.label(), property.name());
    let shortest =
        if broken.run.is_shortest { "No shorter run does." } else { "Perhaps a shorter run does too." };
    let about = format!("Found by the checker: a run that breaks '{}'. {shortest}", property.sentence());
    Heading { title, about }
}
