//! What time and sleep do: leases, pauses, torn writes, and how far runs are followed. A binary of its own, as it
//! needs few of the algorithms.

mod leased;
mod leases;
mod pauses;
mod quorum;
#[path = "../suite/support/mod.rs"]
#[allow(dead_code, reason = "the other binary uses more of it")]
mod support;
