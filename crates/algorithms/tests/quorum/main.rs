//! Algorithms that elect by majority, and those that go on for ever, in runs in which everything goes wrong.

mod invitation;
mod lease_flaws;
mod lease_rules;
mod omega;
mod quorum_lease;
mod raft_vote;
mod support;
mod twin;
