//! Reducing a run of a swarm that fails.

use super::{judge_run, with_limits};
use crate::shrink::{Chances, shrink};
use bellwether_core::{DetectorEntry, Fate, FaultKind, Id, Spec, Starts};
use bellwether_model::run_plan_observed;
use bellwether_runspec::notation::Pattern;
use bellwether_runspec::{Callers, Chosen, RunSpec};
use bellwether_sim::{Report, RoundMode, Runner, SetupError};

/// A run that still fails in the same way, as small as was found.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The run.
    pub run: RunSpec,
    /// What it came to.
    pub report: Report,
}

/// Reduces a run to a small one of the same class. No more than `most_runs` are tried.
///
/// The reduced run stays fair: a member to which nothing happens starts an election, and the limits are those of any run of
/// a swarm.
///
/// # Errors
/// [`SetupError`] if there is no such run.
pub fn reduce(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
    most_runs: u64,
) -> Result<Reduced, SetupError> {
    let spec = algorithm.spec;
    let limited = |run: &RunSpec| {
        let detector = Chosen::of(spec, run, detectors).ok().and_then(|chosen| chosen.detector);
        with_limits(spec, run.clone(), detector.as_ref())
    };
    let judged = |run: &RunSpec| judge_run(algorithm, &limited(run), detectors);
    let (original, mut report) = judged(run)?;
    let kinds = telling(run);
    let fails = |run: &RunSpec| {
        let is_comparable = is_fair(spec, run) && telling(run) == kinds;
        let judged = is_comparable.then(|| judged(run).ok()).flatten();
        let same = judged.filter(|(verdict, _)| verdict.class == original.class);
        same.map(|(_, its)| report = its).is_some()
    };
    let shrunk =
        shrink(run, most_runs, fails, |run| chances(algorithm, &limited(run), detectors).unwrap_or_default());
    Ok(Reduced { run: limited(&shrunk.run), report })
}

/// What sets a run apart from one in which members only die: whether anyone comes back, or stops in the
/// middle of a write.
fn telling(run: &RunSpec) -> (bool, bool) {
    let any = |wanted| run.script.events().any(|(_, what, _)| what.kind() == wanted);
    (any(FaultKind::Recover), any(FaultKind::TornCrash))
}

/// Whether somebody calls an election to whom nothing happens.
fn is_fair(spec: &Spec, run: &RunSpec) -> bool {
    let concerns_links = |kind| matches!(kind, FaultKind::Call | FaultKind::Cut | FaultKind::Mend);
    let is_steady =
        |id: Id| run.script.events().all(|(whose, what, _)| whose != id || concerns_links(what.kind()));
    let calls_at_first = |id: Id| match &run.initiators {
        Callers::All => true,
        Callers::Ids(callers) => callers.contains(&id),
    };
    let calls_later =
        |id: Id| run.script.events().any(|(whose, what, _)| whose == id && what.kind() == FaultKind::Call);
    let calls = |id: Id| spec.starts == Starts::Everyone || calls_at_first(id) || calls_later(id);
    run.ids.iter().any(|&id| is_steady(id) && calls(id))
}

fn chances(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
) -> Option<Vec<(Fate, Pattern)>> {
    let chosen = Chosen::of(algorithm.spec, run, detectors).ok()?;
    let plan = run.plan(chosen, run.seed).ok()?;
    let mut observer = Chances::new(&plan);
    run_plan_observed(algorithm, &plan, RoundMode::Auto, &mut observer);
    Some(observer.into_chosen())
}
