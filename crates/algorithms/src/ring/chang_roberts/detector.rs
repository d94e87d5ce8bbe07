//! Chang and Roberts' ring election, repaired by a failure detector (lecture 002): a member that has seen the
//! would-be leader's rank, and whose detector reports that member as failed, starts a new run.
//!
//! The ring is laid over a complete network, so each member watches all others and skips those that its detector
//! reports as failed. Runs are numbered ([`super::runs`]).
//!
//! The lecture leaves two cases open. Another member may die while it holds the message: a member in a run that
//! learns of any death starts a new run, and a member that has sent the outcome to the dead one sends it to the next.
//! A member may be reported as failed although it is alive: a member that skipped it, or is in a run, starts a new
//! run that includes it.

use super::ChangRoberts;
use super::runs::*;
use crate::ring::courier::Run;
use crate::sources::{CHANG_ROBERTS_1979, GUPTA_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WithDetector {
    standing: Standing,
    /// The neighbours that the detector reports as failed.
    dead: BTreeSet<Port>,
}

impl InRuns for WithDetector {
    fn standing(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        match self.next(cx) {
            Some(next) => cx.send(next, msg),
            // All others are dead: the message returns at once.
            None if msg.favourite() == cx.rank() => self.receive(cx, msg),
            None => {}
        }
    }

    /// Every live member is a neighbour: any other rank belongs to a dead member, or a liar made it up.
    fn takes_for_dead(&self, cx: &Cx<'_, Self>, rank: Rank) -> bool {
        let is_alive = |port: Port| !self.dead.contains(&port) && cx.peer_rank(port) == rank;
        rank != cx.rank() && !cx.outgoing().any(is_alive)
    }

    /// If its leader is dead, the detector reports it.
    fn on_outcome_again(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("the outcome has passed here before: discard");
    }
}

impl WithDetector {
    /// The next member clockwise that is not taken for dead.
    fn next(&self, cx: &Cx<'_, Self>) -> Option<Port> {
        cx.outgoing().find(|port| !self.dead.contains(port))
    }

    fn note_death(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        let was_next = self.next(cx) == Some(peer);
        self.dead.insert(peer);
        if self.standing.favourite() == Some(cx.peer_rank(peer)) {
            cx.because("the would-be leader has failed: start a new run");
            self.begin_run(cx);
        } else if self.standing.is_under_way() {
            cx.because("a member has failed, and the message may be lost with it: start a new run");
            self.begin_run(cx);
        } else if let Some(outcome) = self.standing.outcome().filter(|_| was_next) {
            cx.because(
                "the next neighbour has failed, and the outcome may be lost with it: send it on again",
            );
            self.pass_on(cx, outcome);
        }
    }

    fn note_life(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        let was_dead = self.dead.remove(&peer);
        let was_passed_over = self.next(cx) == Some(peer) && self.standing.knows_a_run();
        if was_dead && (was_passed_over || self.standing.is_under_way()) {
            cx.because("a member reported as failed is alive: start a new run that includes it");
            self.begin_run(cx);
        }
    }
}

impl Algorithm for WithDetector {
    type Timer = Never;
    type Durable = Option<Run>;

    fn start(_: &mut Cx<'_, Self>, saved: Option<Run>) -> Self {
        WithDetector { standing: Standing::new(saved), dead: BTreeSet::new() }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.call(cx);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        self.receive(cx, msg);
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }

    fn on_suspicion(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        match verdict {
            Verdict::Working => self.note_life(cx, peer),
            Verdict::Suspected => {} // a warning: the member may still answer
            Verdict::Failed => self.note_death(cx, peer),
        }
    }
}

impl Protocol for WithDetector {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        variant: "detector",
        summary: "as plain, but a member whose detector reports the would-be leader as failed starts a new run",
        sources: &[CHANG_ROBERTS_1979, GUPTA_LECTURE],
        need: Need::OverlayRing,
        knows: Knowledge::PEERS.union(Knowledge::DETECTOR),
        survives: Faults::UNHURRIED.union(Faults::CRASH),
        claims: &CLAIMS,
        ..ChangRoberts::SPEC
    };

    fn status(&self) -> Status {
        self.standing.status()
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + self.dead.len() * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        self.standing.invariant()
    }
}

const CLAIMS: [Claim; 4] = claims::<true>();
