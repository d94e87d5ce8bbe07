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
    /// Who was dialled, if we did.
    pub dialled: Option<Id>,
    /// Who dialled us, if we did not.
    pub caller: Option<Caller>,
    /// With whom it is: who was dialled, or who said Hello.
    pub peer: Option<Id>,
    /// The peer's Hello.
    pub greeting: Option<Greeting>,
    /// The whole Hello, while it is not known whether the peer's store is accepted.
    pub vetted: Option<Box<Hello>>,
}

impl Connection {
    /// Whether the other side has answered, so that bytes may have passed.
    pub fn has_begun(&self) -> bool {
        !matches!(self.stage, Stage::Connecting | Stage::Overdue)
    }

    /// Hears no more, and says nothing about it.
    pub fn leave_unanswered(&mut self) {
        self.stage = Stage::Leaving;
        self.since = Instant::now();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// We dialled, and nobody has taken up yet.
    Connecting,
    /// The same for so long that we dial again. If this one is taken up first, it is used: a slow network is no cut.
    Overdue,
    /// A caller dialled us, and waits for its turn.
    Arriving,
    /// TLS if any, then the peer's Hello.
    Greeting,
    /// The peer votes from a store that is not known: the caller is to say whether it is accepted.
    Vetting,
    /// Both have said Hello, and the member with the smaller id, the peer, decides.
    Hoping,
    /// The connection with this peer.
    Up,
    /// A supervisor brings a death certificate.
    DeathCertificate,
    /// All is said; what comes is thrown away until the other side closes too.
    Leaving,
}

impl Network {
    /// Forgets a connection, and says so if it was up.
    pub(super) fn drop_connection(&mut self, at: usize, why: CloseReason) {
        if let Some(peer) = self.release(at) {
            self.pending.push(Incoming::Down { peer, why });
        }
    }

    /// Forgets a connection, and tries the next address if we dialled it in vain. Whose it was, if it was up.
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

    /// This connection is no longer the peer's, if it was. Whose it was.
    pub(super) fn disconnect(&mut self, at: usize) -> Option<Id> {
        let member = self.members.iter_mut().find(|member| member.up == Some(at))?;
        member.up = None;
        member.back_off(Instant::now(), &mut self.random);
        Some(member.id)
    }
}
