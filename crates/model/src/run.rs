//! Running any plan: as its schedule says, or as delays and chance have it.

use crate::follow;
use bellwether_core::{Driving, Entry};
use bellwether_sim::{
    Driver, Observer, Plan, Report, RoundMode, Runner, SetupError, simulate, simulate_observed,
};

/// Runs a plan: step by step if it has a schedule, else in the simulator.
#[must_use]
pub fn run_plan(algorithm: &Runner, plan: &Plan, mode: RoundMode) -> Report {
    match plan.schedule {
        Some(_) => run_plan_observed(algorithm, plan, mode, &mut ()),
        None => simulate(algorithm, plan, mode),
    }
}

/// Runs a plan, and shows all of it to an observer.
pub fn run_plan_observed(
    algorithm: &Runner,
    plan: &Plan,
    mode: RoundMode,
    observer: &mut dyn Observer,
) -> Report {
    let Some(schedule) = &plan.schedule else { return simulate_observed(algorithm, plan, mode, observer) };
    let driver = match algorithm.driving {
        Driving::Events => Driver::Events,
        Driving::Rounds => Driver::Synchroniser,
    };
    follow::run(algorithm.machine, plan, schedule, observer, driver)
}

/// Makes sure that every step of a plan's schedule, if it has one, can happen when its turn comes.
///
/// # Errors
/// [`SetupError`] says which one cannot, and what can.
pub fn check_schedule(entry: &Entry, plan: &Plan) -> Result<(), SetupError> {
    plan.schedule.as_ref().map_or(Ok(()), |schedule| follow::check(entry.machine, plan, schedule))
}
