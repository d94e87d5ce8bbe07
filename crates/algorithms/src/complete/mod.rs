//! Elections in which each member can reach all others, without a quorum: each part of a partitioned network may have
//! its own leader.

pub mod bully;
pub mod invitation;
pub mod omega;
