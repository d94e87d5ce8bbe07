//! Running an algorithm.

use crate::calm;
use crate::delay::Delay;
use crate::error::SetupError;
use crate::events::{self, Stop};
use crate::features::Features;
use crate::plan::Plan;
use crate::report::Report;
use crate::runner::{Hot, Runner};
use crate::trace::Observer;
use bellwether_core::{Entry, Fate, FaultEvent, Kind, Lie};

/// How to drive an algorithm in rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoundMode {
    /// In step where the plan allows it, else over a synchroniser.
    #[default]
    Auto,
    /// Over a synchroniser in any case.
    Synchroniser,
}

/// Runs a plan.
///
/// # Panics
/// If the plan has a schedule: the simulator does not play it, so that is the caller's bug.
#[must_use]
pub fn simulate(algorithm: &Runner, plan: &Plan, mode: RoundMode) -> Report {
    match algorithm.hot() {
        Hot::Calm(run) if calm::is_calm(algorithm.spec, plan) => run(algorithm.spec, plan),
        Hot::InStep { unobserved, .. } if is_in_step(plan, mode) => unobserved(algorithm.spec, plan),
        _ => simulate_observed(algorithm, plan, mode, &mut ()),
    }
}

/// Runs a plan, and shows all of it to an observer.
///
/// # Panics
/// As [`simulate`] does.
pub fn simulate_observed(
    algorithm: &Runner,
    plan: &Plan,
    mode: RoundMode,
    observer: &mut dyn Observer,
) -> Report {
    assert!(plan.schedule.is_none(), "a schedule is played by bellwether_model::run_plan_observed");
    let machine = algorithm.machine;
    match algorithm.hot() {
        Hot::None | Hot::Calm(_) => events::run(machine, plan, observer, Stop::of(algorithm.spec)),
        Hot::InStep { observed, .. } if is_in_step(plan, mode) => observed(algorithm.spec, plan, observer),
        Hot::InStep { .. } => events::run_synchronised(machine, plan, observer),
    }
}

fn is_in_step(plan: &Plan, mode: RoundMode) -> bool {
    mode == RoundMode::Auto && runs_in_step(plan)
}

/// Whether a plan has nothing that rounds in step cannot express.
#[must_use]
pub fn runs_in_step(plan: &Plan) -> bool {
    let crashes = Features::EARLY_CRASHES | Features::LATE_CRASHES;
    plan.delay == Delay::Unit && crashes.contains(plan.features())
}

/// Makes sure that an algorithm has the messages that a plan speaks of: those chosen to be lost, and
/// those to be forged.
///
/// # Errors
/// [`SetupError`] says what it does not have.
pub fn check_messages(entry: &Entry, plan: &Plan, mode: RoundMode) -> Result<(), SetupError> {
    let kinds = kinds(entry, plan, mode);
    let algorithm = entry.spec.name;
    let is_known = |name: &String| kinds.iter().any(|kind| kind.name == name);
    for chosen in &plan.link_faults.chosen {
        if let Some(kind) = chosen.kind.clone().filter(|kind| !is_known(kind)) {
            let kinds = kinds.iter().map(|kind| kind.name).collect();
            let key = if chosen.fate == Fate::Lost { "lose" } else { "duplicate" };
            return Err(SetupError::NoSuchKind { algorithm, kind, kinds, key });
        }
    }
    let is_forgery = |what| matches!(what, FaultEvent::Lie(Lie::Forge(_)));
    if !entry.machine.can_forge() && plan.script.iter().any(|happening| is_forgery(happening.what)) {
        return Err(SetupError::NothingToForge { algorithm });
    }
    Ok(())
}

/// The kinds of messages that a run of an algorithm has, a synchroniser's marker among them where there is one.
#[must_use]
pub fn kinds(entry: &Entry, plan: &Plan, mode: RoundMode) -> &'static [Kind] {
    if is_in_step(plan, mode) { entry.kinds } else { entry.machine.kinds }
}
