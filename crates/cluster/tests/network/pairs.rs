//! Members that find each other, and those that must not.

use crate::bench::{Heard, Node, config, connected, id, introduce, nth_incarnation, settings, stores, until};
use bellwether_cluster::death_certificate::{ACKNOWLEDGED, DeathCertificate, Token, UNKNOWN};
use bellwether_cluster::net::{CloseReason, Network, Outgoing};
use bellwether_cluster::{ClusterConfig, Incarnation, Security, Settings};
use bellwether_core::{Signal, Span};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

fn pair() -> [Settings; 2] {
    [settings(1, 2), settings(2, 2)]
}

#[test]
fn two_and_three_members_connect_and_hear_each_other() {
    for security in [pair()[0].security.clone(), Security::Plaintext] {
        for count in [2, 3] {
            let mut all: Vec<_> = (1..=count).map(|me| settings(me, count)).collect();
            all.iter_mut().for_each(|it| it.security = security.clone());
            let mut nodes = connected(&all);
            for from in 1..=count {
                let node = &mut nodes[from as usize - 1];
                for to in (1..=count).filter(|to| *to != from) {
                    assert!(node.say(to, &[from as u8, to as u8]));
                    assert!(node.network.send(id(to), Outgoing::Signal(Signal::Ping(7))));
                    assert!(node.network.send(id(to), Outgoing::Ready(9)));
                }
            }
            until(&mut nodes, "what each said to each", |nodes| {
                nodes.iter().zip(1..).all(|(node, me)| {
                    (1..=count).filter(|from| *from != me).all(|from| {
                        node.has(&Heard::Message(from, vec![from as u8, me as u8]))
                            && node.has(&Heard::Signal(from, Signal::Ping(7)))
                            && node.has(&Heard::Ready(from, 9))
                    })
                })
            });
            let traffic = nodes[0].network.traffic();
            assert_eq!(traffic.total.connections, count - 1);
            assert!(traffic.peers.iter().all(|(_, tally)| tally.bytes_in > 0 && tally.bytes_out > 0));
        }
    }
}

/// Both dial at the same moment, again and again. Whatever one sends from its `Up` on, the other gets, in order.
#[test]
fn both_members_keep_the_same_of_two_connections_and_lose_nothing() {
    for round in 0..60 {
        let all = pair();
        let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, round + 1)).collect();
        introduce(&all, &mut nodes);
        let mut sent = [0_u8; 2];
        until(&mut nodes, "all that was said", |nodes| {
            for (at, node) in nodes.iter_mut().enumerate() {
                let other = 2 - at as u64;
                if node.network.is_connected(id(other)) && sent[at] < 50 {
                    assert!(node.say(other, &[sent[at]]));
                    sent[at] += 1;
                }
            }
            let is_last =
                |node: &Node| matches!(node.heard.last(), Some(Heard::Message(_, it)) if *it == [49]);
            nodes.iter().all(is_last)
        });
        for (node, other) in nodes.iter().zip([2, 1]) {
            let expected = (0..50).map(|number| Heard::Message(other, vec![number]));
            let expected: Vec<_> = std::iter::once(Heard::Up(other, round + 1)).chain(expected).collect();
            assert_eq!(node.heard, expected);
        }
    }
}

fn turned_away(change: impl Fn(&mut Settings), says: [&str; 2]) {
    let mut all = pair();
    change(&mut all[1]);
    let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
    introduce(&all, &mut nodes);
    until(&mut nodes, "a refusal on both sides", |nodes| {
        nodes[0].was_refused_for(says[0]) && nodes[1].was_refused_for(says[1])
    });
    assert!(!nodes.iter().any(Node::was_ever_up));
}

/// Both derive the same key from it, slowly.
#[test]
fn members_with_the_same_chosen_secret_connect() {
    let mut all = pair();
    all.iter_mut()
        .for_each(|it| it.security = Security::Secret("not much of a secret, but long enough".into()));
    connected(&all);
}

#[test]
fn peer_with_another_secret_or_cluster_or_without_tls_is_refused() {
    let other =
        |it: &mut Settings| it.security = Security::Secret("another secret, just as long as that".into());
    turned_away(other, ["secret", "secret"]);
    turned_away(|it| it.cluster = "returns".into(), ["another cluster", "another cluster"]);
    turned_away(|it| it.security = Security::Plaintext, ["does not speak TLS", "TLS"]);
}

#[test]
fn plaintext_peer_of_another_cluster_is_refused() {
    let mut all = pair();
    all.iter_mut().for_each(|it| it.security = Security::Plaintext);
    all[1].cluster = "returns".into();
    let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
    introduce(&all, &mut nodes);
    until(&mut nodes, "a refusal", |nodes| nodes.iter().all(|node| node.was_refused_for("cluster")));
    assert!(!nodes.iter().any(Node::was_ever_up));
}

