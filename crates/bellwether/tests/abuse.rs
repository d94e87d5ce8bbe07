//! A peer that proves to be a member and then sends malformed bytes: its connection ends, and nothing else.

mod common;

use bellwether::{Event, Id, Peer, Security, Settings};
use bellwether_cluster::net::{Incoming, Outgoing};
use common::impostor;
use tempfile::TempDir;

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

fn settings(me: u64, data: &TempDir) -> Settings {
    Settings {
        members: (1..=2).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
        data: data.path().into(),
        security: Security::Secret(
            "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21".into(),
        ),
        ..Settings::new("test", id(me))
    }
}

#[test]
fn malformed_message_ends_the_connection_and_not_the_member() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let member = bellwether::start(settings(1, &directories[0])).unwrap();
    let mut events = member.observe();
    let mut peer = impostor(&settings(2, &directories[1]), true);
    peer.network.set_address(id(1), member.address().to_string());
    // At the port 0, in term 1: would it vote? (For the first list of voters, with no leader supposed to have gone.)
    let probe: [u8; 6] = [0, 1, 0, 0, 0, 0];
    for (what, message) in [
        ("a message and a byte more", &[&probe[..], &[0]].concat()[..]),
        ("half a message", &probe[..5]),
        ("a word that there is not", &[0, 1, 99]),
        ("nothing", &[0]),
    ] {
        peer.until("a connection", |it| matches!(it, Incoming::Up { .. }));
        assert!(peer.network.send(id(1), Outgoing::Message(&probe)), "{what}");
        peer.until("an answer to what is understood", |it| matches!(it, Incoming::Message { .. }));
        assert!(peer.network.send(id(1), Outgoing::Message(message)), "{what}");
        peer.until(what, |it| matches!(it, Incoming::Down { .. }));
        let why = std::iter::from_fn(|| events.wait()).find_map(|happened| match happened.event {
            Event::Disconnected { why, .. } => Some(why),
            _ => None,
        });
        assert_eq!(why.as_deref(), Some("it sent malformed bytes"), "{what}");
    }
    peer.until("a connection, as ever", |it| matches!(it, Incoming::Up { .. }));
    assert!(!member.is_leader());
    member.stop();
}
