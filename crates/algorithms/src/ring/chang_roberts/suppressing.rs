//! Chang and Roberts' ring election for many initiators: messages carry the initiator, and only
//! the highest initiator's run completes (lecture 002).

use super::ChangRoberts;
use crate::ring::figures::*;
use crate::sources::{CHANG_ROBERTS_1979, GUPTA_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member: as in the plain algorithm, plus a cache of the highest initiator that it has seen.
///
/// In the lecture the cache is never cleared, so only an initiator at least as high as the highest one so far could
/// complete another election. Here a member clears the cache when the outcome of that run passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Suppressing {
    highest_initiator: Option<Id>,
    participant: bool,
    role: Role,
    elected: Option<Id>,
}

/// The messages; each belongs to one initiator's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The highest rank met so far.
    Election {
        /// The initiator of the run.
        initiator: Id,
        /// The highest rank met so far.
        best: Rank,
    },
    /// The leader is elected.
    Elected {
        /// The initiator of the run.
        initiator: Id,
        /// The leader.
        leader: Id,
    },
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("election"), Kind::payload("elected")];

    fn kind(&self) -> usize {
        matches!(self, Msg::Elected { .. }).into()
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Msg::Elected { initiator: leader.id(), leader: leader.id() })
    }
}

impl Algorithm for Suppressing {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Suppressing { highest_initiator: None, participant: false, role: Role::Undecided, elected: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        let initiator = cx.id();
        if !self.participant && self.admits(initiator) {
            cx.because("told to start an election: send own rank");
            self.take_part();
            cx.send(NEXT, Msg::Election { initiator, best: cx.rank() });
        }
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, msg: Msg) {
        let (Msg::Election { initiator, .. } | Msg::Elected { initiator, .. }) = msg;
        if !self.admits(initiator) {
            cx.because("a higher initiator's run is under way: discard");
            return;
        }
        match msg {
            Msg::Election { best, .. } if best > cx.rank() => {
                cx.because("a higher rank: forward");
                self.take_part();
                cx.send(NEXT, msg);
            }
            Msg::Election { best, .. } if best < cx.rank() => {
                cx.because("a lower rank: discard");
                if !self.participant {
                    cx.because("a lower rank, and not a participant yet: send own rank instead");
                    self.take_part();
                    cx.send(NEXT, Msg::Election { initiator, best: cx.rank() });
                }
            }
            Msg::Election { .. } => {
                cx.because("own rank returned, so no member has a higher rank: lead");
                self.role = Role::Leader;
                self.elected = Some(cx.id());
                self.participant = false;
                cx.send(NEXT, Msg::Elected { initiator, leader: cx.id() });
            }
            Msg::Elected { leader, .. } => {
                cx.because("the leader's id, the run is over: record");
                if leader != cx.id() {
                    self.role = Role::Follower;
                    self.elected = Some(leader);
                    cx.send(NEXT, msg);
                }
                self.participant = false;
                self.highest_initiator = None;
            }
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl Suppressing {
    /// Whether messages of this initiator's run are forwarded. The first message of a higher initiator opens a new
    /// run, in which the member is not a participant yet.
    fn admits(&mut self, initiator: Id) -> bool {
        if self.highest_initiator < Some(initiator) {
            self.highest_initiator = Some(initiator);
            self.participant = false;
        }
        self.highest_initiator == Some(initiator)
    }

    /// In a new run no member is elected yet.
    fn take_part(&mut self) {
        self.participant = true;
        self.role = Role::Undecided;
        self.elected = None;
    }
}

impl Protocol for Suppressing {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        variant: "suppressing",
        summary: "as plain, but messages carry their initiator and only the highest initiator's run completes",
        sources: &[CHANG_ROBERTS_1979, GUPTA_LECTURE],
        claims: &CLAIMS,
        // Reordering is not survived: the checker finds runs in which a message that was overtaken is discarded.
        survives: Faults::DUPLICATION.union(Faults::PAUSE),
        ..ChangRoberts::SPEC
    };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.elected, term: 0, halted: false }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if self.participant && (self.elected.is_some() || self.highest_initiator.is_none()) {
            return Err(Broken("a participant is in an initiator's run and has no leader yet".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 3] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "highest initiator: d + 2n; every other: distance to the next higher initiator",
        expect: |run| {
            let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering;
            applies.then(|| {
                Expect::Exactly((died_hops(run, by_id(run)) + completed_hops(run, by_id(run))) as f64)
            })
        },
    },
    Claim {
        name: "elected",
        measure: Measure::MessagesOf("elected"),
        formula: "n: only one run completes",
        expect: |run| {
            let applies = is_undisturbed(run) && run.delivery != Delivery::Reordering && run.n() > 0;
            applies.then_some(Expect::Exactly(run.n() as f64))
        },
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "d + 2n, from the highest initiator",
        expect: |run| {
            let applies = is_undisturbed(run) && run.delivery == Delivery::Unit;
            applies.then(|| Expect::Exactly(completed_hops(run, by_id(run)) as f64))
        },
    },
];

/// The highest initiator is the one with the highest id, whichever end of the ranking wins.
fn by_id<'a>(run: &'a Setting<'_>) -> impl Fn(usize) -> Rank + 'a {
    |member| Rank::new(Elect::Best, 0, run.ranks[member].id())
}
