//! What time and sleep do: leases, pauses, torn writes, and how far runs are followed. A binary of its own, as it
//! needs few of the algorithms.

mod leased;
mod leases;
mod pauses;
mod quorum;
