//! Two limits instead of one: after the first a neighbour is suspected, after the second it has failed.

use super::beating::{Beating, Patience, Rule};
use super::{PERIOD, span, wait};
use crate::sources::SARKAR_LECTURE;
use bellwether_core::{DetectorEntry, Preset, Span};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "three-valued",
    summary: "a member silent for T + D1 is suspected, a member silent for T + D2 has failed",
    sources: &[SARKAR_LECTURE],
    parameters: &[
        PERIOD,
        wait("D1", "hops that a beat may take", Preset::DelayBounds(1.0)),
        wait("D2", "hops that a beat takes at the very most", Preset::DelayBounds(3.0)),
    ],
    is_oracle: false,
    text: include_str!("three_valued.md"),
    build: |values| {
        let limits = Limits { first: span(values[0] + values[1]), second: span(values[0] + values[2]) };
        Box::new(Beating::new(limits, span(values[0])))
    },
};

/// After the first limit it is suspected, after the second it has failed.
#[derive(Clone, Debug)]
struct Limits {
    first: Span,
    second: Span,
}

impl Rule for Limits {
    type Memory = ();

    fn patience(&self, (): &()) -> Patience {
        Patience { suspected: Some(self.first), failed: self.second }
    }

    fn most_patience(&self) -> Span {
        self.second
    }
}
