//! Where algorithms meet the loops that are compiled for each of them: the calm event loop and the rounds in step.
//!
//! Everything else (faults, observers, replay, the checker, a real cluster) works on [`Machine`](bellwether_core::machine::Machine) and is
//! compiled once, in the crate that it is part of.

#![forbid(unsafe_code)]

use bellwether_sim::Runner;

bellwether_algorithms::algorithms! {
    /// Every algorithm of Bellwether, ready to run.
    pub static ALGORITHMS: Runner
}
