//! Election that survives partitions, when it has to. A binary of its own, so that it is compiled fast.

mod invitation;
mod omega;
mod raft_vote;
mod support;
mod twin;
