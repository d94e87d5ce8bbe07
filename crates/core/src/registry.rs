//! Algorithms as data, and lists of them.

use crate::{Algorithm, DetectorEntry, Kind, MachineType, Message, RoundAlgorithm, Rounds, Spec};

/// How an algorithm is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driving {
    /// By one input at a time: [`Algorithm`].
    Events,
    /// In rounds: [`RoundAlgorithm`].
    Rounds,
}

/// One variant of one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Needs, promises and claims.
    pub spec: &'static Spec,
    /// How it is driven.
    pub driving: Driving,
    /// The kinds of its messages: in rounds, without a synchroniser's marker.
    pub kinds: &'static [Kind],
    /// Its members; in rounds, over a synchroniser.
    pub machine: &'static MachineType,
}

impl Entry {
    /// An algorithm that reacts to inputs.
    #[must_use]
    pub const fn events<A: Algorithm>() -> Entry {
        let machine = MachineType::of::<A>();
        Entry { spec: machine.spec, driving: Driving::Events, kinds: machine.kinds, machine }
    }

    /// An algorithm that runs in rounds.
    #[must_use]
    pub const fn rounds<R: RoundAlgorithm>() -> Entry {
        let machine = MachineType::of::<Rounds<R>>();
        Entry { spec: &R::SPEC, driving: Driving::Rounds, kinds: R::Msg::KINDS, machine }
    }
}

impl Entry {
    /// The same state machine in a variant: of the same type, with a [`Spec`] of its own. Its machine has the
    /// variant's [`Entry::machine_spec`].
    #[must_use]
    pub const fn variant(self, spec: &'static Spec, machine: &'static MachineType) -> Entry {
        Entry { spec, machine, ..self }
    }

    /// What the members' spec is in a variant: in rounds, a synchroniser assumes less about time.
    #[must_use]
    pub const fn machine_spec(self, variant: &Spec) -> Spec {
        Spec { timing: self.machine.spec.timing, ..*variant }
    }
}

impl AsRef<Entry> for Entry {
    fn as_ref(&self) -> &Entry {
        self
    }
}

/// A list of algorithms, made by [`registry!`](crate::registry!). A driver whose entries are more than data has its own
/// type of entries.
#[derive(Clone, Copy, Debug)]
pub struct Registry<E: 'static = Entry> {
    /// Every variant of every algorithm; an algorithm's default variant comes first.
    pub entries: &'static [E],
    /// Every failure detector that they run with.
    pub detectors: &'static [DetectorEntry],
}

impl<E: AsRef<Entry>> Registry<E> {
    pub(crate) fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        self.entries.iter().map(|entry| entry.as_ref().spec)
    }

    /// The index of an algorithm's variant, or of its default variant.
    #[must_use]
    pub fn find(&self, name: &str, variant: Option<&str>) -> Option<usize> {
        self.specs()
            .position(|spec| spec.name == name && variant.is_none_or(|variant| spec.variant == variant))
    }

    /// The names of an algorithm's variants, the default first; empty if there is no such algorithm.
    #[must_use]
    pub fn variants(&self, name: &str) -> Vec<&'static str> {
        self.specs().filter(|spec| spec.name == name).map(|spec| spec.variant).collect()
    }

    /// The names of the algorithms, in the registry's order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.specs().map(|spec| spec.name).collect();
        names.dedup();
        names
    }
}

/// Defines a [`Registry`]: one line for each algorithm with its variants, the default first. `events` are [`Algorithm`]s,
/// `rounds` are [`RoundAlgorithm`]s. Variants that differ by their parameters alone are of one type, each `as` a [`Spec`] of
/// its own.
///
/// ```text
/// registry! {
///     /// Every algorithm there is.
///     pub static ALGORITHMS: Entry, detectors DETECTORS = {
///         rounds lcr::LeaderOnly, lcr::Halting;
///         events chang_roberts::ChangRoberts;
///         events raft_vote::RaftVote, raft_vote::RaftVote as raft_vote::PRE_VOTE;
///     }
/// }
/// ```
#[macro_export]
macro_rules! registry {
    ($(#[$doc:meta])* $visibility:vis static $name:ident: $entry:ident $(, detectors $detectors:path)?
        = { $($list:tt)* }) => {
        $(#[$doc])*
        $visibility static $name: $crate::Registry<$entry> = {
            let detectors: &'static [$crate::DetectorEntry] = &[];
            $(let detectors = { let _ = detectors; $detectors };)?
            $crate::Registry { entries: $crate::entries!($entry: $($list)*), detectors }
        };
    };
}

/// The entries of a [`registry!`](crate::registry!).
#[macro_export]
macro_rules! entries {
    ($entry:ident: $($driving:ident $($type:ty $(as $spec:path)?),+;)*) => {
        &[$($($entry::$driving::<$type>()$(.variant(&$spec, const {
            const PLAIN: $crate::Entry = $crate::Entry::$driving::<$type>();
            &PLAIN.machine.variant(const { &PLAIN.machine_spec(&$spec) })
        }))?,)+)*]
    };
}
