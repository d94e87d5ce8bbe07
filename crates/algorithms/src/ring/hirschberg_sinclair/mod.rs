//! Hirschberg and Sinclair's election on a two-way ring: growing neighbourhoods, O(n log n) messages.

use crate::sources::{HIRSCHBERG_SINCLAIR_1980, SARKAR_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

mod figures;

/// A member: how far it asks round itself, and who has been elected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HirschbergSinclair {
    /// How far its probes of this phase go: 2^phase. 0 while it sleeps.
    reach: u64,
    /// Where the first reply of this phase came from.
    replied: Option<Port>,
    role: Role,
    elected: Option<Id>,
}

/// What members say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Is anyone better than this, as far as it may go?
    Probe {
        /// Who asks.
        rank: Rank,
        /// How many hops it may make, this one included.
        ttl: u64,
    },
    /// Nobody was, this way: back to who asked.
    Reply(Rank),
    /// Who was elected.
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
            cx.because("it calls an election: phase 0, it asks its two neighbours");
            self.probe(cx, 1);
        } else {
            cx.because("it takes part already, or knows the outcome");
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, msg: Msg) {
        let sleeps = self.reach == 0;
        if sleeps {
            self.probe(cx, 1);
        }
        match msg {
            Msg::Probe { rank, .. } if rank < cx.rank() => {
                cx.because("a worse member's probe: it goes no further");
            }
            Msg::Probe { rank, .. } if rank == cx.rank() => self.lead(cx),
            Msg::Probe { rank, ttl } if ttl > 1 => {
                cx.because("a better member's probe: it goes on");
                cx.send(from.across(), Msg::Probe { rank, ttl: ttl - 1 });
            }
            Msg::Probe { rank, .. } => {
                cx.because("a better member's probe has gone as far as it should: a reply goes back");
                cx.send(from, Msg::Reply(rank));
            }
            Msg::Reply(rank) if rank != cx.rank() => {
                cx.because("a reply to another member: it goes on");
                cx.send(from.across(), msg);
            }
            Msg::Reply(_) => self.count_reply(cx, from),
            Msg::Elected(leader) if leader != cx.id() => {
                cx.because("the leader's name: it is noted and goes on");
                self.role = Role::Follower;
                self.elected = Some(leader);
                cx.send(NEXT, msg);
            }
            Msg::Elected(_) => cx.because("its own announcement is back: everyone knows"),
        }
        if sleeps {
            cx.because("its first message wakes it up: it sends its own probes, then does as always");
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
                cx.because("replies from both sides: it is the best so far around, and asks twice as far");
                self.probe(cx, self.reach.saturating_mul(2));
            }
            _ => {
                cx.because("nobody is better on this side, as far as it asked");
                self.replied = Some(from);
            }
        }
    }

    /// Its own probe came all the way round, and soon the other will, from the other side.
    fn lead(&mut self, cx: &mut Cx<'_, Self>) {
        if self.role == Role::Undecided {
            cx.because("its own probe came all the way round: nobody is better, so it leads");
            self.role = Role::Leader;
            self.elected = Some(cx.id());
            cx.send(NEXT, Msg::Elected(cx.id()));
        } else {
            cx.because("its other probe is back too: it has announced itself already");
        }
    }
}

impl Protocol for HirschbergSinclair {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "hirschberg-sinclair",
        variant: "plain",
        summary: "members ask twice as far in each phase; whoever is best all the way round leads",
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
            return Err(Broken("a member that sleeps has heard nothing".into()));
        }
        if (self.role == Role::Undecided) != self.elected.is_none() {
            return Err(Broken("a member that knows the outcome names the leader".into()));
        }
        Ok(())
    }
}
