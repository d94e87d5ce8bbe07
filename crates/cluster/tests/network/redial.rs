//! How soon a member dials again when nothing answers, and when a peer refuses.

use crate::bench::{Heard, Node, id, settings, until};
use bellwether_cluster::Profile;
use bellwether_core::Span;
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A listener whose queue is full: the system drops every SYN that comes to it.
struct Deaf {
    listener: TcpListener,
    queue: Vec<TcpStream>,
}

impl Deaf {
    fn new() -> Deaf {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let queue = vec![TcpStream::connect(listener.local_addr().unwrap()).unwrap()];
        Deaf { listener, queue }
    }

    fn place(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    /// The ports from which connections are being tried: those that have sent a SYN and heard nothing.
    fn tried_from(&self) -> BTreeSet<u16> {
        let connections = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let port = |field: &str| u16::from_str_radix(field.rsplit_once(':').unwrap().1, 16).unwrap();
        let fields =
            connections.lines().skip(1).map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
        let syn_sent = fields.filter(|it| it[3] == "02" && port(it[2]) == self.place().port());
        syn_sent.map(|it| port(it[1])).collect()
    }
}

/// TCP repeats a SYN after a second, and an attempt lives no longer than that.
#[test]
fn a_lost_syn_is_followed_by_others_before_tcp_repeats_it() {
    let deaf = Deaf::new();
    let mut node = Node::open(&settings(1, 2), 1);
    node.network.set_address(id(2), deaf.place().to_string());
    let (mut first, mut seen) = (0, BTreeSet::new());
    until(&mut [node], "three attempts beside one that still waits", |_| {
        let tried = deaf.tried_from();
        if !tried.contains(&first) {
            (first, seen) = (tried.first().copied().unwrap_or_default(), BTreeSet::new());
        }
        seen.extend(tried);
        seen.len() > 3
    });
}

/// An answer may take two delay bounds, here two seconds. TCP itself keeps trying.
#[test]
fn attempt_on_a_slow_network_lives_for_longer_than_a_second() {
    let deaf = Deaf::new();
    let mut slow = settings(1, 2);
    slow.profile.delay_bound = Span::from_ticks(1_000_000);
    let mut node = Node::open(&slow, 1);
    node.network.set_address(id(2), deaf.place().to_string());
    let (begin, mut first) = (Instant::now(), None);
    until(&mut [node], "two and a half seconds", |_| {
        let tried = deaf.tried_from();
        first = first.or(tried.first().copied());
        assert!(first.is_none_or(|first| tried.contains(&first)), "it was given up");
        first.is_some() && begin.elapsed() > Duration::from_millis(2_500)
    });
}

/// A cut of any length ends so: the first attempt that gets through is used.
#[test]
fn a_member_is_reached_as_soon_as_it_can_be() {
    let all = [settings(1, 2), settings(2, 2)];
    let mut deaf = Deaf::new();
    let mut node = Node::open(&all[0], 1);
    node.network.set_address(id(2), deaf.place().to_string());
    let mut nodes = [node];
    until(&mut nodes, "an attempt", |_| !deaf.tried_from().is_empty());
    deaf.queue.clear();
    deaf.listener.set_nonblocking(true).unwrap();
    let mut taken_up = Vec::new();
    until(&mut nodes, "a connection", |_| {
        taken_up.extend(deaf.listener.accept().ok());
        taken_up.len() > 1 // the first is what filled the queue
    });
    let [mut node] = nodes;
    let other = Node::open(&all[1], 1);
    node.knows(&other, 2);
    drop((deaf, taken_up));
    until(&mut [node, other], "the member", |nodes| nodes[0].has(&Heard::Up(2, 1)));
}

/// How often a member dials within 0.8 s where this is done to each of its connections. Its pauses are the shortest.
fn dials(answer: impl Fn(&mut TcpStream)) -> usize {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut settings = settings(2, 2);
    settings.profile = Profile::FAST;
    let mut node = Node::open(&settings, 1);
    node.network.set_address(id(1), listener.local_addr().unwrap().to_string());
    listener.set_nonblocking(true).unwrap();
    let (begin, mut count) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_millis(800) {
        node.step();
        while let Ok((mut stream, _)) = listener.accept() {
            // What has come is read, or the answer would be lost with it.
            node.step();
            stream.set_nonblocking(true).unwrap();
            let _ = stream.read(&mut [0; 65_536]);
            answer(&mut stream);
            count += 1;
        }
    }
    count
}

#[test]
fn peer_that_refuses_is_dialled_once_a_second_and_one_that_hangs_up_at_once() {
    let refuses = dials(|stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap());
    assert!((1..=2).contains(&refuses), "{refuses}");
    let hangs_up = dials(|_| ());
    assert!(hangs_up > 10, "{hangs_up}");
}
