//! What a member may know.

use crate::algorithm::Protocol;
use crate::{
    Duty, Flow, Id, Identities, Key, Knowledge, MAX_TERM_STEP, ParamType, ParamValues, Port, Rank, Span,
};
use std::marker::PhantomData;

/// A driver's side of [`Local`]: the member's surroundings. Members are named by index here; no
/// algorithm ever sees one.
pub trait Environment {
    /// How many members there are.
    fn size(&self) -> u32;
    /// The network's diameter.
    fn diameter(&self) -> u32;
    /// How many ports a member has.
    fn ports(&self, member: u32) -> u32;
    /// Which way messages pass through a member's port.
    fn flow(&self, member: u32, port: Port) -> Flow;
    /// The rank of the neighbour at a member's port.
    fn peer_rank(&self, member: u32, port: Port) -> Rank;
    /// How many ranks better than a member's own there could be.
    fn better_ranks(&self, member: u32) -> u64;
    /// How long a message can take.
    fn delay_bound(&self) -> Span;
    /// How many millionths a clock can gain or lose.
    fn drift_bound(&self) -> u32;
    /// The values of the algorithm's parameters.
    fn parameters(&self) -> &ParamValues;
    /// What the algorithm's variant declares to know.
    fn knows(&self) -> Knowledge;
    /// What a member is there for.
    fn duty(&self, member: u32) -> Duty;
    /// What the neighbour at a member's port is there for.
    fn peer_duty(&self, member: u32, port: Port) -> Duty;
    /// How far ahead of a member's own term the term of a message may be.
    fn max_term_step(&self) -> u64 {
        MAX_TERM_STEP
    }
    /// A whole number below `bound` (which is at least 1), all equally likely.
    fn draw(&mut self, bound: u64) -> u64;
}

/// What a member may know: itself, and what its [`crate::Spec`] declares.
///
/// What is declared can be asked for:
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
/// # struct Peeking;
/// impl Protocol for Peeking {
///     type Msg = Silence;
///     const SPEC: Spec = Spec {
///         knows: Knowledge::SIZE,
///         // ...
/// #       name: "peeking", variant: "only", summary: "", sources: &[],
/// #       need: Need::StronglyConnected, timing: Timing::Asynchronous, links: Links::Any,
/// #       starts: Starts::Everyone, goal: Goal::LeaderOnly, identities: Identities::Unique,
/// #       leadership: Leadership::Best, reign: Reign::AtOnce, electorate: Electorate::WhoeverIsThere,
/// #       lasting: Lasting::Ends, survives: Faults::empty(), randomised: false, parameters: &[], claims: &[], text: "",
///     };
///     fn status(&self) -> Status { Status::UNDECIDED }
/// }
/// fn peek(local: &Local<'_, Peeking>) -> u32 {
///     local.size()
/// }
/// # fn main() { let _: fn(&Local<'_, Peeking>) -> u32 = peek; }
/// ```
///
/// Asking for more does not compile. LCR, say, declares nothing, so it cannot peek at n:
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
/// # struct Peeking;
/// impl Protocol for Peeking {
///     type Msg = Silence;
///     const SPEC: Spec = Spec {
///         knows: Knowledge::empty(),
///         // ...
/// #       name: "peeking", variant: "only", summary: "", sources: &[],
/// #       need: Need::StronglyConnected, timing: Timing::Asynchronous, links: Links::Any,
/// #       starts: Starts::Everyone, goal: Goal::LeaderOnly, identities: Identities::Unique,
/// #       leadership: Leadership::Best, reign: Reign::AtOnce, electorate: Electorate::WhoeverIsThere,
/// #       lasting: Lasting::Ends, survives: Faults::empty(), randomised: false, parameters: &[], claims: &[], text: "",
///     };
///     fn status(&self) -> Status { Status::UNDECIDED }
/// }
/// fn peek(local: &Local<'_, Peeking>) -> u32 {
///     local.size()
/// }
/// # fn main() { let _: fn(&Local<'_, Peeking>) -> u32 = peek; }
/// ```
pub struct Local<'a, P: Protocol> {
    rank: Rank,
    member: u32,
    environment: &'a mut dyn Environment,
    protocol: PhantomData<P>,
}

impl<'a, P: Protocol> Local<'a, P> {
    /// For drivers: the view of one member.
    #[inline]
    pub fn new(member: u32, rank: Rank, environment: &'a mut dyn Environment) -> Self {
        Local { rank, member, environment, protocol: PhantomData }
    }

    /// The member's own rank, where members have one ([`Identities::Unique`]).
    #[inline]
    #[must_use]
    pub fn rank(&self) -> Rank {
        const {
            assert!(
                matches!(P::SPEC.identities, Identities::Unique),
                "the Spec declares members to be identical"
            );
        };
        self.rank
    }

