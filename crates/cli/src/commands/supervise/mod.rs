//! `bellwether supervise`: a member in a process below this one, whose death this process certifies.

use super::member::{failure, introduce};
use crate::error::{ExitStatus, Failure};
use bellwether::process;
use std::path::Path;
use std::process::Command;

/// Starts a member, and tells its peers when it is dead.
pub fn run(settings: &Path, quiet: bool) -> Result<ExitStatus, Failure> {
    introduce(settings, quiet);
    let this_program = std::env::current_exe()
        .map_err(|error| Failure::System(format!("cannot find this program to start it again: {error}")))?;
    let mut member = Command::new(this_program);
    member.args(["member", "--quiet"]).arg(settings);
    let code = process::supervise(settings, member).map_err(failure)?;
    // A supervisor ends as its member did.
    std::process::exit(code)
}
