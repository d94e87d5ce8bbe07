//! Real clusters under faults and attacks, judged from outside by what their members say.
//!
//! `cargo run -p bellwether-testkit -- SCENARIO --bin target/release/bellwether` prints figures with their targets. The exit
//! codes are in `--help`.

mod chaos;
mod cut_all;
mod fault;
mod field;
mod floods;
mod frozen_best;
mod handshakes;
mod lost_disk;
mod options;
mod partial;
mod report;

use bellwether_testkit::{cluster, stop};
use clap::Parser as _;
use options::{Options, Scenario};
use report::Report;
use std::process::ExitCode;

/// Two leases were valid at once, a fencing token did not grow, or a cluster did not recover.
const VIOLATION: u8 = 1;
const USAGE: u8 = 2;
/// Nothing was violated, and a figure missed its target.
const MISSED: u8 = 3;
/// The bench itself could not go on.
const BROKEN: u8 = 4;
/// As shells say it of SIGINT.
const STOPPED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::parse();
    let program = match options.program() {
        Ok(program) => program,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(USAGE);
        }
    };
    if let Err(why) = stop::listen() {
        eprintln!("error: signals cannot be handled, so nothing would be cleaned up after Ctrl-C: {why}");
        return ExitCode::from(USAGE);
    }
    println!("program: {}", program.display());
    cluster::choose_program(program);
    // A signal unwinds this: everything that was started ends, and everything that was made is removed.
    let ended = std::panic::catch_unwind(|| run(&options));
    match ended {
        Ok(report) => {
            if !report.missed().is_empty() {
                println!("missed targets: {}", report.missed().join("; "));
            }
            ExitCode::from(code(&report))
        }
        Err(_) if stop::is_requested() => ExitCode::from(STOPPED),
        Err(_) => ExitCode::from(BROKEN),
    }
}

/// A violation counts for more than a missed target.
fn code(report: &Report) -> u8 {
    match (report.has_violation(), report.missed().is_empty()) {
        (true, _) => VIOLATION,
        (false, false) => MISSED,
        (false, true) => 0,
    }
}

fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for scenario in options.scenarios() {
        match scenario {
            Scenario::Chaos => chaos::run(options, &mut report),
            Scenario::LostDisk => lost_disk::run(options, &mut report),
            Scenario::FrozenBest => frozen_best::run(options, &mut report),
            Scenario::CutAll => cut_all::run(options, &mut report),
            Scenario::Partial => partial::run(options, &mut report),
            Scenario::ConnectionFlood => floods::run(options, &mut report),
            Scenario::HandshakeFlood => handshakes::run(options, &mut report),
            Scenario::All => {}
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_target_and_violation_have_codes_of_their_own() {
        let mut report = Report::default();
        report.figure("one", "5", "at least 5", true);
        assert_eq!(code(&report), 0);
        report.figure("other", "4", "at least 5", false);
        assert_eq!(code(&report), MISSED);
        assert_eq!(report.missed(), ["other"]);
        report.violation("two leases at once".to_owned());
        assert_eq!(code(&report), VIOLATION);
    }
}
