//! A detector broken on purpose: it misses deaths.

use super::oracle::Oracle;
use crate::sources::{CHANDRA_TOUEG_1996, GUPTA_LECTURE};
use bellwether_core::{DetectorEntry, Parameter, Preset, Span};

/// Its line in the list.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "incomplete",
    summary: "broken on purpose: never wrong about the living, but misses deaths (simulators only)",
    sources: &[GUPTA_LECTURE, CHANDRA_TOUEG_1996],
    parameters: &[Parameter::number(
        "missed",
        "the share of deaths that it misses",
        "",
        (0.0, 1.0),
        Preset::number(1.0),
    )],
    is_oracle: true,
    text: include_str!("incomplete.md"),
    build: |values| Box::new(Oracle::new(Span::default(), values[0])),
};
