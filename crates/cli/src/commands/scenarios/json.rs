//! The shipped scenarios as JSON.

use crate::choice::Choice;
use bellwether_core::{ChangedParams, Id};
use bellwether_lab::scenario::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Listed<'s> {
    name: &'static str,
    title: &'s str,
    about: &'s str,
    source: Option<&'s str>,
    algorithm: &'s str,
    variant: Option<&'s str>,
    /// Those that do not have their default.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ChangedParams>,
    members: &'s [Id],
    status: &'static str,
    waits_for: Option<&'s str>,
    expects: BTreeMap<String, String>,
}

impl<'s> Listed<'s> {
    pub fn new(name: &'static str, scenario: &'s Scenario) -> Listed<'s> {
        let run = &scenario.run;
        // A scenario may wait for its algorithm.
        let choice = Choice::find(&run.algorithm, run.variant.as_deref()).ok();
        Listed {
            name,
            title: &scenario.title,
            about: &scenario.about,
            source: scenario.source.as_deref(),
            algorithm: choice.map_or(&run.algorithm, |choice| choice.spec.name),
            variant: run.variant.as_deref(),
            parameters: choice.map(|choice| choice.parameters()).filter(|changed| !changed.is_empty()),
            members: &scenario.ids,
            status: if scenario.waits_for.is_some() { "waiting" } else { "ready" },
            waits_for: scenario.waits_for.as_deref(),
            expects: scenario.expect.lines().into_iter().collect(),
        }
    }
}
