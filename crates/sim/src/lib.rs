//! Runs election algorithms in virtual time.
//!
//! A [`Setup`] is what a user asks for, and a [`Plan`] says everything about one run. [`simulate`]
//! runs it and gives a [`Report`]; an [`Observer`] may watch. The same plan gives the same run, to the byte, on every machine: time
//! is virtual, all randomness comes from the plan's seed, and no map without order is used.

#![forbid(unsafe_code)]

mod calm;
mod clock;
mod delay;
pub mod detection;
mod events;
pub mod faults;
mod field_names;
pub mod follow;
mod judge;
mod mail;
mod measure;
pub mod network;
pub mod outage;
mod plan;
pub mod recording;
mod report;
mod roster;
mod rounds;
pub mod rules;
mod run;
mod runner;
pub mod scenario;
mod schedule;
pub mod script;
mod setup;
pub mod shrink;
mod stability;
mod stats;
pub mod suggest;
pub mod swarm;
mod text_file;
mod timers;
mod trace;
pub mod trials;
mod wheel;
mod world;

pub use calm::is_calm;
pub use delay::{Delay, DelayError};
pub use events::{LinkCounts, Stop, run as run_events, run_synchronised};
pub use faults::Event;
pub use field_names::rewrite_fields;
pub use judge::{
    ClaimRuling, Ending, Outcome, Ruling, Survivor, claimed_rounds, claims, is_required, measured, rule,
};
pub use measure::Counts;
pub use plan::{Happening, LATEST_HOPS, Limits, LinkOrder, Plan, SETTLING, time_after_hops};
pub use report::{Driver, Report};
pub use roster::{Roster, Seat};
pub use rounds::{Visit, run as run_rounds};
pub use run::{
    RoundMode, check_messages, check_schedule, in_parallel, simulate, simulate_many, simulate_observed,
};
pub use runner::Runner;
pub use schedule::Schedule;
pub use setup::{Attributes, Bytes, Callers, Members, PATIENCE, Setup, SetupError};
pub use stability::{Rivals, Stability};
pub use stats::{Ratio, Summary, growth_exponent};
pub use trace::{Drop, EventDetails, Input, JsonTrace, MemoryTrace, Observer, Step, TRACE_VERSION};
pub use world::{Choices, Stream, World, stream};
