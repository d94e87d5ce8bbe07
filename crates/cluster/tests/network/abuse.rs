//! Peers that send too much, or malformed bytes: that ends their connection, and nothing else.

use crate::bench::{Heard, Node, config, connected, id, nth_incarnation, settings, store, until};
use bellwether_cluster::net::wire::{Frame, HEADER, Hello, MAX_BODY, Reason, VERSION, decode, encode};
use bellwether_cluster::net::{CloseReason, Outgoing};
use bellwether_cluster::{Security, Settings};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, Instant};

/// Far more than what all buffers on the way can hold.
const MUCH: usize = 64 * 1024 * 1024;
/// Far longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn refused_stranger_cannot_go_on() {
    let mut nodes = [Node::open(&settings(1, 2), 1)];
    let place = nodes[0].network.local_address();
    let flood = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(place).unwrap();
        let (garbage, mut sent) = ([b'x'; 64 * 1024], 0);
        while sent < MUCH
            && let Ok(more) = stream.write(&garbage)
        {
            sent += more;
        }
        sent
    });
    until(&mut nodes, "the end of the flood", |_| flood.is_finished());
    assert!(flood.join().unwrap() < MUCH, "it could say all that it wanted");
    assert!(nodes[0].was_refused_for("does not speak TLS"));
}

#[test]
fn peer_that_sends_much_waits_for_its_turn_and_loses_nothing() {
    let mut nodes = connected(&[settings(1, 2), settings(2, 2)]);
    let (mut talker, mut listener) = (nodes.pop().unwrap(), nodes.pop().unwrap());
    let (message, count) = ([7; MAX_BODY], 15);
    let sent = (0..count).filter(|_| talker.network.send(id(1), Outgoing::Message(&message))).count();
    assert_eq!(sent, count);
    let (got_all, has_all) = channel();
    let talker = std::thread::spawn(move || {
        while has_all.try_recv() == Err(TryRecvError::Empty) {
            talker.step();
        }
    });
    let (begun, mut turns) = (Instant::now(), Vec::new());
    while turns.iter().sum::<usize>() < count {
        // Would not end so soon if what is left for the next turn were waited for, which has come already.
        listener.network.wait(Some(PATIENCE)).unwrap();
        assert!(begun.elapsed() < PATIENCE, "what waits for its turn is forgotten");
        listener.heard.clear();
        listener.listen();
        turns.push(listener.heard.len());
    }
    got_all.send(()).unwrap();
    talker.join().unwrap();
    assert!(turns.iter().all(|&turn| turn <= 5), "64 KiB, and what was begun: {turns:?} messages of 16 KiB");
}

/// A member, as far as its Hello goes.
struct Impostor(TcpStream);

impl Impostor {
    /// Comes up as member 2 at the first of these.
    fn at(nodes: &mut [Node], settings: &Settings, boot: u64) -> Impostor {
        let stream = TcpStream::connect(nodes[0].network.local_address()).unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut impostor = Impostor(stream);
        impostor.say(&hello(settings, boot));
        until(nodes, "the impostor", |nodes| nodes[0].has(&Heard::Up(2, boot)));
        impostor
    }

