//! From a run to the text of a scenario file.

use super::expect::OUTCOMES;
use bellwether_runspec::RunSpec;
use bellwether_runspec::document::{Datum, entry, write_toml};
use bellwether_sim::Report;

/// A run to be written down.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What there is to see.
    pub about: &'a str,
    /// The run.
    pub run: &'a RunSpec,
    /// What came of it, and should come of it again.
    pub report: &'a Report,
}

/// The text of a scenario file. Networks and delays that are read from files cannot be written down; the
/// caller has none of those.
#[must_use]
pub fn write(draft: &Draft<'_>) -> String {
    let Draft { title, about, run, report } = *draft;
    let mut entries =
        vec![entry("title", Datum::Text(title.to_owned())), entry("about", Datum::Text(about.to_owned()))];
    entries.extend(run.entries());
    let outcome = OUTCOMES.iter().find(|(_, outcome)| *outcome == report.ruling.outcome);
    let outcome = outcome.map(|(name, _)| ("outcome", Datum::Text((*name).to_owned())));
    let safe = ("safe", Datum::Flag(report.ruling.unsafe_because.is_none()));
    let live = ("live", Datum::Flag(report.ruling.not_live_because.is_none()));
    entries.push(entry("expect", Datum::table(outcome.into_iter().chain([safe, live]))));
    write_toml(&entries)
}