    /// The member's own id, where members have one ([`Identities::Unique`]).
    #[inline]
    #[must_use]
    pub fn id(&self) -> Id {
        self.rank().id()
    }

    /// The ports the member can send on.
    pub fn outgoing(&self) -> impl Iterator<Item = Port> + '_ {
        self.all_ports().filter(|&port| self.environment.flow(self.member, port).sends())
    }

    /// The ports the member can hear on.
    pub fn incoming(&self) -> impl Iterator<Item = Port> + '_ {
        self.all_ports().filter(|&port| self.environment.flow(self.member, port).hears())
    }

    fn all_ports(&self) -> impl Iterator<Item = Port> + 'static {
        (0..self.environment.ports(self.member)).map(Port)
    }

    /// How many members there are ([`Knowledge::SIZE`]).
    #[must_use]
    pub fn size(&self) -> u32 {
        const { assert!(P::SPEC.knows.contains(Knowledge::SIZE), "the Spec does not declare Knowledge::SIZE") };
        self.environment.size()
    }

    /// The network's diameter ([`Knowledge::DIAMETER`]).
    #[must_use]
    pub fn diameter(&self) -> u32 {
        const {
            assert!(
                P::SPEC.knows.contains(Knowledge::DIAMETER),
                "the Spec does not declare Knowledge::DIAMETER"
            );
        };
        self.environment.diameter()
    }

    /// The rank of the neighbour at a port ([`Knowledge::PEERS`]).
    #[must_use]
    pub fn peer_rank(&self, port: Port) -> Rank {
        const { assert!(P::SPEC.knows.contains(Knowledge::PEERS), "the Spec does not declare Knowledge::PEERS") };
        self.environment.peer_rank(self.member, port)
    }

    /// How many ranks better than the member's own there could be, given the range from which ids
    /// and attributes come ([`Knowledge::RANGE`]); [`u64::MAX`] if there are more.
    #[must_use]
    pub fn better_ranks(&self) -> u64 {
        const { assert!(P::SPEC.knows.contains(Knowledge::RANGE), "the Spec does not declare Knowledge::RANGE") };
        self.environment.better_ranks(self.member)
    }

    /// How long a message can take ([`Knowledge::DELAY_BOUND`]).
    #[must_use]
    pub fn delay_bound(&self) -> Span {
        const {
            assert!(
                P::SPEC.knows.contains(Knowledge::DELAY_BOUND),
                "the Spec does not declare Knowledge::DELAY_BOUND"
            );
        };
        self.environment.delay_bound()
    }

    /// How many millionths a clock can gain or lose, against one that is right ([`Knowledge::DRIFT_BOUND`]).
    #[must_use]
    pub fn drift_bound(&self) -> u32 {
        const {
            assert!(
                P::SPEC.knows.contains(Knowledge::DRIFT_BOUND),
                "the Spec does not declare Knowledge::DRIFT_BOUND"
            );
        };
        self.environment.drift_bound()
    }

    /// What the algorithm's parameters are set to.
    #[must_use]
    pub fn parameters(&self) -> &ParamValues {
        self.environment.parameters()
    }

    /// What one of them is set to.
    #[must_use]
    pub fn parameter<T: ParamType>(&self, key: Key<P, T>) -> T {
        self.environment.parameters().get(key)
    }

    pub(crate) fn variant_knows(&self) -> Knowledge {
        self.environment.knows()
    }

    pub(crate) fn max_term_step(&self) -> u64 {
        self.environment.max_term_step()
    }

    /// What the member is there for ([`Knowledge::DUTIES`]).
    #[must_use]
    pub fn duty(&self) -> Duty {
        const { assert!(P::SPEC.knows.contains(Knowledge::DUTIES), "the Spec does not declare Knowledge::DUTIES") };
        self.environment.duty(self.member)
    }

    /// What the neighbour at a port is there for ([`Knowledge::DUTIES`]).
    #[must_use]
    pub fn peer_duty(&self, port: Port) -> Duty {
        const { assert!(P::SPEC.knows.contains(Knowledge::DUTIES), "the Spec does not declare Knowledge::DUTIES") };
        self.environment.peer_duty(self.member, port)
    }

    /// A whole number below `bound`, all equally likely (randomised algorithms only).
    pub fn draw(&mut self, bound: u64) -> u64 {
        const { assert!(P::SPEC.randomised, "the Spec does not declare itself randomised") };
        self.environment.draw(bound)
    }

    /// The same view for a protocol that wraps this one or is wrapped by it.
    pub(crate) fn view_of<Q: Protocol>(&mut self) -> Local<'_, Q> {
        Local::new(self.member, self.rank, &mut *self.environment)
    }
}
