//! Real clusters under faults and attacks, judged from outside by what their members say.
//!
//! `cargo run -p bellwether-testkit -- SCENARIO --bin target/release/bellwether` prints figures with their targets. It ends
//! with 1 if two leases were valid at once, a fencing token did not grow, or a cluster did not recover.

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

fn main() -> ExitCode {
    let options = Options::parse();
    let program = match options.program() {
        Ok(program) => program,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    if let Err(why) = stop::listen() {
        eprintln!("error: signals cannot be handled, so nothing would be cleaned up after Ctrl-C: {why}");
        return ExitCode::from(2);
    }
    println!("program: {}", program.display());
    cluster::choose_program(program);
    // A signal unwinds this: everything that was started ends, and everything that was made is removed.
    let ended = std::panic::catch_unwind(|| run(&options));
    match ended {
        Ok(report) if report.has_violation() => ExitCode::from(1),
        Ok(_) => ExitCode::SUCCESS,
        Err(_) if stop::is_requested() => ExitCode::from(130),
        Err(_) => ExitCode::from(3),
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
