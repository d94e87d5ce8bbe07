//! `bellwether up`: a real cluster on this machine. Every member is a process, below a supervisor of its own.

mod child_process;
mod cluster_view;
mod earlier_run;
mod event_text;
mod history;
mod json;
mod key_commands;
mod run;
mod run_directory;
mod run_event;
mod screen;
mod summary;
mod terminal;
#[cfg(test)]
mod tests;
mod watchdog;

use crate::args::UpArgs;
use crate::error::{ExitStatus, Failure};
use bellwether::{ALGORITHMS, StartError, algorithm_of};
use bellwether_core::DetectorChoice;
use run::Run;

/// Runs a cluster until it is told to end.
pub fn run(args: &UpArgs) -> Result<ExitStatus, Failure> {
    let choice = algorithm_of(&ALGORITHMS, &args.algorithm, &args.profile.into())?.into();
    if let Some(text) = &args.detector {
        let detector = DetectorChoice::parse(ALGORITHMS.detectors, text)?;
        if detector.entry().is_oracle {
            return Err(Failure::input(StartError::Oracle(detector.entry().name)));
        }
    }
    Run::start(args, choice)?.go_on_to_the_end()
}
