//! `bellwether up`: a real cluster on this machine; and the processes that it is made of.

use crate::args::UpArgs;
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::up::Run;
use bellwether::process::{self, ProcessError};
use bellwether::{Algorithms, StartError};
use bellwether_core::{DetectorChoice, Registry as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// So long a supervisor tells of a death again, to whoever has not taken note: a frozen member that wakes hears of it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a cluster until it is told to end.
pub fn run(args: &UpArgs) -> Result<Verdict, Failure> {
    let choice = Choice::find(&args.algorithm, None)?;
    if let Some(text) = &args.detector {
        let detector = DetectorChoice::parse(Algorithms::DETECTORS, text)?;
        if detector.entry().is_oracle {
            return Err(Failure::input(StartError::Oracle(detector.entry().name)));
        }
    }
    Run::start(args, choice)?.go_on_to_the_end()
}

/// Is a member.
pub fn member(settings: &Path) -> Result<Verdict, Failure> {
    process::member(settings).map(|()| Verdict::Fine).map_err(failure)
}

/// Starts a member, and tells the others when it is dead.
pub fn supervise(settings: &Path) -> Result<Verdict, Failure> {
    let this_program = std::env::current_exe()
        .map_err(|error| Failure::System(format!("cannot find this program to start it again: {error}")))?;
    let mut member = Command::new(this_program);
    member.arg("member").arg(settings);
    let code = process::supervise(settings, member, PATIENCE).map_err(failure)?;
    // A supervisor ends as its member did.
    std::process::exit(code)
}

fn failure(error: ProcessError) -> Failure {
    match error {
        ProcessError::Settings { .. } => Failure::input(error),
        _ => Failure::System(error.to_string()),
    }
}
