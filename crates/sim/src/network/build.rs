//! From a shape to a network.

use super::{Network, NetworkError, Shape, Sides, file, metrics, random};
use bellwether_core::{Graph, Link, Topology};
use std::path::Path;

/// How many ports a stored network can have: a [`Graph`] numbers them with 32 bits, and a random
/// network may have somewhat more than expected.
const MAX_PORTS: u64 = 4_000_000_000;

/// About how many bytes a directed link takes while a [`Graph`] is being built, for itself and for
/// its two ends, both sorted.
const BYTES_PER_LINK: f64 = 24.0;
/// How many bytes a port takes.
const BYTES_PER_PORT: f64 = size_of::<Link>() as f64;
/// About how many bytes a member takes: its row, and its place in the generator's graph.
const BYTES_PER_MEMBER: f64 = 16.0;
/// About how many bytes a file's network takes per byte of the file: its text, names and links.
const BYTES_PER_FILE_BYTE: u64 = 16;

impl Shape {
    /// Builds the network of `n` members; `None` will do where the shape or the file says how many
    /// there are. Random choices derive from `seed` alone.
    ///
    /// # Errors
    /// [`NetworkError`] says what is wrong and what to do.
    pub fn build(&self, n: Option<u32>, seed: u64) -> Result<Network, NetworkError> {
        self.check()?;
        if let Shape::File(path) = self {
            return file::read(path, n);
        }
        if let Shape::Links(lines) = self {
            let network = file::parse_links(lines).map_err(|fault| fault.in_file(Path::new("links")))?;
            return network.of_size(self, n);
        }
        let n = self.size(n)?;
        let topology = match self {
            Shape::Ring => Topology::Ring { n, two_way: false },
            Shape::TwoWayRing => Topology::Ring { n, two_way: true },
            Shape::OverlayRing => Topology::Overlay { n },
            Shape::Complete => Topology::Complete { n },
            _ => {
                self.refuse_too_many_links(n)?;
                Topology::Graph(Graph::new(n, self.links(n, seed)?))
            }
        };
        Ok(Network::connected(topology, self.known_diameter(n)))
    }

    /// About how many bytes it takes to build the network of `n` members: 0 for rings and complete
    /// networks, which are computed, not stored.
    #[must_use]
    pub fn memory_estimate(&self, n: u64) -> u64 {
        match self {
            Shape::Ring | Shape::TwoWayRing | Shape::OverlayRing | Shape::Complete => 0,
            Shape::File(path) => {
                let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                length.saturating_mul(BYTES_PER_FILE_BYTE)
            }
            Shape::Links(lines) => (lines.len() as u64).saturating_mul(BYTES_PER_FILE_BYTE),
            Shape::Grid { sides: Some(sides) } | Shape::Torus { sides: Some(sides) } => {
                self.estimate_from_size(sides.area())
            }
            _ => self.estimate_from_size(n),
        }
    }

    fn estimate_from_size(&self, n: u64) -> u64 {
        let links = self.expected_links(n) * BYTES_PER_LINK;
        let ports = self.expected_ports(n) * BYTES_PER_PORT;
        (links + ports + n as f64 * BYTES_PER_MEMBER) as u64 // which saturates
    }

    /// About how many directed links a stored network has, rather too many than too few.
    fn expected_links(&self, n: u64) -> f64 {
        let others = n.saturating_sub(1) as f64;
        let each = match self {
            Shape::Grid { .. } | Shape::Torus { .. } => 4.0,
            Shape::Hypercube => f64::from(n.checked_ilog2().unwrap_or(0)),
            Shape::Gnp { p } => p * others,
            Shape::Regular { degree } | Shape::Digraph { degree } => f64::from(*degree),
            _ => 2.0,
        };
        n as f64 * each.min(others)
    }

    /// About how many ports its members have together: one-way links have one at either end, and
    /// two links that make up a two-way link share theirs.
    fn expected_ports(&self, n: u64) -> f64 {
        let one_way = matches!(self, Shape::Digraph { .. });
        self.expected_links(n) * if one_way { 2.0 } else { 1.0 }
    }

    /// How many members to build for.
    fn size(&self, asked: Option<u32>) -> Result<u32, NetworkError> {
        if asked == Some(0) {
            return Err(NetworkError::NoMembers);
        }
        let (Shape::Grid { sides: Some(sides) } | Shape::Torus { sides: Some(sides) }) = self else {
            return asked.ok_or_else(|| NetworkError::SizeNeeded { shape: self.clone() });
        };
        let has = sides.area();
        match (u32::try_from(has), asked) {
            (_, Some(asked)) if u64::from(asked) != has => {
                Err(NetworkError::SizeDiffers { shape: self.clone(), has, asked })
            }
            (Ok(n), _) => Ok(n),
            (Err(_), _) => Err(self.too_many_links(has)),
        }
    }

