//! Failover: a fault strikes the leader, and leadership is measured until it is over.
//!
//! Messages take 0.1 to 1 hop, as in a local network where a hop is a millisecond, and one in a thousand is lost.
//! Members are told that messages take at most a hop: so a hop is a delay bound.

use crate::parallel::in_parallel;
use crate::progress::Progress;
use crate::seeds::Seeds;
use crate::stats::Summary;
use crate::swarm::Options;
use bellwether_core::{
    AlgorithmChoice, DetectorChoice, FaultEvent, Id, Lasting, Params, Registry, Span, Spec, Time,
};
use bellwether_runspec::notation::{Interval, Share};
use bellwether_runspec::{Chosen, Partition, RunSpec, Script, ScriptLine};
use bellwether_sim::{DRIFT_BOUND, Delay, RoundMode, Runner, SetupError, Stability, simulate};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How long messages take, in hops.
const DELAY: Delay = Delay::Uniform { least: 0.1, most: 1.0 };
/// The share of messages that is lost.
const LOSS: f64 = 0.001;
/// A leader is there long before it is struck.
const SETTLED: Span = Span::from_hops(200);
/// It is struck at any time within so long: no beat, lease or time-out is longer.
const PHASES: Span = Span::from_hops(50);
/// How long parts of the network are apart, and a majority is dead.
const APART: Span = Span::from_hops(100);
/// How long a leader is frozen: twice as long as any lease.
const FROZEN: Span = Span::from_hops(60);
/// How long everyone is down who is started anew.
const DOWN: Span = Span::from_hops(10);
/// For how long clocks go wrong before anything else does.
const DRIFTING: Span = Span::from_hops(50);
/// By how many millionths they do, beyond what members are told.
const WILD_DRIFT: u32 = 200_000;
/// How long a run may take after the last misfortune.
const PATIENCE: Span = Span::from_hops(1_000);

/// What happens to the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailoverCase {
    /// It crashes for good.
    Crash,
    /// Its process crashes for good, its host lives, and everyone is told for certain.
    CertifiedCrash,
    /// It is cut off with a minority, and comes back.
    CutOff,
    /// It freezes for longer than any lease, and wakes.
    Pause,
    /// Its clock loses, all others gain, as much as members are told; then as [`FailoverCase::CutOff`].
    Drift,
    /// The same, but much more than they are told.
    WildDrift,
    /// It crashes with others that make a majority, and all come back.
    MajorityLost,
    /// Everyone crashes and comes back.
    Restart,
}

impl FailoverCase {
    /// All of them.
    pub const ALL: [FailoverCase; 8] = [
        FailoverCase::Crash,
        FailoverCase::CertifiedCrash,
        FailoverCase::CutOff,
        FailoverCase::Pause,
        FailoverCase::Drift,
        FailoverCase::WildDrift,
        FailoverCase::MajorityLost,
        FailoverCase::Restart,
    ];

