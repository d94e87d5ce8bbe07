//! Chang and Roberts' ring election: asynchronous, one-way, any number of initiators.

use crate::ring::figures::*;
use crate::sources::{CHANG_ROBERTS_1979, COULOURIS, GUPTA_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

pub mod detector;
pub mod runs;
pub mod suppressing;
pub mod timeout;

/// A member: whether it is a participant, and which leader it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangRoberts {
    participant: bool,
    role: Role,
    elected: Option<Id>,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The highest rank met so far.
    Election(Rank),
    /// The id of the leader.
    Elected(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("elected")];

    #[inline]
    fn kind(&self) -> usize {
        matches!(self, Msg::Elected(_)).into()
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected(leader.id()))
    }
}

impl Algorithm for ChangRoberts {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        ChangRoberts { participant: false, role: Role::Undecided, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.send_own_rank(cx, "told to start an election: send own rank");
    }

    #[inline(always)] // the simulator's benchmark: a call would spill the message
    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        match msg {
            Msg::Election(rank) if rank > cx.rank() => {
                cx.because("a higher rank: forward");
                self.take_part();
                cx.send(NEXT, msg);
            }
            Msg::Election(rank) if rank < cx.rank() => {
                cx.because("a lower rank: discard");
                self.send_own_rank(cx, "a lower rank, and not a participant yet: send own rank instead");
            }
            Msg::Election(_) => {
                cx.because("own rank returned, so no member has a higher rank: lead");
                self.conclude(Role::Leader, cx.id());
                cx.send(NEXT, Msg::Elected(cx.id()));
            }
            Msg::Elected(leader) if leader != cx.id() => {
                cx.because("the leader's id: record and forward");
                self.conclude(Role::Follower, leader);
                cx.send(NEXT, msg);
            }
            Msg::Elected(_) => cx.because("own announcement returned, so every member knows: discard"),
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl ChangRoberts {
    /// Unless the member is a participant: then its own rank, or a higher one, is on its way.
    #[inline(always)]
    fn send_own_rank(&mut self, cx: &mut Cx<'_, Self>, reason: &'static str) {
        if !self.participant {
            cx.because(reason);
            self.take_part();
            cx.send(NEXT, Msg::Election(cx.rank()));
        }
    }

    /// In a new run no member is elected yet.
    #[inline]
    fn take_part(&mut self) {
        if !self.participant {
            *self = ChangRoberts { participant: true, role: Role::Undecided, elected: None };
        }
    }

    fn conclude(&mut self, role: Role, leader: Id) {
        *self = ChangRoberts { participant: false, role, elected: Some(leader) };
    }
}

impl Protocol for ChangRoberts {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "chang-roberts",
        variant: "plain",
        summary: "the highest rank met so far goes round; the member whose own rank returns is elected",
        sources: &[CHANG_ROBERTS_1979, COULOURIS, GUPTA_LECTURE],
        need: Need::OneWayRing,
        timing: Timing::Asynchronous,
        links: Links::Fifo,
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
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        Status { role: self.role, leader: self.elected, term: 0, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.participant && self.elected.is_some() {
            return Err(Broken("a participant has no leader yet".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 3] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "one initiator d hops before the highest: d + 2n, so 2n to 3n - 1; all: LCR's sum + n",
        expect: |run| {
            // Links that keep their order make the count the same for all delays.
            let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering;
            applies.then(|| Expect::Exactly(total_distance_from(run) + run.n() as f64))
        },
    },
    Claim {
        name: "mean_messages",
        measure: Measure::Messages,
        formula: "n H(n) + n over random orders, all start",
        expect: |run| {
            let figure = run.n() as f64 * (harmonic(run.n()) + 1.0);
            let applies = is_undisturbed(run) && all_start(run) && run.order == Order::Random;
            applies.then_some(Expect::OnAverage(figure))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "2n after the first message reaches the highest rank: d + 2n, at most 3n - 1",
        expect: |run| {
            let hops = distance_to_best(run)? + 2 * run.n();
            (is_undisturbed(run) && run.delivery == Delivery::Unit).then_some(Expect::Exactly(hops as f64))
        },
    },
];
