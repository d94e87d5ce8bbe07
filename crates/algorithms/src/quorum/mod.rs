//! Elections by majority: no two leaders in one term.

mod attendance;
pub mod paxos;
pub mod quorum_lease;
pub mod raft_vote;
pub mod zookeeper;
