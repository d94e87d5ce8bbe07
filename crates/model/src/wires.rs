//! Who can send to whom.

use bellwether_core::{Port, Topology};
use bellwether_sim::Plan;

/// A way for messages from one member to another. In a ring that closes round its dead there is also one
/// past each of those that may die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Who sends.
    pub from: u32,
    /// At which of its ports.
    pub port: Port,
    /// Who hears it.
    pub to: u32,
    /// At which of its ports.
    pub at: Port,
}

/// All wires: in the order of their senders, then of ports, the nearest first.
#[derive(Clone, Debug)]
pub struct Wires {
    wires: Vec<Wire>,
    /// For each member and port, the first of its wires.
    first: Vec<Vec<u8>>,
    /// For each member, the wires that lead to it.
    into: Vec<Vec<u8>>,
    closes: bool,
}

impl Wires {
    /// The wires of a plan in which at most so many members are dead at once.
    #[must_use]
    pub fn new(plan: &Plan, most_dead: u32) -> Wires {
        let topology = &plan.topology;
        let closes = plan.ring_closes && matches!(topology, Topology::Ring { .. });
        let (mut wires, mut first) = (Vec::new(), Vec::new());
        for from in 0..topology.n() {
            let mut of_ports = Vec::new();
            for port in (0..topology.ports(from)).map(Port) {
                of_ports.push(wires.len() as u8);
                if !topology.flow(from, port).sends() {
                    continue;
                }
                let (mut to, at) = topology.peer(from, port);
                wires.push(Wire { from, port, to, at });
                for _ in 0..if closes { most_dead.min(topology.n() - 1) } else { 0 } {
                    if to == from {
                        break;
                    }
                    to = topology.peer(to, port).0;
                    wires.push(Wire { from, port, to, at });
                }
            }
            first.push(of_ports);
        }
        let into = |member| {
            let leads_there = |&at: &usize| wires[at].to == member;
            (0..wires.len()).filter(leads_there).map(|at| at as u8).collect()
        };
        Wires { into: (0..topology.n()).map(into).collect(), wires, first, closes }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.wires.len()
    }

    /// Whether nobody can send to anybody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wires.is_empty()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, wire: u8) -> Wire {
        self.wires[wire as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &Wire)> + Clone {
        (0..).zip(&self.wires)
    }

    /// Those that lead to a member.
    #[must_use]
    pub fn leading_to(&self, member: u32) -> &[u8] {
        &self.into[member as usize]
    }

    /// The wire on which a member's message goes out of a port: in a ring that closes round its dead, to the
    /// next that is not.
    pub fn route(&self, member: u32, port: Port, mut is_dead: impl FnMut(u32) -> bool) -> u8 {
        let mut wire = self.first[member as usize][port.0 as usize];
        if self.closes {
            while self.wires[wire as usize].to != member && is_dead(self.wires[wire as usize].to) {
                wire += 1;
            }
        }
        wire
    }
}
