//! From a socket to a connection with a peer: which member it is, whether it is accepted, and which connection stays.

use super::admission::Caller;
use super::dial::tune;
use super::link::Trouble;
use super::peers::{Arrival, CertificateOutcome, Dialling, Greeting};
use super::wire::Malformed;
use super::{CloseReason, Frame, Hello, Incoming, Network, Party, Reason, Stage};
use crate::Incarnation;
use crate::supervisor::death_certificate::{self, DeathCertificate};
use bellwether_core::Id;
use std::time::Instant;

/// What a TLS connection begins with.
const TLS_HANDSHAKE: u8 = 0x16;

impl Network {
    /// Advances a connection that is not up yet, as far as received bytes allow.
    pub(super) fn advance(&mut self, at: usize) {
        while let Some(connection) = &mut self.connections[at] {
            let advanced = match connection.stage {
                Stage::Up | Stage::Vetting => return,
                Stage::Connecting | Stage::Overdue => self.connected(at),
                Stage::Arriving if connection.caller.is_some_and(|caller| caller.has_spoken) => return,
                Stage::Arriving if !connection.link.readable => return,
                Stage::Arriving => self.arrived(at),
                Stage::Greeting | Stage::Hoping => self.hear(at),
                Stage::DeathCertificate => self.take_death_certificate(at),
                Stage::Leaving => {
                    if connection.link.discard() {
                        self.release(at);
                    }
                    return;
                }
            };
            match advanced {
                Ok(true) => {}
                Ok(false) => return,
                Err(trouble) => return self.fail(at, trouble),
            }
        }
    }

    /// Whether the dialled peer has accepted the connection. Then Hello goes out, with the last of our part of TLS.
    fn connected(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        if !connection.link.writable && !connection.link.readable {
            return Ok(false);
        }
        let (Some(peer), Ok(None)) = (connection.dialled, connection.link.stream.take_error()) else {
            return Err(Trouble::Closed);
        };
        if connection.link.stream.peer_addr().is_err() {
            return Ok(false);
        }
        // Only one of the attempts goes on: Hello is sent on no other.
        let is_late = connection.stage == Stage::Overdue;
        if is_late
            && self
                .connections
                .iter()
                .flatten()
                .any(|connection| connection.peer == Some(peer) && connection.has_begun())
        {
            return Err(Trouble::Closed);
        }
        let tls = self.guard.dial(peer).map_err(|error| Trouble::Tls(rustls::Error::General(error)))?;
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        connection.link.secure(tls);
        connection.stage = Stage::Greeting;
        connection.since = Instant::now();
        self.send_hello(at, peer);
        self.release_where(|connection| connection.dialled == Some(peer) && !connection.has_begun());
        Ok(true)
    }

