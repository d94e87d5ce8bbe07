//! Algorithms that elect by majority, and those that go on for ever, in runs in which everything goes wrong.

#[path = "../suite/support/mod.rs"]
mod suite;

mod lease_flaws;
mod paxos;
mod play;
mod quorum_lease;
mod support;
mod twins;
mod zookeeper;
