//! A peer that proves to be a member and then says what nobody understands: its connection ends, and nothing else.

use bellwether::{ALGORITHMS, Event, Id, Incarnation, Peer, Security, Settings};
use bellwether_cluster::network::{Incoming, Network, Outgoing};
use bellwether_cluster::{StoreId, Stores, Terms};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(30);

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

/// Lets the network go on until what comes in is this.
fn until(network: &mut Network, what: &str, is_it: impl Fn(&Incoming<'_>) -> bool) {
    let begun = Instant::now();
    loop {
        while let Some(incoming) = network.next() {
            if is_it(&incoming) {
                return;
            }
            if let Incoming::NewStore { peer, store, .. } = incoming {
                network.accept_store(peer, store);
            }
        }
        assert!(begun.elapsed() < LIMIT, "{what} did not come");
        network.wait(Some(Duration::from_millis(5))).unwrap();
    }
}

#[test]
fn what_is_no_message_of_the_algorithm_ends_the_connection_and_not_the_member() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let member = bellwether::start(settings(1, &directories[0])).unwrap();
    let mut events = member.observe();
    let settings = settings(2, &directories[1]);
    let spec = ALGORITHMS.entries[ALGORITHMS.find("quorum-lease", None).unwrap()].spec;
    let life = Incarnation { boot: 1, nonce: 7 };
    let stores = Stores { own: StoreId::new([2; 16]), is_new: true, peers: Vec::new() };
    let mut peer = Network::open(&settings, Terms::new(&settings, spec), life, &stores).unwrap();
    peer.set_address(id(1), member.address().to_string());
    // At the port 0, in term 1: would it vote? (For the first list of voters, with no leader supposed to have gone.)
    let probe: [u8; 6] = [0, 1, 0, 0, 0, 0];
    for (what, message) in [
        ("a message and a byte more", &[&probe[..], &[0]].concat()[..]),
        ("half a message", &probe[..5]),
        ("a word that there is not", &[0, 1, 99]),
        ("nothing", &[0]),
    ] {
        until(&mut peer, "a connection", |it| matches!(it, Incoming::Up { .. }));
        assert!(peer.send(id(1), Outgoing::Message(&probe)), "{what}");
        until(&mut peer, "an answer to what is understood", |it| matches!(it, Incoming::Message { .. }));
        assert!(peer.send(id(1), Outgoing::Message(message)), "{what}");
        until(&mut peer, what, |it| matches!(it, Incoming::Down { .. }));
        let why = std::iter::from_fn(|| events.wait()).find_map(|happened| match happened.event {
            Event::Disconnected { why, .. } => Some(why),
            _ => None,
        });
        assert_eq!(why.as_deref(), Some("it said what nobody understands"), "{what}");
    }
    until(&mut peer, "a connection, as ever", |it| matches!(it, Incoming::Up { .. }));
    assert!(!member.is_leader());
    member.stop();
}
