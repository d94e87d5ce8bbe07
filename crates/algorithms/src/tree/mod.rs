//! Elections on a tree, which the initiator builds on any network.

pub mod aggregation_tree;
