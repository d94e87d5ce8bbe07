//! The program `bellwether`: election algorithms to run, look up, simulate, compare and watch.

#![forbid(unsafe_code)]

use bellwether_compiled as _;

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
mod play;
mod plot;
mod progress;
mod promise;
mod request;
mod shipped;
mod trace;
mod up;
mod wording;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = commands::run(args::Cli::parse().command);
    ended.map_or_else(|failure| failure.report(), ExitCode::from)
}
