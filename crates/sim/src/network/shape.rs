//! The shapes of networks, as the user writes them.

use super::NetworkError;
use bellwether_core::Need;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The shape of a network. What members are linked to is described for each; links are two-way
/// unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ring of one-way links, clockwise.
    Ring,
    /// A ring.
    TwoWayRing,
    /// One behind the other.
    Line,
    /// Rows and columns.
    Grid {
        /// How many of each; by default as nearly square as the number of members allows.
        sides: Option<Sides>,
    },
    /// A grid whose opposite edges are joined (where that does not repeat a link or join a member
    /// to itself).
    Torus {
        /// How many rows and columns; by default as nearly square as the number of members allows.
        sides: Option<Sides>,
    },
    /// Member 0 in the middle, linked to everyone else.
    Star,
    /// Member 0 on top, and every level full before the next begins.
    Tree {
        /// How many children a member has.
        arity: u32,
    },
    /// A ring laid over a complete network: everyone numbers the others clockwise.
    OverlayRing,
    /// Everyone is everyone's neighbour.
    Complete,
    /// Those are neighbours whose numbers differ in one binary digit.
    Hypercube,
    /// Any two are neighbours with the same probability, independently (Erdős and Rényi's G(n,p)),
    /// given that the network is connected.
    Gnp {
        /// The probability.
        p: f64,
    },
    /// A random connected network in which everyone has the same number of neighbours.
    Regular {
        /// How many.
        degree: u32,
    },
    /// A random strongly connected network of one-way links: a random cycle through everyone, and
    /// random links besides.
    Digraph {
        /// How many links leave each member (or one to everyone else, where that is fewer).
        degree: u32,
    },
    /// What a file says: a list of links, or GraphML.
    File(PathBuf),
    /// These links, one a line, as a file lists them.
    Links(Arc<str>),
}

/// The sides of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// How many rows.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
}

impl Sides {
    /// The sides of a grid of `n` members that is as nearly square as can be, no more rows than
    /// columns. For a prime number that is a single row.
    #[must_use]
    pub fn squarest(n: u32) -> Sides {
        let rows = (1..=n.isqrt()).rev().find(|rows| n.is_multiple_of(*rows)).unwrap_or(1);
        Sides { rows, columns: n / rows }
    }

    /// How many members a grid with these sides has.
    #[must_use]
    pub fn area(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

impl Shape {
    /// The names of all shapes.
    pub const NAMES: &'static [&'static str] = &[
        "ring",
        "two-way-ring",
        "overlay-ring",
        "line",
        "grid",
        "torus",
        "star",
        "tree",
        "complete",
        "hypercube",
        "gnp",
        "regular",
        "digraph",
        "file",
        "links",
    ];

    /// How to write each shape, a line each.
    pub const HELP: &'static str = "\
ring           a ring of one-way links, clockwise
two-way-ring   a ring of two-way links
overlay-ring   a ring over a complete network: members can send past their next neighbours
line           one behind the other
grid[:RxC]     R rows and C columns; by default as nearly square as can be
torus[:RxC]    a grid whose opposite edges are joined
star           one member in the middle, linked to all others
tree[:ARITY]   a tree, every level full before the next; by default 2 children each
complete       everyone is everyone's neighbour
hypercube      a cube of as many dimensions as needed; the size must be a power of two
gnp:P          random: any two are neighbours with probability P, over 0 and at most 1
regular:K      random: everyone has K neighbours
digraph[:K]    random, strongly connected, one-way: K links leave each member; by default 3
file:PATH      a file with a link a line ('A B' or 'A -> B' one-way, 'A -- B' two-way), or GraphML
links:A->B,..  these links, written as in a file";

    /// How many children a tree's members have unless the user says.
    pub const DEFAULT_ARITY: u32 = 2;
    /// How many links leave a member of a random directed network unless the user says.
    pub const DEFAULT_OUT_DEGREE: u32 = 3;

    /// The shape to run on when the user names none, for an algorithm with this need. It comes in
    /// every size.
    #[must_use]
    pub fn for_need(need: Need) -> Shape {
        match need {
            Need::OneWayRing => Shape::Ring,
            Need::TwoWayRing => Shape::TwoWayRing,
            Need::OverlayRing => Shape::OverlayRing,
            Need::Complete => Shape::Complete,
            Need::StronglyConnected => Shape::Digraph { degree: Shape::DEFAULT_OUT_DEGREE },
            Need::ConnectedTwoWay => Shape::Grid { sides: None },
        }
    }

    /// Whether the network is drawn by the seed.
    #[must_use]
    pub fn is_random(&self) -> bool {
        matches!(self, Shape::Gnp { .. } | Shape::Regular { .. } | Shape::Digraph { .. })
    }

    /// The shape's name, without its parameter.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Ring => "ring",
            Shape::TwoWayRing => "two-way-ring",
            Shape::Line => "line",
            Shape::Grid { .. } => "grid",
            Shape::Torus { .. } => "torus",
            Shape::Star => "star",
            Shape::Tree { .. } => "tree",
            Shape::OverlayRing => "overlay-ring",
            Shape::Complete => "complete",
            Shape::Hypercube => "hypercube",
            Shape::Gnp { .. } => "gnp",
            Shape::Regular { .. } => "regular",
            Shape::Digraph { .. } => "digraph",
            Shape::File(_) => "file",
            Shape::Links(_) => "links",
        }
    }

    /// How many members there are, where the shape itself says so.
    #[must_use]
    pub fn own_size(&self) -> Option<u64> {
        match self {
            Shape::Grid { sides: Some(sides) } | Shape::Torus { sides: Some(sides) } => Some(sides.area()),
            _ => None,
        }
    }

    /// Whether the network says who its members are, as files and listed links do.
    #[must_use]
    pub fn names_members(&self) -> bool {
        matches!(self, Shape::File(_) | Shape::Links(_))
    }

    /// Whether the parameter makes sense, whatever the size: shapes can be made without parsing.
    pub(super) fn check(&self) -> Result<(), NetworkError> {
        let sound = match self {
            Shape::Grid { sides: Some(sides) } | Shape::Torus { sides: Some(sides) } => sides.area() > 0,
            Shape::Tree { arity: count }
            | Shape::Regular { degree: count }
            | Shape::Digraph { degree: count } => *count > 0,
            Shape::Gnp { p } => *p > 0.0 && *p <= 1.0,
            Shape::File(path) => !path.as_os_str().is_empty(),
            _ => true,
        };
        if sound { Ok(()) } else { Err(misunderstood(self.to_string(), self.name())) }
    }
}

