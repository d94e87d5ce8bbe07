//! Algorithms with the loops that are compiled for them.

use crate::calm;
use crate::plan::Plan;
use crate::report::Report;
use crate::rounds::{self, Visit};
use crate::trace::Observer;
use bellwether_core::{Algorithm, Entry, MachineType, RoundAlgorithm, Spec};
use std::fmt;
use std::ops::Deref;

/// An algorithm that can be run: what it is, and the loops that are compiled for it. [`crate::simulate`] takes one of
/// them where it can, and the [`Machine`](bellwether_core::machine::Machine) everywhere else.
#[derive(Clone, Copy)]
pub struct Runner {
    entry: Entry,
    hot: Hot,
}

/// The loops that are compiled for an algorithm.
#[derive(Clone, Copy)]
pub(crate) enum Hot {
    /// For calm runs that nobody observes.
    Calm(fn(&'static Spec, &Plan) -> Report),
    /// For rounds in step.
    InStep { unobserved: fn(&Plan) -> Report, observed: fn(&Plan, &mut dyn Observer) -> Report },
}

impl Runner {
    /// An algorithm that reacts to inputs.
    #[must_use]
    pub const fn events<A: Algorithm>() -> Runner {
        Runner { entry: Entry::events::<A>(), hot: Hot::Calm(calm::run::<A>) }
    }

    /// An algorithm that runs in rounds.
    #[must_use]
    pub const fn rounds<R: RoundAlgorithm>() -> Runner {
        let hot = Hot::InStep {
            unobserved: |plan| rounds::run::<R, ()>(plan, &mut (), Visit::Awake),
            observed: |plan, observer| rounds::run::<R, dyn Observer + '_>(plan, observer, Visit::Awake),
        };
        Runner { entry: Entry::rounds::<R>(), hot }
    }

    /// The same state machine in a variant: see [`Entry::variant`].
    #[must_use]
    pub const fn variant(self, machine: &'static MachineType) -> Runner {
        Runner { entry: self.entry.variant(machine), ..self }
    }

    pub(crate) fn hot(&self) -> Hot {
        self.hot
    }
}

impl Deref for Runner {
    type Target = Entry;
    fn deref(&self) -> &Entry {
        &self.entry
    }
}

impl AsRef<Entry> for Runner {
    fn as_ref(&self) -> &Entry {
        &self.entry
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spec { name, variant, .. } = self.entry.spec;
        write!(f, "{name}/{variant}")
    }
}
