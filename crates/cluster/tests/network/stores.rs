//! Stores that members vote from: known, new, and lost.

use crate::bench::{Heard, Node, config, id, introduce, nth_incarnation, settings, store, stores, until};
use bellwether_cluster::net::Network;
use bellwether_cluster::{Settings, StoreId, Stores};

const LOST: StoreId = StoreId::new([77; 16]);

fn pair() -> Vec<Settings> {
    (1..=2).map(|me| settings(me, 2)).collect()
}

/// A member at its `boot`-th start that knows these stores.
fn open(settings: &Settings, boot: u64, stores: &Stores) -> Node {
    let network = Network::open(settings, config(settings), nth_incarnation(boot), stores).unwrap();
    Node { network, heard: Vec::new() }
}

/// The second member votes from this store.
fn with_second(all: &[Settings], boot: u64, own: StoreId) -> Node {
    open(&all[1], boot, &Stores { own, ..stores(2) })
}

#[test]
fn a_peer_is_not_heard_before_its_store_is_accepted() {
    let all = pair();
    let unknown = Stores { peers: Vec::new(), ..stores(1) };
    let mut nodes = vec![open(&all[0], 1, &unknown), with_second(&all, 1, store(2))];
    introduce(&all, &mut nodes);
    let asked = Heard::NewStore(2, store(2), None);
    until(&mut nodes, "the question", |nodes| nodes[0].has(&asked));
    for _ in 0..50 {
        nodes.iter_mut().for_each(Node::step);
    }
    assert!(!nodes.iter().any(Node::was_ever_up), "the first has not decided");
    nodes[0].network.accept_store(id(2), store(2));
    until(&mut nodes, "a connection", |nodes| nodes.iter().all(Node::was_ever_up));
    assert_eq!(nodes[0].network.has_new_store(id(2)), Some(true));
}

/// However often it starts: boot counts of a new store mean nothing beside those of the former one.
#[test]
fn a_peer_that_has_lost_its_store_is_refused_however_often_it_starts() {
    let all = pair();
    for boot in 1..20 {
        let mut nodes = vec![open(&all[0], 1, &stores(1)), with_second(&all, boot, LOST)];
        introduce(&all, &mut nodes);
        let asked = Heard::NewStore(2, LOST, Some(store(2)));
        until(&mut nodes, "the question", |nodes| nodes[0].has(&asked));
        nodes[0].network.refuse_store(id(2), LOST);
        until(&mut nodes, "the refusal", |nodes| nodes[1].has(&Heard::OtherStore(1)));
        assert!(nodes[0].was_refused_for("its votes are lost"));
        assert!(!nodes.iter().any(Node::was_ever_up), "boot {boot}");
    }
}

/// The former store's process may still be connected.
#[test]
fn an_accepted_store_takes_the_place_of_the_former_one() {
    let all = pair();
    let mut nodes = vec![open(&all[0], 1, &stores(1)), with_second(&all, 7, store(2))];
    introduce(&all, &mut nodes);
    until(&mut nodes, "the former", |nodes| nodes[0].has(&Heard::Up(2, 7)));
    let mut later = with_second(&all, 1, LOST);
    later.knows(&nodes[0], 1);
    nodes.push(later);
    until(&mut nodes, "the question", |nodes| nodes[0].has(&Heard::NewStore(2, LOST, Some(store(2)))));
    nodes[0].network.accept_store(id(2), LOST);
    until(&mut nodes, "the later", |nodes| nodes[0].has(&Heard::Up(2, 1)) && nodes[2].was_ever_up());
    // Now the former one is the stranger.
    until(&mut nodes, "its return", |nodes| nodes[0].has(&Heard::NewStore(2, store(2), Some(LOST))));
    nodes[0].network.refuse_store(id(2), store(2));
    until(&mut nodes, "its refusal", |nodes| nodes[1].has(&Heard::OtherStore(1)));
    assert!(nodes[0].network.is_connected(id(2)));
}

/// The claim is judged by the member, which knows its own term.
#[test]
fn a_peer_with_a_claim_that_cannot_be_true_is_turned_away_and_its_true_store_is_heard() {
    let all = pair();
    let mut liar = with_second(&all, 1, LOST);
    liar.network.set_named_in(Some((u64::MAX, u32::MAX)));
    let mut nodes = vec![open(&all[0], 1, &stores(1)), liar];
    introduce(&all, &mut nodes);
    let asked = Heard::NewStore(2, LOST, Some(store(2)));
    until(&mut nodes, "the question", |nodes| nodes[0].has(&asked));
    nodes[0].network.refuse_claim(id(2), LOST);
    until(&mut nodes, "the refusal", |nodes| nodes[1].was_refused_for("it turned us away"));
    assert!(nodes[0].was_refused_for("no list of voters can be of so late a term"));
    assert!(!nodes[1].has(&Heard::OtherStore(1)), "nothing is said of its votes");
    assert!(!nodes.iter().any(Node::was_ever_up));
    let mut honest = with_second(&all, 3, store(2));
    honest.knows(&nodes[0], 1);
    nodes[1] = honest;
    until(&mut nodes, "the true one", |nodes| nodes[0].has(&Heard::Up(2, 3)));
}

#[test]
fn a_boot_count_that_no_member_can_have_is_refused() {
    let all = pair();
    for boot in [1 << 40, u64::MAX - 100] {
        let mut nodes = vec![open(&all[0], 1, &stores(1)), with_second(&all, boot, store(2))];
        introduce(&all, &mut nodes);
        until(&mut nodes, "the refusal", |nodes| nodes[0].was_refused_for("no member can have started"));
        assert!(!nodes.iter().any(Node::was_ever_up));
        // The true one is heard.
        let mut honest = with_second(&all, 3, store(2));
        honest.knows(&nodes[0], 1);
        nodes[1] = honest;
        until(&mut nodes, "the true one", |nodes| nodes[0].has(&Heard::Up(2, 3)));
    }
}
