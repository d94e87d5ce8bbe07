//! Swarms: runs in which everything is drawn from one seed, and what becomes of them.
//!
//! [`draw`] makes a [`RunSpec`] of a failure [`Model`] and a seed; [`judge`] runs one and says what became
//! of it. A run is *late* if its last member came to know the outcome after
//!
//! > the last fault + 2 x (the detector's patience + the time of the same run without faults).
//!
//! That is twice what finding out about a fault and electing anew should take.

mod draw;
mod model;
mod reduce;
mod verdict;

pub use draw::draw;
pub use model::Model;
pub use reduce::{Reduced, reduce};
pub use verdict::{Class, RunVerdict};

use crate::parallel::in_parallel;
use crate::progress::Progress;
use bellwether_core::{
    AlgorithmChoice, DetectorChoice, DetectorEntry, FaultEvent, Lasting, Lie, Registry, Span, Spec, Time,
};
use bellwether_runspec::{Chosen, RunSpec, ScriptLine};
use bellwether_sim::faults::LinkFaults;
use bellwether_sim::{Plan, Report, RoundMode, Runner, SETTLING, SetupError, simulate};
use std::ops::RangeInclusive;

/// What is the same for all runs of a swarm.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many members there are: from so many to so many.
    pub nodes: RangeInclusive<u64>,
    /// Who watches whom. It is told the true bound on delays, so that a sound one is reliable as
    /// long as nothing goes wrong.
    pub detector: Option<DetectorChoice>,
}

impl Options {
    /// Five to nine members, watched by heartbeats where a registry has such a detector.
    #[must_use]
    pub fn usual(detectors: &'static [DetectorEntry]) -> Options {
        let heartbeat = detectors.iter().find(|entry| entry.name == "heartbeat");
        Options { nodes: 5..=9, detector: heartbeat.map(DetectorChoice::new) }
    }
}

/// Which run of a swarm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// The algorithm, of the registry.
    pub choice: AlgorithmChoice,
    /// What goes wrong.
    pub model: Model,
    /// From which everything is drawn.
    pub seed: u64,
}

/// Draws a run and judges it.
///
/// # Errors
/// [`SetupError`] if there is no such run: too few members for the network, for example.
pub fn run(registry: &Registry<Runner>, case: Case, options: &Options) -> Result<RunVerdict, SetupError> {
    judge(&registry.entries[case.choice.entry], &draw_for(registry, case, options), registry.detectors)
}

/// Draws the run of a case. Where no message says who leads, so that none can be forged, liars go by
/// another name instead.
#[must_use]
pub fn draw_for(registry: &Registry<Runner>, case: Case, options: &Options) -> RunSpec {
    let entry = &registry.entries[case.choice.entry];
    let mut run = draw(entry.spec, case.model, case.seed, options);
    run.algorithm = case.choice.to_string();
    if !entry.machine.can_forge() {
        let honest_about = |line: &ScriptLine| match *line {
            ScriptLine::Event((whose, FaultEvent::Lie(Lie::Forge(id)), at)) => {
                let other = Some(id).filter(|id| *id != whose).or_else(draw::stranger);
                ScriptLine::Event((whose, FaultEvent::Lie(other.map_or(Lie::Forge(id), Lie::Pretend)), at))
            }
            _ => line.clone(),
        };
        run.script = run.script.iter().map(honest_about).collect();
    }
    run
}

