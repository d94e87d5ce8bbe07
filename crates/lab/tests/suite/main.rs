//! Everything that is tested of what is done with runs, in one binary.

mod batch;
mod exports;
mod failover;
mod lasting;
mod parameters;
mod scenarios;
mod shrink;
mod swarm;
