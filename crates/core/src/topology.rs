//! Who can talk to whom.
//!
//! A member does not address others: it has *ports*. What is sent on a port arrives at one port of
//! one other member. Rings and complete networks are computed, not stored, so ten million members
//! cost nothing here; every other network is a [`Graph`].

use serde::{Deserialize, Serialize};
use std::fmt;

/// A member's own name for one of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Port(pub u32);

/// In a ring: the clockwise neighbour.
pub const NEXT: Port = Port(0);
/// In a ring: the counter-clockwise neighbour.
pub const PREV: Port = Port(1);

impl Port {
    /// In a ring: the other side, where what came in here goes on.
    #[inline]
    #[must_use]
    pub const fn across(self) -> Port {
        if self.0 == NEXT.0 { PREV } else { NEXT }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which way messages pass through a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// The member can only send here.
    Out,
    /// The member can only hear here.
    In,
    /// Both.
    Both,
}

impl Flow {
    /// Whether the member can send here.
    #[must_use]
    pub fn sends(self) -> bool {
        self != Flow::In
    }

    /// Whether the member can hear here.
    #[must_use]
    pub fn hears(self) -> bool {
        self != Flow::Out
    }
}

/// One port of a member in a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The neighbour.
    pub peer: u32,
    /// The port at which the neighbour sees this link.
    pub at: Port,
    /// Which way messages pass.
    pub flow: Flow,
}

/// A network without regular structure, as compressed rows of ports, each row in the order of its
/// neighbours' indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    rows: Vec<u32>,
    links: Vec<Link>,
    directed_links: u64,
}

impl Graph {
    /// The network of `n` members with the given directed links. Two opposite links become one
    /// port that passes messages both ways; repeated links count once.
    ///
    /// # Panics
    /// If a link names a member that is not there: the caller's bug.
    #[must_use]
    pub fn new(n: u32, directed: impl IntoIterator<Item = (u32, u32)>) -> Graph {
        let mut pairs: Vec<(u32, u32)> = directed.into_iter().collect();
        assert!(pairs.iter().all(|&(u, v)| u < n && v < n), "a link names a member that is not there");
        pairs.sort_unstable();
        pairs.dedup();
        let directed_links = pairs.len() as u64;

        // Every link as both its ends see it: sorted, the two sights of a neighbour are together.
        let mut sights: Vec<(u32, u32, Flow)> =
            pairs.into_iter().flat_map(|(u, v)| [(u, v, Flow::Out), (v, u, Flow::In)]).collect();
        sights.sort_unstable_by_key(|&(u, v, _)| (u, v));
        sights.dedup_by(|again, kept| {
            let same = (again.0, again.1) == (kept.0, kept.1);
            if same && again.2 != kept.2 {
                kept.2 = Flow::Both;
            }
            same
        });

        let mut rows = vec![0; n as usize + 1];
        for &(u, ..) in &sights {
            rows[u as usize + 1] += 1;
        }
        for u in 0..n as usize {
            rows[u + 1] += rows[u];
        }
        // In this order a member's neighbours come by in the order of its ports.
        let mut next_port = vec![0; n as usize];
        let links = sights
            .into_iter()
            .map(|(_, peer, flow)| {
                let at = Port(next_port[peer as usize]);
                next_port[peer as usize] += 1;
                Link { peer, at, flow }
            })
            .collect();
        Graph { rows, links, directed_links }
    }

    /// The ports of a member, in order.
    #[must_use]
    pub fn ports(&self, member: u32) -> &[Link] {
        let member = member as usize;
        &self.links[self.rows[member] as usize..self.rows[member + 1] as usize]
    }
}

/// The network: members are numbered from 0; in a ring, clockwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A ring; each member has the ports [`NEXT`] and [`PREV`]. In a ring of two both lead to the
    /// other member, by different links; in a ring of one, to itself.
    Ring {
        /// How many members.
        n: u32,
        /// Whether messages also pass counter-clockwise.
        two_way: bool,
    },
    /// A ring laid over a complete network: port k leads to the member k + 1 further clockwise, so
    /// that [`NEXT`] is the next one and whoever is dead can be passed over.
    Overlay {
        /// How many members.
        n: u32,
    },
    /// Everyone is everyone's neighbour.
    Complete {
        /// How many members.
        n: u32,
    },
    /// Anything else.
    Graph(Graph),
}

