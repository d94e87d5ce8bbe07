//! Which store a member keeps its votes in.

use crate::Id;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The identity of a store: drawn when the store is made, and kept in it. A member whose disk was lost has another one,
/// and so has a second process with a directory of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StoreId([u8; StoreId::LENGTH]);

impl StoreId {
    /// How many bytes it has.
    pub const LENGTH: usize = 16;

    /// From its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; StoreId::LENGTH]) -> StoreId {
        StoreId(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; StoreId::LENGTH] {
        &self.0
    }
}

/// The first eight bytes in hexadecimal: enough to tell stores apart in a log.
impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u128::from_be_bytes(self.0) >> 64)
    }
}

impl fmt::Debug for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreId({self})")
    }
}

/// Which list of voters: later ones are greater. The term of the leader that made it, and its number among those of that
/// leader.
pub type ListVersion = (u64, u32);

/// The voters as one member knows them, if they have changed since the cluster began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoterList<'a> {
    /// Which list.
    pub version: ListVersion,
    /// Each voter, and the store that it votes from, if the list names it.
    pub stores: &'a BTreeMap<Id, Option<StoreId>>,
}
