//! Options of `check`.

use super::values::{self, Bytes, Drift, choice, parse_bytes, parse_duration, parse_initiator_sets};
use bellwether_check::{FaultOptions, InitiatorSets};
use bellwether_core::{Id, Order};
use bellwether_runspec::form::{LINK_ORDERS, ORDERS, parse_id};
use bellwether_runspec::notation::DriftBound;
use bellwether_sim::LinkOrder;
use bellwether_sim::network::Shape;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Faults beyond this many could not be followed anyway.
const MOST_FAULTS: i64 = 16;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The algorithm, as NAME[/VARIANT][:KEY=VALUE,..] (see `bellwether algorithms` and `explain`)
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub algorithm: Option<String>,
    /// One of its variants, by name
    #[arg(long, value_name = "NAME", requires = "algorithm")]
    pub variant: Option<String>,
    /// Check every variant of every algorithm, with growing numbers of members, under no faults and under
    /// each sort of fault
    #[arg(long, conflicts_with_all = ["ids", "nodes", "order", "orders", "initiators", "witnesses",
          "observers", "topology", "drift_bound", "faults"])]
    pub all: bool,

    /// The members, in the order of the network: in a ring, clockwise
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id,
          conflicts_with_all = ["nodes", "order", "orders"], help_heading = "Members")]
    pub ids: Option<Vec<Id>>,
    /// How many members there are, with ids from 1 [default: 3, or what the topology says]
    #[arg(long, value_name = "N", help_heading = "Members")]
    pub nodes: Option<u64>,
    /// How the ids lie in the network [default: worst, which in rings takes the most messages]
    #[arg(long, value_parser = choice::<Order>(ORDERS), help_heading = "Members")]
    pub order: Option<Order>,
    /// Check every order of the ids that matters: in a ring (n-1)!, as turns of it are alike; in a complete
    /// network one (n! where members may crash); in others n!
    #[arg(long, value_enum, conflicts_with = "order", help_heading = "Members")]
    pub orders: Option<OrdersArg>,
    /// Who calls the election at the beginning: ids, 'all', 'one' to check every member as the only one, or 'any'
    /// to check every set of them
    #[arg(long, value_name = "A,B,..|all|one|any", value_parser = parse_initiator_sets, default_value = "all",
          help_heading = "Members")]
    pub initiators: InitiatorSets,

    /// Who votes and never leads, where the algorithm lets members differ so
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id, help_heading = "Members")]
    pub witnesses: Vec<Id>,
    /// Who neither votes nor leads
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = parse_id, help_heading = "Members")]
    pub observers: Vec<Id>,

    /// The network [default: what the algorithm needs]
    #[arg(long, value_name = "NAME[:PARAMS]|file:PATH", help_heading = "Network",
          long_help = format!("The network [default: what the algorithm needs]\n\n{}", Shape::HELP))]
    pub topology: Option<String>,
    /// Where random networks and orders come from
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Network")]
    pub seed: u64,

    /// How far members are told that clocks can be off, as in 1% or 500ppm [default: 1%]. How far they are is
    /// for --drift to say
    #[arg(long, value_name = "RATE", help_heading = "Network")]
    pub drift_bound: Option<DriftBound>,

    /// What may happen.
    #[command(flatten)]
    pub may: MayArgs,

    /// Follow every order of things that do not affect each other, and not one for all
    #[arg(long, help_heading = "Search")]
    pub no_reduction: bool,
    /// Tell states apart that differ only by a turn of a ring of identical members, or by names where nothing else
    /// tells members apart
    #[arg(long, help_heading = "Search")]
    pub no_symmetry: bool,
    /// On how many cores to search; 0: on all. What is found does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads(),
          help_heading = "Search")]
    pub threads: u16,
    /// Stop when states take more memory, as in 512M or 4G [default: half of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Search")]
    pub memory: Option<Bytes>,
    /// Stop after this time, as in 90s, 10m or 2h [default: never; with --all 2m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Search")]
    pub time: Option<Duration>,
    /// Stop a check that has more states than this
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub states: Option<u64>,

    /// Where to write the run that breaks a property.
    #[command(flatten)]
    pub files: FileArgs,
    /// How to print it
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: CheckFormat,
}