/// Runs many on `threads` cores (0: all of them). The verdicts are in the order of the cases, whatever the number of cores.
///
/// # Errors
/// The first [`SetupError`].
pub fn run_many(
    registry: &Registry<Runner>,
    cases: &[Case],
    options: &Options,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<RunVerdict>, SetupError> {
    in_parallel(threads, cases.len() as u64, |number| {
        let verdict = run(registry, cases[number as usize], options);
        progress.advance();
        verdict
    })
}

/// Runs that fail though their algorithm declares to survive what goes wrong in them: every algorithm of a
/// registry, under each model that it declares to survive, with so many seeds.
///
/// # Errors
/// The first [`SetupError`].
pub fn broken_promises(
    registry: &Registry<Runner>,
    runs: u64,
    options: &Options,
) -> Result<Vec<(Case, Class)>, SetupError> {
    let mut broken = Vec::new();
    for choice in (0..registry.entries.len()).map(|entry| registry.choice(entry)) {
        for model in Model::ALL.into_iter().filter(|model| model.is_survived_by(choice.spec)) {
            let cases: Vec<Case> = (0..runs).map(|seed| Case { choice, model, seed }).collect();
            let verdicts = run_many(registry, &cases, options, 0, &())?;
            let judged = cases.into_iter().zip(verdicts.iter().map(|verdict| verdict.class));
            broken.extend(judged.filter(|(_, class)| class.is_failure()));
        }
    }
    Ok(broken)
}

/// Runs an algorithm, and says what became of it.
///
/// # Errors
/// [`SetupError`] says why it cannot be run.
pub fn judge(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
) -> Result<RunVerdict, SetupError> {
    Ok(judge_run(algorithm, run, detectors)?.0)
}

fn judge_run(
    algorithm: &Runner,
    run: &RunSpec,
    detectors: &'static [DetectorEntry],
) -> Result<(RunVerdict, Report), SetupError> {
    let chosen = Chosen::of(algorithm.spec, run, detectors)?;
    let patience = patience(run, chosen.detector.as_ref());
    let plan = run.plan(chosen, run.seed)?;
    let report = simulate(algorithm, &plan, RoundMode::Auto);
    let settled_at = settled_at(&plan, &report);
    let deadline = || {
        let ceased = calm_from(run) + patience * 2;
        // Most runs are over by then, and the one without faults need not be run.
        if settled_at <= ceased { ceased } else { ceased + calm_time(algorithm, &plan) * 2 }
    };
    Ok((RunVerdict::of(&report, settled_at, deadline), report))
}

/// Messages and signals that are allowed for each pair of members: a run that has more is a flood, and
/// does not end.
const FLOOD: u64 = 2_000;

/// The run with the limits that runs of swarms have. Its command has them too, so a repeated run ends as this one.
fn with_limits(spec: &Spec, run: RunSpec, detector: Option<&DetectorChoice>) -> RunSpec {
    let n = run.ids.len() as u64;
    RunSpec { until: Some(time_limit(spec, &run, detector)), max_messages: Some(FLOOD * n * n), ..run }
}

/// When the last honest member came to know the leader that it names at the end.
fn settled_at(plan: &Plan, report: &Report) -> Time {
    let lies = |member: usize| {
        plan.script.iter().any(|h| matches!(h.what, FaultEvent::Lie(_)) && h.member as usize == member)
    };
    let known = report.knew_at.iter().enumerate();
    let known = known.filter(|&(member, &at)| at != Time::NEVER && !lies(member));
    known.map(|(_, &at)| at).max().unwrap_or(Time::ZERO)
}

/// How long the same run takes when nothing goes wrong, and everyone who calls does so at once.
fn calm_time(algorithm: &Runner, plan: &Plan) -> Span {
    let mut calm = plan.clone();
    calm.script.retain(|happening| happening.what == FaultEvent::Call);
    calm.script.iter_mut().for_each(|call| call.at = Time::ZERO);
    calm.link_faults = LinkFaults::default();
    let report = simulate(algorithm, &calm, RoundMode::Auto);
    settled_at(&calm, &report) - Time::ZERO
}

/// When the last thing has gone wrong.
fn calm_from(run: &RunSpec) -> Time {
    let by_chance = run.link_faults.until.filter(|_| run.link_faults.has_chance());
    run.script.last().into_iter().chain(by_chance).max().unwrap_or(Time::ZERO)
}

fn delay_bound(run: &RunSpec) -> Span {
    run.delay_bound.unwrap_or_else(|| run.delay.bound())
}

/// How long it takes to find out that somebody is dead.
fn patience(run: &RunSpec, detector: Option<&DetectorChoice>) -> Span {
    detector.map_or(Span::default(), |choice| choice.build(delay_bound(run)).patience())
}

/// A run that is not over by then will never be: the slowest algorithms take about n x n messages
/// one after the other, others a few times n with as many time-outs. Those that go on for ever are first left to
/// settle.
#[must_use]
pub fn time_limit(spec: &Spec, run: &RunSpec, detector: Option<&DetectorChoice>) -> Time {
    let n = run.ids.len() as u64;
    let settling = if spec.lasting == Lasting::GoesOn { SETTLING } else { 0 };
    let slowest = delay_bound(run) * (4 * n * n + 20 * n + 40 + settling);
    calm_from(run) + patience(run, detector) * 8 + slowest
}
