//! Several networks, driven in turn, and what they heard.

use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_cluster::net::{CloseReason, Incoming, Network, NetworkError, Outgoing};
use bellwether_cluster::{ClusterConfig, Incarnation, Peer, PeerRecord, Security, Settings, StoreId, Stores};
use bellwether_core::{Id, Params, Protocol as _, Signal};
use std::time::{Duration, Instant};

pub const SECRET: &str = "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21";
/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

pub fn nth_incarnation(boot: u64) -> Incarnation {
    Incarnation { boot, nonce: 100 + boot }
}

/// Settings of one of so many members that do not know where the others are.
pub fn settings(me: u64, count: u64) -> Settings {
    let written = serde_json::json!({
        "cluster": "orders",
        "me": id(me),
        // A port at which no process listens.
        "members": (1..=count).map(|member| Peer::new(id(member), "127.0.0.1:1")).collect::<Vec<_>>(),
        "listen": "127.0.0.1:0",
        "data": "unused",
        "security": Security::Secret(SECRET.into()),
        "seed": me,
    });
    serde_json::from_value(written).unwrap()
}

/// What they say to all members alike.
pub fn config(settings: &Settings) -> ClusterConfig {
    ClusterConfig::new(settings, &QuorumLease::SPEC, &Params::default())
}

/// The store that a member votes from.
pub fn store(me: u64) -> StoreId {
    StoreId::new([me as u8; 16])
}

/// What a member knows of stores that has heard all the others before.
pub fn stores(me: u64) -> Stores {
    Stores {
        own: store(me),
        is_new: true,
        peers: (1..=9).map(|peer| PeerRecord::new(id(peer), store(peer))).collect(),
    }
}

/// What was heard, as it can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Up(u64, u64),
    Down(u64, CloseReason),
    Message(u64, Vec<u8>),
    Signal(u64, Signal),
    Ready(u64, u64),
    Dead(u64, u64),
    Superseded(Option<u64>),
    NewStore(u64, StoreId, Option<StoreId>),
    OtherStore(u64),
    Refused(String),
}

pub struct Node {
    pub network: Network,
    pub heard: Vec<Heard>,
}

impl Node {
    pub fn open(settings: &Settings, boot: u64) -> Node {
        Node::try_open(settings, boot).unwrap()
    }

    pub fn try_open(settings: &Settings, boot: u64) -> Result<Node, NetworkError> {
        let stores = stores(settings.me.value());
        let network = Network::open(settings, config(settings), nth_incarnation(boot), &stores)?;
        Ok(Node { network, heard: Vec::new() })
    }

    pub fn step(&mut self) {
        self.network.wait(Some(Duration::from_millis(1))).unwrap();
        self.listen();
    }

    pub fn listen(&mut self) {
        while let Some(incoming) = self.network.next() {
            self.heard.push(match incoming {
                Incoming::Up { peer, incarnation } => Heard::Up(peer.value(), incarnation.boot),
                Incoming::Down { peer, why } => Heard::Down(peer.value(), why),
                Incoming::Message { peer, bytes } => Heard::Message(peer.value(), bytes.to_vec()),
                Incoming::Signal { peer, signal } => Heard::Signal(peer.value(), signal),
                Incoming::Ready { peer, term } => Heard::Ready(peer.value(), term),
                Incoming::Dead { peer, incarnation } => Heard::Dead(peer.value(), incarnation.boot),
                Incoming::Superseded { by, .. } => Heard::Superseded(by.map(|by| by.boot)),
                Incoming::NewStore { peer, store, known, .. } => Heard::NewStore(peer.value(), store, known),
                Incoming::OtherStore { peer } => Heard::OtherStore(peer.value()),
                Incoming::Refused { why, .. } => Heard::Refused(why),
            });
        }
    }

    pub fn knows(&mut self, other: &Node, name: u64) {
        self.network.set_address(id(name), other.network.local_address().to_string());
    }

    pub fn has(&self, heard: &Heard) -> bool {
        self.heard.contains(heard)
    }

    pub fn was_refused_for(&self, why: &str) -> bool {
        self.heard.iter().any(|heard| matches!(heard, Heard::Refused(text) if text.contains(why)))
    }

    pub fn was_ever_up(&self) -> bool {
        self.heard.iter().any(|heard| matches!(heard, Heard::Up(..)))
    }

    pub fn say(&mut self, to: u64, bytes: &[u8]) -> bool {
        let is_sent = self.network.send(id(to), Outgoing::Message(bytes));
        self.network.flush();
        is_sent
    }
}

/// Lets them run until it is so.
pub fn until(nodes: &mut [Node], what: &str, mut is_so: impl FnMut(&mut [Node]) -> bool) {
    let start = Instant::now();
    while !is_so(nodes) {
        let heard: Vec<_> = nodes.iter().map(|node| &node.heard).collect();
        assert!(start.elapsed() < PATIENCE, "{what} did not come: {heard:?}");
        nodes.iter_mut().for_each(Node::step);
    }
}

/// Opens them, tells each where the others are, and waits until all are connected.
pub fn connected(all: &[Settings]) -> Vec<Node> {
    let mut nodes: Vec<Node> = all.iter().map(|settings| Node::open(settings, 1)).collect();
    introduce(all, &mut nodes);
    let others = |settings: &Settings| all.iter().map(|it| it.me).filter(|it| *it != settings.me).collect();
    let others: Vec<Vec<Id>> = all.iter().map(others).collect();
    until(&mut nodes, "a connection of all", |nodes| {
        nodes.iter().zip(&others).all(|(node, others)| others.iter().all(|it| node.network.is_connected(*it)))
    });
    nodes
}

pub fn introduce(all: &[Settings], nodes: &mut [Node]) {
    let places: Vec<_> =
        all.iter().zip(&*nodes).map(|(it, node)| (it.me, node.network.local_address())).collect();
    for node in nodes {
        places.iter().for_each(|(id, place)| node.network.set_address(*id, place.to_string()));
    }
}
