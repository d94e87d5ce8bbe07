//! What can be measured on a network.

use super::Sides;
use bellwether_core::Topology;
use rayon::prelude::*;
use rustworkx_core::petgraph::algo::kosaraju_scc;
use rustworkx_core::petgraph::graph::DiGraph;

/// The diameter of a stored graph without a formula takes a search from every member. It is not
/// measured where members times links exceed this many visits of a link: some seconds on a usual
/// machine.
pub const DIAMETER_BUDGET: u64 = 5_000_000_000;

/// Whether everyone can reach everyone.
pub(super) fn strongly_connected(topology: &Topology) -> bool {
    match topology {
        Topology::Ring { .. } | Topology::Complete { .. } => true,
        Topology::Graph(_) => {
            let mut graph =
                DiGraph::<(), ()>::with_capacity(topology.n() as usize, topology.links() as usize);
            (0..topology.n()).for_each(|_| _ = graph.add_node(()));
            let links =
                (0..topology.n()).flat_map(|from| topology.successors(from).map(move |to| (from, to)));
            graph.extend_with_edges(links);
            // Not Tarjan's, which recurses as deep as the network is long.
            kosaraju_scc(&graph).len() == 1
        }
    }
}

/// The greatest distance between two members of a network in which everyone can reach everyone,
/// within the budget.
pub(super) fn diameter(topology: &Topology) -> Option<u32> {
    match *topology {
        Topology::Ring { n, two_way: false } => n.checked_sub(1),
        Topology::Ring { n, two_way: true } => Some(n / 2),
        Topology::Complete { n } => Some(n.saturating_sub(1).min(1)),
        Topology::Graph(_) => {
            let visits = u64::from(topology.n()).saturating_mul(topology.links());
            (visits <= DIAMETER_BUDGET).then(|| measured_diameter(topology))
        }
    }
}

/// The same by a search from every member.
pub(super) fn measured_diameter(topology: &Topology) -> u32 {
    let rows = Rows::new(topology);
    let everyone: Vec<u32> = (0..topology.n()).collect();
    everyone.par_chunks(LANES).map(|sources| rows.greatest_distance_from(sources)).max().unwrap_or(0)
}

/// How many searches run at once, one in each bit of a [`Lanes`].
const LANES: usize = 64;
type Lanes = u64;

/// Where the links from each member lead, row after row.
struct Rows {
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Rows {
    fn new(topology: &Topology) -> Rows {
        let mut starts = vec![0];
        let mut targets = Vec::with_capacity(topology.links() as usize);
        for member in 0..topology.n() {
            targets.extend(topology.successors(member));
            starts.push(targets.len());
        }
        Rows { starts, targets }
    }

    fn row(&self, member: u32) -> &[u32] {
        &self.targets[self.starts[member as usize]..self.starts[member as usize + 1]]
    }

    /// The greatest distance from any of up to [`LANES`] sources, by breadth-first searches that
    /// share their work: members that many searches reach at once are visited once (Then and
    /// others, The More the Merrier: Efficient Multi-Source Graph Traversal, 2014). The graph
    /// libraries search from one source at a time, which takes ten times as long in random networks.
    fn greatest_distance_from(&self, sources: &[u32]) -> u32 {
        let n = self.starts.len() - 1;
        let mut seen: Vec<Lanes> = vec![0; n];
        let mut arriving: Vec<Lanes> = vec![0; n];
        let mut frontier: Vec<(u32, Lanes)> = Vec::new();
        for (lane, &source) in sources.iter().enumerate() {
            seen[source as usize] = 1 << lane;
            frontier.push((source, 1 << lane));
        }
        let mut reached = Vec::new();
        let mut distance = 0;
        loop {
            for &(member, lanes) in &frontier {
                for &target in self.row(member) {
                    let new = lanes & !seen[target as usize];
                    if new != 0 {
                        if arriving[target as usize] == 0 {
                            reached.push(target);
                        }
                        arriving[target as usize] |= new;
                    }
                }
            }
            if reached.is_empty() {
                return distance;
            }
            distance += 1;
            frontier.clear();
            for member in reached.drain(..) {
                let new = std::mem::take(&mut arriving[member as usize]);
                seen[member as usize] |= new;
                frontier.push((member, new));
            }
        }
    }
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