    fn refuse_too_many_links(&self, n: u32) -> Result<(), NetworkError> {
        let n = u64::from(n);
        if self.expected_ports(n) > MAX_PORTS as f64 { Err(self.too_many_links(n)) } else { Ok(()) }
    }

    fn too_many_links(&self, n: u64) -> NetworkError {
        let links = self.expected_links(n) as u64;
        NetworkError::TooManyLinks { shape: self.clone(), n, links }
    }

    /// The error for a shape that does not come in this size.
    pub(super) fn unfit(&self, n: u32, reason: impl Into<String>) -> NetworkError {
        NetworkError::Unfit { shape: self.clone(), n, reason: reason.into() }
    }

    /// The sides of a grid or torus of `n` members.
    fn sides_for(sides: Option<Sides>, n: u32) -> Sides {
        sides.unwrap_or_else(|| Sides::squarest(n))
    }

    /// The diameter, where there is a formula for it.
    fn known_diameter(&self, n: u32) -> Option<u32> {
        match self {
            Shape::Line => Some(n - 1),
            Shape::Grid { sides } => Some(metrics::grid_diameter(Shape::sides_for(*sides, n))),
            Shape::Torus { sides } => Some(metrics::torus_diameter(Shape::sides_for(*sides, n))),
            Shape::Star => Some((n - 1).min(2)),
            Shape::Tree { arity } => Some(metrics::tree_diameter(n, *arity)),
            Shape::Hypercube => Some(n.ilog2()),
            Shape::Regular { degree: 1 | 2 } => Some(n / 2), // a pair or a ring
            Shape::Digraph { degree: 1 } => Some(n - 1),     // a ring
            _ => None,
        }
    }

    /// The directed links of a stored network.
    fn links(&self, n: u32, seed: u64) -> Result<Vec<(u32, u32)>, NetworkError> {
        match self {
            Shape::Line => Ok(both_ways((1..n).map(|member| (member - 1, member)))),
            Shape::Star => Ok(both_ways((1..n).map(|leaf| (0, leaf)))),
            Shape::Tree { arity } => Ok(both_ways((1..n).map(|child| ((child - 1) / arity, child)))),
            Shape::Grid { sides } => Ok(both_ways(grid_edges(Shape::sides_for(*sides, n)))),
            Shape::Torus { sides } => {
                let sides = Shape::sides_for(*sides, n);
                Ok(both_ways(grid_edges(sides).chain(wrapping_edges(sides))))
            }
            Shape::Hypercube if !n.is_power_of_two() => {
                let above = u64::from(n).next_power_of_two();
                Err(self
                    .unfit(n, format!("their number must be a power of two, as {} or {above}", above / 2)))
            }
            Shape::Hypercube => Ok(hypercube_links(n)),
            Shape::Gnp { p } => random::gnp(self, n, *p, seed).map(both_ways),
            Shape::Regular { degree } => random::regular(self, n, *degree, seed).map(both_ways),
            Shape::Digraph { degree } => Ok(random::digraph(n, *degree, seed)),
            Shape::Ring
            | Shape::TwoWayRing
            | Shape::OverlayRing
            | Shape::Complete
            | Shape::File(_)
            | Shape::Links(_) => {
                unreachable!("rings and complete networks have no list of links, and others are read")
            }
        }
    }
}

/// The links in both directions along these edges.
fn both_ways(edges: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    edges.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect()
}

/// Members are numbered row by row.
fn grid_edges(Sides { rows, columns }: Sides) -> impl Iterator<Item = (u32, u32)> {
    let n = rows * columns;
    let down = (columns..n).map(move |member| (member - columns, member));
    let across = (1..n).filter(move |member| member % columns != 0).map(|member| (member - 1, member));
    down.chain(across)
}

/// What joins a grid's opposite edges. With two rows they are neighbours already, and with one row
/// they are the same.
fn wrapping_edges(Sides { rows, columns }: Sides) -> impl Iterator<Item = (u32, u32)> {
    let last_row = (rows - 1) * columns;
    let down = (0..columns).map(move |column| (last_row + column, column)).filter(move |_| rows > 2);
    let across =
        (0..rows).map(move |row| (row * columns + columns - 1, row * columns)).filter(move |_| columns > 2);
    down.chain(across)
}

fn hypercube_links(n: u32) -> Vec<(u32, u32)> {
    let dimensions = n.ilog2();
    (0..n).flat_map(|member| (0..dimensions).map(move |digit| (member, member ^ (1 << digit)))).collect()
}