    /// Finds out by the first byte what the caller wants. TLS begins when the caller is admitted.
    fn arrived(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        let mut first = [0];
        match connection.link.stream.peek(&mut first) {
            Ok(0) => return Err(Trouble::Closed),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                connection.link.readable = false;
                return Ok(false);
            }
            Err(_) => return Err(Trouble::Closed),
        }
        tune(&connection.link.stream, &self.timeouts).map_err(|_| Trouble::Closed)?;
        if first[0] == death_certificate::MAGIC[0] {
            connection.stage = Stage::DeathCertificate;
            return Ok(true);
        }
        match (first[0], self.guard.is_open()) {
            (TLS_HANDSHAKE, false) => {
                connection.caller.iter_mut().for_each(Caller::speaks);
                return Ok(false);
            }
            (TLS_HANDSHAKE, true) => {
                return self.refuse(at, Reason::Malformed, "it speaks TLS, and we do not");
            }
            (_, false) => return self.refuse(at, Reason::Malformed, "it does not speak TLS, and we do"),
            (_, true) => {}
        }
        connection.stage = Stage::Greeting;
        Ok(true)
    }

    /// TLS begins with a caller that has spoken.
    pub(super) fn answer(&mut self, at: usize) {
        let tls = self.guard.answer();
        let Some(connection) = &mut self.connections[at] else { return };
        match tls {
            Ok(tls) => connection.link.secure(tls),
            Err(error) => return self.fail(at, Trouble::Tls(rustls::Error::General(error))),
        }
        connection.stage = Stage::Greeting;
        connection.since = Instant::now();
    }

    /// Takes one frame of a connection that is not up yet.
    fn hear(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        let Some(frame) = connection.link.take()? else { return Ok(false) };
        match (connection.stage, frame) {
            (Stage::Greeting, Frame::Hello(hello)) => self.on_hello(at, &hello),
            (Stage::Hoping, Frame::Welcome) => self.on_welcome(at),
            (Stage::Greeting | Stage::Hoping, Frame::Farewell(reason)) => self.on_refusal(at, reason),
            (_, Frame::Superseded(by)) => {
                // Before its Hello a peer is known only if this member dialled it: by its key or certificate.
                let named =
                    connection.peer.is_some_and(|peer| self.guard.is_named(connection.link.tls(), peer));
                if !named {
                    return Err(Malformed::Order.into());
                }
                self.superseded(at, by);
                Ok(false)
            }
            (_, Frame::OtherStore) => {
                let named =
                    connection.peer.is_some_and(|peer| self.guard.is_named(connection.link.tls(), peer));
                if named { self.has_other_store(at) } else { Err(Malformed::Order.into()) }
            }
            _ => Err(Malformed::Order.into()),
        }
    }

    fn on_hello(&mut self, at: usize, hello: &Hello) -> Result<bool, Trouble> {
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        let from = hello.from;
        if hello.cluster != self.cluster {
            let why = format!("it is of the cluster '{}'", hello.cluster.escape_debug());
            return self.refuse(at, Reason::Cluster, &why);
        }
        if hello.to != self.me {
            return self.refuse(at, Reason::Meant, &format!("it takes us for member {}", hello.to));
        }
        if connection.dialled.is_some_and(|dialled| dialled != from) {
            return self.refuse(at, Reason::Meant, &format!("member {from} is at its address"));
        }
        let Some(member) = self.members.iter_mut().find(|member| member.id == from) else {
            return self.refuse(at, Reason::Stranger, &format!("member {from} is not among the members"));
        };
        if !self.guard.is_named(connection.link.tls(), from) {
            let why = format!("it calls itself member {from}, and its certificate does not");
            return self.refuse(at, Reason::Certificate, &why);
        }
        if let Some(difference) = self.config.difference(&hello.config) {
            if connection.dialled.is_none() {
                self.send_hello(at, from); // so that the peer can report the difference, too
            }
            return self.refuse(at, Reason::Config, &difference);
        }
        if self.cut.has(Some(from)) {
            connection.leave_unanswered();
            return Ok(false);
        }
        let boot = hello.incarnation.boot;
        if !member.known.is_plausible(boot) {
            return self.refuse(at, Reason::Malformed, &format!("no member can have started {boot} times"));
        }
        connection.peer = Some(from);
        connection.greeting = Some(Greeting { incarnation: hello.incarnation, number: hello.number });
        if self.must_vet(at, hello) {
            return Ok(false);
        }
        self.greet(at, hello)
    }

    /// The peer has proved which member it is, and votes from the known store. Checks that it is the latest start of the member.
    pub(super) fn greet(&mut self, at: usize, hello: &Hello) -> Result<bool, Trouble> {
        let (from, longest_promise) = (hello.from, self.longest_promise());
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        let Some(member) = self.members.iter_mut().find(|member| member.id == from) else {
            return Ok(false);
        };
        member.is_new = hello.is_new;
        let now = (Instant::now(), longest_promise);
        match member.known.greet(hello.incarnation, hello.commitment, now) {
            Arrival::Same => {}
            Arrival::New => self.end_others(at, from, Some(hello.incarnation)),
            Arrival::Refused(by) => {
                connection.link.queue(&Frame::Superseded(by));
                let why = match by {
                    Some(_) => "another process has its identity, or its disk was lost",
                    None => "its process was certified to be dead",
                };
                self.complain(Party::Member(from), why.into());
                self.leave(at);
                return Ok(false);
            }
        }
        self.agree(at, from)
    }

    /// Both members know each other. The one with the smaller id decides which connection is theirs.
    fn agree(&mut self, at: usize, peer: Id) -> Result<bool, Trouble> {
        let is_ours_to_say = self.me < peer;
        if is_ours_to_say && !self.takes_over(at, peer) {
            if let Some(connection) = &mut self.connections[at] {
                connection.link.queue(&Frame::Farewell(Reason::Duplicate));
            }
            self.part(at);
            return Ok(false);
        }
        if self.connections[at].as_ref().is_some_and(|connection| connection.dialled.is_none()) {
            self.send_hello(at, peer);
        }
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        if is_ours_to_say {
            connection.link.queue(&Frame::Welcome);
            self.come_up(at, peer);
        } else {
            connection.stage = Stage::Hoping;
            // While this one may come up, Hello is sent on no other connection.
            let is_unsaid =
                |connection: &super::Connection| connection.peer == Some(peer) && !connection.has_begun();
            self.release_where(is_unsaid);
        }
        Ok(true)
    }

    fn on_welcome(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(peer) = self.connections[at].as_ref().and_then(|connection| connection.peer) else {
            return Ok(false);
        };
        if self.takes_over(at, peer) {
            self.come_up(at, peer);
        } else {
            self.release(at);
        }
        Ok(false)
    }

    /// Whether this connection replaces the one that is up with the peer.
    fn takes_over(&self, at: usize, peer: Id) -> bool {
        let greeting = |at: usize| self.connections[at].as_ref().and_then(|connection| connection.greeting);
        let present = self.member(peer).and_then(|member| member.up).and_then(greeting);
        match (greeting(at), present) {
            (Some(this), Some(present)) => this.takes_over_from(present),
            _ => true,
        }
    }

    fn come_up(&mut self, at: usize, peer: Id) {
        self.end_others(at, peer, None);
        let Some(connection) = &mut self.connections[at] else { return };
        let Some(Greeting { incarnation, .. }) = connection.greeting else { return };
        connection.stage = Stage::Up;
        connection.link.tally.connections += 1;
        let address = connection.address.ip();
        if let Some(member) = self.member_mut(peer) {
            member.up = Some(at);
            member.last_seen = Some(address);
            member.reached();
        }
        self.pending.push(Incoming::Up { peer, incarnation });
    }

    /// Ends the peer's other connections, except those that are later than this one. If a later incarnation is the reason, they
    /// are told of it.
    fn end_others(&mut self, than: usize, peer: Id, later: Option<Incarnation>) {
        let this = self.connections[than].as_ref().and_then(|connection| connection.greeting);
        for at in (0..self.connections.len()).filter(|at| *at != than) {
            let Some(connection) =
                self.connections[at].as_mut().filter(|connection| connection.peer == Some(peer))
            else {
                continue;
            };
            let is_later =
                matches!((connection.greeting, this), (Some(its), Some(this)) if its.takes_over_from(this));
            if is_later || connection.stage == Stage::Leaving {
                continue;
            }
            let is_of = |incarnation: Incarnation| {
                connection.greeting.is_some_and(|its| its.incarnation == incarnation)
            };
            if later.is_some_and(is_of) {
                continue; // a second connection of the same start, whose store was not known yet
            }
            if later.is_some() && connection.greeting.is_some() {
                connection.link.queue(&Frame::Superseded(later));
                if let Some(peer) = self.disconnect(at) {
                    self.pending.push(Incoming::Down { peer, why: CloseReason::Superseded });
                }
                self.part(at);
            } else if later.is_none() {
                self.drop_connection(at, CloseReason::Closed);
            }
        }
    }

    fn release_where(&mut self, is_it: impl Fn(&super::Connection) -> bool) {
        for at in 0..self.connections.len() {
            if self.connections[at].as_ref().is_some_and(&is_it) {
                self.release(at);
            }
        }
    }

    fn send_hello(&mut self, at: usize, peer: Id) {
        let (cluster, config) = (self.cluster.clone(), self.config.clone());
        let Some(member) = self.members.iter_mut().find(|member| member.id == peer) else { return };
        member.hellos += 1;
        let (from, to, number) = (self.me, peer, member.hellos);
        let (incarnation, commitment) = (self.incarnation, self.commitment);
        let (store, is_new, named_in) = (self.store, self.is_new, self.named_in);
        let hello =
            Hello { cluster, config, from, to, incarnation, store, is_new, named_in, number, commitment };
        if let Some(connection) = &mut self.connections[at] {
            connection.link.queue(&Frame::Hello(Box::new(hello)));
        }
    }

    /// A peer knows another process under our identity, or ours as dead.
    pub(super) fn superseded(&mut self, at: usize, by: Option<Incarnation>) {
        let peer = self.connections[at].as_ref().and_then(|connection| connection.peer);
        self.drop_connection(at, CloseReason::Superseded);
        if let Some(peer) = peer {
            self.pending.push(Incoming::Superseded { peer, by });
        }
    }

    fn take_death_certificate(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(connection) = &mut self.connections[at] else { return Ok(false) };
        let Some(bytes) = connection.link.take_bytes()? else { return Ok(false) };
        let certificate =
            DeathCertificate::decode(&bytes).ok_or(Trouble::Malformed(Malformed::Kind(bytes[0])))?;
        let is_ours = certificate.is_of(&self.cluster);
        let member = self.members.iter_mut().find(|member| is_ours && member.id == certificate.id);
        if is_ours && self.cut.has(Some(certificate.id)) {
            connection.leave_unanswered();
            return Ok(false);
        }
        let outcome = member.map_or(CertificateOutcome::Unknown, |member| {
            member.known.accept_certificate(&certificate, Instant::now())
        });
        let is_known = outcome != CertificateOutcome::Unknown;
        connection.link.queue_bytes(&[if is_known {
            death_certificate::ACKNOWLEDGED
        } else {
            death_certificate::UNKNOWN
        }]);
        if let (false, Some(party)) = (is_ours, self.party(at)) {
            self.complain(party, "its death certificate is for another cluster".to_owned());
        }
        if let CertificateOutcome::New(incarnation) = outcome {
            let peer = certificate.id;
            self.release_where(|connection| connection.peer == Some(peer));
            if let Some(member) = self.member_mut(peer) {
                member.dialling = Dialling::At(Instant::now());
            }
            self.pending.push(Incoming::Dead { peer, incarnation });
        }
        self.leave(at);
        Ok(false)
    }
}
