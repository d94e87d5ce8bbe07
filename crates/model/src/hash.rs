//! A hash of a fixed definition.

use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};

/// SipHash-1-3 with key 0. Timers, and messages that may overtake each other, are kept in its order, and schedules name
/// them by their places: so it must not change with the standard library's own hasher, which promises nothing.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = SipHasher13::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saved schedules depend on these.
    #[test]
    fn hashes_never_change() {
        assert_eq!(hash_of(&()), 0xd1fb_a762_150c_532c, "SipHash-1-3 of nothing");
    }
}
