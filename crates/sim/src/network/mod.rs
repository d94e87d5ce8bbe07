//! Networks to run on: the usual shapes, random ones, and those that the user brings in a file.
//!
//! A [`Shape`] is what the user asks for (`torus:4x5`, `gnp:0.1`, `file:net.graphml`); building it
//! gives a [`Network`]. Every random choice derives from the seed, with integer arithmetic and the
//! four basic operations only, so that the same seed gives the same network on every machine.

mod build;
mod error;
mod file;
mod metrics;
mod random;
mod shape;
#[cfg(test)]
mod tests;

pub use error::NetworkError;
pub use file::MAX_FILE_BYTES;
pub use file::parse_links;
pub use metrics::DIAMETER_BUDGET;
pub use random::ATTEMPTS;
pub use shape::{Shape, Sides};

use bellwether_core::{Id, Topology};

/// A network to run on, with what is known about it.
#[derive(Clone, Debug)]
pub struct Network {
    topology: Topology,
    ids: Option<Vec<Id>>,
    diameter: Option<u32>,
    strongly_connected: bool,
}

impl Network {
    /// A network with this topology, which is measured here: in time linear in its links, and for
    /// the diameter of a stored graph up to [`DIAMETER_BUDGET`] visits of a link.
    #[must_use]
    pub fn new(topology: Topology) -> Network {
        let strongly_connected = metrics::strongly_connected(&topology);
        let diameter = if strongly_connected { metrics::diameter(&topology) } else { None };
        Network { topology, ids: None, diameter, strongly_connected }
    }

    /// A network in which everyone can reach everyone by construction, and perhaps the diameter
    /// is known as well.
    fn connected(topology: Topology, diameter: Option<u32>) -> Network {
        let diameter = diameter.or_else(|| metrics::diameter(&topology));
        Network { topology, ids: None, diameter, strongly_connected: true }
    }

    /// The same network, whose members have these ids.
    fn with_ids(self, ids: Option<Vec<Id>>) -> Network {
        Network { ids, ..self }
    }

    /// The same network, which must have as many members as were asked for.
    fn of_size(self, shape: &Shape, asked: Option<u32>) -> Result<Network, NetworkError> {
        match asked {
            Some(asked) if asked != self.n() => {
                Err(NetworkError::SizeDiffers { shape: shape.clone(), has: u64::from(self.n()), asked })
            }
            _ => Ok(self),
        }
    }

    /// Who can talk to whom.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Who can talk to whom, to keep.
    #[must_use]
    pub fn into_topology(self) -> Topology {
        self.topology
    }

    /// How many members.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.topology.n()
    }

    /// The members' ids in the order of their indices, where a file gives them: when all its names
    /// are whole numbers up to [`Id::MAX`].
    #[must_use]
    pub fn ids(&self) -> Option<&[Id]> {
        self.ids.as_deref()
    }

    /// The greatest distance between two members, along the links. `None` if someone cannot be
    /// reached, or if measuring would take more than [`DIAMETER_BUDGET`].
    #[must_use]
    pub fn diameter(&self) -> Option<u32> {
        self.diameter
    }

    /// Whether everyone can reach everyone.
    #[must_use]
    pub fn strongly_connected(&self) -> bool {
        self.strongly_connected
    }
}
