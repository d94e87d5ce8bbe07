//! Connections of clients that have not proved to be members: how many there may be, which go when there are too many,
//! and how much of the member's time they may take.
//!
//! A caller passes two rooms of the same size. In the first it waits to be heard, and in the second, where a handshake
//! has begun, to introduce itself. A caller that sends late loses its place to one that has sent, and an address
//! with many connections loses to one with few. The addresses of members have a part of each
//! room, and a share of the time, of their own.

use super::budget::Budget;
use super::{Network, Party, Stage};
use mio::net::{TcpListener, TcpStream};
use rand::RngExt as _;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::cmp::Reverse;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::time::{Duration, Instant};

/// How many callers a room holds at the most, and at the least.
const ROOM: (usize, usize) = (128, 4);
/// The application's own descriptors, the disk's, and the system's.
const DESCRIPTORS: u64 = 32;
/// How many descriptors a peer may take: a connection, an attempt that waits and one that is new.
const OF_A_PEER: u64 = 3;
/// How many connections wait to be accepted: more than come in a tenth of a second.
const QUEUE: i32 = 1024;
/// How many are accepted before other work has its turn.
const AT_ONCE: usize = 16;
/// How long to leave callers waiting when the system has no descriptors for them.
const NO_DESCRIPTORS: Duration = Duration::from_millis(100);
/// For how long rooms stay smaller after the system had no descriptors.
const SHORTAGE: Duration = Duration::from_secs(5);
/// How much of the time accepting may take, handshakes of strangers, and those of callers from members' addresses.
const ACCEPTING: f64 = 0.2;
const HANDSHAKES: [f64; 2] = [0.05, 0.2];

/// The limits for callers.
pub(super) struct Admission {
    room: usize,
    /// How many other members there are.
    others: usize,
    /// When the rooms have their full size again, if the system has run out of descriptors.
    recovers_at: Option<Instant>,
    hasher: RandomState,
    accepting: Budget,
    /// For strangers, and for callers from members' addresses.
    handshakes: [Budget; 2],
}

/// A client that dialled this member, as far as can be told before it has proved anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    /// A hash of its address: few other addresses have the same.
    origin: u8,
    /// It comes from a member's address.
    is_member_s: bool,
    /// It has begun TLS.
    pub has_spoken: bool,
}

impl Caller {
    pub fn speaks(&mut self) {
        self.has_spoken = true;
    }

    fn budget(self) -> usize {
        usize::from(self.is_member_s)
    }
}

/// Where a caller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// It waits to be heard.
    First,
    /// It is to introduce itself, or is on its way out.
    Second,
}

/// A caller in a room, and in which order such callers go: the greatest first.
#[derive(Clone, Copy, Debug)]
struct Present {
    at: usize,
    caller: Caller,
    goes: (bool, u16, Reverse<Instant>),
}

impl Admission {
    /// For so many other members.
    pub fn new(others: usize, now: Instant) -> Admission {
        let handshakes = HANDSHAKES.map(|share| Budget::new(share, now));
        let (hasher, accepting) = (RandomState::new(), Budget::new(ACCEPTING, now));
        Admission { room: room_now(others), others, recovers_at: None, hasher, accepting, handshakes }
    }

    /// The process has no descriptors left: others than callers need them for now.
    fn shrink(&mut self, now: Instant) {
        self.room = (self.room / 2).max(ROOM.1);
        self.recovers_at = Some(now + SHORTAGE);
    }

    /// The shortage may be over, and the limit another than before.
    fn recover(&mut self, now: Instant) {
        if self.recovers_at.take_if(|at| *at <= now).is_some() {
            self.room = room_now(self.others);
        }
    }

    /// All addresses that one client may have are one: an IPv6 network is given out whole.
    fn origin(&self, address: IpAddr) -> u8 {
        let client = match address.to_canonical() {
            IpAddr::V6(it) => IpAddr::V6(Ipv6Addr::from_bits(it.to_bits() & !u128::from(u64::MAX))),
            it @ IpAddr::V4(_) => it,
        };
        self.hasher.hash_one(client) as u8
    }
}

