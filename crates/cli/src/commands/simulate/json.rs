//! One run as a JSON object. Its keys are stable.

use super::Run;
use crate::choice::Named;
use crate::request::Request;
use bellwether_core::{Elect, Id, Order, Time};
use bellwether_lab::{Figure, problems};
use bellwether_runspec::form::Form as _;
use bellwether_sim::{ClaimRuling, Counts, Driver, LinkCounts, Outcome, Plan, Report, Stability};
use serde::Serialize;

/// One run.
#[derive(Serialize)]
pub struct RunObject<'a> {
    #[serde(flatten)]
    named: Named,
    n: u32,
    m: u64,
    diameter: Option<u32>,
    topology: String,
    order: Order,
    delay: String,
    links: String,
    driver: Driver,
    seed: u64,
    elect: Elect,
    outcome: Outcome,
    leader: Option<Id>,
    agreed: bool,
    safe: bool,
    live: bool,
    problems: Vec<String>,
    known: Known,
    messages: &'a Counts,
    bytes: u64,
    time: Figure,
    rounds: Option<u64>,
    storage_max: u64,
    link_counts: LinkCounts,
    signals: u64,
    stability: StabilityObject,
    claims: Vec<ClaimObject>,
    again: String,
}

/// How stable leadership was, in hops.
#[derive(Serialize)]
struct StabilityObject {
    changes: u64,
    without_leader: Figure,
    with_several: Figure,
    most_leaders: u32,
    shared_terms: u64,
}

impl From<Stability> for StabilityObject {
    fn from(stability: Stability) -> StabilityObject {
        StabilityObject {
            changes: stability.changes,
            without_leader: Figure(stability.without_leader.hops()),
            with_several: Figure(stability.with_several.hops()),
            most_leaders: stability.most_leaders,
            shared_terms: stability.shared_terms,
        }
    }
}

/// When members came to know the leader.
#[derive(Serialize)]
struct Known {
    first: Option<Figure>,
    last: Option<Figure>,
    /// Each of them, unless there are very many.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<KnownBy>>,
}

/// When one member came to know the leader; nothing if it does not.
#[derive(Serialize)]
struct KnownBy {
    id: Id,
    since: Option<Figure>,
}

/// With more members than this, only the first and the last are told.
const MOST_MEMBERS_TOLD: u32 = 1_000;

impl Known {
    fn new(plan: &Plan, report: &Report) -> Known {
        let between = report.known_between();
        let members = || {
            let known = plan.ranks.iter().zip(&report.knew_at);
            known.map(|(rank, &at)| KnownBy {
                id: rank.id(),
                since: (at != Time::NEVER).then(|| Figure(at.hops())),
            })
        };
        Known {
            first: between.map(|(first, _)| Figure(first.hops())),
            last: between.map(|(_, last)| Figure(last.hops())),
            members: (plan.n() <= MOST_MEMBERS_TOLD).then(|| members().collect()),
        }
    }
}

#[derive(Serialize)]
struct ClaimObject {
    name: &'static str,
    expected: Figure,
    measured: Figure,
    holds: bool,
    relation: &'static str,
    formula: &'static str,
}

impl<'a> RunObject<'a> {
    /// The object of a run.
    pub fn new(request: &Request, run: &'a Run) -> RunObject<'a> {
        let Run { plan, report, .. } = run;
        RunObject {
            named: Named::new(&request.choice),
            n: plan.n(),
            m: plan.topology.links(),
            diameter: plan.diameter,
            topology: request.shape.to_string(),
            order: plan.order,
            delay: plan.delay.to_string(),
            links: plan.links.to_text(),
            driver: report.driver,
            seed: plan.seed,
            elect: request.run.elect,
            outcome: report.ruling.outcome,
            leader: report.ruling.leader,
            agreed: report.ruling.agreed,
            safe: report.ruling.unsafe_because.is_none(),
            live: report.ruling.not_live_because.is_none(),
            problems: problems(report),
            known: Known::new(plan, report),
            messages: &report.messages,
            bytes: report.bytes,
            time: Figure(report.time.hops()),
            rounds: report.rounds,
            storage_max: report.storage_max,
            link_counts: report.links,
            signals: report.signals,
            stability: report.stability.into(),
            claims: report.claims.iter().map(ClaimObject::new).collect(),
            again: request.again(),
        }
    }
}

impl ClaimObject {
    fn new(claim: &ClaimRuling) -> ClaimObject {
        ClaimObject {
            name: claim.name,
            expected: Figure(claim.expected),
            measured: Figure(claim.measured),
            holds: claim.holds,
            relation: claim.relation,
            formula: claim.formula,
        }
    }
}
