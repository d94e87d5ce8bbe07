//! The program `bellwether`: election algorithms to run, look up, simulate, compare and watch.

#![forbid(unsafe_code)]

mod again;
mod args;
mod cell;
mod choice;
mod commands;
mod error;
#[cfg(test)]
mod examples;
mod export;
mod file;
mod found;
mod inquiry;
mod many;
mod markdown;
mod memory;
mod output;
mod parameters;
mod play;
mod plot;
mod progress;
mod promise;
mod request;
mod shipped;
mod trace;
mod up;
mod wording;

use args::{Cli, Command};
use clap::Parser as _;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = commands::run(process_of_up().unwrap_or_else(|| Cli::parse().command));
    ended.map_or_else(|failure| failure.report(), ExitCode::from)
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