impl Topology {
    /// How many members.
    #[must_use]
    pub fn n(&self) -> u32 {
        match self {
            Topology::Ring { n, .. } | Topology::Overlay { n } | Topology::Complete { n } => *n,
            Topology::Graph(graph) => graph.rows.len() as u32 - 1,
        }
    }

    /// How many directed links: the literature's *m*.
    #[must_use]
    pub fn links(&self) -> u64 {
        match self {
            Topology::Ring { n, two_way } => u64::from(*n) * if *two_way { 2 } else { 1 },
            Topology::Overlay { n } | Topology::Complete { n } => {
                u64::from(*n) * u64::from(n.saturating_sub(1))
            }
            Topology::Graph(graph) => graph.directed_links,
        }
    }

    /// How many ports a member has.
    #[must_use]
    pub fn ports(&self, member: u32) -> u32 {
        match self {
            Topology::Ring { .. } => 2,
            Topology::Overlay { n } | Topology::Complete { n } => n - 1,
            Topology::Graph(graph) => graph.ports(member).len() as u32,
        }
    }

    /// Which way messages pass through a member's port.
    ///
    /// # Panics
    /// If the member has no such port: a bug in the algorithm.
    #[must_use]
    pub fn flow(&self, member: u32, port: Port) -> Flow {
        assert!(port.0 < self.ports(member), "member {member} has no port {port}");
        match self {
            Topology::Ring { two_way: false, .. } if port == NEXT => Flow::Out,
            Topology::Ring { two_way: false, .. } => Flow::In,
            Topology::Ring { two_way: true, .. } | Topology::Overlay { .. } | Topology::Complete { .. } => {
                Flow::Both
            }
            Topology::Graph(graph) => graph.ports(member)[port.0 as usize].flow,
        }
    }

    /// Where the other end of a member's port is: the neighbour, and its port.
    ///
    /// # Panics
    /// If the member has no such port: a bug in the algorithm.
    #[inline(always)]
    #[must_use]
    pub fn peer(&self, member: u32, port: Port) -> (u32, Port) {
        match self {
            Topology::Ring { n, .. } => {
                if port == NEXT {
                    (if member + 1 == *n { 0 } else { member + 1 }, PREV)
                } else {
                    assert!(port == PREV, "a member of a ring has no port {port}");
                    (if member == 0 { *n - 1 } else { member - 1 }, NEXT)
                }
            }
            _ => self.peer_off_ring(member, port),
        }
    }

    /// Kept out of line, so that the ring's arithmetic can be inlined wherever messages are routed.
    #[inline(never)]
    fn peer_off_ring(&self, member: u32, port: Port) -> (u32, Port) {
        match self {
            Topology::Ring { .. } => self.peer(member, port),
            Topology::Overlay { n } => {
                assert!(port.0 + 1 < *n, "a ring over {n} members has no port {port}");
                let steps = port.0 + 1;
                let to_end = n - member;
                let peer = if steps < to_end { member + steps } else { steps - to_end };
                (peer, Port(n - steps - 1))
            }
            Topology::Complete { n } => {
                assert!(port.0 + 1 < *n, "a complete network of {n} has no port {port}");
                // A member skips itself when it numbers the others.
                let peer = if port.0 < member { port.0 } else { port.0 + 1 };
                (peer, Port(if member < peer { member } else { member - 1 }))
            }
            Topology::Graph(graph) => {
                let link = graph.ports(member)[port.0 as usize];
                (link.peer, link.at)
            }
        }
    }

    /// Where a message arrives that leaves a member by a port, if rings close round those that are passed over: at the
    /// next member in that direction that is not, or at the sender itself if none is left. Other networks do not close.
    ///
    /// # Panics
    /// If the member has no such port: a bug in the algorithm.
    #[must_use]
    pub fn peer_past(&self, member: u32, port: Port, is_passed_over: impl Fn(u32) -> bool) -> (u32, Port) {
        let (mut to, arrives_at) = self.peer(member, port);
        if matches!(self, Topology::Ring { .. }) {
            while to != member && is_passed_over(to) {
                to = self.peer(to, port).0;
            }
        }
        (to, arrives_at)
    }

