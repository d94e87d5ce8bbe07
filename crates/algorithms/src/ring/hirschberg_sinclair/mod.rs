//! Hirschberg and Sinclair's election on a two-way ring: growing neighbourhoods, O(n log n) messages.

use crate::sources::{HIRSCHBERG_SINCLAIR_1980, SARKAR_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: how far it probes, and which leader it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HirschbergSinclair {
    /// How far its probes of this phase go: 2^phase. 0 while it sleeps.
    reach: u64,
    /// The side from which the first reply of this phase came.
    replied: Option<Port>,
    role: Role,
    elected: Option<Id>,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Is there a higher rank than this within `ttl` hops?
    Probe {
        /// The rank of the member that asks.
        rank: Rank,
        /// The remaining hops, this one included.
        ttl: u64,
    },
    /// There is no higher rank on this side: on its way back to the member that asked.
    Reply(Rank),
    /// The id of the leader.
    Elected(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::payload("probe"), Kind::payload("reply"), Kind::payload("elected")];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Probe { .. } => 0,
            Msg::Reply(_) => 1,
            Msg::Elected(_) => 2,
        }
    }

    fn brief(&self) -> Option<String> {
        match self {
            Msg::Probe { rank, ttl } => Some(format!("{rank:?} ttl {ttl}")),
            Msg::Reply(_) | Msg::Elected(_) => None,
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected(leader.id()))
    }
}

impl Algorithm for HirschbergSinclair {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        HirschbergSinclair { reach: 0, replied: None, role: Role::Undecided, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        if self.reach == 0 {
            cx.because("told to start an election: begin phase 0 and probe both neighbours");
            self.probe(cx, 1);
        } else {
            cx.because("already in an election, or the outcome is known");
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let sleeps = self.reach == 0;
        if sleeps {
            self.probe(cx, 1);
        }
        match msg {
            Msg::Probe { rank, .. } if rank < cx.rank() => {
                cx.because("the probe of a lower-ranked member: discard");
            }
            Msg::Probe { rank, .. } if rank == cx.rank() => self.lead(cx),
            Msg::Probe { rank, ttl } if ttl > 1 => {
                cx.because("the probe of a higher-ranked member: forward");
                cx.send(from.across(), Msg::Probe { rank, ttl: ttl - 1 });
            }
            Msg::Probe { rank, .. } => {
                cx.because("the probe of a higher-ranked member has made all its hops: send a reply");
                cx.send(from, Msg::Reply(rank));
            }
            Msg::Reply(rank) if rank != cx.rank() => {
                cx.because("a reply to another member: forward");
                cx.send(from.across(), msg);
            }
            Msg::Reply(_) => self.count_reply(cx, from),
            Msg::Elected(leader) if leader != cx.id() => {
                cx.because("the leader's id: record and forward");
                self.role = Role::Follower;
                self.elected = Some(leader);
                cx.send(NEXT, msg);
            }
            Msg::Elected(_) => cx.because("own announcement returned, so every member knows: discard"),
        }
        if sleeps {
            cx.because("first message: send own probes, then handle the message");
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl HirschbergSinclair {
    /// Begins a phase.
    fn probe(&mut self, cx: &mut Cx<'_, Self>, reach: u64) {
        self.reach = reach;
        self.replied = None;
        for side in [NEXT, PREV] {
            cx.send(side, Msg::Probe { rank: cx.rank(), ttl: reach });
        }
    }

    fn count_reply(&mut self, cx: &mut Cx<'_, Self>, from: Port) {
        match self.replied {
            Some(first) if first != from => {
                cx.because("replies from both sides, so no higher rank within reach: probe twice as far");
                self.probe(cx, self.reach.saturating_mul(2));
            }
            _ => {
                cx.because("a reply, so no higher rank within reach on this side: wait for the other side");
                self.replied = Some(from);
            }
        }
    }

    /// Its own probe has gone once round, and the other will soon arrive from the other side.
    fn lead(&mut self, cx: &mut Cx<'_, Self>) {
        if self.role == Role::Undecided {
            cx.because("own probe returned, so no member has a higher rank: lead");
            self.role = Role::Leader;
            self.elected = Some(cx.id());
            cx.send(NEXT, Msg::Elected(cx.id()));
        } else {
            cx.because("the other probe returned too, already announced: discard");
        }
    }
}

impl Protocol for HirschbergSinclair {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "hirschberg-sinclair",
        variant: "plain",
        summary: "members probe twice as far in each phase; a member whose probe goes once round the ring leads",
        sources: &[HIRSCHBERG_SINCLAIR_1980, SARKAR_LECTURE],
        need: Need::TwoWayRing,
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
        survives: Faults::UNHURRIED,
        randomised: false,
        parameters: &[],
        claims: &figures::CLAIMS,
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        Status { role: self.role, leader: self.elected, term: 0, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.reach == 0 && (self.replied.is_some() || self.elected.is_some()) {
            return Err(Broken("a sleeping member has received nothing".into()));
        }
        if (self.role == Role::Undecided) != self.elected.is_none() {
            return Err(Broken("a member has a leader if and only if it knows the outcome".into()));
        }
        Ok(())
    }
}
