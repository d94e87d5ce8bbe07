//! Clusters of real processes, each with its supervisor, to which everything is done that can happen to processes.
//!
//! Nearly every test ends with members that know a leader, and with a judge who has recorded everything that was said.

mod clocks;
mod cluster;
mod disks;
mod identities;
mod judge;
mod namespaces;
mod partitions;
mod process;
mod signals;
mod strangers;
mod turns;
mod words;
