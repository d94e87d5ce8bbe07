//! What can be measured on a network.

use super::Sides;
use bellwether_core::Topology;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rayon::prelude::*;

/// The diameter of a stored graph without a formula takes a search from every member. It is not
/// measured where members times links exceed this many visits of a link: some seconds on a usual
/// machine.
pub const DIAMETER_BUDGET: u64 = 500_000_000;

/// Whether everyone can reach everyone.
pub(super) fn strongly_connected(topology: &Topology) -> bool {
    match topology {
        Topology::Ring { .. } | Topology::Overlay { .. } | Topology::Complete { .. } => true,
        // Not Tarjan's, which recurses as deep as the network is long.
        Topology::Graph(_) => kosaraju_scc(&as_graph(topology)).len() == 1,
    }
}

/// The network as the graph library has it.
fn as_graph(topology: &Topology) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(topology.n() as usize, topology.links() as usize);
    (0..topology.n()).for_each(|_| _ = graph.add_node(()));
    graph.extend_with_edges(
        (0..topology.n()).flat_map(|from| topology.successors(from).map(move |to| (from, to))),
    );
    graph
}

/// The greatest distance between two members of a network in which everyone can reach everyone,
/// within the budget.
pub(super) fn diameter(topology: &Topology) -> Option<u32> {
    match *topology {
        Topology::Ring { n, two_way: false } => n.checked_sub(1),
        Topology::Ring { n, two_way: true } => Some(n / 2),
        Topology::Overlay { n } | Topology::Complete { n } => Some(n.saturating_sub(1).min(1)),
        Topology::Graph(_) => {
            let visits = u64::from(topology.n()).saturating_mul(topology.links());
            (visits <= DIAMETER_BUDGET).then(|| measured_diameter(topology))
        }
    }
}

/// The same by a search from every member.
pub(super) fn measured_diameter(topology: &Topology) -> u32 {
    let fresh = || (vec![false; topology.n() as usize], Vec::new(), Vec::new());
    let sources = (0..topology.n()).into_par_iter();
    let farthest = sources.map_init(fresh, |(reached, level, next), source| {
        reached.fill(false);
        reached[source as usize] = true;
        level.clear();
        level.push(source);
        let mut distance = 0;
        loop {
            for from in level.drain(..) {
                next.extend(
                    topology
                        .successors(from)
                        .filter(|&to| !std::mem::replace(&mut reached[to as usize], true)),
                );
            }
            if next.is_empty() {
                return distance;
            }
            distance += 1;
            std::mem::swap(level, next);
        }
    });
    farthest.max().unwrap_or(0)
}

/// From one corner to the opposite.
pub(super) fn grid_diameter(sides: Sides) -> u32 {
    sides.rows + sides.columns - 2
}

/// Half way round in both directions.
pub(super) fn torus_diameter(sides: Sides) -> u32 {
    sides.rows / 2 + sides.columns / 2
}

/// Up from the last leaf and down again: to the same depth if the last level reaches beneath the
/// root's second child, otherwise to the level before.
pub(super) fn tree_diameter(n: u32, arity: u32) -> u32 {
    if arity == 1 {
        return n - 1;
    }
    let (mut depth, mut last_level, mut above) = (0, 1, 0);
    while above + last_level < u64::from(n) {
        above += last_level;
        last_level *= u64::from(arity);
        depth += 1;
    }
    let in_last_level = u64::from(n) - above;
    match depth {
        0 => 0,
        _ if in_last_level > last_level / u64::from(arity) => 2 * depth,
        _ => 2 * depth - 1,
    }
}
