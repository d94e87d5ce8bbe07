//! Elections in which everyone can reach everyone, and no majority is asked for: a network that falls apart may
//! have several leaders.

pub mod bully;
pub mod invitation;
pub mod omega;
