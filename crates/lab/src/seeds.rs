//! Which runs of many.

/// Consecutive seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl Seeds {
    /// The seed at a place, from 0.
    #[must_use]
    pub fn at(self, place: u64) -> u64 {
        self.first.wrapping_add(place)
    }
}
