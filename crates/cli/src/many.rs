//! Many runs, summed up.

use crate::error::{Failure, Verdict};
use crate::output::Figure;
use crate::progress::Progress;
use crate::request::Request;
use bellwether_core::{Expect, Id, Measure};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{
    Counts, LinkCounts, Outcome, Plan, Report, Stability, Summary, claims, measured, simulate_many,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// With fewer runs, a mean says too little about what is claimed for the average.
pub const FEWEST_FOR_AVERAGES: usize = 30;

/// What is kept of a run.
struct Sample {
    seed: u64,
    m: u64,
    diameter: Option<u32>,
    outcome: Outcome,
    verdict: Verdict,
    safe: bool,
    live: bool,
    /// Whether two led that never may.
    has_rivals: bool,
    problems: Vec<String>,
    messages: Counts,
    leader: Option<Id>,
    agreed: bool,
    bytes: f64,
    time: f64,
    rounds: Option<f64>,
    storage: f64,
    links: LinkCounts,
    signals: f64,
    stability: Stability,
    /// For each of the algorithm's claims, what was expected and measured, where it applies.
    claims: Vec<Option<(Expect, f64)>>,
}

impl Sample {
    fn new(request: &Request, plan: &Plan, report: &Report) -> Sample {
        let spec = request.choice.spec;
        let dead = plan.dead();
        let setting = plan.setting(spec, &dead);
        let mut kept = vec![None; spec.claims.len()];
        for (claim, expect) in claims(spec, &setting) {
            let at = spec.claims.iter().position(|other| other.name == claim.name);
            if let (Some(at), Some(measured)) = (at, measured(report, claim.measure)) {
                kept[at] = Some((expect, measured));
            }
        }
        Sample {
            seed: plan.seed,
            m: plan.topology.links(),
            diameter: plan.diameter,
            outcome: report.ruling.outcome,
            verdict: Verdict::of(report),
            safe: report.ruling.unsafe_because.is_none(),
            live: report.ruling.not_live_because.is_none(),
            has_rivals: report.rivals.is_some(),
            problems: problems(report),
            messages: report.messages.clone(),
            leader: report.ruling.leader,
            agreed: report.ruling.agreed,
            bytes: report.bytes as f64,
            time: report.time.hops(),
            rounds: report.rounds.map(|rounds| rounds as f64),
            storage: report.storage_max as f64,
            links: report.links,
            signals: report.signals as f64,
            stability: report.stability,
            claims: kept,
        }
    }
}

/// What is wrong with a run, in words.
pub fn problems(report: &Report) -> Vec<String> {
    report.ruling.unsafe_because.iter().chain(&report.ruling.not_live_because).cloned().collect()
}

/// How many runs ended how.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Outcomes {
    /// One member led.
    pub elected: u64,
    /// Several did, or members named different ones.
    pub split: u64,
    /// Nobody did.
    pub none: u64,
    /// It was stopped before.
    pub undecided: u64,
}

/// Something that may happen in a run: in how many it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// In how many runs.
    pub runs: u64,
    /// The first seed of them; nothing if there is none.
    pub first_seed: Option<u64>,
}

impl Occurrence {
    fn of(samples: &[Sample], happened: fn(&Sample) -> bool) -> Occurrence {
        let mut seeds = samples.iter().filter(|sample| happened(sample)).map(|sample| sample.seed);
        let first_seed = seeds.next();
        Occurrence { runs: u64::from(first_seed.is_some()) + seeds.count() as u64, first_seed }
    }
}

/// A claim over many runs.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimSummary {
    /// Its name.
    pub name: &'static str,
    /// The figure claimed; nothing if it differs between runs.
    pub expected: Option<Figure>,
    /// The mean of what was measured.
    pub measured: Figure,
    /// Whether it holds; nothing if there are too few runs to tell.
    pub holds: Option<bool>,
    /// In how many runs it holds, if one run can tell.
    pub held_in: Option<u64>,
    /// To how many runs it applies.
    pub runs: u64,
    /// How the figure bounds the measure.
    pub relation: &'static str,
    /// The figure for people.
    pub formula: &'static str,
    /// What is measured.
    #[serde(skip)]
    pub measure: Measure,
    /// The mean of what was claimed.
    #[serde(skip)]
    pub mean_expected: f64,
}

