//! How long a network waits for those that say nothing, and how many of them.

use crate::bench::{Heard, Node, connected, settings, until};
use bellwether_cluster::net::CloseReason;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};

/// Clients that connect and send nothing.
struct Silent(TcpStream);

impl Silent {
    fn at(node: &Node) -> Silent {
        let stream = TcpStream::connect(node.network.local_address()).unwrap();
        stream.set_nonblocking(true).unwrap();
        Silent(stream)
    }

    fn is_sent_away(&mut self) -> bool {
        let mut byte = [0];
        match self.0.read(&mut byte) {
            Ok(length) => length == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn silent_clients_are_dropped_so_that_members_come_in() {
    let all = [settings(1, 2), settings(2, 2)];
    let mut node = Node::open(&all[0], 1);
    let come = |_| {
        let silent = Silent::at(&node);
        node.step();
        silent
    };
    let mut silent: Vec<Silent> = (0..300).map(come).collect();
    // Long before anyone's time is up.
    let mut nodes = [node];
    until(&mut nodes, "the end of patience with too many", |_| {
        silent.iter_mut().map(Silent::is_sent_away).filter(|&is_sent_away| is_sent_away).count() >= 300 - 128
    });
    [node] = nodes;
    let mut other = Node::open(&all[1], 1);
    other.knows(&node, 1);
    until(&mut [node, other], "a member's connection", |nodes| {
        nodes.iter().all(|node| node.heard.iter().any(|heard| matches!(heard, Heard::Up(..))))
    });
}

#[test]
fn silent_client_is_dropped() {
    let mut nodes = [Node::open(&settings(1, 2), 1)];
    let mut silent = Silent::at(&nodes[0]);
    until(&mut nodes, "the end of its patience", |_| silent.is_sent_away());
}

#[test]
fn silent_address_of_a_member_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut node = Node::open(&settings(1, 2), 1);
    node.network.set_address(crate::bench::id(2), listener.local_addr().unwrap().to_string());
    let mut taken_up = Vec::new();
    until(&mut [node], "another try", |_| {
        taken_up.extend(listener.accept().ok());
        taken_up.len() > 2
    });
}

/// What it does not take is not kept for it without end, and then it is given up.
#[test]
fn peer_that_no_longer_reads_is_given_up() {
    let mut nodes = connected(&[settings(1, 2), settings(2, 2)]);
    let deaf = nodes.pop().unwrap();
    let (mut sent, mut refused) = (0_u64, false);
    until(&mut nodes, "the end of its patience", |nodes| {
        while !refused && nodes[0].network.is_connected(crate::bench::id(2)) {
            refused = !nodes[0].say(2, &[0; 16_000]);
            sent += 16_000;
        }
        nodes[0].has(&Heard::Down(2, CloseReason::Stalled))
    });
    // The system's buffers on both sides, and ours.
    assert!(sent < 64 << 20, "{sent} bytes were kept");
    drop(deaf);
}
