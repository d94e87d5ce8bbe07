//! Which links of a member are open: the network asks, and who runs the member decides.

use bellwether_core::Id;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Decides which links of a member are open. Demonstrations and tests cut links with it; without one, all links are open.
///
/// A closed link is like a cable that is cut: nothing passes in either direction, no connection is closed for that, and
/// neither end is told. What waits at a closed link passes when the link opens again, unless a time-out ends the connection
/// first.
pub trait LinkFilter: Debug + Send {
    /// Whether the link with this peer is open. The network asks for every connection and every frame.
    fn is_open(&self, peer: Id) -> bool;
}

/// Closes the links with these peers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutLinks(pub BTreeSet<Id>);

impl LinkFilter for CutLinks {
    fn is_open(&self, peer: Id) -> bool {
        !self.0.contains(&peer)
    }
}

impl FromIterator<Id> for CutLinks {
    fn from_iter<I: IntoIterator<Item = Id>>(peers: I) -> CutLinks {
        CutLinks(peers.into_iter().collect())
    }
}
