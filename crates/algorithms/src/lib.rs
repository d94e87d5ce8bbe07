//! Election algorithms and failure detectors, one file each.
//!
//! To add one: write its file, add its `mod` and its line in [`algorithms!`]. Everything else
//! (commands, tables, tests, drivers) follows from its [`Spec`](bellwether_core::Spec).

#![forbid(unsafe_code)]

pub mod aggregation_tree;
mod attendance;
pub mod bully;
pub mod chang_roberts;
pub mod chang_roberts_detector;
pub mod chang_roberts_runs;
pub mod chang_roberts_suppressing;
pub mod chang_roberts_timeout;
pub mod courier;
pub mod detectors;
pub mod dolev_klawe_rodeh;
pub mod floodmax;
pub mod franklin;
pub mod hirschberg_sinclair;
pub mod invitation;
pub mod itai_rodeh;
pub mod lcr;
pub mod modified_ring;
pub mod omega;
pub mod paxos;
pub mod peterson;
pub mod quorum_lease;
pub mod raft_vote;
mod registry;
mod ring_figures;
mod ring_news;
mod ring_phases;
pub mod ring_skipping;
mod sources;
pub mod time_slice;
pub mod variable_speeds;
pub mod zookeeper;

pub use detectors::DETECTORS;
pub use registry::ALGORITHMS;

#[doc(hidden)]
pub use bellwether_core as core; // for the macro
