//! Runs election algorithms in virtual time.
//!
//! A [`Plan`] says everything about one run. [`simulate`] runs it and gives a [`Report`]; an [`Observer`] sees all of it. The
//! same plan gives the same run, to the byte, on every machine: time is virtual, all randomness comes from the plan's seed,
//! and no map without order is used.

#![forbid(unsafe_code)]

mod calm;
mod clock;
mod delay;
mod error;
mod events;
pub mod faults;
mod features;
mod field_names;
mod judge;
mod mail;
pub mod measure;
pub mod network;
mod plan;
mod report;
mod rounds;
mod run;
mod runner;
pub mod schedule;
mod stability;
pub mod text_file;
mod timers;
mod trace;
mod wheel;
pub mod world;

pub use calm::{can_be_calm, is_calm};
pub use delay::{Delay, DelayError, Sampler};
pub use error::{Bytes, SetupError};
pub use events::{LinkCounts, Stop, run as run_events, run_synchronised};
pub use features::Features;
pub use field_names::rewrite_fields;
pub use judge::{
    ClaimRuling, Ending, Live, Outcome, Ruling, Survivor, claimed_rounds, claims, is_required, measured, rule,
};
pub use measure::Counts;
pub use plan::{DRIFT_BOUND, Happening, LATEST_HOPS, Limits, LinkOrder, Plan, SETTLING, time_after_hops};
pub use report::{Driver, FinishedRun, Report};
pub use rounds::{Visit, run as run_rounds};
pub use run::{RoundMode, check_messages, kinds, runs_in_step, simulate, simulate_observed};
pub use runner::Runner;
pub use schedule::Schedule;
pub use stability::{Reigns, Rivals, Stability};
pub use trace::{DropReason, EventDetails, JsonTrace, Observer, TRACE_VERSION};
pub use world::{Choices, Stream, World, stream};
