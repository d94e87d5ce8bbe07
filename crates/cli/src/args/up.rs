//! Options of `up`.

use super::{OutcomeFormat, values};
use bellwether::Profile;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `up`.
#[derive(Debug, Args)]
pub struct UpArgs {
    /// How many members there are
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub members: u64,
    /// The algorithm, as NAME[/VARIANT][:KEY=VALUE,..]. Only those in which a majority decides have one leader whatever the
    /// network does
    #[arg(long, value_name = "NAME", default_value = bellwether::DEFAULT_ALGORITHM)]
    pub algorithm: String,
    /// The failure detector, as NAME or NAME:K=V,.. [default: what the algorithm needs]
    #[arg(long, value_name = "NAME[:K=V,..]")]
    pub detector: Option<String>,
    /// How fast it goes
    #[arg(long, value_enum, default_value_t)]
    pub profile: ProfileArg,
    /// End after so long, as in 10s or 500ms [default: when told to]
    #[arg(long = "for", value_name = "DURATION", value_parser = values::parse_duration)]
    pub lasts: Option<Duration>,
    /// Kill the leader (kill -9) every so often, and start it again a while later
    #[arg(long, value_name = "DURATION", value_parser = values::parse_duration)]
    pub kill_leader_every: Option<Duration>,
    /// Seeds what members draw: their lots, and random time-outs [default: from the machine]. Where nothing but lots
    /// decides, as in itai-rodeh, the same member leads again; real time is never the same twice
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Keep the members' settings and votes here, and begin with what is there [default: in a directory that is
    /// removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Let members begin with an empty store though the cluster in DIR has run: they have forgotten their votes. If all have,
    /// fencing tokens begin anew; if some have, the others refuse them until they are readmitted
    #[arg(long, requires = "data")]
    pub new_store: bool,
    /// How to tell what happens: in lines of text, or one JSON object a line [default: a live view on a terminal,
    /// text elsewhere]
    #[arg(long, value_enum)]
    pub format: Option<OutcomeFormat>,
}

/// How fast a cluster goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileArg {
    /// For nearly every network, disk and machine: a silent leader is replaced in 0.3 s
    #[default]
    Steady,
    /// For members on good machines close to each other: in 30 ms
    Fast,
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Profile {
        match profile {
            ProfileArg::Steady => Profile::STEADY,
            ProfileArg::Fast => Profile::FAST,
        }
    }
}
