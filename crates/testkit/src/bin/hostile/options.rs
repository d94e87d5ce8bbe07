//! What is to be run.

use bellwether::{Profile, Settings};
use bellwether_testkit::cluster;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes: 0 all targets met; 1 a violation: two valid leases at once, a fencing token that did not \
                          grow, a cluster that did not recover, or a record with gaps; 2 wrong arguments; 3 no violation, \
                          but a figure missed its target; 4 the bench itself failed; 130 stopped by a signal";

/// Run real clusters under faults and attacks, and judge them from outside.
#[derive(Debug, Parser)]
#[command(name = "hostile", after_help = EXIT_CODES)]
pub struct Options {
    /// What to run.
    #[arg(value_enum, default_value = "all")]
    scenario: Scenario,
    /// The program to test. Without it: BELLWETHER_BIN, or the program built beside this one.
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,
    /// Only this profile. Without it, every profile that the scenario is about.
    #[arg(long, value_enum)]
    profile: Option<Speed>,
    /// How long chaos lasts.
    #[arg(long, default_value_t = 5.0, value_name = "N")]
    pub minutes: f64,
    /// Draws the faults of chaos. Without it, from the clock.
    #[arg(long)]
    pub seed: Option<u64>,
    /// By how many millionths clocks are off in chaos, at the most. Above 10000 the drift bound is broken, and chaos must find
    /// violations.
    #[arg(long, default_value_t = 9_900, value_name = "PPM", value_parser = clap::value_parser!(i32).range(0..=900_000))]
    pub drift: i32,
    /// How many trials, where there are several.
    #[arg(long, value_name = "N")]
    trials: Option<u32>,
}

/// What can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// Everything below, with the default options.
    All,
    /// Random faults, for --minutes.
    Chaos,
    /// A voter's disk is lost, and the voter restarts again and again.
    LostDisk,
    /// The best of five members is frozen for half of every second.
    FrozenBest,
    /// All links are cut for 1, 2 and 4 seconds.
    CutAll,
    /// The best of five members reaches only the leader.
    Partial,
    /// Connections that are silent, or stall after one byte, at every member, while one restarts; with a delay, and with few
    /// file descriptors.
    ConnectionFlood,
    /// Replayed first messages of the handshake at the leader.
    HandshakeFlood,
}

/// A profile by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Speed {
    /// Leases of 0.3 s.
    Steady,
    /// Leases of 29 ms.
    Fast,
}

impl Speed {
    pub fn name(self) -> &'static str {
        match self {
            Speed::Steady => "steady",
            Speed::Fast => "fast",
        }
    }

    pub fn set(self, settings: &mut Settings) {
        settings.profile = match self {
            Speed::Steady => Profile::STEADY,
            Speed::Fast => Profile::FAST,
        };
    }
}

impl Options {
    pub fn scenarios(&self) -> Vec<Scenario> {
        let all = Scenario::value_variants().iter().copied();
        all.filter(|it| [*it, Scenario::All].contains(&self.scenario)).collect()
    }

    /// The profiles to run: the one that was asked for, or those that the scenario is about.
    pub fn profiles(&self, usual: &[Speed]) -> Vec<Speed> {
        self.profile.map_or_else(|| usual.to_vec(), |only| vec![only])
    }

    pub fn trials(&self, usual: u32) -> u32 {
        self.trials.unwrap_or(usual)
    }

    /// The program to test.
    pub fn program(&self) -> Result<PathBuf, String> {
        let named = self.bin.clone().or_else(|| std::env::var_os("BELLWETHER_BIN").map(PathBuf::from));
        let path = named.unwrap_or_else(|| cluster::program().to_owned());
        // Members run in other directories.
        path.canonicalize().map_err(|why| {
            let path = path.display();
            format!("{path}: {why}; build it with 'cargo build --release', and name it with --bin")
        })
    }
}
