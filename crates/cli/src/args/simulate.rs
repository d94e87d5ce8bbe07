//! Options of `simulate`.

use super::values::{
    self, AttributesArg, Bytes, CallersArg, HopTime, parse_attributes, parse_bytes, parse_callers, parse_id,
};
use super::{ElectArg, FaultArgs, OrderArg, OutcomeFormat};
use bellwether_core::Id;
use bellwether_sim::LinkOrder;
use bellwether_sim::faults::notation::DriftBound;
use bellwether_sim::network::Shape;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The algorithm: NAME[/VARIANT][:KEY=VALUE,..], as in quorum-lease:renewals=5. `bellwether algorithms` lists names,
    /// `bellwether explain NAME` parameters
    pub algorithm: String,
    /// One of its variants, by name
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// The members, in the order of the network: in a ring, clockwise
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id,
          conflicts_with_all = ["nodes", "order"], help_heading = "Members")]
    pub ids: Option<Vec<Id>>,
    /// How many members there are, with ids from 1 [default: 8, or what the topology says]
    #[arg(long, value_name = "N", help_heading = "Members")]
    pub nodes: Option<u64>,
    /// How the ids lie in the network [default: random]
    #[arg(long, value_enum, help_heading = "Members")]
    pub order: Option<OrderArg>,
    /// What members bring besides their ids, in the order of the members: numbers, or 'random'
    #[arg(long, value_name = "A,B,..|random", value_parser = parse_attributes,
          allow_hyphen_values = true, help_heading = "Members")]
    pub attributes: Option<AttributesArg>,
    /// The greatest id that members are told there could be, for algorithms that count in ids
    /// [default: the greatest there is]
    #[arg(long, value_name = "ID", help_heading = "Members")]
    pub id_bound: Option<u64>,
    /// Members are identical: only algorithms that draw lots can tell them apart
    #[arg(long, conflicts_with_all = ["ids", "order", "attributes"], help_heading = "Members")]
    pub identical: bool,
    /// Which end of the ranking wins
    #[arg(long, value_enum, default_value_t, help_heading = "Members")]
    pub elect: ElectArg,
    /// Who votes and never leads, where the algorithm lets members differ so
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id, help_heading = "Members")]
    pub witnesses: Vec<Id>,
    /// Who neither votes nor leads
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id, help_heading = "Members")]
    pub observers: Vec<Id>,
    /// Who calls the election at the beginning: ids, 'all' or 'none' [default: all]
    #[arg(long, value_name = "A,B,..|all|none", value_parser = parse_callers, help_heading = "Members")]
    pub initiators: Option<CallersArg>,

    /// A member that has had no leader for N delay bounds starts an election again, as in a cluster (there N is 50)
    /// [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000),
          help_heading = "Members")]
    pub restart_after: Option<u32>,

    /// The network [default: what the algorithm needs]
    #[arg(long, value_name = "NAME[:PARAMS]|file:PATH", help_heading = "Network",
          long_help = format!("The network [default: what the algorithm needs]\n\n{}", Shape::HELP))]
    pub topology: Option<String>,
    /// How long messages take, in hops [default: unit]
    ///
    /// unit, uniform:LO..HI (whole bounds give whole delays), exponential:MEAN,
    /// lognormal:MU,SIGMA, or file:PATH with one delay a line.
    #[arg(long, value_name = "DISTRIBUTION", help_heading = "Network")]
    pub delay: Option<String>,
    /// The bound on delays that members are told [default: the distribution's own]
    #[arg(long, value_name = "HOPS", help_heading = "Network")]
    pub delay_bound: Option<HopTime>,
    /// How far members are told that clocks can be off, as in 1% or 500ppm [default: 1%]
    #[arg(long, value_name = "RATE", help_heading = "Network")]
    pub drift_bound: Option<DriftBound>,
    /// The algorithm's parameter of this name
    #[arg(long, value_name = "N", hide = true)]
    pub renewals: Option<u32>,
    /// Whether messages of one link keep their order
    #[arg(long, value_enum, default_value_t, help_heading = "Network")]
    pub links: LinksArg,
    /// Run an algorithm in rounds over a synchroniser, even where rounds in step would do
    #[arg(long, help_heading = "Network")]
    pub synchroniser: bool,

    /// What goes wrong.
    #[command(flatten)]
    pub faults: FaultArgs,

    /// Where all randomness comes from [default: 0]
    #[arg(long, value_name = "S", help_heading = "Runs")]
    pub seed: Option<u64>,
    /// Repeat with the seeds S, S+1, .. and sum up
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..),
          help_heading = "Runs")]
    pub runs: u64,
    /// On how many cores to repeat; 0: on all. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads(), help_heading = "Runs")]
    pub threads: u16,
    /// Give up after so many messages [default: 10 billion]
    ///
    /// Where anything goes wrong or is watched for, and neither this nor --until is given, a run is given
    /// up 10,000 hops after the last event; and so is that of an algorithm that goes on for ever, if it does
    /// not come right.
    #[arg(long, value_name = "COUNT", help_heading = "Runs")]
    pub max_messages: Option<u64>,
    /// Give up after this time, in hops
    #[arg(long, value_name = "TIME", help_heading = "Runs")]
    pub until: Option<HopTime>,
    /// Refuse what would take more memory, as in 512M or 4G [default: 90 % of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Runs")]
    pub memory: Option<Bytes>,

    /// Write everything that happens into a file, one JSON object a line (for a single run)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// How to print the outcome
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: OutcomeFormat,
}

/// Whether messages of one link keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LinksArg {
    /// They do
    #[default]
    Fifo,
    /// They may overtake each other
    Reordering,
}

impl From<LinksArg> for LinkOrder {
    fn from(links: LinksArg) -> LinkOrder {
        match links {
            LinksArg::Fifo => LinkOrder::Fifo,
            LinksArg::Reordering => LinkOrder::Reordering,
        }
    }
}
