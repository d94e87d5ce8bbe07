//! What was checked, as a JSON object. Its keys are stable.

use crate::again;
use crate::args::CheckArgs;
use crate::choice::Named;
use crate::found::{Broken, Found, Ruled};
use crate::inquiry::Inquiry;
use crate::output::Figure;
use crate::trace::links;
use bellwether_check::{Property, Verdict};
use bellwether_core::Id;
use bellwether_sim::rules::TimeModel;
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
    liberties: LibertiesObject,
    checks: u64,
    checked: u64,
    incomplete_because: Option<String>,
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
    draws: Option<u8>,
    late_calls: bool,
    links: &'static str,
    ring_closes: bool,
    detector: bool,
    certified: bool,
    timing: &'static str,
    grain: Option<u16>,
    drift_percent: Option<Figure>,
    ticks: Option<u16>,
    stops_at_goal: bool,
}

impl CheckObject {
    /// As JSON.
    pub fn new(args: &CheckArgs, inquiry: &Inquiry, found: &Found) -> CheckObject {
        let gravest = found.gravest();
        CheckObject {
            named: Named::new(&inquiry.choice),
            n: inquiry.ids.len(),
            topology: inquiry.shape.to_string(),
            verdict: found.verdict(),
            property: gravest.map(|(property, _)| property),
            states: found.states,
            transitions: found.transitions,
            depth: found.depth,
            seconds: (found.took.as_secs_f64() * 1e3).round() / 1e3,
            counterexample: gravest.map(|(property, broken)| RunObject::new(property, broken)),
            properties: found.properties.iter().map(PropertyObject::new).collect(),
            reduction: found.reduced,
            symmetry: found.symmetric,
            draws_cut: found.is_cut,
            ticks_cut: found.goes_on,
            liberties: LibertiesObject::new(inquiry),
            checks: inquiry.size,
            checked: found.checked,
            incomplete_because: found.incomplete.clone(),
            again: again::check(args),
        }
    }
}

impl PropertyObject {
    fn new(ruled: &Ruled) -> PropertyObject {
        PropertyObject {
            property: ruled.property,
            says: ruled.property.sentence(),
            verdict: ruled.verdict,
            seen: ruled.seen,
            twin: ruled.property.twin(),
            counterexample: ruled.broken.as_ref().map(|broken| RunObject::new(ruled.property, broken)),
        }
    }
}

impl RunObject {
    fn new(property: Property, broken: &Broken) -> RunObject {
        RunObject {
            property,
            ids: broken.ids(),
            initiators: broken.case.callers(),
            beginning: broken.run.beginning,
            steps: broken.steps(),
            loop_from: broken.run.loop_from,
            shortest: broken.run.is_shortest,
            claim: broken.run.claim.clone(),
        }
    }
}

impl LibertiesObject {
    fn new(inquiry: &Inquiry) -> LibertiesObject {
        let may = &inquiry.liberties;
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
            draws: (may.draws < u8::MAX).then_some(may.draws),
            late_calls: may.late_calls,
            links: links(inquiry.setup.links),
            ring_closes: inquiry.setup.ring_closes,
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