/// Both sides say what it is.
#[test]
fn peer_with_another_configuration_is_refused() {
    let all: Vec<Settings> = (1..=2).map(|me| settings(me, 3)).collect();
    let same = config(&all[1]);
    let cases = [
        (ClusterConfig { protocol: "bully/plain".into(), ..same.clone() }, "'bully/plain'"),
        (ClusterConfig { delay_bound: Span::from_ticks(1_000), ..same.clone() }, "delay bound"),
        (
            ClusterConfig { parameters: "renewals=5".to_owned(), ..same.clone() },
            "parameters of quorum-lease/ranked",
        ),
        (ClusterConfig { drift_bound: 500, ..same.clone() }, "drift bound"),
        // The list of one member has grown meanwhile.
        (config(&settings(2, 5)), "1, 2, 3, 4 and 5"),
    ];
    for (others, what) in cases {
        let other = Network::open(&all[1], others, nth_incarnation(1), &stores(2)).unwrap();
        let mut nodes = vec![Node::open(&all[0], 1), Node { network: other, heard: Vec::new() }];
        introduce(&all, &mut nodes);
        until(&mut nodes, what, |nodes| nodes.iter().all(|node| node.was_refused_for(what)));
        assert!(!nodes.iter().any(Node::was_ever_up), "{what}");
    }
}

#[test]
fn garbage_and_oversized_frames_end_only_their_own_connection() {
    let mut all = pair();
    all.iter_mut().for_each(|it| it.security = Security::Plaintext);
    let mut nodes = connected(&all);
    let place = nodes[0].network.local_address();
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[3, 0xff, 0xff],
        &[0x16, 3, 1, 0, 5],
        b"BWOBIS",
        &[1, 4, 0, 0, 0, 0, 0],
    ] {
        let mut stranger = TcpStream::connect(place).unwrap();
        stranger.write_all(garbage).unwrap();
        let _ = stranger.shutdown(std::net::Shutdown::Write);
        stranger.set_read_timeout(Some(std::time::Duration::from_millis(1))).unwrap();
        let mut answer = Vec::new();
        until(&mut nodes, "the end of the stranger", |_| match stranger.read_to_end(&mut answer) {
            Ok(_) => true,
            Err(error) => {
                !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
            }
        });
    }
    assert!(nodes[0].was_refused_for("longer") || nodes[0].was_refused_for("kind"));
    assert!(nodes[1].say(1, b"still here"));
    until(&mut nodes, "a message", |nodes| nodes[0].has(&Heard::Message(2, b"still here".to_vec())));
}

#[test]
fn later_incarnation_replaces_an_earlier_one_and_a_second_process_is_refused() {
    let all = pair();
    let mut nodes = connected(&all);
    // The same member starts again: from its disk, with one boot more.
    let mut again = Node::open(&all[1], 2);
    again.knows(&nodes[0], 1);
    nodes.push(again);
    until(&mut nodes, "the later incarnation", |nodes| nodes[0].has(&Heard::Up(2, 2)));
    assert_eq!(nodes[0].heard, [Heard::Up(2, 1), Heard::Down(2, CloseReason::Superseded), Heard::Up(2, 2)]);
    until(&mut nodes, "word of it", |nodes| nodes[1].has(&Heard::Superseded(Some(2))));
    // A copy of the disk as it was, and a process that lost its disk.
    for boot in [2, 1] {
        let mut copy = Node::open(&all[1], boot);
        copy.network =
            Network::open(&all[1], config(&all[1]), Incarnation { boot, nonce: 5 }, &stores(2)).unwrap();
        copy.knows(&nodes[0], 1);
        nodes.truncate(3);
        nodes.push(copy);
        until(&mut nodes, "its refusal", |nodes| nodes[3].has(&Heard::Superseded(Some(2))));
        assert!(nodes[0].network.is_connected(id(2)));
    }
}

/// Brings a death certificate. Whether note was taken of it; if not, that is said.
fn bring(nodes: &mut [Node], id: bellwether_core::Id, token: &Token) -> bool {
    bring_to("orders", nodes, id, token)
}

