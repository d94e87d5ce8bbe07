//! Chang and Roberts' ring election, repaired by a failure detector (lecture 002): whoever has seen the
//! would-be leader's rank and hears from its detector that this one is dead begins a new run.
//!
//! The ring is laid over a complete network, so that everyone watches everyone, and those taken for dead
//! are passed over. Runs are numbered ([`super::runs`]).
//!
//! The lecture leaves open what to do when somebody else dies with the message in its hands (whoever is
//! in a run and hears of any death begins a new one; a member that has passed on the outcome to it sends it
//! to the next), and when somebody taken for dead turns out to be
//! alive (whoever passed it over, or is in a run, begins a new one, which takes it in).

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
    /// Those that the detector takes for dead.
    dead: BTreeSet<Port>,
}

impl InRuns for WithDetector {
    fn standing(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, msg: Msg) {
        match self.next(cx) {
            Some(next) => cx.send(next, msg),
            // All others are dead: what it says of itself is back at once.
            None if msg.favourite() == cx.rank() => self.receive(cx, msg),
            None => {}
        }
    }

    /// Everyone is a neighbour: whoever is not among the living is dead, or a liar's invention.
    fn takes_for_dead(&self, cx: &Cx<'_, Self>, rank: Rank) -> bool {
        let is_alive = |port: Port| !self.dead.contains(&port) && cx.peer_rank(port) == rank;
        rank != cx.rank() && !cx.outgoing().any(is_alive)
    }

    /// If its leader is dead, the detector says so.
    fn on_outcome_again(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("it has been here before: it goes no further");
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
            cx.because("the one who should lead is dead: a new run");
            self.begin_run(cx);
        } else if self.standing.is_under_way() {
            cx.because("somebody died, perhaps with the message in its hands: a new run");
            self.begin_run(cx);
        } else if let Some(outcome) = self.standing.outcome().filter(|_| was_next) {
            cx.because("the next member died, perhaps with the outcome in its hands: it is sent on again");
            self.pass_on(cx, outcome);
        }
    }

    fn note_life(&mut self, cx: &mut Cx<'_, Self>, peer: Port) {
        let was_dead = self.dead.remove(&peer);
        let was_passed_over = self.next(cx) == Some(peer) && self.standing.knows_a_run();
        if was_dead && (was_passed_over || self.standing.is_under_way()) {
            cx.because("one that was taken for dead is alive: a new run takes it in");
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
            Verdict::Suspected => {} // a warning: it may yet answer
            Verdict::Failed => self.note_death(cx, peer),
        }
    }
}

impl Protocol for WithDetector {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        variant: "detector",
        summary: "as plain, but whoever learns that the would-be leader is dead begins a new run",
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
