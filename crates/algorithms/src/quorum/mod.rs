//! Elections by majority: at most one leader per term.

mod answers;
pub mod paxos;
pub mod quorum_lease;
pub mod raft_vote;
pub mod zookeeper;
