//! From a socket to a connection with a peer: who is it, may it speak, and which connection stays.

use super::dial::tune;
use super::door::Caller;
use super::link::Trouble;
use super::peers::{Arrival, Burial, Dialling, Greeting};
use super::wire::Malformed;
use super::{Ended, Frame, Hello, Incoming, Network, Party, Reason, Stage, is_closed};
use crate::Incarnation;
use crate::obituary::{self, Obituary};
use bellwether_core::Id;
use std::time::Instant;

/// What a TLS connection begins with.
const TLS_HANDSHAKE: u8 = 0x16;

impl Network {
    /// Goes on with a connection that is not up yet, as far as what has come allows.
    pub(super) fn advance(&mut self, at: usize) {
        while let Some(line) = &mut self.lines[at] {
            let advanced = match line.stage {
                Stage::Up | Stage::Filtered | Stage::Vetting => return,
                _ if is_closed(&self.filter, line.peer) => return,
                Stage::Connecting | Stage::Overdue => self.connected(at),
                Stage::Arriving if line.caller.is_some_and(|caller| caller.has_spoken) => return,
                Stage::Arriving if !line.link.readable => return,
                Stage::Arriving => self.arrived(at),
                Stage::Greeting | Stage::Hoping => self.hear(at),
                Stage::Obituary => self.hear_obituary(at),
                Stage::Leaving => {
                    if line.link.discard() {
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

    /// Whether who was dialled has taken up. Then Hello goes out, with the last of our part of TLS.
    fn connected(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        if !line.link.writable && !line.link.readable {
            return Ok(false);
        }
        let (Some(peer), Ok(None)) = (line.dialled, line.link.stream.take_error()) else {
            return Err(Trouble::Closed);
        };
        if line.link.stream.peer_addr().is_err() {
            return Ok(false);
        }
        // Only one of the attempts goes on: Hello is said on no other.
        let is_late = line.stage == Stage::Overdue;
        if is_late && self.lines.iter().flatten().any(|line| line.peer == Some(peer) && line.has_begun()) {
            return Err(Trouble::Closed);
        }
        let tls = self.guard.dial(peer).map_err(|error| Trouble::Tls(rustls::Error::General(error)))?;
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        line.link.secure(tls);
        line.stage = Stage::Greeting;
        line.since = Instant::now();
        self.say_hello(at, peer);
        self.release_where(|line| line.dialled == Some(peer) && !line.has_begun());
        Ok(true)
    }

    /// Tells by the first byte what somebody wants. TLS begins when the door lets it.
    fn arrived(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        let mut first = [0];
        match line.link.stream.peek(&mut first) {
            Ok(0) => return Err(Trouble::Closed),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                line.link.readable = false;
                return Ok(false);
            }
            Err(_) => return Err(Trouble::Closed),
        }
        tune(&line.link.stream, &self.pace).map_err(|_| Trouble::Closed)?;
        if first[0] == obituary::MAGIC[0] {
            line.stage = Stage::Obituary;
            return Ok(true);
        }
        match (first[0], self.guard.is_open()) {
            (TLS_HANDSHAKE, false) => {
                line.caller.iter_mut().for_each(Caller::speaks);
                return Ok(false);
            }
            (TLS_HANDSHAKE, true) => {
                return self.refuse(at, Reason::Malformed, "it speaks TLS, and we do not");
            }
            (_, false) => return self.refuse(at, Reason::Malformed, "it does not speak TLS, and we do"),
            (_, true) => {}
        }
        line.stage = Stage::Greeting;
        Ok(true)
    }

    /// TLS begins with a caller that has spoken.
    pub(super) fn answer(&mut self, at: usize) {
        let tls = self.guard.answer();
        let Some(line) = &mut self.lines[at] else { return };
        match tls {
            Ok(tls) => line.link.secure(tls),
            Err(error) => return self.fail(at, Trouble::Tls(rustls::Error::General(error))),
        }
        line.stage = Stage::Greeting;
        line.since = Instant::now();
    }

    /// One frame of who is not up yet.
    fn hear(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        let Some(frame) = line.link.take()? else { return Ok(false) };
        match (line.stage, frame) {
            (Stage::Greeting, Frame::Hello(hello)) => self.on_hello(at, &hello),
            (Stage::Hoping, Frame::Welcome) => self.on_welcome(at),
            (Stage::Greeting | Stage::Hoping, Frame::Farewell(reason)) => self.on_refusal(at, reason),
            (_, Frame::Superseded(by)) => {
                // Before its Hello only who was dialled is known: by its key or certificate.
                let named = line.peer.is_some_and(|peer| self.guard.is_named(line.link.tls(), peer));
                if !named {
                    return Err(Malformed::Order.into());
                }
                self.superseded(at, by);
                Ok(false)
            }
            (_, Frame::OtherStore) => {
                let named = line.peer.is_some_and(|peer| self.guard.is_named(line.link.tls(), peer));
                if named { self.has_other_store(at) } else { Err(Malformed::Order.into()) }
            }
            _ => Err(Malformed::Order.into()),
        }
    }

    fn on_hello(&mut self, at: usize, hello: &Hello) -> Result<bool, Trouble> {
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        let from = hello.from;
        if hello.cluster != self.cluster {
            let why = format!("it is of the cluster '{}'", hello.cluster.escape_debug());
            return self.refuse(at, Reason::Cluster, &why);
        }
        if hello.to != self.me {
            return self.refuse(at, Reason::Meant, &format!("it takes us for member {}", hello.to));
        }
        if line.dialled.is_some_and(|dialled| dialled != from) {
            return self.refuse(at, Reason::Meant, &format!("member {from} is at its address"));
        }
        let Some(member) = self.members.iter_mut().find(|member| member.id == from) else {
            return self.refuse(at, Reason::Stranger, &format!("member {from} is not among the members"));
        };
        if !self.guard.is_named(line.link.tls(), from) {
            let why = format!("it calls itself member {from}, and its certificate does not");
            return self.refuse(at, Reason::Certificate, &why);
        }
        if let Some(difference) = self.terms.difference(&hello.terms) {
            if line.dialled.is_none() {
                self.say_hello(at, from); // so that it can say the difference, too
            }
            return self.refuse(at, Reason::Terms, &difference);
        }
        if is_closed(&self.filter, Some(from)) {
            line.stage = Stage::Filtered;
            return Ok(false);
        }
        let boot = hello.incarnation.boot;
        if !member.known.is_plausible(boot) {
            return self.refuse(at, Reason::Malformed, &format!("no member can have started {boot} times"));
        }
        line.peer = Some(from);
        line.greeting = Some(Greeting { incarnation: hello.incarnation, number: hello.number });
        if self.must_vet(at, hello) {
            return Ok(false);
        }
        self.greet(at, hello)
    }

    /// The peer is who it says, and votes from the store that is known: is it the latest start of it?
    pub(super) fn greet(&mut self, at: usize, hello: &Hello) -> Result<bool, Trouble> {
        let (from, longest_promise) = (hello.from, self.longest_promise());
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        let Some(member) = self.members.iter_mut().find(|member| member.id == from) else {
            return Ok(false);
        };
        member.is_new = hello.is_new;
        let now = (Instant::now(), longest_promise);
        match member.known.greet(hello.incarnation, hello.commitment, now) {
            Arrival::Same => {}
            Arrival::New => self.end_others(at, from, Some(hello.incarnation)),
            Arrival::Refused(by) => {
                line.link.queue(&Frame::Superseded(by));
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

    /// Both know each other. Which connection is theirs the smaller id says.
    fn agree(&mut self, at: usize, peer: Id) -> Result<bool, Trouble> {
        let is_ours_to_say = self.me < peer;
        if is_ours_to_say && !self.takes_over(at, peer) {
            if let Some(line) = &mut self.lines[at] {
                line.link.queue(&Frame::Farewell(Reason::Duplicate));
            }
            self.part(at);
            return Ok(false);
        }
        if self.lines[at].as_ref().is_some_and(|line| line.dialled.is_none()) {
            self.say_hello(at, peer);
        }
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        if is_ours_to_say {
            line.link.queue(&Frame::Welcome);
            self.come_up(at, peer);
        } else {
            line.stage = Stage::Hoping;
            // As long as there is hope here, Hello is said nowhere else.
            let is_unsaid = |line: &super::Line| line.peer == Some(peer) && !line.has_begun();
            self.release_where(is_unsaid);
        }
        Ok(true)
    }

    fn on_welcome(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(peer) = self.lines[at].as_ref().and_then(|line| line.peer) else { return Ok(false) };
        if self.takes_over(at, peer) {
            self.come_up(at, peer);
        } else {
            self.release(at);
        }
        Ok(false)
    }

    /// Whether this connection is to be the peer's rather than the one that is.
    fn takes_over(&self, at: usize, peer: Id) -> bool {
        let greeting = |at: usize| self.lines[at].as_ref().and_then(|line| line.greeting);
        let present = self.member(peer).and_then(|member| member.up).and_then(greeting);
        match (greeting(at), present) {
            (Some(this), Some(present)) => this.takes_over_from(present),
            _ => true,
        }
    }

    fn come_up(&mut self, at: usize, peer: Id) {
        self.end_others(at, peer, None);
        let Some(line) = &mut self.lines[at] else { return };
        let Some(Greeting { incarnation, .. }) = line.greeting else { return };
        line.stage = Stage::Up;
        line.link.tally.connections += 1;
        let address = line.address.ip();
        if let Some(member) = self.member_mut(peer) {
            member.up = Some(at);
            member.last_seen = Some(address);
            member.reached();
        }
        self.happened.push(Incoming::Up { peer, incarnation });
    }

    /// Ends the peer's other connections, except those that are later than this one. A later life is told to them, if
    /// that is why.
    fn end_others(&mut self, than: usize, peer: Id, later: Option<Incarnation>) {
        let this = self.lines[than].as_ref().and_then(|line| line.greeting);
        for at in (0..self.lines.len()).filter(|at| *at != than) {
            let Some(line) = self.lines[at].as_mut().filter(|line| line.peer == Some(peer)) else { continue };
            let is_later =
                matches!((line.greeting, this), (Some(its), Some(this)) if its.takes_over_from(this));
            if is_later || line.stage == Stage::Leaving {
                continue;
            }
            let is_of = |life: Incarnation| line.greeting.is_some_and(|its| its.incarnation == life);
            if later.is_some_and(is_of) {
                continue; // a second connection of the same start, whose store was not known yet
            }
            if later.is_some() && line.greeting.is_some() {
                line.link.queue(&Frame::Superseded(later));
                if let Some(peer) = self.unseat(at) {
                    self.happened.push(Incoming::Down { peer, why: Ended::Superseded });
                }
                self.part(at);
            } else if later.is_none() {
                self.drop_line(at, Ended::Closed);
            }
        }
    }

    fn release_where(&mut self, is_it: impl Fn(&super::Line) -> bool) {
        for at in 0..self.lines.len() {
            if self.lines[at].as_ref().is_some_and(&is_it) {
                self.release(at);
            }
        }
    }

    fn say_hello(&mut self, at: usize, peer: Id) {
        let (cluster, terms) = (self.cluster.clone(), self.terms.clone());
        let Some(member) = self.members.iter_mut().find(|member| member.id == peer) else { return };
        member.hellos += 1;
        let (from, to, number) = (self.me, peer, member.hellos);
        let (incarnation, commitment) = (self.incarnation, self.commitment);
        let (store, is_new, named_in) = (self.store, self.is_new, self.named_in);
        let hello =
            Hello { cluster, terms, from, to, incarnation, store, is_new, named_in, number, commitment };
        if let Some(line) = &mut self.lines[at] {
            line.link.queue(&Frame::Hello(Box::new(hello)));
        }
    }

    /// A peer knows another process under our identity, or ours as dead.
    pub(super) fn superseded(&mut self, at: usize, by: Option<Incarnation>) {
        let peer = self.lines[at].as_ref().and_then(|line| line.peer);
        self.drop_line(at, Ended::Superseded);
        if let Some(peer) = peer {
            self.happened.push(Incoming::Superseded { peer, by });
        }
    }

    fn hear_obituary(&mut self, at: usize) -> Result<bool, Trouble> {
        let Some(line) = &mut self.lines[at] else { return Ok(false) };
        let Some(bytes) = line.link.take_bytes()? else { return Ok(false) };
        let obituary = Obituary::decode(&bytes).ok_or(Trouble::Malformed(Malformed::Kind(bytes[0])))?;
        let is_ours = obituary.is_of(&self.cluster);
        let member = self.members.iter_mut().find(|member| is_ours && member.id == obituary.id);
        if is_ours && is_closed(&self.filter, Some(obituary.id)) {
            line.stage = Stage::Filtered;
            return Ok(false);
        }
        let burial = member.map_or(Burial::Unknown, |member| member.known.bury(&obituary, Instant::now()));
        let is_known = burial != Burial::Unknown;
        line.link.queue_bytes(&[if is_known { obituary::ACKNOWLEDGED } else { obituary::UNKNOWN }]);
        if let (false, Some(party)) = (is_ours, self.party(at)) {
            self.complain(party, "its obituary is for another cluster".to_owned());
        }
        if let Burial::New(incarnation) = burial {
            let peer = obituary.id;
            self.release_where(|line| line.peer == Some(peer));
            if let Some(member) = self.member_mut(peer) {
                member.dialling = Dialling::At(Instant::now());
            }
            self.happened.push(Incoming::Dead { peer, incarnation });
        }
        self.leave(at);
        Ok(false)
    }
}
