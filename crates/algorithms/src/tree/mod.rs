//! Elections on a tree, which the initiator lays over any network.

pub mod aggregation_tree;