fn bring_to(cluster: &str, nodes: &mut [Node], id: bellwether_core::Id, token: &Token) -> bool {
    let certificate = DeathCertificate::new(cluster, id, token.clone());
    let mut supervisor = TcpStream::connect(nodes[0].network.local_address()).unwrap();
    supervisor.write_all(&certificate.encode()).unwrap();
    supervisor.set_read_timeout(Some(std::time::Duration::from_millis(1))).unwrap();
    let mut answer = Vec::new();
    until(nodes, "an answer", |_| supervisor.read_to_end(&mut answer).is_ok());
    match answer[..] {
        [ACKNOWLEDGED] => true,
        [UNKNOWN] => false,
        _ => panic!("it answers {answer:?}"),
    }
}

#[test]
fn only_the_token_of_the_latest_life_proves_a_death() {
    let mut all = pair();
    all.iter_mut().for_each(|it| it.profile.delay_bound = Span::from_ticks(1)); // promises are short
    let (first, second) = (Token::draw().unwrap(), Token::draw().unwrap());
    all[1].commitment = Some(first.commitment().0);
    let mut nodes = connected(&all);
    assert!(!bring(&mut nodes, id(2), &second));
    assert!(!bring(&mut nodes, id(1), &first));
    assert!(!bring_to("returns", &mut nodes, id(2), &first));
    assert!(nodes[0].was_refused_for("another cluster"));
    assert!(nodes[0].network.is_connected(id(2)));
    // A later incarnation: the earlier one's certificate changes nothing now.
    all[1].commitment = Some(second.commitment().0);
    nodes[1] = Node::open(&all[1], 2);
    let first_place = nodes[0].network.local_address().to_string();
    nodes[1].network.set_address(id(1), first_place);
    until(&mut nodes, "the later incarnation", |nodes| nodes[0].has(&Heard::Up(2, 2)));
    assert!(!bring(&mut nodes, id(2), &first));
    assert!(nodes[0].network.is_connected(id(2)));
    // Its own does: its connection is over, nothing of it comes after, and it may not come back.
    nodes[1].say(1, b"last words");
    assert!(bring(&mut nodes, id(2), &second));
    assert_eq!(nodes[0].heard.last(), Some(&Heard::Dead(2, 2)));
    until(&mut nodes, "its refusal", |nodes| nodes[1].has(&Heard::Superseded(None)));
    assert!(bring(&mut nodes, id(2), &second));
    let dead = nodes[0].heard.iter().filter(|heard| **heard == Heard::Dead(2, 2)).count();
    assert_eq!(dead, 1);
}

/// It is not known whether the earlier incarnation is dead: promises to it may hold for 200 delay bounds.
#[test]
fn death_voids_no_promise_to_an_earlier_incarnation() {
    let mut all = pair();
    all.iter_mut().for_each(|it| it.profile.delay_bound = Span::from_ticks(3_000_000)); // promises of ten minutes
    let mut nodes = connected(&all);
    let token = Token::draw().unwrap();
    all[1].commitment = Some(token.commitment().0);
    nodes[1] = Node::open(&all[1], 2);
    let first_place = nodes[0].network.local_address().to_string();
    nodes[1].network.set_address(id(1), first_place);
    until(&mut nodes, "the later incarnation", |nodes| nodes[0].has(&Heard::Up(2, 2)));
    assert!(bring(&mut nodes, id(2), &token), "note is taken");
    assert!(!nodes[0].has(&Heard::Dead(2, 2)));
}

#[test]
fn cut_link_is_silent_and_delivers_waiting_messages_when_it_is_mended() {
    let all = pair();
    let mut nodes = connected(&all);
    nodes[0].network.cut_links([id(2)].into());
    assert!(nodes[0].say(2, b"one") && nodes[1].say(1, b"two"));
    for _ in 0..50 {
        nodes.iter_mut().for_each(Node::step);
    }
    assert!(nodes.iter().all(|node| node.heard.len() == 1), "no end is told, and nothing comes");
    nodes[0].network.cut_links([].into());
    until(&mut nodes, "what was under way", |nodes| {
        nodes[1].has(&Heard::Message(1, b"one".to_vec())) && nodes[0].has(&Heard::Message(2, b"two".to_vec()))
    });
}

