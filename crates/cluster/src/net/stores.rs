//! Whether the store that a peer votes from is the one that it voted from before.
//!
//! A Hello with a store that is not known here waits ([`super::Stage::Vetting`]) until the caller of the network has
//! decided: [`Network::accept_store`], once the store's identity is on disk, [`Network::refuse_store`] or
//! [`Network::refuse_claim`].

use super::link::Trouble;
use super::wire::{Frame, Hello};
use super::{CloseReason, Incoming, Network, Party, Reason, Stage};
use crate::{LONGEST_PROMISE, PeerRecord, StoreId};
use bellwether_core::{Id, ListVersion};
use std::time::{Duration, Instant};

impl Network {
    /// Lets a connection wait, if its peer votes from a store that is not known. Whether it does.
    pub(super) fn must_vet(&mut self, at: usize, hello: &Hello) -> bool {
        let (peer, store) = (hello.from, hello.store);
        let known = self.member(peer).and_then(|member| member.store);
        if known == Some(store) {
            return false;
        }
        if let Some(connection) = &mut self.connections[at] {
            connection.stage = Stage::Vetting;
            connection.vetted = Some(Box::new(hello.clone()));
        }
        self.pending.push(Incoming::NewStore { peer, store, known, named_in: hello.named_in });
        true
    }

    /// From now on this is the peer's store: its connections that wait for that go on. Connections with a former store
    /// end, and what was known of its starts is forgotten.
    pub fn accept_store(&mut self, peer: Id, store: StoreId) {
        let longest_promise = self.longest_promise();
        let Some(member) = self.member_mut(peer) else { return };
        let former = member.store.replace(store);
        if former.is_some_and(|former| former != store) {
            member.known.replace(Instant::now() + longest_promise);
            for at in 0..self.connections.len() {
                let is_former = |connection: &super::Connection| {
                    connection.peer == Some(peer)
                        && !matches!(connection.stage, Stage::Vetting | Stage::Leaving)
                };
                if self.connections[at].as_ref().is_some_and(is_former) {
                    self.drop_connection(at, CloseReason::Superseded);
                }
            }
        }
        for (at, hello) in self.take_vetted(peer, store) {
            let advanced = self.greet(at, &hello);
            match advanced {
                Ok(_) => self.advance(at),
                Err(trouble) => self.fail(at, trouble),
            }
        }
    }

    /// The peer has lost the store that it voted from: its connections end, and it is told why.
    pub fn refuse_store(&mut self, peer: Id, store: StoreId) {
        for (at, _) in self.take_vetted(peer, store) {
            if let Some(connection) = &mut self.connections[at] {
                connection.link.queue(&Frame::OtherStore);
            }
            let why = "its store is not the one that it voted from before: its votes are lost, or a second process has \
                       its id";
            self.complain(Party::Member(peer), why.into());
            self.leave(at);
        }
    }

    /// The peer claims that a list of voters names its store, and no voters can have that list: its connections end.
    pub fn refuse_claim(&mut self, peer: Id, store: StoreId) {
        for (at, _) in self.take_vetted(peer, store) {
            let why = "no list of voters can be of so late a term";
            _ = self.refuse(at, Reason::Malformed, why);
        }
    }

    /// The connections of a peer that wait for this store to be accepted.
    fn take_vetted(&mut self, peer: Id, store: StoreId) -> Vec<(usize, Box<Hello>)> {
        let is_it = |hello: &mut Box<Hello>| hello.from == peer && hello.store == store;
        let connections = self.connections.iter_mut().enumerate();
        let waiting = connections.filter_map(|(at, connection)| {
            let connection = connection.as_mut().filter(|connection| connection.stage == Stage::Vetting)?;
            Some((at, connection.vetted.take_if(is_it)?))
        });
        waiting.collect()
    }

    /// Another member knows a former store of ours.
    pub(super) fn has_other_store(&mut self, at: usize) -> Result<bool, Trouble> {
        let peer = self.connections[at].as_ref().and_then(|connection| connection.peer);
        self.drop_connection(at, CloseReason::Superseded);
        if let Some(peer) = peer {
            self.pending.push(Incoming::OtherStore { peer });
        }
        Ok(false)
    }

    /// From now on Hellos say which list of voters names this member's store.
    pub fn set_named_in(&mut self, list: Option<ListVersion>) {
        self.named_in = list;
    }

    /// The store that this member votes from.
    #[must_use]
    pub fn own_store(&self) -> StoreId {
        self.store
    }

    /// What is known of a peer, to be recorded; nothing if its store was never accepted.
    #[must_use]
    pub fn record(&self, peer: Id) -> Option<PeerRecord> {
        let member = self.member(peer)?;
        let record = PeerRecord::new(peer, member.store?);
        Some(member.known.latest().map_or(record, |last| PeerRecord { last, ..record }))
    }

    /// From now on Hellos say that something was saved in this member's store.
    pub fn has_saved(&mut self) {
        self.is_new = false;
    }

    /// Whether nothing was ever saved in a peer's store; nothing if it is not connected.
    #[must_use]
    pub fn has_new_store(&self, peer: Id) -> Option<bool> {
        self.member(peer).and_then(|member| member.up.map(|_| member.is_new))
    }

    pub(super) fn longest_promise(&self) -> Duration {
        Duration::from_micros((self.config.delay_bound * LONGEST_PROMISE).ticks())
    }
}
