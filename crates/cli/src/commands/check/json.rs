//! What was checked, as a JSON object. Its keys are stable.

use crate::choice::{Choice, Named};
use bellwether_check::{CheckPlan, CheckReport, Property, PropertyReport, Verdict, Violation};
use bellwether_core::Id;
use bellwether_lab::Figure;
use bellwether_model::TimeModel;
use bellwether_runspec::form::Form as _;
use serde::Serialize;

/// What was checked, and what came of it.
#[derive(Serialize)]
pub struct CheckObject {
    #[serde(flatten)]
    named: Named,
    n: usize,
    topology: String,
    verdict: Verdict,
    property: Option<Property>,
    states: u64,
    transitions: u64,
    depth: u32,
    seconds: f64,
    counterexample: Option<RunObject>,
    properties: Vec<PropertyObject>,
    reduction: bool,
    symmetry: bool,
    draws_cut: bool,
    ticks_cut: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    restarts_cut: bool,
    liberties: LibertiesObject,
    checks: u64,
    checked: u64,
    incomplete_because: Option<&'static str>,
    again: String,
}

#[derive(Serialize)]
struct PropertyObject {
    property: Property,
    says: &'static str,
    verdict: Verdict,
    seen: u64,
    twin: &'static str,
    counterexample: Option<RunObject>,
}

/// A run that breaks a property.
#[derive(Serialize)]
struct RunObject {
    property: Property,
    ids: Vec<Id>,
    initiators: Vec<Id>,
    beginning: u32,
    steps: Vec<String>,
    loop_from: Option<u32>,
    shortest: bool,
    claim: Option<String>,
}

/// What may happen.
#[derive(Serialize)]
struct LibertiesObject {
    crashes: u8,
    recoveries: u8,
    losses: u8,
    duplicates: u8,
    pauses: u8,
    requests: u8,
    #[serde(skip_serializing_if = "is_zero")]
    suspicions: u8,
    #[serde(skip_serializing_if = "is_zero")]
    restarts: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    restart_after: Option<u32>,
    draws: Option<u8>,
    late_calls: bool,
    links: String,
    ring_closes: bool,
    detector: bool,
    certified: bool,
    timing: &'static str,
    grain: Option<u16>,
    drift_percent: Option<Figure>,
    ticks: Option<u16>,
    stops_at_goal: bool,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl CheckObject {
    /// As JSON.
    pub fn new(choice: &Choice, plan: &CheckPlan, report: &CheckReport, again: String) -> CheckObject {
        let gravest = report.gravest();
        CheckObject {
            named: Named::new(choice),
            n: plan.ids.len(),
            topology: plan.shape.to_string(),
            verdict: report.verdict(),
            property: gravest.map(|(property, _)| property),
            states: report.states,
            transitions: report.transitions,
            depth: report.depth,
            seconds: (report.took.as_secs_f64() * 1e3).round() / 1e3,
            counterexample: gravest.map(|(property, violation)| RunObject::new(property, violation)),
            properties: report.properties.iter().map(PropertyObject::new).collect(),
            reduction: report.reduced,
            symmetry: report.symmetric,
            draws_cut: report.is_cut,
            ticks_cut: report.goes_on,
            restarts_cut: report.restarts_cut,
            liberties: LibertiesObject::new(plan),
            checks: plan.size,
            checked: report.checked,
            incomplete_because: report.incomplete,
            again,
        }
    }
}

impl PropertyObject {
    fn new(one: &PropertyReport) -> PropertyObject {
        PropertyObject {
            property: one.property,
            says: one.property.sentence(),
            verdict: one.verdict,
            seen: one.seen,
            twin: one.property.twin(),
            counterexample: one.violation.as_ref().map(|violation| RunObject::new(one.property, violation)),
        }
    }
}

impl RunObject {
    fn new(property: Property, violation: &Violation) -> RunObject {
        RunObject {
            property,
            ids: violation.ids(),
            initiators: violation.case.initiators(),
            beginning: violation.run.beginning,
            steps: violation.steps(),
            loop_from: violation.run.loop_from,
            shortest: violation.run.is_shortest,
            claim: violation.run.claim.clone(),
        }
    }
}

impl LibertiesObject {
    fn new(plan: &CheckPlan) -> LibertiesObject {
        let may = &plan.liberties;
        let (timing, grain, drift) = match may.time {
            TimeModel::Any => ("any", None, None),
            TimeModel::Clock { grain, drift } => {
                ("clock", Some(grain), Some(Figure(f64::from(drift) / 10.0)))
            }
        };
        LibertiesObject {
            crashes: may.crashes,
            recoveries: may.recoveries,
            losses: may.losses,
            duplicates: may.duplicates,
            pauses: may.pauses,
            requests: may.requests,
            suspicions: may.suspicions,
            restarts: may.restarts,
            restart_after: (may.restarts > 0 && may.time != TimeModel::Any).then_some(may.restart_after),
            draws: (may.draws < u8::MAX).then_some(may.draws),
            late_calls: may.late_calls,
            links: plan.run.links.to_text(),
            ring_closes: plan.run.ring_closes,
            detector: may.detector,
            certified: may.certified,
            timing,
            grain,
            drift_percent: drift,
            ticks: (may.ticks < u16::MAX).then_some(may.ticks),
            stops_at_goal: may.stops_at_goal,
        }
    }
}
