//! Reducing a run of a swarm that fails.

use super::{bounded, judge, time_limit};
use crate::shrink::{Chances, Shrunk, shrink};
use bellwether_core::{Id, Spec, Starts};
use bellwether_model::run_plan_observed;
use bellwether_sim::RoundMode;
use bellwether_sim::Runner;
use bellwether_sim::faults::{Chosen, Event};
use bellwether_sim::{Callers, Members, Setup};

/// Reduces a run to a small one of which the same becomes. No more than `most_runs` are tried.
///
/// Nothing is taken away that would make it a failure of nobody's: somebody to whom nothing happens calls an
/// election, and it has as much time as any run of a swarm.
pub fn reduce(algorithm: &Runner, setup: &Setup, seed: u64, most_runs: u64) -> Shrunk {
    let spec = algorithm.spec;
    let class = |setup: &Setup, seed| Some(judge(algorithm, setup, seed).ok()?.class);
    let original = class(setup, seed);
    let kinds = telling(setup);
    let fails = |setup: &Setup, seed| {
        is_fair(spec, setup) && telling(setup) == kinds && class(&with_time(spec, setup), seed) == original
    };
    let shrunk = shrink(setup, seed, most_runs, fails, |setup, seed| {
        chances(algorithm, &with_time(spec, setup), seed).unwrap_or_default()
    });
    Shrunk { setup: with_time(spec, &shrunk.setup), ..shrunk }
}

fn with_time(spec: &Spec, setup: &Setup) -> Setup {
    let mut setup = setup.clone();
    setup.limits.time = time_limit(spec, &setup);
    setup
}

/// What sets a run apart from one in which members only die: whether anyone comes back, or stops in the
/// middle of a write.
fn telling(setup: &Setup) -> (bool, bool) {
    let any = |wanted| setup.script.iter().any(|(_, what, _)| *what == wanted);
    (any(Event::Recover), any(Event::TornCrash))
}

/// Whether somebody calls an election to whom nothing happens.
fn is_fair(spec: &Spec, setup: &Setup) -> bool {
    let Some(Members::Ids(ids)) = &setup.members else { return false };
    let concerns_links = |what| matches!(what, Event::Call | Event::Cut(_) | Event::Mend(_) | Event::Heal);
    let is_steady = |id: Id| setup.script.iter().all(|&(whose, what, _)| whose != id || concerns_links(what));
    let calls_at_first = |id: Id| match &setup.callers {
        Callers::All => true,
        Callers::Ids(callers) => callers.contains(&id),
    };
    let calls_later =
        |id: Id| setup.script.iter().any(|&(whose, what, _)| whose == id && what == Event::Call);
    let calls = |id: Id| spec.starts == Starts::Everyone || calls_at_first(id) || calls_later(id);
    ids.iter().any(|&id| is_steady(id) && calls(id))
}

fn chances(algorithm: &Runner, setup: &Setup, seed: u64) -> Option<Vec<Chosen<Id>>> {
    let plan = bounded(setup.plan(algorithm.spec, seed).ok()?);
    let mut observer = Chances::new(&plan);
    run_plan_observed(algorithm, &plan, RoundMode::Auto, &mut observer);
    Some(observer.into_chosen())
}
