//! Ordeals: the same misfortune for whoever leads, and what it does to leadership.
//!
//! Messages take 0.1 to 1 hop, as in a local network where a hop is a millisecond, and one in a thousand is lost.
//! Members are told that messages take at most a hop: so a hop is a delay bound.

use bellwether_core::{DetectorChoice, FaultEvent, Id, Params, Span, Time};
use bellwether_runspec::notation::{Interval, Share};
use bellwether_runspec::{Chosen, Line, Partition, RunSpec, Script};
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

/// What whoever leads goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordeal {
    /// It crashes for good.
    Crash,
    /// Its process crashes for good, its host lives, and everyone is told for certain.
    CertifiedCrash,
    /// It is cut off with a minority, and comes back.
    CutOff,
    /// It freezes for longer than any lease, and wakes.
    Pause,
    /// Its clock loses, all others gain, as much as members are told; then as [`Ordeal::CutOff`].
    Drift,
    /// The same, but much more than they are told.
    WildDrift,
    /// It crashes with others that make a majority, and all come back.
    MajorityLost,
    /// Everyone crashes and comes back.
    Restart,
}

impl Ordeal {
    /// All of them.
    pub const ALL: [Ordeal; 8] = [
        Ordeal::Crash,
        Ordeal::CertifiedCrash,
        Ordeal::CutOff,
        Ordeal::Pause,
        Ordeal::Drift,
        Ordeal::WildDrift,
        Ordeal::MajorityLost,
        Ordeal::Restart,
    ];

    /// As it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Ordeal::Crash => "crash",
            Ordeal::CertifiedCrash => "certified-crash",
            Ordeal::CutOff => "cut-off",
            Ordeal::Pause => "pause",
            Ordeal::Drift => "drift",
            Ordeal::WildDrift => "wild-drift",
            Ordeal::MajorityLost => "majority-lost",
            Ordeal::Restart => "restart",
        }
    }

    /// What happens, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Ordeal::Crash => "the leader crashes for good",
            Ordeal::CertifiedCrash => {
                "the leader's process crashes for good, and death certificates tell the others"
            }
            Ordeal::CutOff => {
                "the leader is cut off with a minority, and 100 delay bounds later the network is whole again"
            }
            Ordeal::Pause => {
                "the leader freezes for 60 delay bounds, longer than any lease, and wakes without knowing"
            }
            Ordeal::Drift => {
                "the leader's clock loses 1 % and all others gain 1 %, as far as members are told that clocks go wrong; 50 delay bounds later as cut-off"
            }
            Ordeal::WildDrift => "the same with 20 %, far beyond what members are told",
            Ordeal::MajorityLost => {
                "the leader and others crash, a majority in all, and recover 100 delay bounds later"
            }
            Ordeal::Restart => "everyone crashes, and recovers 10 delay bounds later",
        }
    }

    /// Strikes whoever leads at a time; `others` are the others. Says when it is over.
    fn strike(self, run: &mut RunSpec, leader: Id, others: &[Id], at: Time) -> Time {
        let outage = |run: &mut RunSpec, ids: &[Id], lasts: Span| {
            for &id in [leader].iter().chain(ids) {
                let back = Line::Event((id, FaultEvent::Recover, at + lasts));
                run.script.extend([Line::Event((id, FaultEvent::Crash, at)), back]);
            }
            at + lasts
        };
        match self {
            Ordeal::Crash | Ordeal::CertifiedCrash => {
                run.certified_crashes = self == Ordeal::CertifiedCrash;
                run.script.push(Line::Event((leader, FaultEvent::Crash, at)));
                at
            }
            Ordeal::CutOff => {
                // With the leader they are as many as a minority can be.
                let (with, without) = others.split_at((others.len() / 2).saturating_sub(1));
                let groups = vec![[&[leader], with].concat(), without.to_vec()];
                let until = at + APART;
                let during = Interval { from: at, to: Some(until) };
                run.script.push(Line::Partition(Partition { groups, during }));
                until
            }
            Ordeal::Pause => {
                let until = at + FROZEN;
                run.script.push(Line::Pause(leader, Interval { from: at, to: Some(until) }));
                until
            }
            Ordeal::Drift | Ordeal::WildDrift => {
                let by = if self == Ordeal::Drift { DRIFT_BOUND } else { WILD_DRIFT } as i32;
                run.script.push(Line::Event((leader, FaultEvent::Drift(-by), at)));
                run.script.extend(others.iter().map(|&id| Line::Event((id, FaultEvent::Drift(by), at))));
                Ordeal::CutOff.strike(run, leader, others, at + DRIFTING)
            }
            Ordeal::MajorityLost => outage(run, &others[..others.len().div_ceil(2)], APART),
            Ordeal::Restart => outage(run, others, DOWN),
        }
    }
}

impl fmt::Display for Ordeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Ordeal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl FromStr for Ordeal {
    type Err = String;

    fn from_str(text: &str) -> Result<Ordeal, String> {
        let found = Ordeal::ALL.into_iter().find(|ordeal| ordeal.name() == text);
        found.ok_or_else(|| {
            let names = Ordeal::ALL.map(Ordeal::name);
            format!("there is no ordeal '{text}': use one of {}", names.join(", "))
        })
    }
}

/// What an ordeal did, from the moment at which it struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How long nobody led.
    pub without_leader: Span,
    /// How long several led at once.
    pub with_several: Span,
    /// How often somebody came to lead who was not the last to do so.
    pub changes: u64,
    /// In how many terms two or more led.
    pub shared_terms: u64,
    /// Whether all was as it should be at the end, and nobody led whom the algorithm rules out.
    pub came_right: bool,
}

/// Puts an algorithm with these parameters and so many members through an ordeal.
///
/// It is run twice: until the ordeal, to see who leads, and again with it. Both runs are the same until then. Where
/// nobody leads, or several do, the best is struck.
///
/// # Errors
/// [`SetupError`] if there is no such run.
pub fn run(
    algorithm: &Runner,
    params: Params,
    ordeal: Ordeal,
    nodes: u32,
    detector: Option<DetectorChoice>,
    seed: u64,
) -> Result<Trial, SetupError> {
    let spec = algorithm.spec;
    let at = strikes_at(seed);
    let mut run = RunSpec {
        nodes: Some(nodes.into()),
        delay: DELAY,
        detector: detector.as_ref().map(ToString::to_string),
        script: [Line::Heal(at)].into_iter().collect(), // of nothing: so that a run that would be over goes on until then
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
    run.until = Some(ordeal.strike(&mut run, leader, &others, at) + PATIENCE);
    let after = simulate(algorithm, &run.plan(chosen, seed)?, RoundMode::Auto);
    Ok(Trial::between(before.stability, after.stability, after.ruling.is_right()))
}

/// All seeds together strike at each of the times.
fn strikes_at(seed: u64) -> Time {
    const STEP: u64 = 30_893; // prime, and near the golden section of the phases: seeds in a row lie far apart
    let phases = PHASES.ticks();
    Time::ZERO + SETTLED + Span::from_ticks(seed % phases * STEP % phases)
}

impl Trial {
    /// Two runs that are the same until the first is over.
    fn between(before: Stability, after: Stability, came_right: bool) -> Trial {
        let since = |of: fn(&Stability) -> Span| Span::from_ticks(of(&after).ticks() - of(&before).ticks());
        Trial {
            without_leader: since(|stability| stability.without_leader),
            with_several: since(|stability| stability.with_several),
            changes: after.changes - before.changes,
            shared_terms: after.shared_terms - before.shared_terms,
            came_right,
        }
    }
}
