//! The algorithms that need a majority. A binary of its own: the simulator is compiled for these few.

#[path = "../suite/support/mod.rs"]
mod support;

mod paxos;
mod play;
mod twins;
mod zookeeper;
