//! Which store a member votes from.

use bellwether_core::Id;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;

/// The identity of a store: drawn when the store is made, and kept in it. A member whose disk was lost has another one,
/// and so has a second process with a directory of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoreId([u8; StoreId::LENGTH]);

impl StoreId {
    pub(crate) const LENGTH: usize = 16;

    /// From its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> StoreId {
        StoreId(bytes)
    }

    /// A new one; nothing if the system has no random numbers.
    pub(crate) fn draw() -> Option<StoreId> {
        let mut bytes = [0; StoreId::LENGTH];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Some(StoreId(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8; StoreId::LENGTH] {
        &self.0
    }
}

/// The first eight bytes in hexadecimal: enough to tell stores apart in a log.
impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreId({self})")
    }
}

/// The stores of a cluster, as one member knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stores {
    /// Its own.
    pub own: StoreId,
    /// Nothing was ever saved in its own.
    pub is_new: bool,
    /// The stores of the peers that it has heard.
    pub peers: Vec<(Id, StoreId)>,
}
