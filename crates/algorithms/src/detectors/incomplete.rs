//! A detector that is wrong on purpose: it misses crashes.

use super::oracle::Oracle;
use crate::sources::{CHANDRA_TOUEG_1996, GUPTA_LECTURE};
use bellwether_core::{DetectorEntry, Parameter, Preset, Span};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "incomplete",
    summary: "wrong on purpose: never suspects a live member, but misses crashes (simulators only)",
    sources: &[GUPTA_LECTURE, CHANDRA_TOUEG_1996],
    parameters: &[Parameter::number(
        "missed",
        "the share of crashes that it misses",
        "",
        (0.0, 1.0),
        Preset::number(1.0),
    )],
    is_oracle: true,
    text: include_str!("incomplete.md"),
    build: |values| Box::new(Oracle::new(Span::default(), values[0])),
};
