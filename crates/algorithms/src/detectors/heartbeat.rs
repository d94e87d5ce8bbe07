//! The lecture's simple detector: beats every T, and a neighbour that is silent for T + D has failed.

use super::beating::{Beating, Patience, Rule};
use super::{PERIOD, span, wait};
use crate::sources::{CHANDRA_TOUEG_1996, SARKAR_LECTURE};
use bellwether_core::{DetectorEntry, Preset, Span};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "heartbeat",
    summary: "each member sends a beat every T; a member silent for T + D has failed",
    sources: &[SARKAR_LECTURE, CHANDRA_TOUEG_1996],
    parameters: &[PERIOD, wait("D", "hops that a beat may take", Preset::DelayBounds(1.0))],
    is_oracle: false,
    text: include_str!("heartbeat.md"),
    build: |values| Box::new(Beating::new(Silence(span(values[0] + values[1])), span(values[0]))),
};

/// The silence that is too long.
#[derive(Clone, Debug)]
struct Silence(Span);

impl Rule for Silence {
    type Memory = ();

    fn patience(&self, (): &()) -> Patience {
        Patience { suspected: None, failed: self.0 }
    }

    fn most_patience(&self) -> Span {
        self.0
    }
}
