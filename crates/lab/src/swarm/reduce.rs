//! Reducing a run of a swarm that fails.

use super::{bounded, judge, time_limit};
use crate::shrink::{Chances, Shrunk, shrink};
use bellwether_core::{DetectorEntry, Fate, FaultKind, Id, Spec, Starts};
use bellwether_model::run_plan_observed;
use bellwether_runspec::notation::Pattern;
use bellwether_runspec::{Callers, Chosen, RunSpec};
use bellwether_sim::{RoundMode, Runner};

/// Reduces a run to a small one of which the same becomes. No more than `most_runs` are tried.
///
/// Nothing is taken away that would make it a failure of nobody's: somebody to whom nothing happens calls an
/// election, and it has as much time as any run of a swarm.
pub fn reduce(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
    most_runs: u64,
) -> Shrunk {
    let spec = algorithm.spec;
    let with_time = |run: &RunSpec| {
        let detector = Chosen::of(spec, run, detectors).ok().and_then(|chosen| chosen.detector);
        RunSpec { until: Some(time_limit(spec, run, detector.as_ref())), ..run.clone() }
    };
    let class = |run: &RunSpec| Some(judge(algorithm, run, detectors).ok()?.class);
    let original = class(run);
    let kinds = telling(run);
    let fails =
        |run: &RunSpec| is_fair(spec, run) && telling(run) == kinds && class(&with_time(run)) == original;
    let shrunk = shrink(run, most_runs, fails, |run| {
        chances(algorithm, &with_time(run), detectors).unwrap_or_default()
    });
    Shrunk { run: with_time(&shrunk.run), ..shrunk }
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
    let plan = bounded(run.plan(chosen, run.seed).ok()?);
    let mut observer = Chances::new(&plan);
    run_plan_observed(algorithm, &plan, RoundMode::Auto, &mut observer);
    Some(observer.into_chosen())
}
