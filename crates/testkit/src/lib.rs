//! What tests and benchmarks share. Nothing here is part of the program.
//!
//! With the feature `processes`: clusters of real processes under faults and attacks, and the judge of what they say.

#[cfg(feature = "processes")]
pub mod availability;
#[cfg(feature = "processes")]
pub mod cables;
#[cfg(feature = "processes")]
pub mod cluster;
#[cfg(feature = "processes")]
pub mod delay;
pub mod dice;
#[cfg(feature = "processes")]
pub mod disk_stall;
#[cfg(feature = "processes")]
pub mod flood;
pub mod golden;
#[cfg(feature = "processes")]
pub mod hello;
#[cfg(feature = "processes")]
pub mod judge;
#[cfg(feature = "processes")]
pub mod namespace;
#[cfg(feature = "processes")]
pub mod process;
#[cfg(feature = "recordings")]
pub mod recordings;
#[cfg(feature = "processes")]
pub mod stop;
pub mod toys;