/// The delay bound is so long that no time-out passes during the test.
#[test]
fn callers_and_death_certificates_through_a_cut_link_are_not_answered() {
    let mut all = pair();
    all.iter_mut().for_each(|it| it.profile.delay_bound = Span::from_ticks(60_000_000));
    let token = Token::draw().unwrap();
    all[1].commitment = Some(token.commitment().0);
    let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
    nodes[0].network.cut_links([id(2)].into());
    introduce(&all, &mut nodes);
    until(&mut nodes, "member 2's Hello", |nodes| nodes[0].network.traffic().total.frames_in > 0);
    for _ in 0..100 {
        nodes.iter_mut().for_each(Node::step);
    }
    assert!(nodes.iter().all(|node| node.heard.is_empty()), "{:?} {:?}", nodes[0].heard, nodes[1].heard);
    nodes[0].network.cut_links([].into());
    until(&mut nodes, "a connection", |nodes| {
        nodes[0].has(&Heard::Up(2, 1)) && nodes[1].has(&Heard::Up(1, 1))
    });

    nodes[0].network.cut_links([id(2)].into());
    let certificate = DeathCertificate::new("orders", id(2), token.clone()).encode();
    let read_before = nodes[0].network.traffic().total.bytes_in;
    let mut caller = TcpStream::connect(nodes[0].network.local_address()).unwrap();
    caller.set_nonblocking(true).unwrap();
    caller.write_all(&certificate).unwrap();
    until(&mut nodes[..1], "the death certificate", |nodes| {
        nodes[0].network.traffic().total.bytes_in >= read_before + certificate.len() as u64
    });
    for _ in 0..100 {
        nodes[0].step();
    }
    assert_eq!(caller.read(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "no answer");
    assert!(!nodes[0].has(&Heard::Dead(2, 1)));
    nodes[0].network.cut_links([].into());
    assert!(bring(&mut nodes, id(2), &token));
    assert!(nodes[0].has(&Heard::Dead(2, 1)));
}

#[test]
fn a_member_that_moved_is_found_again() {
    let all = pair();
    let mut nodes = connected(&all);
    nodes[1] = Node::open(&all[1], 2);
    let place = nodes[1].network.local_address().to_string();
    nodes[0].network.set_address(id(2), place);
    until(&mut nodes, "the member", |nodes| nodes[0].has(&Heard::Up(2, 2)));
    assert_eq!(nodes[0].heard[1], Heard::Down(2, CloseReason::Closed));
}

#[test]
fn slow_receiver_holds_up_the_sender_and_loses_nothing() {
    let all = pair();
    let mut nodes = connected(&all);
    let big = vec![7; 16 * 1024];
    let mut sent = 0;
    // As much as fits into the sockets, and some of the queue.
    for _ in 0..200 {
        if nodes[0].network.traffic().peers[0].1.bytes_out > 8_000_000 || sent > 150 {
            break;
        }
        assert!(nodes[0].say(2, &big));
        sent += 1;
        nodes[0].step();
        nodes[1].network.wait(Some(std::time::Duration::ZERO)).unwrap();
    }
    until(&mut nodes, "all of it", |nodes| nodes[1].heard.len() == 1 + sent);
    assert!(nodes[1].heard[1..].iter().all(|heard| *heard == Heard::Message(1, big.clone())));
}

#[test]
fn taken_port_is_reported() {
    let first = Node::open(&settings(1, 2), 1);
    let mut second = settings(2, 2);
    second.listen = Some(first.network.local_address().to_string());
    let error = Node::try_open(&second, 1).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is the port taken"), "{error}");
}

/// Passes on what one member says to another, and keeps it.
fn eavesdropper(to: SocketAddr) -> (SocketAddr, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let (mut caller, _) = listener.accept().unwrap();
        let mut callee = TcpStream::connect(to).unwrap();
        let (mut back, mut forth) = (callee.try_clone().unwrap(), caller.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = caller.read(&mut buffer) {
            callee.write_all(&buffer[..count]).unwrap();
            let _ = tell.send(buffer[..count].to_vec());
        }
    });
    (place, told)
}

#[test]
fn replayed_session_is_refused() {
    let all = pair();
    let mut nodes: Vec<Node> = all.iter().map(|it| Node::open(it, 1)).collect();
    let (place, recorded) = eavesdropper(nodes[0].network.local_address());
    nodes[1].network.set_address(id(1), place.to_string());
    until(&mut nodes, "a connection", |nodes| nodes[0].network.is_connected(id(2)));
    until(&mut nodes, "the other end of it", |nodes| nodes[1].network.is_connected(id(1)));
    assert!(nodes[1].say(1, b"once"));
    until(&mut nodes, "a message", |nodes| nodes[0].has(&Heard::Message(2, b"once".to_vec())));
    let mut replay = TcpStream::connect(nodes[0].network.local_address()).unwrap();
    replay.write_all(&recorded.try_iter().flatten().collect::<Vec<u8>>()).unwrap();
    until(&mut nodes, "its refusal", |nodes| nodes[0].was_refused_for("TLS"));
    let heard =
        nodes[0].heard.iter().filter(|it| !matches!(it, Heard::Refused(_))).cloned().collect::<Vec<_>>();
    assert_eq!(heard, [Heard::Up(2, 1), Heard::Message(2, b"once".to_vec())]);
}