/// What may happen in a checked run.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "faults", multiple = true)]
pub struct MayArgs {
    /// How many crashes there may be, of any members at any time
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub crashes: u8,
    /// How many times somebody who has crashed may come back
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub recoveries: u8,
    /// How many messages may be lost
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub losses: u8,
    /// How many messages may come twice
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub duplicates: u8,
    /// With a clock: how many times a member may freeze for a while
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub pauses: u8,
    /// How many times a leader may be asked to resign, or to let another lead
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub requests: u8,
    /// How many times members may hear that a neighbour is suspected, rightly or wrongly (a connection has closed, say),
    /// or that it is not
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub suspicions: u8,
    /// How many times members that have had no leader for long may start an election again, as those of a cluster do
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = budget(),
          help_heading = "What may happen")]
    pub restarts: u8,
    /// With a clock: after how many delay bounds without a leader [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000),
          help_heading = "What may happen")]
    pub restart_after: Option<u32>,
    /// How many numbers each member may draw [default: 2 for algorithms that draw lots]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=254),
          help_heading = "What may happen")]
    pub draws: Option<u8>,
    /// Crashes are certified: neighbours may be told of a death for certain, until they hear the next life
    #[arg(long, help_heading = "What may happen")]
    pub certified: bool,
    /// Members that are to call an election may hear from others before they do
    #[arg(long, help_heading = "What may happen")]
    pub late_calls: bool,
    /// Whether messages of one link keep their order
    #[arg(long, value_parser = choice::<LinkOrder>(LINK_ORDERS), default_value = "fifo",
          help_heading = "What may happen")]
    pub links: LinkOrder,
    /// Whether a ring closes round its dead; auto: if members may crash and the network is a ring
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "What may happen")]
    pub ring_closes: Whether,
    /// Whether members are told of deaths, some time after; auto: if members may crash and the algorithm
    /// counts on a failure detector
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "What may happen")]
    pub detector: Whether,
    /// What time is: messages take any time and timers run out at any time, or there is a clock; auto: a
    /// clock if the algorithm counts on bounded delays, or goes on for ever
    #[arg(long, value_enum, default_value_t, help_heading = "What may happen")]
    pub timing: TimingArg,
    /// With a clock: how many steps of it the bound on delays has [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100),
          help_heading = "What may happen")]
    pub grain: Option<u16>,
    /// With a clock: by how much members' clocks may go faster or slower, as in 1%
    #[arg(long, value_name = "P%", help_heading = "What may happen")]
    pub drift: Option<Drift>,
    /// With a clock: for how many steps of it runs are followed [default: until they are over; where members go on for
    /// ever, until all is as it should be]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=65534),
          help_heading = "What may happen")]
    pub ticks: Option<u16>,
}

impl From<&MayArgs> for FaultOptions {
    fn from(may: &MayArgs) -> FaultOptions {
        FaultOptions {
            crashes: may.crashes,
            recoveries: may.recoveries,
            losses: may.losses,
            duplicates: may.duplicates,
            pauses: may.pauses,
            requests: may.requests,
            suspicions: may.suspicions,
            restarts: may.restarts,
            restart_after: may.restart_after,
            draws: may.draws,
            late_calls: may.late_calls,
            ring_closes: may.ring_closes.given(),
            detector: may.detector.given(),
            certified: may.certified,
            has_clock: match may.timing {
                TimingArg::Auto => None,
                TimingArg::Any => Some(false),
                TimingArg::Clock => Some(true),
            },
            grain: may.grain,
            drift: may.drift.map(|drift| drift.0),
            ticks: may.ticks,
        }
    }
}

fn budget() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(0..=MOST_FAULTS)
}

/// Where to write the run that breaks the gravest property.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Write the run that breaks a property into a scenario file for `play`
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write everything that happens in it into a file, one JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write it as a sequence diagram for Mermaid
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub mermaid: Option<PathBuf>,
    /// Write it as a space-time diagram
    #[arg(long, value_name = "FILE", conflicts_with = "all", help_heading = "Output")]
    pub svg: Option<PathBuf>,
}

/// Which orders of ids to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrdersArg {
    /// Every one that matters
    All,
}

/// Whether something is so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Whether {
    /// Where it makes sense
    #[default]
    Auto,
    /// It is
    Yes,
    /// It is not
    No,
}

impl Whether {
    /// Whether it is so; nothing where that is left open.
    fn given(self) -> Option<bool> {
        match self {
            Whether::Auto => None,
            Whether::Yes => Some(true),
            Whether::No => Some(false),
        }
    }
}

/// What time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// A clock if the algorithm counts on bounded delays, or goes on for ever
    #[default]
    Auto,
    /// Messages take any time, and a timer runs out at any time
    Any,
    /// Messages take at most the bound on delays, and timers run out on time
    Clock,
}

/// How to print what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// With --all: a page of Markdown
    Markdown,
}
