//! Clusters of real processes under faults and attacks, and the judge of what they say.
//!
//! Tests, the failover bench and the bench `hostile` share it. Nothing here is part of the program.

pub mod availability;
pub mod cables;
pub mod cluster;
pub mod delay;
pub mod disk_stall;
pub mod flood;
pub mod hello;
pub mod judge;
pub mod namespace;
pub mod process;
pub mod skipped;
pub mod stop;
