//! Chang and Roberts' ring election, repaired by a neighbour's time-out (lecture 002): the member before the would-be
//! leader waits for `elected`, and starts a new run if it does not arrive.
//!
//! The ring is one-way, and closes around dead members by itself. Runs are numbered ([`super::runs`]).

use super::ChangRoberts;
use super::runs::*;
use crate::ring::courier::Run;
use crate::sources::{CHANG_ROBERTS_1979, GUPTA_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NeighbourTimeout {
    standing: Standing,
    /// The run whose `elected` the member waits for.
    awaited: Option<Run>,
}

/// `elected` is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Overdue;

impl InRuns for NeighbourTimeout {
    fn standing(&mut self) -> &mut Standing {
        &mut self.standing
    }

    /// A member that forwards its next neighbour's rank receives `elected` after one hop to that neighbour and n - 1
    /// hops round the ring, if the neighbour is alive. If not, the rank may pass again.
    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        let awaited = match msg {
            Msg::Election { best, run } if best == cx.peer_rank(NEXT) => Some(run),
            _ => None,
        };
        if self.awaited != awaited {
            self.awaited = awaited;
            match awaited {
                Some(_) => cx.set_timer(Overdue, cx.delay_bound() * u64::from(cx.size())),
                None => cx.cancel_timer(Overdue),
            }
        }
        cx.send(NEXT, msg);
    }

    /// A live leader removes its own announcement from the ring.
    fn on_outcome_again(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("the announcement has passed its leader, so the leader has failed: start a new run");
        self.begin_run(cx);
    }
}

impl Algorithm for NeighbourTimeout {
    type Timer = Overdue;
    type Durable = Option<Run>;

    fn start(_: &mut Cx<'_, Self>, saved: Option<Run>) -> Self {
        NeighbourTimeout { standing: Standing::new(saved), awaited: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.call(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        self.receive(cx, msg);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, _: Overdue) {
        cx.because(
            "the next neighbour is the would-be leader and has not announced itself in time: start a new run",
        );
        self.awaited = None;
        self.begin_run(cx);
    }
}

impl Protocol for NeighbourTimeout {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        variant: "neighbour-timeout",
        summary: "as plain, but the member before the would-be leader starts a new run if that one stays silent",
        sources: &[CHANG_ROBERTS_1979, GUPTA_LECTURE],
        timing: Timing::BoundedDelay,
        knows: Knowledge::SIZE.union(Knowledge::PEERS).union(Knowledge::DELAY_BOUND),
        claims: &CLAIMS,
        ..ChangRoberts::SPEC
    };

    fn status(&self) -> Status {
        self.standing.status()
    }

    fn invariant(&self) -> Result<(), Broken> {
        self.standing.invariant()
    }
}

const CLAIMS: [Claim; 4] = claims::<false>();
