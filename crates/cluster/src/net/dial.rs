//! Dialling the other members.

use super::admission::Caller;
use super::link::Link;
use super::peers::Dialling;
use super::timeouts::{LONGEST, Timeouts};
use super::{Connection, FIRST_LINK, Network, Party, Stage};
use bellwether_core::Id;
use mio::net::TcpStream;
use mio::{Interest, Token};
use rustix::net::sockopt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// After how long without a byte from the other side its system is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(5);

impl Network {
    /// Whether there is a connection with this peer, or hope for one.
    pub(super) fn is_busy_with(&self, peer: Id) -> bool {
        let is_its = |connection: &Connection| {
            connection.peer == Some(peer) && !matches!(connection.stage, Stage::Leaving | Stage::Overdue)
        };
        self.connections.iter().flatten().any(is_its)
    }

    pub(super) fn dial_if_due(&mut self, index: usize, now: Instant) {
        let member = &mut self.members[index];
        match member.dialling {
            Dialling::At(at) if at <= now => {}
            _ => return,
        }
        if self.cut.has(Some(member.id)) {
            member.back_off(now, &mut self.random);
            return;
        }
        let peer = member.id;
        if self.is_busy_with(peer) {
            return;
        }
        let member = &mut self.members[index];
        if member.begin_dialling(now) {
            self.resolver.ask(peer, member.address.clone());
        }
        self.dial_next(peer);
    }

    pub(super) fn on_resolved(
        &mut self,
        peer: Id,
        address: &str,
        addresses: Result<Vec<SocketAddr>, String>,
    ) {
        if let Err(error) = &addresses {
            let why = format!("its address '{address}' leads nowhere: {error}");
            self.complain(Party::Member(peer), why);
        }
        let Some(member) = self.member_mut(peer) else { return };
        if member.resolved(address, addresses.ok(), Instant::now()) {
            self.dial_next(peer);
        }
    }

    /// Tries the next of a peer's addresses; if there is none left, all of them again in a while.
    pub(super) fn dial_next(&mut self, peer: Id) {
        let is_busy = self.is_busy_with(peer);
        while let Some(Dialling::Trying(rest)) = self.member_mut(peer).map(|member| &mut member.dialling) {
            let Some(address) = rest.pop().filter(|_| !is_busy) else {
                let member = self.members.iter_mut().find(|member| member.id == peer);
                member.into_iter().for_each(|member| member.back_off(Instant::now(), &mut self.random));
                return;
            };
            let dialled = TcpStream::connect(address);
            if dialled.and_then(|stream| self.add_connection(stream, address, Ok(peer))).is_ok() {
                return;
            }
        }
    }

    /// The peer has not accepted in time: the SYN may be lost, and TCP repeats it only after a second. Dials again, and keeps
    /// one attempt a peer that has waited, as the network may only be slow.
    pub(super) fn dial_beside(&mut self, at: usize) {
        let Some(peer) = self.connections[at].as_ref().and_then(|connection| connection.dialled) else {
            return;
        };
        let is_overdue =
            |connection: &Connection| connection.dialled == Some(peer) && connection.stage == Stage::Overdue;
        if self.connections.iter().flatten().any(is_overdue) {
            self.release(at);
        } else if let Some(connection) = &mut self.connections[at] {
            connection.stage = Stage::Overdue;
            self.dial_next(peer);
        }
    }

    /// A connection that this member dialled, or that a client did.
    pub(super) fn add_connection(
        &mut self,
        stream: TcpStream,
        address: SocketAddr,
        dialled: Result<Id, Caller>,
    ) -> io::Result<usize> {
        if dialled.is_ok() {
            tune(&stream, &self.timeouts)?;
        }
        let at = match self.connections.iter().position(Option::is_none) {
            Some(at) => at,
            None => {
                self.connections.push(None);
                self.connections.len() - 1
            }
        };
        let mut link = Link::new(stream, None);
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut link.stream, Token(FIRST_LINK + at), interest)?;
        let stage = if dialled.is_ok() { Stage::Connecting } else { Stage::Arriving };
        let (since, peer, caller) = (Instant::now(), dialled.ok(), dialled.err());
        let (greeting, vetted) = (None, None);
        self.connections[at] =
            Some(Connection { link, stage, since, address, dialled: peer, caller, peer, greeting, vetted });
        Ok(at)
    }
}

/// Sets how TCP is to treat a connection.
pub(super) fn tune(stream: &TcpStream, timeouts: &Timeouts) -> io::Result<()> {
    stream.set_nodelay(true)?;
    sockopt::set_tcp_user_timeout(stream, timeouts.acknowledgement.as_millis() as u32)?;
    // Followers send nothing to each other for days: a broken path between them must show even then.
    sockopt::set_tcp_keepidle(stream, SILENCE)?;
    sockopt::set_tcp_keepintvl(stream, LONGEST / 3)?;
    sockopt::set_socket_keepalive(stream, true)?;
    Ok(())
}
