//! The algorithms as JSON.

use crate::choice::Choice;
use crate::parameters::ParameterObject;
use bellwether_core::{Citation, Driving, Goal, Identities, Links, Measure, Need, Starts, Timing};
use serde::Serialize;

#[derive(Serialize)]
pub struct Listed {
    name: &'static str,
    variant: &'static str,
    default: bool,
    summary: &'static str,
    driving: &'static str,
    randomised: bool,
    parameters: Vec<ParameterObject>,
    needs: Needs,
    guarantees: Guarantees,
    claims: Vec<ListedClaim>,
    sources: &'static [Citation],
}

#[derive(Serialize)]
struct Needs {
    network: Need,
    timing: Timing,
    links: Links,
    starts: Starts,
    identities: Identities,
    knows: Vec<&'static str>,
}

#[derive(Serialize)]
struct Guarantees {
    goal: Goal,
    survives: Vec<&'static str>,
}

#[derive(Serialize)]
struct ListedClaim {
    name: &'static str,
    measure: Measure,
    formula: &'static str,
}

impl Listed {
    pub fn new(choice: Choice) -> Listed {
        let spec = choice.spec;
        let claim = |claim: &bellwether_core::Claim| ListedClaim {
            name: claim.name,
            measure: claim.measure,
            formula: claim.formula,
        };
        Listed {
            name: spec.name,
            variant: spec.variant,
            default: choice.is_default,
            summary: spec.summary,
            driving: match choice.driving {
                Driving::Events => "events",
                Driving::Rounds => "rounds",
            },
            randomised: spec.randomised,
            parameters: spec.parameters.iter().map(ParameterObject::new).collect(),
            needs: Needs {
                network: spec.need,
                timing: spec.timing,
                links: spec.links,
                starts: spec.starts,
                identities: spec.identities,
                knows: spec.knows.words(),
            },
            guarantees: Guarantees { goal: spec.goal, survives: spec.survives.words() },
            claims: spec.claims.iter().map(claim).collect(),
            sources: spec.sources,
        }
    }
}
