//! The program `bellwether`: election algorithms to run, look up, simulate, compare and watch.

#![forbid(unsafe_code)]

mod args;
mod choice;
mod commands;
mod error;
mod file;
mod look;
mod markdown;
mod matrix;
mod memory;
mod output;
mod parameters;
mod plot;
mod progress;
mod request;
mod shipped;
mod trace;

use args::{Cli, Command};
use bellwether::process::deny_inspection;
use clap::Parser as _;
use error::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let ended =
        hide_memory().and_then(|()| commands::run(process_of_up().unwrap_or_else(|| Cli::parse().command)));
    ended.map_or_else(|failure| failure.report(), ExitCode::from)
}

/// Members and supervisors hide their memory before they do anything else, so that a secret is never in memory that others
/// can read.
fn hide_memory() -> Result<(), Failure> {
    let is_member = std::env::args_os().skip(1).any(|word| word == "member" || word == "supervise");
    let hidden = if is_member { deny_inspection() } else { Ok(()) };
    hidden.map_err(|error| Failure::System(format!("cannot hide this process's memory: {error}")))
}

/// What `up` starts for each member, twice: there the options of all other commands would be a good part of the memory.
fn process_of_up() -> Option<Command> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let [_, role, quiet, settings] = &words[..] else { return None };
    if quiet != "--quiet" || settings.as_encoded_bytes().starts_with(b"-") {
        return None;
    }
    let (settings, quiet) = (settings.into(), true);
    match role.to_str()? {
        "member" => Some(Command::Member { settings, quiet }),
        "supervise" => Some(Command::Supervise { settings, quiet }),
        _ => None,
    }
}
