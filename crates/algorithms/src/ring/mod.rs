//! Elections on rings, one folder each, and their common parts.

pub mod chang_roberts;
pub mod courier;
pub mod dolev_klawe_rodeh;
mod figures;
pub mod franklin;
pub mod hirschberg_sinclair;
pub mod itai_rodeh;
pub mod lcr;
pub mod modified_ring;
mod outcome;
pub mod peterson;
mod phases;
pub mod ring_skipping;
pub mod time_slice;
pub mod variable_speeds;
