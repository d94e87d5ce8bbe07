//! One authenticated connection with each other member, driven by one poll in the caller's thread.
//!
//! The caller's loop: [`Network::wait`]; then [`Network::next`] until there is nothing, with [`Network::send`] and one
//! [`Network::flush`] for each input; and again. A caller that stops asking for a while holds up the senders, and loses
//! nothing: what it does not ask for stays in the sockets. `wait` does not return for what was left there, so ask until there
//! is nothing before waiting for more. Between two waits a bounded amount is read from each connection: no peer
//! keeps the caller from the rest of its work.
//!
//! Of one peer, what comes is `Up`, then its messages, then `Down` or `Dead`, and so on; `Dead` also comes for one
//! that is down. (A caller that does not ask for very long misses peers that came and went meanwhile, but none that is there.)
//! Between two members the one with the smaller id decides which connection is theirs (`Welcome`), so both always mean the
//! same one, and what one sends after its `Up` the other gets after its own, unless the connection breaks.

mod admission;
mod budget;
mod connection;
mod diagnosis;
mod dial;
mod event_queue;
mod faults;
mod handshake;
mod interface;
mod link;
mod peers;
mod refusal;
mod resolve;
mod stores;
mod timeouts;
mod tls;
mod traffic;
mod wait;
pub mod wire;

use crate::{ClusterConfig, Incarnation, Settings, StoreId, Stores};
use admission::Admission;
use bellwether_core::{Id, ListVersion, Signal};
use connection::{Connection, Stage};
use diagnosis::Diagnosis;
use event_queue::EventQueue;
use faults::CutLinks;
use link::Trouble;
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use peers::Member;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use resolve::Resolver;
use ring::rand::SecureRandom;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use timeouts::Timeouts;
use tls::Guard;
use traffic::Patience;
use wire::{Frame, Hello, Reason};

pub use interface::{CloseReason, Incoming, NetworkError, Outgoing, Party};
pub use traffic::{Tally, Traffic};

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
/// Connections' tokens begin here.
const FIRST_LINK: usize = 2;

/// The connections with all other members.
pub struct Network {
    poll: Poll,
    ready: Events,
    waker: Arc<Waker>,
    listener: TcpListener,
    local: SocketAddr,
    /// When to accept again: at once if a caller may be waiting, later if the system has run out of something.
    accept_at: Option<Instant>,
    /// Limits for connections of clients that have not proved to be members.
    admission: Admission,
    timeouts: Timeouts,
    diagnosis: Diagnosis,
    guard: Guard,
    me: Id,
    cluster: String,
    config: ClusterConfig,
    incarnation: Incarnation,
    /// Which store this member votes from.
    store: StoreId,
    /// Nothing was ever saved in it.
    is_new: bool,
    /// Which list of voters names it, if this member has such a list.
    named_in: Option<ListVersion>,
    commitment: Option<[u8; 32]>,
    members: Vec<Member>,
    connections: Vec<Option<Connection>>,
    /// The connection that is read next.
    turn: usize,
    /// Events that are no messages of peers.
    pending: EventQueue,
    resolver: Resolver,
    random: Xoshiro256PlusPlus,
    /// How many more reports may be made, of strangers and of members.
    patience: [Patience; 2],
    /// The last report about a stranger.
    last_stranger: Option<(IpAddr, String)>,
    /// What went over connections that are gone.
    tally: Tally,
    cut: CutLinks,
}

impl Network {
    /// Listens, and begins to dial all others, for this start of the member. A member with another configuration is
    /// refused, and so is one with another store than it had before.
    ///
    /// # Errors
    /// [`NetworkError`] says what cannot be had.
    pub fn open(
        settings: &Settings,
        config: ClusterConfig,
        incarnation: Incarnation,
        stores: &Stores,
    ) -> Result<Network, NetworkError> {
        let guard = Guard::new(settings)?;
        let own = settings.members.iter().find(|member| member.id == settings.me);
        let address = settings.listen.as_deref().or(own.map(|own| &*own.address)).unwrap_or("0.0.0.0:0");
        let mut listener =
            admission::listen(address).map_err(|error| NetworkError::Listen(address.into(), error))?;
        let poll = Poll::new()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let now = Instant::now();
        let others = settings.members.iter().filter(|member| member.id != settings.me);
        let timeouts = Timeouts::new(settings.profile.delay_bound, others.clone().count());
        Ok(Network {
            poll,
            ready: Events::with_capacity(64),
            resolver: Resolver::new(Arc::clone(&waker)),
            waker,
            local: listener.local_addr()?,
            listener,
            accept_at: Some(now),
            admission: Admission::new(others.clone().count(), now),
            timeouts,
            diagnosis: Diagnosis::new(),
            guard,
            me: settings.me,
            cluster: settings.cluster.clone(),
            config,
            incarnation,
            store: stores.own,
            is_new: stores.is_new,
            named_in: None,
            commitment: settings.commitment,
            members: others
                .map(|it| Member::new(it.id, it.address.clone(), (timeouts.pause, now), stores))
                .collect(),
            connections: Vec::new(),
            turn: 0,
            pending: EventQueue::default(),
            random: Xoshiro256PlusPlus::seed_from_u64(settings.seed.unwrap_or_else(drawn)),
            patience: [Patience::new(now), Patience::new(now)],
            last_stranger: None,
            tally: Tally::default(),
            cut: CutLinks::default(),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        self.local
    }

    /// Ends a [`Network::wait`] from any thread.
    #[must_use]
    pub fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.waker)
    }

