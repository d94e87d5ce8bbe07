//! An algorithm's page: what there is to say, as JSON has it.

use crate::choice::Choice;
use crate::markdown::{capitalised, section};
use crate::parameters::ParameterObject;
use bellwether_core::{
    ChangedParams, Citation, Identities, Leadership, Links, Parameter, Params, Spec, Starts, Timing,
};
use serde::Serialize;

/// An algorithm's page.
#[derive(Serialize)]
pub struct Page {
    pub name: &'static str,
    /// The parameters that were named with it.
    #[serde(skip_serializing_if = "ChangedParams::is_empty")]
    pub given: ChangedParams,
    pub variants: Vec<Variant>,
    pub idea: &'static str,
    pub rules: &'static str,
    pub what_breaks_it: &'static str,
    pub sources: &'static [Citation],
}

/// What differs between variants.
#[derive(Serialize)]
pub struct Variant {
    pub name: &'static str,
    pub summary: &'static str,
    pub assumptions: Vec<String>,
    pub outcome: String,
    pub parameters: Vec<ParameterObject>,
    #[serde(skip)]
    pub settings: &'static [Parameter],
    pub costs: Vec<Cost>,
    pub survives: Vec<&'static str>,
}

/// A claim.
#[derive(PartialEq, Serialize)]
pub struct Cost {
    pub name: String,
    pub formula: &'static str,
}

impl Page {
    /// The page of the algorithm of a name.
    pub fn new(name: &'static str) -> Page {
        let specs: Vec<&'static Spec> =
            Choice::all().map(|choice| choice.spec).filter(|spec| spec.name == name).collect();
        let spec = specs[0];
        let [idea, rules, what_breaks_it] = Spec::SECTIONS.map(|heading| section(spec.text, heading));
        Page {
            name,
            given: Params::default().changed(spec.parameters),
            variants: specs.iter().map(|spec| Variant::new(spec)).collect(),
            idea,
            rules,
            what_breaks_it,
            sources: spec.sources,
        }
    }
}

impl Variant {
    fn new(spec: &Spec) -> Variant {
        let cost = |claim: &bellwether_core::Claim| Cost {
            name: claim.name.replace('_', " "),
            formula: claim.formula,
        };
        Variant {
            name: spec.variant,
            summary: spec.summary,
            assumptions: assumptions(spec),
            outcome: outcome(spec),
            parameters: spec.parameters.iter().map(ParameterObject::new).collect(),
            settings: spec.parameters,
            costs: spec.claims.iter().map(cost).collect(),
            survives: spec.survives.words(),
        }
    }
}

/// What members know at the end, and of whom.
fn outcome(spec: &Spec) -> String {
    let goal = capitalised(&spec.goal.to_string());
    match spec.leadership {
        Leadership::Best => goal,
        Leadership::Incumbent => format!("{goal}; who leads and works stays, though a better one comes back"),
    }
}

/// What the algorithm takes for granted, in words.
fn assumptions(spec: &Spec) -> Vec<String> {
    let time = match spec.timing {
        Timing::Rounds => {
            "everyone moves in step, in rounds (a synchroniser makes them where there are none)"
        }
        Timing::BoundedDelay => "messages arrive within a bound that members know",
        Timing::Asynchronous => "messages arrive, after any time",
    };
    let links = match spec.links {
        _ if spec.timing == Timing::Rounds => "what is sent in a round arrives in the next",
        Links::Fifo => "messages of one link keep their order",
        Links::Any => "messages may overtake each other",
    };
    let begins = match spec.starts {
        Starts::Everyone => "every member, by itself",
        Starts::Callers => "whoever calls an election: one, some or all",
    };
    let members = match spec.identities {
        Identities::Unique => "everyone has a rank of its own: its attribute, then its id",
        Identities::Anonymous => "they may be identical",
    };
    let knows = match spec.knows.words() {
        words if words.is_empty() => "nothing but itself and its links".to_owned(),
        words => format!("{}, besides itself and its links", words.join(", ")),
    };
    let mut all = vec![
        format!("Network: {}", spec.need),
        format!("Time: {time}"),
        format!("Links: {links}"),
        format!("Members: {members}"),
        format!("A member knows: {knows}"),
        format!("Who begins: {begins}"),
    ];
    if spec.randomised {
        all.push("Members draw random numbers".to_owned());
    }
    all
}
