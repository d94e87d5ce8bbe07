//! Clusters of real processes, each with its supervisor, to which everything is done that can happen to processes.
//!
//! Nearly every test ends with members that know a leader, and with a judge who has recorded everything that was said.

mod clocks;
mod disks;
mod files;
mod floods;
mod identities;
mod partitions;
mod redial;
mod signals;
mod strangers;
mod three_machines;
mod turns;
mod words;

use bellwether_testkit::{cables as namespaces, cluster, process};
