//! What is done with runs: they are described in scenario files, drawn, shrunk, measured, recorded and exported.

#![forbid(unsafe_code)]

pub mod detection;
pub mod export;
mod figure;
pub mod outage;
pub mod recording;
mod roster;
pub mod scenario;
pub mod shrink;
pub mod suggest;
pub mod swarm;
pub mod trials;
pub mod wording;

pub use figure::Figure;
pub use roster::{Roster, Seat};
