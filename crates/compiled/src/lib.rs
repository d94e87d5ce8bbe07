//! The simulator and the checker, compiled for every algorithm: once, for every test and program that says
//! `use bellwether_compiled as _;`.
//!
//! Drivers are generic over the algorithm, so whoever runs one by its name compiles them for all: minutes, in each
//! test binary. Where little is optimised (`opt-level` 0 and 1, as in the dev profile) rustc takes instances that it
//! finds in a library instead of making them anew. This is that library; nothing in it is ever called. Where much is
//! optimised instances are not shared, so it is empty there.

#![forbid(unsafe_code)]
#![cfg(debug_assertions)]

use bellwether_algorithms::Algorithms;
use bellwether_check::{Checked, Progress, Wishes};
use bellwether_sim::{Observer, Plan, Report, RoundMode, SetupError};

/// The simulator where nobody looks on.
pub fn simulate(entry: usize, plan: &Plan, mode: RoundMode) -> Report {
    bellwether_sim::simulate::<Algorithms, ()>(entry, plan, mode, &mut ())
}

/// The simulator before an onlooker.
pub fn simulate_before(onlooker: &mut dyn Observer, entry: usize, plan: &Plan, mode: RoundMode) -> Report {
    bellwether_sim::simulate_before::<Algorithms>(onlooker, entry, plan, mode)
}

/// What a plan may say.
///
/// # Errors
/// What it may not.
pub fn check_plan(entry: usize, plan: &Plan, mode: RoundMode) -> Result<(), SetupError> {
    bellwether_sim::check_messages::<Algorithms>(entry, plan, mode)?;
    bellwether_sim::check_schedule::<Algorithms>(entry, plan)
}

/// The checker.
pub fn check(entry: usize, plan: &Plan, wishes: &Wishes, watch: &(dyn Fn(&Progress) + Sync)) -> Checked {
    bellwether_check::check::<Algorithms>(entry, plan, wishes, watch)
}
