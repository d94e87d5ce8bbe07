//! What tests and benchmarks share. Nothing here is part of the program.
//!
//! What needs more than the simulator is a feature: see `Cargo.toml`.

#[cfg(feature = "processes")]
pub mod availability;
#[cfg(feature = "broken")]
pub mod broken;
#[cfg(feature = "processes")]
pub mod cables;
#[cfg(feature = "casts")]
pub mod casts;
#[cfg(feature = "checks")]
pub mod checks;
#[cfg(feature = "processes")]
pub mod cluster;
#[cfg(feature = "processes")]
pub mod delay;
pub mod dice;
#[cfg(feature = "processes")]
pub mod disk_stall;
#[cfg(feature = "runs")]
pub mod drawn_runs;
#[cfg(feature = "processes")]
pub mod flood;
pub mod golden;
#[cfg(feature = "processes")]
pub mod hello;
#[cfg(feature = "peers")]
pub mod hostile_peers;
#[cfg(feature = "processes")]
pub mod judge;
pub mod memory_trace;
#[cfg(feature = "processes")]
pub mod namespace;
#[cfg(feature = "processes")]
pub mod process;
#[cfg(feature = "recordings")]
pub mod recordings;
pub mod skipped;
#[cfg(feature = "processes")]
pub mod stop;
#[cfg(feature = "stateright")]
pub mod through_stateright;
pub mod toys;