    fn say(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Whether the other side has closed; what it says before that is read.
    fn is_sent_away(&mut self) -> bool {
        let mut bytes = [0; 1024];
        match self.0.read(&mut bytes) {
            Ok(length) => length == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }
}

fn hello(settings: &Settings, boot: u64) -> Vec<u8> {
    let (cluster, config) = (settings.cluster.clone(), config(settings));
    let (from, to, incarnation) = (id(2), id(1), nth_incarnation(boot));
    let (store, is_new, commitment) = (store(2), false, None);
    framed(&Frame::Hello(Box::new(Hello {
        cluster,
        config,
        from,
        to,
        incarnation,
        store,
        is_new,
        named_in: None,
        number: 1,
        commitment,
    })))
}

fn framed(frame: &Frame<&[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(encode(frame, &mut bytes));
    bytes
}

/// A frame with one byte more than belongs in it.
fn stretched(frame: &Frame<&[u8]>) -> Vec<u8> {
    let mut bytes = framed(frame);
    bytes.push(0);
    let body = (bytes.len() - HEADER) as u16;
    bytes[1..HEADER].copy_from_slice(&body.to_le_bytes());
    assert!(decode(&bytes).is_err());
    bytes
}

#[test]
fn malformed_bytes_end_a_connection_that_was_up() {
    let all = [settings(1, 2), settings(2, 2)].map(|it| Settings { security: Security::Plaintext, ..it });
    let mut nodes = [Node::open(&all[0], 1)];
    let too_long = (MAX_BODY as u16 + 1).to_le_bytes();
    let cases = [
        ("an unknown kind", vec![99, 0, 0]),
        ("no kind", vec![0, 0, 0]),
        ("an oversized frame", vec![3, too_long[0], too_long[1]]),
        ("a second Hello", hello(&all[1], 99)),
        ("a Welcome that is not its to give", framed(&Frame::Welcome)),
        ("a term that is too long", stretched(&Frame::Ready(7))),
        ("a Welcome with a body", stretched(&Frame::Welcome)),
        ("a farewell for no reason", vec![6, 1, 0, 99]),
        ("an unknown signal", [&[4, 9, 0, 77][..], &[0; 8]].concat()),
        ("half an incarnation", vec![7, 4, 0, 1, 2, 3, 4]),
    ];
    for (boot, (what, bytes)) in (1..).zip(&cases) {
        let mut impostor = Impostor::at(&mut nodes, &all[1], boot);
        impostor.say(&framed(&Frame::Message(b"in order")));
        impostor.say(bytes);
        impostor.say(&framed(&Frame::Message(b"too late")));
        until(&mut nodes, what, |nodes| nodes[0].has(&Heard::Down(2, CloseReason::Malformed)));
        until(&mut nodes, what, |_| impostor.is_sent_away());
        let up_to_the_end = [
            Heard::Up(2, boot),
            Heard::Message(2, b"in order".to_vec()),
            Heard::Down(2, CloseReason::Malformed),
        ];
        let heard = std::mem::take(&mut nodes[0].heard);
        assert_eq!(heard, up_to_the_end, "{what}");
    }
}

/// In a cluster that is being updated, those that cannot understand each other say so, both of them.
#[test]
fn members_of_different_versions_refuse_each_other_and_say_why() {
    let all = [settings(1, 2), settings(2, 2)].map(|it| Settings { security: Security::Plaintext, ..it });
    let mut nodes = [Node::open(&all[0], 1)];
    let mut later = hello(&all[1], 1);
    later[HEADER + 4] += 1;
    let why =
        format!("it speaks version {} of the wire format, and this member version {VERSION}", VERSION + 1);
    let stream = TcpStream::connect(nodes[0].network.local_address()).unwrap();
    stream.set_nonblocking(true).unwrap();
    let (mut impostor, mut answer) = (Impostor(stream), Vec::new());
    impostor.say(&later);
    until(&mut nodes, "an answer", |_| impostor.0.read_to_end(&mut answer).is_ok());
    assert!(nodes[0].was_refused_for(&why));
    let farewell = framed(&Frame::Farewell(Reason::Version));
    assert!(answer.ends_with(&farewell), "{answer:?}");

    // The other way round: the peer that it dials refuses it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    nodes[0].network.set_address(id(2), listener.local_addr().unwrap().to_string());
    listener.set_nonblocking(true).unwrap();
    let mut taken_up = Vec::new();
    until(&mut nodes, "what it makes of that", |nodes| {
        if let Ok((mut stream, _)) = listener.accept() {
            stream.write_all(&farewell).unwrap();
            taken_up.push(stream);
        }
        nodes[0].was_refused_for("it turned us away: it speaks another version of the wire format")
    });
}
