//! What is done with runs: they are described in scenario files, drawn, shrunk, measured, summed up and exported.

#![forbid(unsafe_code)]

pub mod batch;
pub mod compare;
pub mod detection;
pub mod export;
pub mod failover;
mod figure;
pub mod matrix;
pub mod outage;
mod parallel;
mod planning;
mod progress;
mod result;
mod roster;
pub mod scenario;
mod seeds;
pub mod shrink;
mod stats;
pub mod swarm;
pub mod timeouts;
pub mod wording;

pub use figure::Figure;
pub use parallel::in_parallel;
pub use planning::plan;
pub use progress::Progress;
pub use result::{RunResult, problems};
pub use roster::{FinalState, Roster};
pub use seeds::Seeds;
pub use stats::{Ratio, Summary, growth_exponent};
