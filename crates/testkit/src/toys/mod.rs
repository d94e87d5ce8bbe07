//! Toy algorithms and plans for tests of the simulator itself.

pub mod beacon;
pub mod patient;
pub mod shouting;

use bellwether_core::*;
use bellwether_sim::{Happening, Plan};
use serde::{Deserialize, Serialize};

/// A complete network of members with the ids 1 to n.
pub fn complete(n: u32) -> Plan {
    let ranks = (1..=u64::from(n)).map(|id| Rank::new(Elect::Best, 0, Id::new(id).expect("small ids")));
    Plan::new(Topology::Complete { n }, Some(1), ranks.collect(), Order::Explicit)
}

/// The same on a one-way ring.
pub fn ring(n: u32) -> Plan {
    Plan { topology: Topology::Ring { n, two_way: false }, ..complete(n) }
}

/// A plan in which this happens to members, by id and in hops.
pub fn with_script(mut plan: Plan, script: &[(FaultEvent, u64, f64)]) -> Plan {
    plan.script = script
        .iter()
        .map(|&(what, id, hops)| Happening {
            at: Time::from_ticks((hops * HOP.ticks() as f64) as u64),
            what,
            member: id as u32 - 1,
        })
        .collect();
    plan.script.sort_unstable();
    plan
}

/// A time in hops.
pub fn hops(hops: f64) -> Time {
    Time::from_ticks((hops * HOP.ticks() as f64) as u64)
}

/// A member's id.
pub fn id(value: u64) -> Id {
    Id::new(value).expect("small ids")
}

/// The least that an algorithm says of itself.
pub const TOY: Spec = Spec {
    name: "toy",
    variant: "only",
    summary: "a test's own",
    sources: &[],
    need: Need::StronglyConnected,
    timing: Timing::Asynchronous,
    links: Links::Any,
    starts: Starts::Callers,
    identities: Identities::Unique,
    leadership: Leadership::Best,
    reign: Reign::AtOnce,
    electorate: Electorate::WhoeverIsThere,
    lasting: Lasting::Ends,
    knows: Knowledge::empty(),
    goal: Goal::EveryoneKnows,
    survives: Faults::empty(),
    randomised: false,
    parameters: &[],
    claims: &[],
    text: "",
};

/// A message that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ping;

impl Message for Ping {
    const KINDS: &'static [Kind] = &[Kind::payload("ping")];

    fn kind(&self) -> usize {
        0
    }
}