    /// A dense number for the link that leaves a member by a port, below [`Topology::link_slots`].
    #[inline]
    #[must_use]
    pub fn link_slot(&self, member: u32, port: Port) -> usize {
        match self {
            Topology::Ring { n, .. } => port.0 as usize * *n as usize + member as usize,
            Topology::Overlay { n } | Topology::Complete { n } => {
                member as usize * (*n as usize - 1) + port.0 as usize
            }
            Topology::Graph(graph) => graph.rows[member as usize] as usize + port.0 as usize,
        }
    }

    /// How many numbers [`Topology::link_slot`] uses.
    #[must_use]
    pub fn link_slots(&self) -> usize {
        match self {
            Topology::Ring { n, two_way } => *n as usize * if *two_way { 2 } else { 1 },
            Topology::Overlay { .. } | Topology::Complete { .. } => self.links() as usize,
            Topology::Graph(graph) => graph.links.len(),
        }
    }

    /// The members that a member can send to, in the order of its ports.
    pub fn successors(&self, member: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.ports(member))
            .map(Port)
            .filter(move |&port| self.flow(member, port).sends())
            .map(move |port| self.peer(member, port).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn examples() -> Vec<Topology> {
        let mut all = vec![Topology::Graph(Graph::new(4, [(0, 1), (1, 0), (1, 2), (2, 3), (3, 0), (0, 2)]))];
        for n in 1..6 {
            all.push(Topology::Ring { n, two_way: false });
            all.push(Topology::Ring { n, two_way: true });
            all.push(Topology::Complete { n });
            all.push(Topology::Overlay { n });
        }
        all
    }

    #[test]
    fn ports_are_mutual_and_links_are_counted() {
        for topology in examples() {
            let mut sending = 0;
            let mut slots = BTreeSet::new();
            for member in 0..topology.n() {
                for port in (0..topology.ports(member)).map(Port) {
                    let (peer, at) = topology.peer(member, port);
                    assert_eq!(topology.peer(peer, at), (member, port), "{topology:?}");
                    let (mine, theirs) = (topology.flow(member, port), topology.flow(peer, at));
                    assert_eq!((mine.sends(), mine.hears()), (theirs.hears(), theirs.sends()));
                    if mine.sends() {
                        sending += 1;
                        let slot = topology.link_slot(member, port);
                        assert!(slot < topology.link_slots() && slots.insert(slot), "{topology:?}");
                    }
                }
            }
            assert_eq!(sending, topology.links(), "{topology:?}");
        }
    }

    #[test]
    fn an_overlay_s_ports_count_clockwise() {
        for n in 1..6 {
            let overlay = Topology::Overlay { n };
            for member in 0..n {
                let successors: Vec<u32> = overlay.successors(member).collect();
                assert_eq!(successors, (1..n).map(|steps| (member + steps) % n).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn rings_close_round_those_passed_over_and_other_networks_do_not() {
        let ring = Topology::Ring { n: 5, two_way: true };
        let past = |port, over: &[u32]| ring.peer_past(1, port, |member| over.contains(&member));
        assert_eq!(past(NEXT, &[]), (2, PREV));
        assert_eq!(past(NEXT, &[2, 3]), (4, PREV));
        assert_eq!(past(NEXT, &[2, 3, 4]), (0, PREV));
        assert_eq!(past(PREV, &[0]), (4, NEXT));
        assert_eq!(past(NEXT, &[0, 2, 3, 4]), (1, PREV), "it is alone");
        assert_eq!(Topology::Complete { n: 3 }.peer_past(0, Port(0), |_| true), (1, Port(0)));
    }

    #[test]
    fn small_rings_keep_their_two_links_apart() {
        let pair = Topology::Ring { n: 2, two_way: true };
        assert_eq!(pair.peer(0, NEXT), (1, PREV));
        assert_eq!(pair.peer(0, PREV), (1, NEXT));
        let one = Topology::Ring { n: 1, two_way: true };
        assert_eq!(one.peer(0, NEXT), (0, PREV));
        assert_eq!((NEXT.across(), PREV.across()), (PREV, NEXT));
    }
}
