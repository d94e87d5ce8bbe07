//! The members that have answered a leader recently: without answers of a majority it steps down.

use bellwether_core::Port;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The answers since the leader's last beat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Answers {
    heard: BTreeSet<Port>,
    /// The number of consecutive beats with too few answers.
    missed: u8,
}

impl Answers {
    /// This member has answered.
    pub fn note(&mut self, port: Port) {
        self.heard.insert(port);
    }

    /// A beat passes. False once fewer than `needed` others have answered for `patience` beats in a row.
    pub fn suffices(&mut self, needed: usize, patience: u8) -> bool {
        let is_enough = self.heard.len() >= needed;
        self.heard.clear();
        self.missed = if is_enough { 0 } else { self.missed.saturating_add(1) };
        self.missed < patience
    }

    /// The bytes that it owns besides itself.
    pub fn owned(&self) -> usize {
        self.heard.len() * size_of::<Port>()
    }
}
