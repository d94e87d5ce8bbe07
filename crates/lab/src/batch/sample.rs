//! What is kept of each run of a batch.

use crate::result::{RunResult, problems};
use bellwether_core::{Expect, Id, Spec};
use bellwether_sim::{Counts, LinkCounts, Outcome, Plan, Report, Stability, claims, measured};

/// What is kept of a run.
pub struct Sample {
    pub seed: u64,
    pub m: u64,
    pub diameter: Option<u32>,
    pub outcome: Outcome,
    pub result: RunResult,
    pub safe: bool,
    pub live: bool,
    /// Whether two led that never may.
    pub has_rivals: bool,
    pub problems: Vec<String>,
    pub messages: Counts,
    pub leader: Option<Id>,
    pub agreed: bool,
    pub bytes: f64,
    pub time: f64,
    pub rounds: Option<f64>,
    pub storage: f64,
    pub links: LinkCounts,
    pub signals: f64,
    pub stability: Stability,
    /// For each of the algorithm's claims, what was expected and measured, where it applies.
    pub claims: Vec<Option<(Expect, f64)>>,
}

impl Sample {
    pub fn new(spec: &Spec, plan: &Plan, report: &Report) -> Sample {
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
            result: RunResult::of(report),
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