    /// As it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FailoverCase::Crash => "crash",
            FailoverCase::CertifiedCrash => "certified-crash",
            FailoverCase::CutOff => "cut-off",
            FailoverCase::Pause => "pause",
            FailoverCase::Drift => "drift",
            FailoverCase::WildDrift => "wild-drift",
            FailoverCase::MajorityLost => "majority-lost",
            FailoverCase::Restart => "restart",
        }
    }

    /// What happens, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            FailoverCase::Crash => "the leader crashes for good",
            FailoverCase::CertifiedCrash => {
                "the leader's process crashes for good, and death certificates tell the others"
            }
            FailoverCase::CutOff => {
                "the leader is cut off with a minority, and 100 delay bounds later the network is whole again"
            }
            FailoverCase::Pause => {
                "the leader freezes for 60 delay bounds, longer than any lease, and wakes without knowing"
            }
            FailoverCase::Drift => {
                "the leader's clock loses 1 % and all others gain 1 %, as far as members are told that clocks go wrong; 50 delay bounds later as cut-off"
            }
            FailoverCase::WildDrift => "the same with 20 %, far beyond what members are told",
            FailoverCase::MajorityLost => {
                "the leader and others crash, a majority in all, and recover 100 delay bounds later"
            }
            FailoverCase::Restart => "everyone crashes, and recovers 10 delay bounds later",
        }
    }

    /// Strikes the leader at a time; `others` are the others. Returns the time at which the case is over.
    fn strike(self, run: &mut RunSpec, leader: Id, others: &[Id], at: Time) -> Time {
        let outage = |run: &mut RunSpec, ids: &[Id], lasts: Span| {
            for &id in [leader].iter().chain(ids) {
                let back = ScriptLine::Event((id, FaultEvent::Recover, at + lasts));
                run.script.extend([ScriptLine::Event((id, FaultEvent::Crash, at)), back]);
            }
            at + lasts
        };
        match self {
            FailoverCase::Crash | FailoverCase::CertifiedCrash => {
                run.certified_crashes = self == FailoverCase::CertifiedCrash;
                run.script.push(ScriptLine::Event((leader, FaultEvent::Crash, at)));
                at
            }
            FailoverCase::CutOff => {
                // With the leader they are as many as a minority can be.
                let (with, without) = others.split_at((others.len() / 2).saturating_sub(1));
                let groups = vec![[&[leader], with].concat(), without.to_vec()];
                let until = at + APART;
                let during = Interval { from: at, to: Some(until) };
                run.script.push(ScriptLine::Partition(Partition { groups, during }));
                until
            }
            FailoverCase::Pause => {
                let until = at + FROZEN;
                run.script.push(ScriptLine::Pause(leader, Interval { from: at, to: Some(until) }));
                until
            }
            FailoverCase::Drift | FailoverCase::WildDrift => {
                let by = if self == FailoverCase::Drift { DRIFT_BOUND } else { WILD_DRIFT } as i32;
                run.script.push(ScriptLine::Event((leader, FaultEvent::Drift(-by), at)));
                run.script
                    .extend(others.iter().map(|&id| ScriptLine::Event((id, FaultEvent::Drift(by), at))));
                FailoverCase::CutOff.strike(run, leader, others, at + DRIFTING)
            }
            FailoverCase::MajorityLost => outage(run, &others[..others.len().div_ceil(2)], APART),
            FailoverCase::Restart => outage(run, others, DOWN),
        }
    }
}

impl fmt::Display for FailoverCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for FailoverCase {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl FromStr for FailoverCase {
    type Err = String;

    fn from_str(text: &str) -> Result<FailoverCase, String> {
        let found = FailoverCase::ALL.into_iter().find(|case| case.name() == text);
        found.ok_or_else(|| {
            let names = FailoverCase::ALL.map(FailoverCase::name);
            format!("there is no ordeal '{text}': use one of {}", names.join(", "))
        })
    }
}

/// What a case did to leadership, from the moment at which it struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failover {
    /// How long nobody led.
    pub without_leader: Span,
    /// How long several led at once.
    pub with_several: Span,
    /// How often another member came to lead.
    pub changes: u64,
    /// In how many terms two or more led.
    pub shared_terms: u64,
    /// Whether all was as it should be at the end, and nobody led whom the algorithm rules out.
    pub came_right: bool,
}

/// Runs a case with an algorithm, these parameters and so many members.
///
/// There are two runs: one until the case strikes, to find the leader, and one with it. Both are the same until then. Where
/// there is no leader, or several, the best member is struck.
///
/// # Errors
/// [`SetupError`] if there is no such run.
pub fn run(
    algorithm: &Runner,
    params: Params,
    case: FailoverCase,
    nodes: u32,
    detector: Option<DetectorChoice>,
    seed: u64,
) -> Result<Failover, SetupError> {
    let spec = algorithm.spec;
    let at = strikes_at(seed);
    let mut run = RunSpec {
        nodes: Some(nodes.into()),
        delay: DELAY,
        detector: detector.as_ref().map(ToString::to_string),
        script: [ScriptLine::Heal(at)].into_iter().collect(), // of nothing: so that a run that would be over goes on until then
        until: Some(at),
        ..RunSpec::of(format!("{}{}", spec.name, params.suffix(spec.parameters)))
    };
    run.link_faults.loss = Some(Share(LOSS));
    let chosen = Chosen { spec, detector };
    let plan = run.plan(chosen.clone(), seed)?;
    let before = simulate(algorithm, &plan, RoundMode::Auto);
    let ids = plan.ranks.iter().map(|rank| rank.id());
    let best = plan.ranks.iter().max().map(|rank| rank.id());
    let leader = before.ruling.leader.or(best).ok_or(SetupError::NoMembers)?;
    let others: Vec<Id> = ids.filter(|&id| id != leader).collect();
    run.script = Script::default();
    run.until = Some(case.strike(&mut run, leader, &others, at) + PATIENCE);
    let after = simulate(algorithm, &run.plan(chosen, seed)?, RoundMode::Auto);
    Ok(Failover::between(before.stability, after.stability, after.ruling.is_right()))
}