    /// Queues something for a peer. It goes out with the next [`Network::flush`]. `false` if it is lost: there is no
    /// connection, or so much waits on it already that it is given up, or the message is longer than 16 KiB.
    pub fn send(&mut self, to: Id, what: Outgoing<'_>) -> bool {
        let frame = match what {
            Outgoing::Message(bytes) => Frame::Message(bytes),
            Outgoing::Signal(signal) => Frame::Signal(signal),
            Outgoing::Ready(term) => Frame::Ready(term),
            Outgoing::Farewell => Frame::Farewell(Reason::Leaving),
        };
        let Some(at) = self.member(to).and_then(|member| member.up) else { return false };
        let Some(connection) = &mut self.connections[at] else { return false };
        let is_queued = connection.link.queue(&frame);
        if connection.link.is_full() {
            self.drop_connection(at, CloseReason::Stalled);
            return false;
        }
        is_queued
    }

    /// Writes what was queued.
    pub fn flush(&mut self) {
        let now = Instant::now();
        for at in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[at] else { continue };
            if connection.stage == Stage::Leaving || !connection.link.is_waiting() {
                continue;
            }
            if connection.link.flush(now).is_err() {
                // What the peer sent last is still read: that finds the end, too.
                connection.link.readable = true;
                if connection.stage != Stage::Up {
                    self.fail(at, Trouble::Closed);
                }
            }
        }
    }

    /// What has come in. Ask until there is nothing.
    #[allow(clippy::should_implement_trait)] // it lends: no iterator can
    pub fn next(&mut self) -> Option<Incoming<'_>> {
        loop {
            if let Some(happened) = self.pending.pop() {
                return Some(happened);
            }
            let Some((at, peer, frame)) = self.take() else {
                return self.pending.pop();
            };
            match frame {
                Frame::Message(place) => {
                    let bytes = self.connections[at].as_ref()?.link.bytes(place);
                    return Some(Incoming::Message { peer, bytes });
                }
                Frame::Signal(signal) => return Some(Incoming::Signal { peer, signal }),
                Frame::Ready(term) => return Some(Incoming::Ready { peer, term }),
                Frame::Farewell(_) => self.drop_connection(at, CloseReason::Farewell),
                Frame::Superseded(by) => self.superseded(at, by),
                Frame::OtherStore => _ = self.has_other_store(at),
                Frame::Hello(_) | Frame::Welcome => self.drop_connection(at, CloseReason::Malformed),
            }
        }
    }

    /// The next signal of any peer that no other frame is before: for a caller that cannot take messages at the moment.
    pub fn next_signal(&mut self) -> Option<(Id, Signal)> {
        self.connections.iter_mut().flatten().find_map(|connection| {
            match (connection.stage, connection.peer) {
                (Stage::Up, Some(peer)) => connection.link.take_signal().map(|signal| (peer, signal)),
                _ => None,
            }
        })
    }

    /// The next frame of any peer, in turn.
    fn take(&mut self) -> Option<(usize, Id, Frame<Range<usize>>)> {
        let (first, count) = (self.turn, self.connections.len());
        for at in (0..count).map(|step| (first + step) % count) {
            let Some(connection) = &mut self.connections[at] else { continue };
            let (Stage::Up, Some(peer)) = (connection.stage, connection.peer) else { continue };
            match connection.link.take() {
                Ok(None) => {}
                Ok(Some(frame)) => {
                    self.turn = at + 1;
                    return Some((at, peer, frame));
                }
                Err(trouble) => {
                    let why = match trouble {
                        Trouble::Closed => CloseReason::Closed,
                        Trouble::Silent => CloseReason::Stalled,
                        Trouble::Tls(_) | Trouble::Malformed(_) => CloseReason::Malformed,
                    };
                    self.drop_connection(at, why);
                }
            }
        }
        None
    }

    /// Ends the connection with a peer that sent malformed bytes.
    pub fn reject(&mut self, peer: Id) {
        if let Some(at) = self.member(peer).and_then(|member| member.up) {
            self.drop_connection(at, CloseReason::Malformed);
        }
    }

    /// From now on this peer is dialled there.
    pub fn set_address(&mut self, id: Id, address: String) {
        let now = Instant::now();
        if let Some(member) = self.member_mut(id) {
            member.move_to(address, now);
        }
    }

    /// Whether there is a connection with it.
    #[must_use]
    pub fn is_connected(&self, id: Id) -> bool {
        self.member(id).is_some_and(|member| member.up.is_some())
    }

    /// What went over the network so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic {
            total: self.tally,
            peers: self.members.iter().map(|member| (member.id, member.tally)).collect(),
        };
        for connection in self.connections.iter().flatten() {
            traffic.total.add(connection.link.tally);
            let peer = traffic.peers.iter_mut().find(|(id, _)| connection.peer == Some(*id));
            if let Some((_, tally)) = peer {
                tally.add(connection.link.tally);
            }
        }
        traffic
    }

    fn member(&self, id: Id) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    fn member_mut(&mut self, id: Id) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == id)
    }

    /// Reports a refused connection, unless there are too many reports.
    fn complain(&mut self, from: Party, why: String) {
        // A refused client comes again, from another port: one report is enough.
        let is_new = match from {
            Party::Member(id) => self.member_mut(id).is_none_or(|member| {
                let last = std::mem::replace(&mut member.complaint, why.clone());
                last != why
            }),
            Party::Address(address) => {
                let said = Some((address.ip(), why.clone()));
                std::mem::replace(&mut self.last_stranger, said.clone()) != said
            }
        };
        if !is_new {
            return;
        }
        if self.patience[usize::from(matches!(from, Party::Member(_)))].allows(Instant::now()) {
            self.pending.push(Incoming::Refused { from, why });
        }
    }
}

/// A seed from the machine's randomness.
fn drawn() -> u64 {
    let mut bytes = [0; 8];
    // Only jitter comes of it: if the system has no randomness, any number will do.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
