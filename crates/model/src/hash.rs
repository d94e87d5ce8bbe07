//! A hash of a fixed definition.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use siphasher::sip::SipHasher13;
use std::hash::Hasher as _;

/// SipHash-1-3, with key 0, of a value's wire form: the same on every machine, and with every Rust release.
///
/// Timers, and messages that may overtake each other, are kept in this order, and schedules name them by their places.
///
/// A value that has no wire form is hashed as far as its wire form goes. Messages, timers and saved states have one.
pub fn hash_of(value: &impl Serialize) -> u64 {
    let mut hasher = SipHasher13::new();
    let _ = postcard::serialize_with_flavor(value, Hashed(&mut hasher));
    hasher.finish()
}

/// Feeds a wire form to a hasher.
struct Hashed<'h>(&'h mut SipHasher13);

impl Flavor for Hashed<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.write(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