/// All seeds together strike at each of the times.
fn strikes_at(seed: u64) -> Time {
    const STEP: u64 = 30_893; // prime, and near the golden section of the phases: seeds in a row lie far apart
    let phases = PHASES.ticks();
    Time::ZERO + SETTLED + Span::from_ticks(seed % phases * STEP % phases)
}

impl Failover {
    /// Two runs that are the same until the first is over.
    fn between(before: Stability, after: Stability, came_right: bool) -> Failover {
        let since = |of: fn(&Stability) -> Span| Span::from_ticks(of(&after).ticks() - of(&before).ticks());
        Failover {
            without_leader: since(|stability| stability.without_leader),
            with_several: since(|stability| stability.with_several),
            changes: after.changes - before.changes,
            shared_terms: after.shared_terms - before.shared_terms,
            came_right,
        }
    }
}

/// Many runs of one case with one algorithm. Times are in delay bounds.
#[derive(Clone, Debug)]
pub struct FailoverFigures {
    /// The algorithm.
    pub choice: AlgorithmChoice,
    /// What happened to the leader.
    pub case: FailoverCase,
    /// How many runs.
    pub runs: u64,
    /// How long nobody led.
    pub without_leader: Option<Summary>,
    /// In how many runs several led at once.
    pub runs_with_several: u64,
    /// For how long, at the most.
    pub longest_with_several: f64,
    /// In how many terms several led, in all runs together.
    pub shared_terms: u64,
    /// How often leadership changed.
    pub changes: Option<Summary>,
    /// In how many runs all was right at the end.
    pub came_right: u64,
}

/// Whether an algorithm is measured unless the user names some: those that go on for ever; and bully, which has no quorum, to
/// show the difference.
#[must_use]
pub fn is_usual(spec: &Spec) -> bool {
    spec.lasting == Lasting::GoesOn || spec.name == "bully"
}

/// Runs a case with an algorithm once for each seed, on `threads` cores (0: all of them).
///
/// # Errors
/// The first [`SetupError`].
pub fn measure(
    registry: &Registry<Runner>,
    choice: AlgorithmChoice,
    case: FailoverCase,
    nodes: u32,
    seeds: Seeds,
    threads: usize,
    progress: &dyn Progress,
) -> Result<FailoverFigures, SetupError> {
    progress.begin(&format!("{choice}, {case}"));
    // Algorithms that go on for ever notice silence by themselves.
    let watches = choice.spec.lasting == Lasting::Ends;
    let detector = Options::usual(registry.detectors).detector.filter(|_| watches);
    let failovers = in_parallel(threads, seeds.count, |place| {
        let algorithm = &registry.entries[choice.entry];
        let failover = run(algorithm, choice.params, case, nodes, detector.clone(), seeds.at(place));
        progress.advance();
        failover
    })?;
    let count = |is_so: fn(&Failover) -> bool| failovers.iter().filter(|it| is_so(it)).count() as u64;
    let summary = |of: fn(&Failover) -> f64| Summary::of(failovers.iter().map(of).collect());
    Ok(FailoverFigures {
        choice,
        case,
        runs: seeds.count,
        without_leader: summary(|failover| failover.without_leader.hops()),
        runs_with_several: count(|failover| failover.with_several.ticks() > 0),
        longest_with_several: failovers.iter().map(|it| it.with_several.hops()).fold(0.0, f64::max),
        shared_terms: failovers.iter().map(|failover| failover.shared_terms).sum(),
        changes: summary(|failover| failover.changes as f64),
        came_right: count(|failover| failover.came_right),
    })
}