/// The first of the places that the name stands for where one can listen.
pub(super) fn listen(address: &str) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name leads nowhere");
    for address in address.to_socket_addrs()? {
        match TcpListener::bind(address) {
            Ok(listener) => {
                // While a flood is dealt with, connections wait here: the system drops what it has no room for.
                rustix::net::listen(&listener, QUEUE)?;
                return Ok(listener);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// How many callers a room may hold by the limit that the process has now.
fn room_now(others: usize) -> usize {
    room(getrlimit(Resource::Nofile).current, others as u64)
}

/// How many callers a room may hold if the process may have so many descriptors. Half of those that it does not need for
/// peers and disk are left for the application.
fn room(descriptors: Option<u64>, others: u64) -> usize {
    let (most, least) = ROOM;
    let Some(descriptors) = descriptors else { return most };
    let free = descriptors.saturating_sub(DESCRIPTORS + OF_A_PEER * others);
    usize::try_from(free / 4).unwrap_or(most).clamp(least, most)
}

/// How many come from each origin.
fn crowds(present: impl Iterator<Item = Present>) -> [u16; 256] {
    let mut crowds = [0; 256];
    present.for_each(|it| crowds[usize::from(it.caller.origin)] += 1);
    crowds
}

/// The caller that leaves a room of this size, if it is too full: one of the origin with the most callers there. A member's
/// address does not count until it has a quarter of the room.
fn leaves(room: usize, present: impl Iterator<Item = Present> + Clone) -> Option<usize> {
    if present.clone().count() <= room {
        return None;
    }
    let crowds = crowds(present.clone());
    let weight = |caller: Caller| match usize::from(crowds[usize::from(caller.origin)]) {
        crowd if caller.is_member_s && crowd <= room / 4 => 0,
        crowd => crowd,
    };
    present.max_by_key(|it| (weight(it.caller), it.goes)).map(|it| it.at)
}

/// The caller that is read next: one of the origin with the fewest callers waiting.
fn is_next(present: impl Iterator<Item = Present> + Clone) -> Option<usize> {
    let crowds = crowds(present.clone());
    present.min_by_key(|it| (crowds[usize::from(it.caller.origin)], it.goes)).map(|it| it.at)
}

impl Network {
    /// Takes up callers, as long as there is time for it. Those that are not taken up wait in the system's queue.
    pub(super) fn accept(&mut self, now: Instant) {
        if self.accept_at.is_none_or(|at| at > now) {
            return;
        }
        let begun = Instant::now();
        self.admission.recover(begun);
        if !self.admission.accepting.allows(now) {
            self.accept_at = Some(self.admission.accepting.allows_at());
            return;
        }
        // A client that comes meanwhile is not forgotten: only an empty queue clears the time.
        for _ in 0..AT_ONCE {
            match self.listener.accept() {
                Ok((stream, address)) => self.take_up(stream, address),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.accept_at = None;
                    break;
                }
                Err(error) => {
                    // The client has gone, or there are no descriptors: see whether there are other clients, but not for ever.
                    self.accept_at = Some(now + NO_DESCRIPTORS);
                    if [Errno::MFILE, Errno::NFILE]
                        .iter()
                        .any(|it| error.raw_os_error() == Some(it.raw_os_error()))
                    {
                        self.admission.shrink(begun);
                        self.make_room();
                        break;
                    }
                }
            }
        }
        self.admission.accepting.spend(begun.elapsed());
    }

    fn take_up(&mut self, stream: TcpStream, address: SocketAddr) {
        let caller = Caller {
            origin: self.admission.origin(address.ip()),
            is_member_s: self.members.iter().any(|member| member.may_be_at(address.ip())),
            has_spoken: false,
        };
        let Ok(at) = self.add_connection(stream, address, Err(caller)) else { return };
        if let Some(connection) = &mut self.connections[at] {
            // The first bytes often come with the connection, and an answer goes out at once.
            (connection.link.readable, connection.link.writable) = (true, true);
        }
        self.advance(at);
        self.make_room();
    }

    /// Drops callers when there are too many.
    fn make_room(&mut self) {
        for room in [Room::First, Room::Second] {
            let draw = self.random.random();
            while let Some(at) = leaves(self.admission.room, self.present(room, draw)) {
                self.release(at);
            }
        }
    }

    /// The callers in a room. From the first room a silent caller is dropped first, and then any, by a random number; from the
    /// second a connection that is closing, and then the oldest.
    fn present(&self, room: Room, draw: u16) -> impl Iterator<Item = Present> + Clone {
        let connections = self
            .connections
            .iter()
            .enumerate()
            .filter_map(|(at, connection)| Some((at, connection.as_ref()?)));
        connections.filter_map(move |(at, connection)| {
            let (caller, first) = (connection.caller?, at as u16 ^ draw);
            let (is_in, goes) = match connection.stage {
                Stage::Up => return None,
                Stage::Arriving => (Room::First, (!caller.has_spoken, first, Reverse(connection.since))),
                stage => (Room::Second, (stage == Stage::Leaving, 0, Reverse(connection.since))),
            };
            (is_in == room).then_some(Present { at, caller, goes })
        })
    }

    /// Begins at most one handshake with a caller from a member's address and one with a stranger, if there is time
    /// for it: between any two of them, messages of members are read.
    pub(super) fn admit(&mut self, now: Instant) {
        for budget in (0..HANDSHAKES.len()).rev() {
            if !self.admission.handshakes[budget].allows(now) {
                continue;
            }
            let draw = self.random.random();
            let Some(at) = is_next(self.callers_that_sent(draw).filter(|it| it.caller.budget() == budget))
            else {
                continue;
            };
            if self.connections[at].as_ref().is_some_and(|connection| connection.link.hung_up) {
                self.give_up_on(at);
                continue;
            }
            self.answer(at);
            self.advance_within_budget(at);
            self.make_room();
        }
    }

    /// The callers that wait for a handshake.
    fn callers_that_sent(&self, draw: u16) -> impl Iterator<Item = Present> + Clone {
        self.present(Room::First, draw).filter(|it| it.caller.has_spoken)
    }

    fn give_up_on(&mut self, at: usize) {
        if let Some(connection) = &self.connections[at] {
            let party = Party::Address(connection.address);
            self.complain(party, "it hung up before it introduced itself".into());
        }
        self.release(at);
    }

    /// When the next handshake can begin, if a caller waits for one.
    pub(super) fn admission_due(&self) -> Option<Instant> {
        self.callers_that_sent(0).map(|it| self.admission.handshakes[it.caller.budget()].allows_at()).min()
    }

    /// Advances a connection. The time of a handshake counts against the budget of its kind of caller.
    pub(super) fn advance_within_budget(&mut self, at: usize) {
        let Some(connection) = &self.connections[at] else { return };
        let is_handshake = connection.stage == Stage::Greeting && connection.link.readable;
        let Some(caller) = connection.caller.filter(|_| is_handshake) else { return self.advance(at) };
        let begun = Instant::now();
        self.advance(at);
        self.admission.handshakes[caller.budget()].spend(begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(origin: u8, is_member_s: bool) -> Caller {
        Caller { origin, is_member_s, has_spoken: true }
    }

    /// Callers in the order in which they came. They go in the reverse order, unless their origin says otherwise.
    fn present(callers: &[Caller]) -> Vec<Present> {
        let now = Instant::now();
        let present = |(at, &caller)| Present { at, caller, goes: (false, at as u16, Reverse(now)) };
        callers.iter().enumerate().map(present).collect()
    }

    fn caller_that_leaves(room: usize, callers: &[Caller]) -> Option<Caller> {
        leaves(room, present(callers).into_iter()).map(|at| callers[at])
    }

    #[test]
    fn one_of_the_address_with_most_connections_leaves_a_full_room() {
        let (many, few) = (caller(7, false), caller(8, false));
        let callers = [many, many, many, few, few];
        assert_eq!(caller_that_leaves(5, &callers), None);
        assert_eq!(caller_that_leaves(4, &callers), Some(many));
        assert_eq!(caller_that_leaves(2, &[many, many, few]), Some(many));
    }

    #[test]
    fn a_member_s_address_keeps_a_quarter_of_the_room_and_no_more() {
        let (stranger, member) = (caller(7, false), caller(8, true));
        let flood =
            |strangers: usize, members: usize| [vec![stranger; strangers], vec![member; members]].concat();
        assert_eq!(caller_that_leaves(16, &flood(13, 4)), Some(stranger));
        assert_eq!(caller_that_leaves(16, &flood(3, 14)), Some(member));
        // Even where each stranger has an address of its own.
        let strangers: Vec<Caller> = (0..100).map(|origin| caller(origin, false)).collect();
        let callers = [strangers, vec![caller(200, true); 4]].concat();
        assert!(caller_that_leaves(103, &callers).is_some_and(|it| !it.is_member_s));
    }

    #[test]
    fn whose_address_has_fewest_waiting_is_heard_next() {
        let callers = [caller(7, false), caller(7, false), caller(8, false), caller(7, false)];
        assert_eq!(is_next(present(&callers).into_iter()), Some(2));
    }

    #[test]
    fn rooms_leave_descriptors_for_peers_the_disk_and_the_application() {
        for (descriptors, others, expected) in [
            (None, 2, 128),
            (Some(20_000), 2, 128),
            (Some(1_024), 99, 128),
            (Some(64), 2, 6),
            (Some(16), 2, 4),
        ] {
            assert_eq!(room(descriptors, others), expected, "{descriptors:?} {others}");
        }
    }

    #[test]
    fn rooms_shrink_while_descriptors_are_short_and_recover_some_seconds_later() {
        let begin = Instant::now();
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut door = Admission::new(2, begin);
        let full = door.room;
        door.shrink(begin);
        door.shrink(after(3));
        assert_eq!(door.room, (full / 4).max(ROOM.1));
        door.recover(after(7));
        assert_eq!(door.room, (full / 4).max(ROOM.1), "the last shortage was 4 s ago");
        door.recover(after(8));
        assert_eq!(door.room, full);
        (0..99).for_each(|_| door.shrink(after(9)));
        assert_eq!(door.room, ROOM.1);
    }

    #[test]
    fn one_client_s_addresses_are_one_origin() {
        let door = Admission::new(2, Instant::now());
        let origin = |address: &str| door.origin(address.parse().unwrap());
        assert_eq!(origin("2001:db8::1"), origin("2001:db8::ffff:1:2"));
        assert_eq!(origin("10.0.0.1"), origin("::ffff:10.0.0.1"));
        let others = (0..64).map(|it| origin(&format!("10.0.0.{it}")));
        assert!(others.collect::<std::collections::BTreeSet<_>>().len() > 32, "hardly any are the same");
    }
}
