//! How an algorithm reads its parameters: by keys that the compiler checks.

use super::{Domain, ParamValue};
use crate::Protocol;
use std::marker::PhantomData;

/// What a parameter is to an algorithm that reads it.
pub trait ParamType: Copy {
    /// The value, if it is of this type.
    fn of(value: ParamValue) -> Option<Self>;
}

impl ParamType for u64 {
    fn of(value: ParamValue) -> Option<u64> {
        if let ParamValue::Whole(number) = value { Some(number) } else { None }
    }
}

impl ParamType for f64 {
    fn of(value: ParamValue) -> Option<f64> {
        if let ParamValue::Number(number) = value { Some(number) } else { None }
    }
}

/// Both ends of a range.
impl ParamType for (u64, u64) {
    fn of(value: ParamValue) -> Option<(u64, u64)> {
        if let ParamValue::Range(from, to) = value { Some((from, to)) } else { None }
    }
}

/// Whether a policy is not the first of its words.
impl ParamType for bool {
    fn of(value: ParamValue) -> Option<bool> {
        if let ParamValue::Word(at) = value { Some(at > 0) } else { None }
    }
}

/// Where an algorithm finds one of its parameters.
///
/// ```
/// # use bellwether_core::*;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
/// # struct Silence;
/// # impl Message for Silence {
/// #     const KINDS: &'static [Kind] = &[Kind::payload("silence")];
/// #     fn kind(&self) -> usize { 0 }
/// # }
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
/// # struct Asking;
/// impl Protocol for Asking {
///     type Msg = Silence;
///     const SPEC: Spec = Spec {
///         parameters: &[Parameter::whole("asks", "how often it asks", "times", (1, 9), 3)],
///         // ...
/// #       name: "asking", variant: "only", summary: "", sources: &[],
/// #       need: Need::StronglyConnected, timing: Timing::Asynchronous, links: Links::Any,
/// #       starts: Starts::Everyone, goal: Goal::LeaderOnly, identities: Identities::Unique,
/// #       leadership: Leadership::Best, reign: Reign::AtOnce, electorate: Electorate::WhoeverIsThere,
/// #       lasting: Lasting::Ends, survives: Faults::empty(), randomised: false, knows: Knowledge::empty(),
/// #       claims: &[], text: "",
///     };
///     fn status(&self) -> Status { Status::UNDECIDED }
/// }
/// const ASKS: Key<Asking, u64> = Key::whole("asks");
///
/// fn asks(local: &Local<'_, Asking>) -> u64 {
///     local.parameter(ASKS)
/// }
/// # fn main() { let _: fn(&Local<'_, Asking>) -> u64 = asks; }
/// ```
///
/// A constant key of a parameter that the [`Spec`](crate::Spec) does not list, or lists as something else, does not compile:
///
/// ```compile_fail
/// # use bellwether_core::*;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
/// # struct Silence;
/// # impl Message for Silence {
/// #     const KINDS: &'static [Kind] = &[Kind::payload("silence")];
/// #     fn kind(&self) -> usize { 0 }
/// # }
/// # #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
/// # struct Asking;
/// impl Protocol for Asking {
///     type Msg = Silence;
///     const SPEC: Spec = Spec {
///         parameters: &[Parameter::whole("asks", "how often it asks", "times", (1, 9), 3)],
///         // ...
/// #       name: "asking", variant: "only", summary: "", sources: &[],
/// #       need: Need::StronglyConnected, timing: Timing::Asynchronous, links: Links::Any,
/// #       starts: Starts::Everyone, goal: Goal::LeaderOnly, identities: Identities::Unique,
/// #       leadership: Leadership::Best, reign: Reign::AtOnce, electorate: Electorate::WhoeverIsThere,
/// #       lasting: Lasting::Ends, survives: Faults::empty(), randomised: false, knows: Knowledge::empty(),
/// #       claims: &[], text: "",
///     };
///     fn status(&self) -> Status { Status::UNDECIDED }
/// }
/// const WAIT: Key<Asking, (u64, u64)> = Key::range("asks");
/// # fn main() { let _ = WAIT; }
/// ```
#[derive(Debug)]
pub struct Key<P, T> {
    at: usize,
    of: PhantomData<fn() -> (P, T)>,
}

impl<P, T> Clone for Key<P, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, T> Copy for Key<P, T> {}

impl<P, T> Key<P, T> {
    pub(super) fn place(self) -> usize {
        self.at
    }
}

impl<P: Protocol, T> Key<P, T> {
    const fn find(name: &str) -> (usize, Domain) {
        let parameters = P::SPEC.parameters;
        let mut at = 0;
        while at < parameters.len() {
            if is_same(parameters[at].name, name) {
                return (at, parameters[at].domain);
            }
            at += 1;
        }
        panic!("the Spec lists no parameter of this name")
    }
}

impl<P: Protocol> Key<P, u64> {
    /// The key of a whole number.
    ///
    /// # Panics
    /// If there is no such parameter.
    #[must_use]
    pub const fn whole(name: &str) -> Self {
        let (at, domain) = Self::find(name);
        assert!(matches!(domain, Domain::Whole(..)), "this parameter is no whole number");
        Key { at, of: PhantomData }
    }
}

impl<P: Protocol> Key<P, (u64, u64)> {
    /// The key of a range of whole numbers.
    ///
    /// # Panics
    /// If there is no such parameter.
    #[must_use]
    pub const fn range(name: &str) -> Self {
        let (at, domain) = Self::find(name);
        assert!(matches!(domain, Domain::Range(..)), "this parameter is no range");
        Key { at, of: PhantomData }
    }
}

impl<P: Protocol> Key<P, bool> {
    /// The key of a policy of two words.
    ///
    /// # Panics
    /// If there is no such parameter.
    #[must_use]
    pub const fn policy(name: &str) -> Self {
        let (at, domain) = Self::find(name);
        assert!(matches!(domain, Domain::Words([_, _])), "this parameter is not one of two words");
        Key { at, of: PhantomData }
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
