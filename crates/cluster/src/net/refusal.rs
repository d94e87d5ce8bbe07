//! Connections that cannot go on: peers that refuse this member, peers that it refuses, and what it sends and does then.

use super::link::Trouble;
use super::wire::Malformed;
use super::{Frame, Network, Party, Reason, Stage, tls};

impl Network {
    /// The member that was dialled refuses us.
    pub(super) fn on_refusal(&mut self, at: usize, reason: Reason) -> Result<bool, Trouble> {
        let reproach = match reason {
            Reason::Leaving | Reason::Duplicate => None,
            Reason::Cluster => Some("it is of another cluster"),
            Reason::Config => {
                Some("it was told of another algorithm, other parameters, other voters or other bounds")
            }
            Reason::Version => Some("it speaks another version of the wire format"),
            Reason::Meant => Some("another member is at its address"),
            Reason::Stranger => Some("it does not know us as a member"),
            Reason::Certificate => Some("our certificate does not name us"),
            Reason::Malformed => Some("it does not understand us; is one of us set to plaintext?"),
        };
        if let (Some(reproach), Some(party)) = (reproach, self.party(at)) {
            self.complain(party, format!("it turned us away: {reproach}"));
            self.slow_down(at);
        }
        self.release(at);
        Ok(false)
    }

    /// Refuses a connection, and sends the reason.
    pub(super) fn refuse(&mut self, at: usize, reason: Reason, why: &str) -> Result<bool, Trouble> {
        if let Some(party) = self.party(at) {
            self.complain(party, why.to_owned());
        }
        if let Some(connection) = &mut self.connections[at] {
            connection.link.queue(&Frame::Farewell(reason));
        }
        self.leave(at);
        Ok(false)
    }

    /// A connection that is not up cannot go on.
    pub(super) fn fail(&mut self, at: usize, trouble: Trouble) {
        let stage = self.connections[at].as_ref().map(|connection| connection.stage);
        let reason = match &trouble {
            Trouble::Closed | Trouble::Silent => None,
            Trouble::Tls(error) => Some((tls::explain(error), None)),
            Trouble::Malformed(it @ Malformed::Version(_)) => Some((it.to_string(), Some(Reason::Version))),
            Trouble::Malformed(it) => Some((it.to_string(), Some(Reason::Malformed))),
        };
        match (reason, self.party(at)) {
            (Some((why, reason)), Some(party)) if stage != Some(Stage::Leaving) => {
                self.complain(party, why);
                if let (Some(connection), Some(reason)) = (&mut self.connections[at], reason) {
                    connection.link.queue(&Frame::Farewell(reason));
                }
                self.leave(at);
            }
            _ => _ = self.release(at),
        }
    }

    /// Refuses to go on: sends the last frame, and reads no more.
    pub(super) fn leave(&mut self, at: usize) {
        self.slow_down(at);
        self.part(at);
    }

    /// Sends the last frame, and reads no more, as there is a better connection.
    pub(super) fn part(&mut self, at: usize) {
        let Some(connection) = &mut self.connections[at] else { return };
        connection.link.close();
        connection.leave_unanswered();
        if let Some(peer) = connection.dialled.take() {
            self.dial_next(peer);
        }
    }

    /// The dialled member answered in vain: the next attempt would most likely end alike, and costs a handshake. So it comes
    /// later.
    fn slow_down(&mut self, at: usize) {
        let dialled = self.connections[at].as_ref().and_then(|connection| connection.dialled);
        if let Some(member) = dialled.and_then(|peer| self.member_mut(peer)) {
            member.is_refused = true;
        }
    }

    pub(super) fn party(&self, at: usize) -> Option<Party> {
        let connection = self.connections[at].as_ref()?;
        Some(connection.peer.map_or(Party::Address(connection.address), Party::Member))
    }
}
