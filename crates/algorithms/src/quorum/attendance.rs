//! Who has answered a leader lately: one that a majority no longer answers leads no longer.

use bellwether_core::Port;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a leader has heard since its last beat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attendance {
    heard: BTreeSet<Port>,
    /// For how many beats in a row too few have been heard.
    missed: u8,
}

impl Attendance {
    /// This one is there.
    pub fn note(&mut self, port: Port) {
        self.heard.insert(port);
    }

    /// A beat passes. False once fewer than `needed` others have been heard for `patience` beats in a row.
    pub fn suffices(&mut self, needed: usize, patience: u8) -> bool {
        let is_enough = self.heard.len() >= needed;
        self.heard.clear();
        self.missed = if is_enough { 0 } else { self.missed.saturating_add(1) };
        self.missed < patience
    }

    /// How many bytes it takes beside itself.
    pub fn owned(&self) -> usize {
        self.heard.len() * size_of::<Port>()
    }
}
