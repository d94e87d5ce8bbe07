//! Other names for the same members.

use crate::{Algorithm, Id, Port};

/// What one member calls the others after some have changed places: their ids, and the ports at which it finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    ids: Vec<(Id, Id)>,
    ports: Vec<Port>,
}

impl Names {
    /// Old and new ids, and for each old port the new one.
    #[must_use]
    pub fn new(ids: Vec<(Id, Id)>, ports: Vec<Port>) -> Names {
        Names { ids, ports }
    }

    /// The new name of a member. (An id that is nobody's stays.)
    #[must_use]
    pub fn id(&self, id: Id) -> Id {
        self.ids.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new)
    }

    /// Where the neighbour at a port is found now.
    #[must_use]
    pub fn port(&self, port: Port) -> Port {
        self.ports.get(port.0 as usize).copied().unwrap_or(port)
    }
}

/// How the names of others in an algorithm's state are replaced.
///
/// An algorithm that offers this ([`Algorithm::RENAME`]) says that members who have equal attributes differ in nothing
/// but their names: ids and ports are compared for being the same, never for being less or more; and neither messages
/// nor timers name anyone. Then whatever can happen can also happen with places exchanged, and who looks at everything
/// need look at one of the two.
#[derive(Debug)]
pub struct Rename<A: Algorithm> {
    /// In a member's state.
    pub state: fn(&mut A, &Names),
    /// In what it has on disk.
    pub saved: fn(&mut A::Durable, &Names),
}
