//! Links that are cut on purpose, in demonstrations and tests: only with the feature `faults`.

use bellwether_core::Id;
use std::collections::BTreeSet;

/// The links of a member that are cut.
#[derive(Debug, Default)]
pub(super) struct CutLinks(BTreeSet<Id>);

impl CutLinks {
    /// Whether the link with the peer of a connection is cut. A client that has not said which member it is has none.
    pub(super) fn has(&self, peer: Option<Id>) -> bool {
        cfg!(feature = "faults") && peer.is_some_and(|peer| self.0.contains(&peer))
    }
}

#[cfg(feature = "faults")]
impl super::Network {
    /// Cuts the links with these peers, and mends all others.
    ///
    /// Nothing passes a cut link in either direction. No connection is closed for that, and neither end is told. What waits
    /// passes when the link is mended, unless a time-out ends the connection first.
    pub fn cut_links(&mut self, peers: BTreeSet<Id>) {
        let before = std::mem::replace(&mut self.cut, CutLinks(peers));
        for connection in self.connections.iter_mut().flatten() {
            let is_cut = self.cut.has(connection.peer);
            if is_cut != before.has(connection.peer) {
                // A socket that is never ready is neither read nor written. Of a mended one it is found out anew.
                (connection.link.readable, connection.link.writable) = (!is_cut, !is_cut);
            }
        }
    }
}
