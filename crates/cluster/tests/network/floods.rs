//! Many clients that are no members, at the moments when they do most harm.

use crate::bench::{Heard, Node, id, settings, until};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// More than a member lets wait.
const MANY: usize = 300;
const MEMBERS_ADDRESS: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);

/// A client from this address that says this.
fn client(node: &Node, from: Ipv4Addr, words: &[u8]) -> TcpStream {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddr::from((from, 0))).unwrap();
    connect(&socket, &node.network.local_address()).unwrap();
    let mut stream = TcpStream::from(socket);
    stream.write_all(words).unwrap();
    stream.set_nonblocking(true).unwrap();
    stream
}

/// Many such clients. The member takes them up as they come.
fn crowd(node: &mut Node, from: Ipv4Addr, words: &[u8]) -> Vec<TcpStream> {
    let come = |_| {
        let client = client(node, from, words);
        node.network.wait(Some(Duration::ZERO)).unwrap();
        client
    };
    (0..MANY).map(come).collect()
}

/// What has come so far; nothing if the other side has closed.
fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 65_536];
    match stream.read(&mut bytes) {
        Ok(0) => None,
        Ok(length) => Some(bytes[..length].to_vec()),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Some(Vec::new()),
        Err(_) => None,
    }
}

/// What a member says first when it dials.
fn overheard() -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut node = Node::open(&settings(2, 2), 1);
    node.network.set_address(id(1), listener.local_addr().unwrap().to_string());
    listener.set_nonblocking(true).unwrap();
    let (mut stream, mut words) = (None, Vec::new());
    until(&mut [node], "a handshake", |_| {
        stream = stream.take().or_else(|| listener.accept().ok().map(|(stream, _)| stream));
        stream.iter().for_each(|it| it.set_nonblocking(true).unwrap());
        words.extend(stream.as_mut().and_then(read).unwrap_or_default());
        !words.is_empty()
    });
    words
}

/// Passes on what two members say, in turns. Before each turn, many clients come to the first.
fn comes_in_through(flood: Ipv4Addr, words: &[u8]) {
    let all = [settings(1, 2), settings(2, 2)];
    let mut nodes = [Node::open(&all[0], 1), Node::open(&all[1], 1)];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    nodes[1].network.set_address(id(1), listener.local_addr().unwrap().to_string());
    let mut from = None;
    listener.set_nonblocking(true).unwrap();
    until(&mut nodes, "a call", |_| {
        from = listener.accept().ok().map(|(stream, _)| stream);
        from.is_some()
    });
    let mut from = from.unwrap();
    from.set_nonblocking(true).unwrap();
    let mut to = client(&nodes[0], MEMBERS_ADDRESS, &[]);
    until(&mut nodes, "the member", |nodes| {
        to.write_all(&read(&mut from).unwrap()).unwrap();
        (0..10).for_each(|_| nodes[0].step());
        let clients = crowd(&mut nodes[0], flood, words);
        let answer = read(&mut to).expect("the member's own connection has lost its place");
        from.write_all(&answer).unwrap();
        drop(clients);
        nodes[0].has(&Heard::Up(2, 1))
    });
}

/// They come from the very address of a member.
#[test]
fn handshake_goes_on_while_many_silent_clients_come() {
    comes_in_through(MEMBERS_ADDRESS, &[]);
}

#[test]
fn a_handshake_goes_on_while_many_strangers_begin_theirs() {
    comes_in_through(OTHER_ADDRESS, &overheard());
}

/// Between two handshakes of strangers, what members say is heard: each costs more than a message by far.
#[test]
fn at_most_one_handshake_of_a_stranger_begins_in_a_turn() {
    for address in [MEMBERS_ADDRESS, OTHER_ADDRESS] {
        let (mut node, words) = (Node::open(&settings(1, 2), 1), overheard());
        let mut clients: Vec<_> = (0..20).map(|_| client(&node, address, &words)).collect();
        let (mut answered, mut turns) = (0, 0);
        while answered < clients.len() {
            node.network.wait(None).unwrap();
            turns += 1;
            let is_answered = |it: &mut TcpStream| read(it).is_some_and(|words| !words.is_empty());
            let answers = clients.iter_mut().filter_map(|it| is_answered(it).then_some(())).count();
            assert!(answers <= 1, "{answers} in one turn");
            answered += answers;
        }
        assert!(turns >= clients.len());
    }
}

/// A client always waits for a handshake, and the member is asked for turns without a pause.
#[test]
fn handshakes_pause_when_they_have_taken_their_share_of_the_time() {
    for address in [MEMBERS_ADDRESS, OTHER_ADDRESS] {
        let (mut node, words) = (Node::open(&settings(1, 2), 1), overheard());
        let mut clients: Vec<_> = (0..40).map(|_| client(&node, address, &words)).collect();
        let (mut answered, mut idle) = (0, 0);
        while idle < 20 {
            node.network.wait(Some(Duration::ZERO)).unwrap();
            let before = clients.len();
            clients.retain_mut(|it| read(it).is_some_and(|words| words.is_empty()));
            let answers = before - clients.len();
            clients.extend((0..answers).map(|_| client(&node, address, &words)));
            answered += answers;
            idle = if answers == 0 && answered > 0 { idle + 1 } else { 0 };
            assert!(answered < 2_000, "{address}: no pause in so many handshakes");
        }
    }
}
