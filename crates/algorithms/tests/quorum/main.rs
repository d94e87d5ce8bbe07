//! Algorithms that elect by majority, and those that go on for ever, in runs in which everything goes wrong.

mod lease_flaws;
mod lease_rules;
mod quorum_lease;
mod support;
