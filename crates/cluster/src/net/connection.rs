//! A connection with a peer, from the first byte to its end.

use super::admission::Caller;
use super::link::Link;
use super::peers::Greeting;
use super::wire::Hello;
use super::{CloseReason, Incoming, Network};
use bellwether_core::Id;
use std::net::SocketAddr;
use std::time::Instant;

/// A connection and how far it has come.
pub(super) struct Connection {
    pub link: Link,
    pub stage: Stage,
    /// When it came to this stage.
    pub since: Instant,
    pub address: SocketAddr,
    /// The peer, if this member dialled it.
    pub dialled: Option<Id>,
    /// The client, if it dialled this member.
    pub caller: Option<Caller>,
    /// The peer: the dialled one, or the one that sent Hello.
    pub peer: Option<Id>,
    /// The peer's Hello.
    pub greeting: Option<Greeting>,
    /// The whole Hello, while it is not known whether the peer's store is accepted.
    pub vetted: Option<Box<Hello>>,
}

impl Connection {
    /// Whether the other side has accepted, so that bytes may have passed.
    pub fn has_begun(&self) -> bool {
        !matches!(self.stage, Stage::Connecting | Stage::Overdue)
    }

    /// Reads no more, and does not tell the other side.
    pub fn leave_unanswered(&mut self) {
        self.stage = Stage::Leaving;
        self.since = Instant::now();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// This member dialled, and the peer has not accepted yet.
    Connecting,
    /// The same for so long that this member dials again. If this one is accepted first, it is used: a slow network is no cut.
    Overdue,
    /// A client dialled this member, and waits for its turn.
    Arriving,
    /// TLS if any, then the peer's Hello.
    Greeting,
    /// The peer votes from a store that is not known: the caller is to say whether it is accepted.
    Vetting,
    /// Both have sent Hello, and the member with the smaller id, the peer, decides.
    Hoping,
    /// The connection with this peer.
    Up,
    /// A supervisor brings a death certificate.
    DeathCertificate,
    /// This side is done. What comes is thrown away until the other side closes too.
    Leaving,
}

impl Network {
    /// Forgets a connection, and reports it if it was up.
    pub(super) fn drop_connection(&mut self, at: usize, why: CloseReason) {
        if let Some(peer) = self.release(at) {
            self.pending.push(Incoming::Down { peer, why });
        }
    }

    /// Forgets a connection, and tries the next address if this member dialled in vain. Returns the peer, if it was up.
    pub(super) fn release(&mut self, at: usize) -> Option<Id> {
        let peer = self.disconnect(at);
        let mut connection = self.connections.get_mut(at)?.take()?;
        let _ = self.poll.registry().deregister(&mut connection.link.stream);
        self.tally.add(connection.link.tally);
        if let Some(member) = connection.peer.and_then(|peer| self.member_mut(peer)) {
            member.tally.add(connection.link.tally);
        }
        if let (None, Some(dialled)) =
            (peer, connection.dialled.filter(|_| connection.stage != Stage::Overdue))
        {
            self.dial_next(dialled);
        }
        peer
    }

    /// This connection is no longer the one with the peer, if it was. Returns the peer then.
    pub(super) fn disconnect(&mut self, at: usize) -> Option<Id> {
        let member = self.members.iter_mut().find(|member| member.up == Some(at))?;
        member.up = None;
        member.back_off(Instant::now(), &mut self.random);
        Some(member.id)
    }
}
