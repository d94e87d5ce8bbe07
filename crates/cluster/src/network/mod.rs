//! One authenticated connection with each other member, driven by one poll in the caller's thread.
//!
//! The caller's loop: [`Network::wait`]; then [`Network::next`] until there is nothing, with [`Network::send`] and one
//! [`Network::flush`] for each input; and again. Who stops asking for a while holds up the senders, and loses nothing:
//! what it does not ask for stays in the sockets. `wait` does not return for what was left there, so ask until there
//! is nothing before waiting for more. Between two waits so much is read from each connection and no more: nobody keeps
//! the caller from the rest of its work.
//!
//! Of one peer, what comes is `Up`, then whatever it says, then `Down` or `Dead`, and so on; `Dead` also comes for one
//! that is down. (Who does not ask for very long misses who came and went meanwhile, but not who is there.) Between two
//! members the one with the smaller id decides which connection is theirs (`Welcome`), so both always mean the same one,
//! and what one sends after its `Up` the other gets after its own, unless the connection breaks.

mod budget;
mod diagnosis;
mod dial;
mod door;
mod greet;
mod happened;
mod link;
mod pace;
mod peers;
mod refusal;
mod resolve;
mod secure;
mod tally;
mod tend;
mod vetting;
pub mod wire;
mod words;

use crate::{Incarnation, LinkFilter, Settings, StoreId, Stores, Terms};
use bellwether_core::{Id, ListVersion, Signal};
use diagnosis::Diagnosis;
use door::{Caller, Door};
use happened::Happened;
use link::{Link, Trouble};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use pace::Pace;
use peers::{Greeting, Member};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use resolve::Resolver;
use ring::rand::SecureRandom;
use secure::Guard;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tally::Patience;
use wire::{Frame, Hello, Reason};

pub use tally::{Tally, Traffic};
pub use words::{Ended, Incoming, NetworkError, Outgoing, Party};

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
    /// When to accept again: at once if somebody may be waiting, later if the system has run out of something.
    accept_at: Option<Instant>,
    /// What there is for connections that are nobody's yet.
    door: Door,
    pace: Pace,
    diagnosis: Diagnosis,
    guard: Guard,
    me: Id,
    cluster: String,
    terms: Terms,
    incarnation: Incarnation,
    /// Which store this member votes from.
    store: StoreId,
    /// Nothing was ever saved in it.
    is_new: bool,
    /// Which list of voters names it, if this member has such a list.
    named_in: Option<ListVersion>,
    commitment: Option<[u8; 32]>,
    members: Vec<Member>,
    lines: Vec<Option<Line>>,
    /// Whose turn it is to be read from.
    turn: usize,
    /// What has happened besides what peers said.
    happened: Happened,
    resolver: Resolver,
    random: Xoshiro256PlusPlus,
    /// How many more complaints may be made, of strangers and of members.
    patience: [Patience; 2],
    /// What was last wrong with a stranger.
    last_stranger: Option<(IpAddr, String)>,
    /// What went over connections that are gone.
    tally: Tally,
    /// Decides which links are open, if not all are.
    filter: Option<Box<dyn LinkFilter>>,
}

/// A connection and how far it has come.
struct Line {
    link: Link,
    stage: Stage,
    /// When it came to this stage.
    since: Instant,
    address: SocketAddr,
    /// Who was dialled, if we did.
    dialled: Option<Id>,
    /// Who dialled us, if we did not.
    caller: Option<Caller>,
    /// With whom it is: who was dialled, or who said Hello.
    peer: Option<Id>,
    /// The peer's Hello.
    greeting: Option<Greeting>,
    /// The whole Hello, while it is not known whether the peer's store is accepted.
    vetted: Option<Box<Hello>>,
}

