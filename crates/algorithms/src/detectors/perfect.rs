//! The detector that the lecture wishes for: complete and accurate.

use super::oracle::Oracle;
use super::{span, wait};
use crate::sources::CHANDRA_TOUEG_1996;
use bellwether_core::{DetectorEntry, Preset};

/// Its line in the list.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "perfect",
    summary: "knows the truth, and says it after a while (simulators only)",
    sources: &[CHANDRA_TOUEG_1996],
    parameters: &[wait("after", "hops until it says what has become true", Preset::number(0.0))],
    is_oracle: true,
    text: include_str!("perfect.md"),
    build: |values| Box::new(Oracle::new(span(values[0]), 0.0)),
};
