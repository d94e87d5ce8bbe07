//! The variants of [`super`]: one state machine with different parameters.

use super::figures;
use crate::sources::{BURROWS_2006, GRAY_CHERITON_1989, GUPTA_LECTURE, ONGARO_2014};
use bellwether_core::*;

/// The largest measured delay bound, in multiples of the configured one.
pub(super) const SLOWEST: u64 = 4;

/// The longest promise, in delay bounds: a cluster relies on promises shorter than 200 delay bounds, whatever delays
/// are measured, and even on a clock that is off by half.
const LONGEST_LEASE: u64 = 128;

const RENEWALS: Parameter =
    Parameter::whole("renewals", "how often a leader renews during one lease", "times", (3, 12), 3);
const LEASE: Parameter = Parameter::whole(
    "lease",
    "how long a voter promises to vote for no other member",
    "delay bounds",
    (5, LONGEST_LEASE),
    25,
);
const ASKS: Parameter = Parameter::whole(
    "asks",
    "how often a candidate asks for votes, three delay bounds apart, before it gives up",
    "times",
    (1, 16),
    4,
);
const STEADY: Parameter = Parameter::whole(
    "steady",
    "how long a higher-ranked member has to answer every renewal in time before the leader hands over to it",
    "delay bounds",
    (1, 4_096),
    64,
);
const PENALTIES: Parameter = Parameter::whole(
    "penalties",
    "how often `steady` quadruples, at most, for a member whose leadership did not last",
    "times",
    (0, 6),
    3,
);
const ORDER: Parameter = Parameter::policy(
    "order",
    "which member is the first candidate when there is no leader: the highest-ranked, or any",
    &["ranked", "random"],
);
const DELAYS: Parameter = Parameter::policy(
    "delays",
    "whether the delay bound is the configured one, or follows the delays that the leader measures",
    &["told", "measured"],
);

/// The highest-ranked live member is the first candidate.
pub const RANKED: Spec = Spec {
    name: "quorum-lease",
    variant: "ranked",
    summary: "a majority votes for one member per term and promises to vote for no other during its lease; the highest-ranked member is a candidate first",
    sources: &[BURROWS_2006, GRAY_CHERITON_1989, ONGARO_2014, GUPTA_LECTURE],
    need: Need::Complete,
    timing: Timing::BoundedDelay,
    links: Links::Any,
    starts: Starts::Everyone,
    identities: Identities::Unique,
    leadership: Leadership::Best,
    reign: Reign::Leased,
    electorate: Electorate::Majority,
    lasting: Lasting::GoesOn,
    knows: Knowledge::PEERS
        .union(Knowledge::DELAY_BOUND)
        .union(Knowledge::DRIFT_BOUND)
        .union(Knowledge::DUTIES),
    goal: Goal::EveryoneKnows,
    survives: Faults::CRASH
        .union(Faults::RECOVERY)
        .union(Faults::LOSS)
        .union(Faults::LINK)
        .union(Faults::PARTITION)
        .union(Faults::UNHURRIED),
    randomised: false,
    parameters: &[RENEWALS, LEASE, ASKS, STEADY, PENALTIES, ORDER, DELAYS],
    claims: &figures::UNCONTESTED,
    text: include_str!("page.md"),
};

/// Members are candidates after random times.
pub const RANDOMISED: Spec = Spec {
    variant: "randomised",
    summary: "a majority votes for one member per term and promises to vote for no other during its lease; members are candidates after random times",
    parameters: &[RENEWALS, LEASE, ASKS, STEADY, PENALTIES, ORDER.at(ParamValue::Word(1)), DELAYS],
    claims: &figures::CONTESTED,
    ..RANKED
};

/// All times follow the measured delays. Only this variant reads its clock.
pub const ADAPTIVE: Spec = Spec {
    variant: "adaptive",
    summary: "a majority votes for one member per term and promises to vote for no other during its lease; leases follow the measured delays",
    knows: RANKED.knows.union(Knowledge::CLOCK),
    parameters: &[
        RENEWALS,
        LEASE.within(Domain::Whole(5, LONGEST_LEASE / SLOWEST)),
        ASKS,
        STEADY,
        PENALTIES,
        ORDER,
        DELAYS.at(ParamValue::Word(1)),
    ],
    ..RANKED
};

/// The shortest lease: for the checker, because a shorter lease has fewer states. A renewal with the longest possible
/// round trip is just in time for a holder whose clock is off by a tenth.
pub const TIGHT: Spec = Spec {
    variant: "tight",
    summary: "a majority votes for one member per term and promises to vote for no other during its lease; the lease is as short as possible",
    parameters: &[
        RENEWALS,
        LEASE.at(ParamValue::Whole(5)),
        ASKS.at(ParamValue::Whole(1)),
        STEADY.at(ParamValue::Whole(4)),
        PENALTIES,
        ORDER,
        DELAYS,
    ],
    ..RANKED
};