impl Line {
    /// Whether somebody has taken up, so that something may have been said.
    fn has_begun(&self) -> bool {
        !matches!(self.stage, Stage::Connecting | Stage::Overdue)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// We dialled, and nobody has taken up yet.
    Connecting,
    /// The same for so long that we dial again. If this one is taken up first, it is used: a slow network is no cut.
    Overdue,
    /// Somebody dialled us, and waits to be heard.
    Arriving,
    /// TLS if any, then the peer's Hello.
    Greeting,
    /// The peer votes from a store that is not known: the caller is to say whether it is accepted.
    Vetting,
    /// Both have said Hello, and the smaller id, which is the peer's, has the word.
    Hoping,
    /// The connection with this peer.
    Up,
    /// A supervisor brings an obituary.
    Obituary,
    /// All is said; what comes is thrown away until the other side closes too.
    Leaving,
    /// The link with the caller is closed: the caller hears nothing.
    Filtered,
}

impl Network {
    /// Listens, and begins to dial all others, for this start of the member. A member with another configuration is
    /// refused, and so is one with another store than it had before.
    ///
    /// # Errors
    /// [`NetworkError`] says what cannot be had.
    pub fn open(
        settings: &Settings,
        terms: Terms,
        incarnation: Incarnation,
        stores: &Stores,
    ) -> Result<Network, NetworkError> {
        let guard = Guard::new(settings)?;
        let own = settings.members.iter().find(|member| member.id == settings.me);
        let address = settings.listen.as_deref().or(own.map(|own| &*own.address)).unwrap_or("0.0.0.0:0");
        let mut listener =
            door::listen(address).map_err(|error| NetworkError::Listen(address.into(), error))?;
        let poll = Poll::new()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let now = Instant::now();
        let others = settings.members.iter().filter(|member| member.id != settings.me);
        let pace = Pace::new(settings.profile.delay_bound, others.clone().count());
        Ok(Network {
            poll,
            ready: Events::with_capacity(64),
            resolver: Resolver::new(Arc::clone(&waker)),
            waker,
            local: listener.local_addr()?,
            listener,
            accept_at: Some(now),
            door: Door::new(others.clone().count(), now),
            pace,
            diagnosis: Diagnosis::new(),
            guard,
            me: settings.me,
            cluster: settings.cluster.clone(),
            terms,
            incarnation,
            store: stores.own,
            is_new: stores.is_new,
            named_in: None,
            commitment: settings.commitment,
            members: others
                .map(|it| Member::new(it.id, it.address.clone(), (pace.pause, now), stores))
                .collect(),
            lines: Vec::new(),
            turn: 0,
            happened: Happened::default(),
            random: Xoshiro256PlusPlus::seed_from_u64(settings.seed.unwrap_or_else(drawn)),
            patience: [Patience::new(now), Patience::new(now)],
            last_stranger: None,
            tally: Tally::default(),
            filter: None,
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

    /// Says something to a peer. It goes out with the next [`Network::flush`]. `false` if it is lost: there is no
    /// connection, or so much waits on it already that it is given up, or the message is longer than 16 KiB.
    pub fn send(&mut self, to: Id, what: Outgoing<'_>) -> bool {
        let frame = match what {
            Outgoing::Message(bytes) => Frame::Message(bytes),
            Outgoing::Signal(signal) => Frame::Signal(signal),
            Outgoing::Ready(term) => Frame::Ready(term),
            Outgoing::Farewell => Frame::Farewell(Reason::Leaving),
        };
        let Some(at) = self.member(to).and_then(|member| member.up) else { return false };
        let Some(line) = &mut self.lines[at] else { return false };
        let is_queued = line.link.queue(&frame);
        if line.link.is_full() {
            self.drop_line(at, Ended::Stalled);
            return false;
        }
        is_queued
    }

    /// Writes what was queued.
    pub fn flush(&mut self) {
        let now = Instant::now();
        for at in 0..self.lines.len() {
            let Some(line) = &mut self.lines[at] else { continue };
            if line.stage == Stage::Leaving || !line.link.is_waiting() {
                continue;
            }
            if is_closed(&self.filter, line.peer) {
                line.link.hold(now);
            } else if line.link.flush(now).is_err() {
                // Whatever it said last is still read: that finds the end, too.
                line.link.readable = true;
                if line.stage != Stage::Up {
                    self.fail(at, Trouble::Closed);
                }
            }
        }
    }

    /// What has come in. Ask until there is nothing.
    #[allow(clippy::should_implement_trait)] // it lends: no iterator can
    pub fn next(&mut self) -> Option<Incoming<'_>> {
        loop {
            if let Some(happened) = self.happened.pop() {
                return Some(happened);
            }
            let Some((at, peer, frame)) = self.take() else {
                return self.happened.pop();
            };
            match frame {
                Frame::Message(place) => {
                    let bytes = self.lines[at].as_ref()?.link.bytes(place);
                    return Some(Incoming::Message { peer, bytes });
                }
                Frame::Signal(signal) => return Some(Incoming::Signal { peer, signal }),
                Frame::Ready(term) => return Some(Incoming::Ready { peer, term }),
                Frame::Farewell(_) => self.drop_line(at, Ended::Farewell),
                Frame::Superseded(by) => self.superseded(at, by),
                Frame::OtherStore => _ = self.has_other_store(at),
                Frame::Hello(_) | Frame::Welcome => self.drop_line(at, Ended::Malformed),
            }
        }
    }

    /// The next signal of any peer that no other frame is before: for a caller that cannot take messages at the moment.
    pub fn next_signal(&mut self) -> Option<(Id, Signal)> {
        self.lines.iter_mut().flatten().find_map(|line| match (line.stage, line.peer) {
            (Stage::Up, Some(peer)) if !is_closed(&self.filter, Some(peer)) => {
                line.link.take_signal().map(|signal| (peer, signal))
            }
            _ => None,
        })
    }

    /// The next frame of any peer, all having their turn.
    fn take(&mut self) -> Option<(usize, Id, Frame<Range<usize>>)> {
        let (first, count) = (self.turn, self.lines.len());
        for at in (0..count).map(|step| (first + step) % count) {
            let Some(line) = &mut self.lines[at] else { continue };
            let (Stage::Up, Some(peer)) = (line.stage, line.peer) else { continue };
            if is_closed(&self.filter, Some(peer)) {
                continue;
            }
            match line.link.take() {
                Ok(None) => {}
                Ok(Some(frame)) => {
                    self.turn = at + 1;
                    return Some((at, peer, frame));
                }
                Err(trouble) => {
                    let why = match trouble {
                        Trouble::Closed => Ended::Closed,
                        Trouble::Silent => Ended::Stalled,
                        Trouble::Tls(_) | Trouble::Malformed(_) => Ended::Malformed,
                    };
                    self.drop_line(at, why);
                }
            }
        }
        None
    }

    /// Ends the connection with a peer that said what nobody understands.
    pub fn reject(&mut self, peer: Id) {
        if let Some(at) = self.member(peer).and_then(|member| member.up) {
            self.drop_line(at, Ended::Malformed);
        }
    }

    /// From now on this peer is dialled there.
    pub fn set_address(&mut self, id: Id, address: String) {
        let now = Instant::now();
        if let Some(member) = self.member_mut(id) {
            member.move_to(address, now);
        }
    }

    /// From now on this decides which links are open. Without a filter all are.
    pub fn set_link_filter(&mut self, filter: Option<Box<dyn LinkFilter>>) {
        self.filter = filter;
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
        for line in self.lines.iter().flatten() {
            traffic.total.add(line.link.tally);
            let peer = traffic.peers.iter_mut().find(|(id, _)| line.peer == Some(*id));
            if let Some((_, tally)) = peer {
                tally.add(line.link.tally);
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

    /// Forgets a connection, and says so if it was up.
    fn drop_line(&mut self, at: usize, why: Ended) {
        if let Some(peer) = self.release(at) {
            self.happened.push(Incoming::Down { peer, why });
        }
    }

    /// Forgets a connection, and tries the next address if we dialled it in vain. Whose it was, if it was up.
    fn release(&mut self, at: usize) -> Option<Id> {
        let peer = self.unseat(at);
        let mut line = self.lines.get_mut(at)?.take()?;
        let _ = self.poll.registry().deregister(&mut line.link.stream);
        self.tally.add(line.link.tally);
        if let Some(member) = line.peer.and_then(|peer| self.member_mut(peer)) {
            member.tally.add(line.link.tally);
        }
        if let (None, Some(dialled)) = (peer, line.dialled.filter(|_| line.stage != Stage::Overdue)) {
            self.dial_next(dialled);
        }
        peer
    }

    /// This connection is no longer the peer's, if it was. Whose it was.
    fn unseat(&mut self, at: usize) -> Option<Id> {
        let member = self.members.iter_mut().find(|member| member.up == Some(at))?;
        member.up = None;
        member.back_off(Instant::now(), &mut self.random);
        Some(member.id)
    }

    /// For the log, if it is not too much.
    fn complain(&mut self, from: Party, why: String) {
        // Who is turned away comes again, from another port: once said is enough.
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
            self.happened.push(Incoming::Refused { from, why });
        }
    }
}

/// Whether a filter closes the link with the peer of a connection, if that is known.
fn is_closed(filter: &Option<Box<dyn LinkFilter>>, peer: Option<Id>) -> bool {
    filter.as_ref().zip(peer).is_some_and(|(filter, peer)| !filter.is_open(peer))
}

/// A seed from the machine's randomness.
fn drawn() -> u64 {
    let mut bytes = [0; 8];
    // Only jitter comes of it: if the system has no randomness, any number will do.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
