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
    /// None: its runs are never calm.
    None,
    /// For calm runs that nobody observes.
    Calm(fn(&'static Spec, &Plan) -> Report),
    /// For rounds in step.
    InStep {
        unobserved: fn(&'static Spec, &Plan) -> Report,
        observed: fn(&'static Spec, &Plan, &mut dyn Observer) -> Report,
    },
}

impl Runner {
    /// An algorithm that reacts to inputs.
    #[must_use]
    pub const fn events<A: Algorithm>() -> Runner {
        let hot = if calm::can_be_calm(&A::SPEC) { Hot::Calm(calm::run::<A>) } else { Hot::None };
        Runner { entry: Entry::events::<A>(), hot }
    }

    /// An algorithm that runs in rounds.
    #[must_use]
    pub const fn rounds<R: RoundAlgorithm>() -> Runner {
        let hot = Hot::InStep {
            unobserved: |spec, plan| rounds::run::<R, ()>(spec, plan, &mut (), Visit::Awake),
            observed: |spec, plan, observer| {
                rounds::run::<R, dyn Observer + '_>(spec, plan, observer, Visit::Awake)
            },
        };
        Runner { entry: Entry::rounds::<R>(), hot }
    }

    /// The same state machine in a variant: see [`Entry::variant`].
    #[must_use]
    pub const fn variant(self, spec: &'static Spec, machine: &'static MachineType) -> Runner {
        Runner { entry: self.entry.variant(spec, machine), ..self }
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
