//! Which stores members vote from, and what is recorded of peers.

use crate::Incarnation;
use bellwether_core::Id;
pub use bellwether_core::StoreId;
use ring::rand::{SecureRandom as _, SystemRandom};

/// A new identity; nothing if the system has no random numbers.
pub(crate) fn draw() -> Option<StoreId> {
    let mut bytes = [0; StoreId::LENGTH];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(StoreId::new(bytes))
}

/// What a member has recorded of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerRecord {
    /// The peer.
    pub id: Id,
    /// The store that it votes from.
    pub store: StoreId,
    /// Its last start that was heard; zeros if none was.
    pub last: Incarnation,
}

impl PeerRecord {
    /// A peer of which only the store is known.
    #[must_use]
    pub const fn new(id: Id, store: StoreId) -> PeerRecord {
        PeerRecord { id, store, last: Incarnation { boot: 0, nonce: 0 } }
    }
}

/// The stores of a cluster, as one member knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stores {
    /// Its own.
    pub own: StoreId,
    /// Nothing was ever saved in its own.
    pub is_new: bool,
    /// What was recorded of the peers that it has heard.
    pub peers: Vec<PeerRecord>,
}
