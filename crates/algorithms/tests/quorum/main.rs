//! Algorithms that elect by majority, and those that never terminate, in runs with all faults.

mod death;
mod far_terms;
mod flawed;
mod invitation;
mod lease_checked;
mod lease_failback;
mod lease_flaws;
mod lease_promises;
mod lease_rules;
mod lease_stores;
mod lease_voters;
mod omega;
mod paxos;
mod play;
mod quorum_lease;
mod raft_vote;
mod support;
mod zookeeper;