/// The error for a shape of this name whose parameter makes no sense.
fn misunderstood(given: String, name: &str) -> NetworkError {
    let expected = match name {
        "grid" => "use grid, or grid:RxC with R rows and C columns, both at least 1",
        "torus" => "use torus, or torus:RxC with R rows and C columns, both at least 1",
        "tree" => "use tree, or tree:ARITY with a whole number of children, at least 1",
        "gnp" => "use gnp:P with a probability over 0 and at most 1, as in gnp:0.1",
        "regular" => "use regular:K with a whole number of neighbours, at least 1",
        "digraph" => "use digraph, or digraph:K with a whole number of links from each member, at least 1",
        "file" => "use file:PATH with the path of a list of links or of GraphML",
        "links" => "use links:A->B,B--C with links between members' ids, one-way or two-way",
        _ => "this topology takes no parameter: leave the colon and what follows out",
    };
    NetworkError::Parameter { given, expected }
}

impl FromStr for Shape {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Shape, NetworkError> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        if !Shape::NAMES.contains(&name) {
            return Err(NetworkError::UnknownShape { name: name.to_owned() });
        }
        read_shape(name, parameter)
            .filter(|shape| shape.check().is_ok())
            .ok_or_else(|| misunderstood(text.to_owned(), name))
    }
}

fn read_shape(name: &str, parameter: Option<&str>) -> Option<Shape> {
    Some(match (name, parameter) {
        ("ring", None) => Shape::Ring,
        ("two-way-ring", None) => Shape::TwoWayRing,
        ("line", None) => Shape::Line,
        ("grid", None) => Shape::Grid { sides: None },
        ("grid", Some(sides)) => Shape::Grid { sides: Some(read_sides(sides)?) },
        ("torus", None) => Shape::Torus { sides: None },
        ("torus", Some(sides)) => Shape::Torus { sides: Some(read_sides(sides)?) },
        ("star", None) => Shape::Star,
        ("tree", None) => Shape::Tree { arity: Shape::DEFAULT_ARITY },
        ("tree", Some(arity)) => Shape::Tree { arity: arity.parse().ok()? },
        ("overlay-ring", None) => Shape::OverlayRing,
        ("complete", None) => Shape::Complete,
        ("hypercube", None) => Shape::Hypercube,
        ("gnp", Some(p)) => Shape::Gnp { p: p.parse().ok()? },
        ("regular", Some(degree)) => Shape::Regular { degree: degree.parse().ok()? },
        ("digraph", None) => Shape::Digraph { degree: Shape::DEFAULT_OUT_DEGREE },
        ("digraph", Some(degree)) => Shape::Digraph { degree: degree.parse().ok()? },
        ("file", Some(path)) => Shape::File(PathBuf::from(path)),
        ("links", Some(links)) => {
            let links: Vec<&str> = links.split(',').map(str::trim).collect();
            Shape::Links(links.join("\n").into())
        }
        _ => return None,
    })
}

fn read_sides(text: &str) -> Option<Sides> {
    let (rows, columns) = text.split_once('x')?;
    Some(Sides { rows: rows.parse().ok()?, columns: columns.parse().ok()? })
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Shape::Grid { sides: Some(sides) } | Shape::Torus { sides: Some(sides) } => write!(f, ":{sides}"),
            Shape::Tree { arity: count }
            | Shape::Regular { degree: count }
            | Shape::Digraph { degree: count } => {
                write!(f, ":{count}")
            }
            Shape::Gnp { p } => write!(f, ":{p}"),
            Shape::File(path) => write!(f, ":{}", path.display()),
            Shape::Links(lines) => write!(f, ": {}", lines.lines().collect::<Vec<_>>().join(", ")),
            _ => Ok(()),
        }
    }
}
