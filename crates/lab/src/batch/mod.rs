//! Many runs of one description with different seeds, summed up.

mod figures;
mod sample;

pub use figures::{
    ClaimSummary, Figures, LinkFigures, MessageFigures, Occurrence, Outcomes, StabilityFigures,
};

use crate::figure::Figure;
use crate::parallel::in_parallel;
use crate::planning::plan;
use crate::progress::Progress;
use crate::result::RunResult;
use crate::seeds::Seeds;
use crate::stats::Summary;
use bellwether_core::{Claim, DetectorEntry, Expect, Id, Spec};
use bellwether_model::run_plan;
use bellwether_runspec::RunSpec;
use bellwether_sim::{Outcome, Plan, Report, Runner, SetupError};
use sample::Sample;

/// With fewer runs, a mean says too little about what is claimed for the average.
pub const FEWEST_FOR_AVERAGES: usize = 30;

/// What many runs come to.
#[derive(Clone, Debug)]
pub struct Batch {
    /// How many runs.
    pub runs: u64,
    /// Links; nothing if they differ between runs.
    pub m: Option<u64>,
    /// The diameter; nothing if it differs between runs, or is unknown.
    pub diameter: Option<u32>,
    /// How many ended how.
    pub outcomes: Outcomes,
    /// The outcome; nothing if it differs between runs.
    pub outcome: Option<Outcome>,
    /// The leader; nothing if it differs between runs.
    pub leader: Option<Id>,
    /// Whether in every run all live members named the same leader.
    pub agreed: bool,
    /// Messages sent.
    pub messages: MessageFigures,
    /// Their wire forms' length.
    pub bytes: Option<Figures>,
    /// Hops.
    pub time: Option<Figures>,
    /// Rounds, of runs in rounds.
    pub rounds: Option<Figures>,
    /// The most bytes that a member's state took.
    pub storage: Option<Figures>,
    /// What links did to messages.
    pub links: LinkFigures,
    /// What detectors said to each other.
    pub signals: Option<Figures>,
    /// How stable leadership was.
    pub stability: StabilityFigures,
    /// The algorithm's claims.
    pub claims: Vec<ClaimSummary>,
    /// In how many runs safety was violated.
    pub unsafe_in: u64,
    /// In how many runs liveness was not reached.
    pub not_live_in: u64,
    /// In how many runs two led at once, if only for a while.
    pub two_at_once: Occurrence,
    /// In how many runs two led in one term, at whatever times.
    pub two_in_one_term: Occurrence,
    /// The first run with problems that are as grave as any: its seed, and they.
    pub first_problem: Option<(u64, Vec<String>)>,
    /// How the worst of them turned out.
    pub result: RunResult,
}

/// Runs a description once for each seed, on `threads` cores (0: all of them). `each` receives every run as it ends, from any
/// thread. Its results are in the order of the seeds, whatever the number of cores.
///
/// # Errors
/// The first [`SetupError`], or [`SetupError::Threads`].
pub fn run_each<T: Send>(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
    seeds: Seeds,
    threads: usize,
    each: impl Fn(&Plan, Report) -> T + Sync,
) -> Result<Vec<T>, SetupError> {
    in_parallel(threads, seeds.count, |place| {
        let plan = plan(algorithm, run, detectors, seeds.at(place), u64::MAX)?;
        let report = run_plan(algorithm, &plan, run.mode());
        Ok(each(&plan, report))
    })
}

