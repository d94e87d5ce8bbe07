//! The ideal detector of the lecture: complete and accurate.

use super::oracle::Oracle;
use super::{span, wait};
use crate::sources::CHANDRA_TOUEG_1996;
use bellwether_core::{DetectorEntry, Preset};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "perfect",
    summary: "knows the truth, and reports it after a delay (simulators only)",
    sources: &[CHANDRA_TOUEG_1996],
    parameters: &[wait("after", "hops until it reports a change", Preset::number(0.0))],
    is_oracle: true,
    text: include_str!("perfect.md"),
    build: |values| Box::new(Oracle::new(span(values[0]), 0.0)),
};