/// A sample's summary, as it is printed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// The arithmetic mean.
    pub mean: Figure,
    /// The median.
    pub p50: Figure,
    /// What 99 % do not exceed.
    pub p99: Figure,
    /// The largest.
    pub max: Figure,
    /// The standard error of the mean.
    pub std_error: Figure,
}

impl From<Summary> for Figures {
    fn from(summary: Summary) -> Figures {
        Figures {
            mean: Figure(summary.mean),
            p50: Figure(summary.p50),
            p99: Figure(summary.p99),
            max: Figure(summary.max),
            std_error: Figure(summary.std_error),
        }
    }
}

/// Messages sent, over many runs.
#[derive(Clone, Debug, Serialize)]
pub struct MessageFigures {
    /// In all.
    pub total: Option<Figures>,
    /// Those that the literature counts.
    pub payload: Option<Figures>,
    /// Overhead.
    pub control: Option<Figures>,
    /// By kind.
    pub by_kind: BTreeMap<&'static str, Option<Figures>>,
}

impl MessageFigures {
    fn of(samples: &[Sample]) -> MessageFigures {
        let figures = |of: &dyn Fn(&Counts) -> u64| {
            let counts = samples.iter().map(|sample| of(&sample.messages) as f64);
            Summary::of(counts.collect()).map(Figures::from)
        };
        let kinds = samples.first().into_iter().flat_map(|sample| sample.messages.by_kind.keys());
        MessageFigures {
            total: figures(&|counts| counts.total),
            payload: figures(&|counts| counts.payload),
            control: figures(&|counts| counts.control),
            by_kind: kinds.map(|&kind| (kind, figures(&|counts| counts.by_kind[kind]))).collect(),
        }
    }
}

/// What links did to messages, over many runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LinkFigures {
    /// Lost on the way.
    pub lost: Option<Figures>,
    /// Arrived twice.
    pub duplicated: Option<Figures>,
    /// Held up.
    pub held_up: Option<Figures>,
}

/// How stable leadership was, over many runs; times in hops.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StabilityFigures {
    /// How often another came to lead.
    pub changes: Option<Figures>,
    /// How long nobody led.
    pub without_leader: Option<Figures>,
    /// How long several led at once.
    pub with_several: Option<Figures>,
    /// The most that led at once.
    pub most_leaders: Option<Figures>,
    /// In how many terms several led.
    pub shared_terms: Option<Figures>,
}

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
    /// The worst there is to say.
    pub verdict: Verdict,
}

/// Runs what is asked for, once a seed, and sums it up.
pub fn run(request: &Request, progress: &Progress) -> Result<Batch, Failure> {
    let samples = simulate_many(
        &ALGORITHMS.entries[request.choice.entry],
        &request.setup,
        request.mode,
        request.seed,
        request.runs,
        request.threads.into(),
        |plan, report| {
            progress.advance();
            Sample::new(request, plan, &report)
        },
    )?;
    Ok(sum_up(request, &samples))
}

fn sum_up(request: &Request, samples: &[Sample]) -> Batch {
    let figures = |of: fn(&Sample) -> Option<f64>| {
        Summary::of(samples.iter().filter_map(of).collect()).map(Figures::from)
    };
    let ended = |outcome| samples.iter().filter(|sample| sample.outcome == outcome).count() as u64;
    let claims: Vec<ClaimSummary> = request
        .choice
        .spec
        .claims
        .iter()
        .enumerate()
        .filter_map(|(at, claim)| {
            let kept: Vec<(Expect, f64)> = samples.iter().filter_map(|sample| sample.claims[at]).collect();
            rule(claim, &kept)
        })
        .collect();
    let of_runs = samples.iter().map(|sample| sample.verdict).max().unwrap_or_default();
    let as_claimed = claims.iter().all(|claim| claim.holds != Some(false));
    let of_claims = if as_claimed { Verdict::Fine } else { Verdict::NotAsClaimed };
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
        verdict: of_runs.max(of_claims),
    }
}

/// The first of the runs with the gravest problems: that two led who never may is graver than a wrong leader,
/// and that than none.
fn gravest(samples: &[Sample]) -> Option<&Sample> {
    let troubled = samples.iter().filter(|sample| !sample.problems.is_empty());
    troubled.rev().max_by_key(|sample| (sample.has_rivals, sample.verdict)) // of equals the last, seen so
}

/// What comes of a claim over the runs to which it applies; nothing if there are none.
fn rule(claim: &bellwether_core::Claim, kept: &[(Expect, f64)]) -> Option<ClaimSummary> {
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
