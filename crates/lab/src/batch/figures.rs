//! What was measured in the runs of a batch, summed up.

use super::sample::Sample;
use crate::figure::Figure;
use crate::stats::Summary;
use bellwether_core::Measure;
use bellwether_sim::Counts;
use serde::Serialize;
use std::collections::BTreeMap;

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
    pub(super) fn of(samples: &[Sample], happened: fn(&Sample) -> bool) -> Occurrence {
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
    pub(super) fn of(samples: &[Sample]) -> MessageFigures {
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
