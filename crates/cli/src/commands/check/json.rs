//! What was checked, as a JSON object. Its keys are stable.

use crate::choice::{Choice, Named};
use bellwether_check::{CheckPlan, CheckReport, CheckResult, Property, PropertyReport, Violation};
use bellwether_core::Id;
use bellwether_lab::Figure;
use bellwether_model::TimeModel;
use bellwether_runspec::FAULT_FIELDS;
use bellwether_runspec::form::Form as _;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was checked, and what came of it.
#[derive(Serialize)]
pub struct CheckObject {
    #[serde(flatten)]
    named: Named,
    n: usize,
    topology: String,
    verdict: CheckResult,
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
    liberties: BTreeMap<&'static str, Value>,
    checks: u64,
    checked: u64,
    incomplete_because: Option<&'static str>,
    again: String,
}

#[derive(Serialize)]
struct PropertyObject {
    property: Property,
    says: &'static str,
    verdict: CheckResult,
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
            liberties: liberties(plan),
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
            twin: one.property.witness(),
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

/// What may go wrong, by key.
fn liberties(plan: &CheckPlan) -> BTreeMap<&'static str, Value> {
    let may = &plan.liberties;
    let mut object = BTreeMap::new();
    for field in FAULT_FIELDS.iter().filter(|field| !field.key.is_empty()) {
        let is_left_out = match field.key {
            "clock" => true, // in three keys, below
            "suspicions" | "false_alarms" | "restarts" => field.count(may) == Some(0),
            "restart_after" => may.restarts == 0 || may.time == TimeModel::Any,
            _ => false,
        };
        if !is_left_out {
            let is_null = field.is_unset(may) && field.key != "restart_after";
            object.insert(field.key, if is_null { Value::Null } else { json!(field.datum(may)) });
        }
    }
    let (timing, grain, drift) = match may.time {
        TimeModel::Any => ("any", None, None),
        TimeModel::Clock { grain, drift } => ("clock", Some(grain), Some(Figure(f64::from(drift) / 10.0))),
    };
    object.extend([
        ("links", json!(plan.run.links.to_text())),
        ("ring_closes", json!(plan.run.ring_closes)),
        ("timing", json!(timing)),
        ("grain", json!(grain)),
        ("drift_percent", json!(drift)),
    ]);
    object
}
