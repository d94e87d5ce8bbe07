//! From the description of a run to a plan that can be run to its end.

use bellwether_core::{DetectorEntry, Driving};
use bellwether_model::check_schedule;
use bellwether_runspec::{Chosen, RunSpec};
use bellwether_sim::{Plan, Runner, SetupError, check_messages};

/// The plan of a seed, for a run that may take `memory` bytes. Everything that can be wrong with it is checked here: the
/// messages that it names and the steps of its schedule too.
///
/// # Errors
/// [`SetupError`] says what does not fit.
pub fn plan(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
    seed: u64,
    memory: u64,
) -> Result<Plan, SetupError> {
    run.check_exclusions()?;
    let spec = algorithm.spec;
    if run.synchroniser && algorithm.driving != Driving::Rounds {
        let problem = format!("{} does not run in rounds: leave out `synchroniser`", spec.name);
        return Err(SetupError::Fault { key: "synchroniser", problem });
    }
    let plan = run.plan_within(Chosen::of(spec, run, detectors)?, seed, memory)?;
    check_messages(algorithm, &plan, run.mode())?;
    check_schedule(algorithm, &plan)?;
    Ok(plan)
}