/// Runs a description once for each seed, on `threads` cores (0: all of them), and sums up the runs.
///
/// # Errors
/// The first [`SetupError`].
pub fn run(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
    seeds: Seeds,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Batch, SetupError> {
    let samples = run_each(algorithm, run, detectors, seeds, threads, |plan, report| {
        progress.advance();
        Sample::new(algorithm.spec, plan, &report)
    })?;
    Ok(sum_up(algorithm.spec, &samples))
}

fn sum_up(spec: &Spec, samples: &[Sample]) -> Batch {
    let figures = |of: fn(&Sample) -> Option<f64>| {
        Summary::of(samples.iter().filter_map(of).collect()).map(Figures::from)
    };
    let ended = |outcome| samples.iter().filter(|sample| sample.outcome == outcome).count() as u64;
    let claims: Vec<ClaimSummary> = spec
        .claims
        .iter()
        .enumerate()
        .filter_map(|(at, claim)| {
            let kept: Vec<(Expect, f64)> = samples.iter().filter_map(|sample| sample.claims[at]).collect();
            rule(claim, &kept)
        })
        .collect();
    let of_runs = samples.iter().map(|sample| sample.result).max().unwrap_or_default();
    let as_claimed = claims.iter().all(|claim| claim.holds != Some(false));
    let of_claims = if as_claimed { RunResult::Right } else { RunResult::NotAsClaimed };
    Batch {
        runs: samples.len() as u64,
        m: common(samples.iter().map(|sample| sample.m)),
        diameter: common(samples.iter().map(|sample| sample.diameter)).flatten(),
        outcomes: Outcomes {
            elected: ended(Outcome::Elected),
            split: ended(Outcome::Split),
            none: ended(Outcome::None),
            undecided: ended(Outcome::Undecided),
        },
        outcome: common(samples.iter().map(|sample| sample.outcome)),
        leader: common(samples.iter().map(|sample| sample.leader)).flatten(),
        agreed: samples.iter().all(|sample| sample.agreed),
        messages: MessageFigures::of(samples),
        bytes: figures(|sample| Some(sample.bytes)),
        time: figures(|sample| Some(sample.time)),
        rounds: figures(|sample| sample.rounds),
        storage: figures(|sample| Some(sample.storage)),
        links: LinkFigures {
            lost: figures(|sample| Some(sample.links.lost as f64)),
            duplicated: figures(|sample| Some(sample.links.duplicated as f64)),
            held_up: figures(|sample| Some(sample.links.held_up as f64)),
        },
        signals: figures(|sample| Some(sample.signals)),
        stability: StabilityFigures {
            changes: figures(|sample| Some(sample.stability.changes as f64)),
            without_leader: figures(|sample| Some(sample.stability.without_leader.hops())),
            with_several: figures(|sample| Some(sample.stability.with_several.hops())),
            most_leaders: figures(|sample| Some(sample.stability.most_leaders.into())),
            shared_terms: figures(|sample| Some(sample.stability.shared_terms as f64)),
        },
        claims,
        unsafe_in: samples.iter().filter(|sample| !sample.safe).count() as u64,
        not_live_in: samples.iter().filter(|sample| !sample.live).count() as u64,
        two_at_once: Occurrence::of(samples, |sample| sample.stability.most_leaders > 1),
        two_in_one_term: Occurrence::of(samples, |sample| sample.stability.shared_terms > 0),
        first_problem: gravest(samples).map(|sample| (sample.seed, sample.problems.clone())),
        result: of_runs.max(of_claims),
    }
}

/// The first of the runs with the gravest problems: that two led who never may is graver than a wrong leader,
/// and that than none.
fn gravest(samples: &[Sample]) -> Option<&Sample> {
    let troubled = samples.iter().filter(|sample| !sample.problems.is_empty());
    troubled.rev().max_by_key(|sample| (sample.has_rivals, sample.result)) // of equals the last, seen so
}

/// What comes of a claim over the runs to which it applies; nothing if there are none.
fn rule(claim: &Claim, kept: &[(Expect, f64)]) -> Option<ClaimSummary> {
    let &(first, _) = kept.first()?;
    let mean_expected = Summary::of(kept.iter().map(|(expect, _)| expect.figure()).collect())?.mean;
    let measured = Summary::of(kept.iter().map(|(_, measured)| *measured).collect())?.mean;
    let rulings: Option<Vec<bool>> =
        kept.iter().map(|(expect, measured)| expect.holds_for_one(*measured)).collect();
    let held_in = rulings.map(|rulings| rulings.iter().filter(|holds| **holds).count());
    let holds = match held_in {
        Some(held_in) => Some(held_in == kept.len()),
        None if kept.len() < FEWEST_FOR_AVERAGES => None,
        None => {
            // Each run is compared with its own figure, should they differ.
            let levelled = kept.iter().map(|(expect, measured)| measured - expect.figure() + mean_expected);
            Summary::of(levelled.collect()).map(|summary| summary.meets(mean_expected))
        }
    };
    let relation = common(kept.iter().map(|(expect, _)| expect.relation()));
    Some(ClaimSummary {
        name: claim.name,
        expected: common(kept.iter().map(|(expect, _)| expect.figure())).map(Figure),
        measured: Figure(measured),
        holds,
        held_in: held_in.map(|held_in| held_in as u64),
        runs: kept.len() as u64,
        // Where some figures are exact and others bounds, all are bounds.
        relation: relation.unwrap_or(Expect::AtMost(first.figure()).relation()),
        formula: claim.formula,
        measure: claim.measure,
        mean_expected,
    })
}

/// What all have in common.
fn common<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}
