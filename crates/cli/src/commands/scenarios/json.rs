//! The shipped scenarios as JSON.

use bellwether_core::Id;
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
    members: &'s [Id],
    status: &'static str,
    waits_for: Option<&'s str>,
    expects: BTreeMap<String, String>,
}

impl<'s> Listed<'s> {
    pub fn new(name: &'static str, scenario: &'s Scenario) -> Listed<'s> {
        Listed {
            name,
            title: &scenario.title,
            about: &scenario.about,
            source: scenario.source.as_deref(),
            algorithm: &scenario.run.algorithm,
            variant: scenario.run.variant.as_deref(),
            members: &scenario.ids,
            status: if scenario.waits_for.is_some() { "waiting" } else { "ready" },
            waits_for: scenario.waits_for.as_deref(),
            expects: scenario.expect.lines().into_iter().collect(),
        }
    }
}
