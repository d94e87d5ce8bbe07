//! From a name to a type: the list of algorithms, and drivers compiled for each.

use crate::{Algorithm, DetectorEntry, RoundAlgorithm, Spec};

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
}

/// Something to do with an algorithm's concrete type.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// The algorithm reacts to inputs.
    fn events<A: Algorithm>(self) -> Self::Output;
    /// The algorithm runs in rounds.
    fn rounds<R: RoundAlgorithm>(self) -> Self::Output;
}

/// A list of algorithms, made by [`registry!`](crate::registry!).
pub trait Registry {
    /// Every variant of every algorithm; an algorithm's default variant comes first.
    const ENTRIES: &'static [Entry];

    /// Every failure detector that they run with.
    const DETECTORS: &'static [DetectorEntry] = &[];

    /// Calls the visitor with the concrete type of entry `index`.
    ///
    /// # Panics
    /// If there is no such entry: the caller's bug.
    fn dispatch<V: Visitor>(index: usize, visitor: V) -> V::Output;

    /// The index of an algorithm's variant, or of its default variant.
    #[must_use]
    fn find(name: &str, variant: Option<&str>) -> Option<usize> {
        Self::ENTRIES.iter().position(|entry| {
            entry.spec.name == name && variant.is_none_or(|variant| entry.spec.variant == variant)
        })
    }

    /// The names of an algorithm's variants, the default first; empty if there is no such algorithm.
    fn variants(name: &str) -> Vec<&'static str> {
        Self::ENTRIES
            .iter()
            .map(|entry| entry.spec)
            .filter(|spec| spec.name == name)
            .map(|spec| spec.variant)
            .collect()
    }

    /// The names of the algorithms, in the registry's order.
    #[must_use]
    fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = Self::ENTRIES.iter().map(|entry| entry.spec.name).collect();
        names.dedup();
        names
    }
}

/// Lists algorithms: one line each, with its variants, the default first. `events` are
/// [`Algorithm`]s, `rounds` are [`RoundAlgorithm`]s.
///
/// ```text
/// registry! {
///     /// Every algorithm there is.
///     pub Algorithms, detectors DETECTORS {
///         rounds lcr::Lcr<LeaderOnly>, lcr::Lcr<Halting>;
///         events chang_roberts::ChangRoberts;
///     }
/// }
/// ```
#[macro_export]
macro_rules! registry {
    ($(#[$doc:meta])* $visibility:vis $name:ident $(, detectors $detectors:path)? { $($driving:ident $($type:ty),+;)* }) => {
        $(#[$doc])*
        $visibility struct $name;

        impl $crate::Registry for $name {
            $(const DETECTORS: &'static [$crate::DetectorEntry] = $detectors;)?

            const ENTRIES: &'static [$crate::Entry] = &[$($($crate::registry!(@entry $driving $type),)+)*];

            fn dispatch<V: $crate::Visitor>(index: usize, visitor: V) -> V::Output {
                let mut passed = 0;
                $($(
                    if index == passed {
                        return $crate::registry!(@visit $driving visitor $type);
                    }
                    passed += 1;
                )+)*
                panic!("the registry has {passed} entries, so there is no entry {index}")
            }
        }
    };
    (@entry events $type:ty) => {
        $crate::Entry { spec: &<$type as $crate::Protocol>::SPEC, driving: $crate::Driving::Events }
    };
    (@entry rounds $type:ty) => {
        $crate::Entry { spec: &<$type as $crate::Protocol>::SPEC, driving: $crate::Driving::Rounds }
    };
    (@visit events $visitor:ident $type:ty) => { $visitor.events::<$type>() };
    (@visit rounds $visitor:ident $type:ty) => { $visitor.rounds::<$type>() };
}
