//! LCR: Le Lann, Chang and Roberts in synchronous rounds, on a one-way ring of unknown size.

use crate::ring::figures::{harmonic, is_undisturbed, total_distance};
use crate::sources::{CHANG_ROBERTS_1979, LE_LANN_1977, LYNCH_1996, MICHAIL_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// The simplest version: only the leader learns the outcome.
pub type LeaderOnly = Lcr<false, false>;
/// A member that forwards a higher rank knows that it does not lead.
pub type Deciding = Lcr<true, false>;
/// The leader's id goes round once: every member learns it and halts.
pub type Halting = Lcr<false, true>;

/// A member: it sends its own rank in round 1, then forwards higher ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lcr<const DECIDING: bool, const HALTING: bool> {
    /// The rank to send in this round: the lecture's `sendID`.
    send: Option<Rank>,
    /// Whether to send the leader's id in this round.
    announce: bool,
    role: Role,
    leader: Option<Id>,
    halted: bool,
}

/// The messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// The lecture's ⟨ID⟩: a candidate's rank.
    Candidate(Rank),
    /// Halting variant: the leader's id.
    Leader(Id),
}

impl Message for Payload {
    const KINDS: &'static [Kind] = &[Kind::payload("id"), Kind::payload("leader")];

    #[inline]
    fn kind(&self) -> usize {
        matches!(self, Payload::Leader(_)).into()
    }
}

impl<const DECIDING: bool, const HALTING: bool> RoundAlgorithm for Lcr<DECIDING, HALTING> {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        Lcr { send: Some(cx.rank()), announce: false, role: Role::Undecided, leader: None, halted: false }
    }

    #[inline(always)]
    fn msgs(&self, _: &RoundCx<'_, Self>, out: &mut impl Outbox<Payload>) {
        if let Some(rank) = self.send {
            out.send(NEXT, Payload::Candidate(rank));
        } else if let Some(leader) = self.leader
            && self.announce
        {
            out.send(NEXT, Payload::Leader(leader));
        }
    }

    #[inline(always)] // the simulator's benchmark, as in msgs and wake
    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Payload)]) {
        self.send = None;
        self.announce = false;
        match inbox.first() {
            Some(&(_, Payload::Candidate(rank))) if rank > cx.rank() => {
                cx.because("a higher rank: forward");
                self.send = Some(rank);
                if DECIDING {
                    // A member that considered itself the leader, after an earlier fault, no longer does.
                    (self.role, self.leader) = (Role::Follower, None);
                }
            }
            Some(&(_, Payload::Candidate(rank))) if rank == cx.rank() => {
                cx.because("own rank has gone once round, so no member has a higher rank: lead");
                self.role = Role::Leader;
                self.leader = Some(cx.id());
                self.announce = HALTING;
            }
            Some((_, Payload::Candidate(_))) => cx.because("a lower rank: discard"),
            Some(&(_, Payload::Leader(id))) => {
                self.halted = true;
                if id == cx.id() {
                    cx.because("own announcement returned, so every member knows: halt");
                } else {
                    cx.because("the leader's id: record, forward and halt");
                    self.role = Role::Follower;
                    self.leader = Some(id);
                    self.announce = true;
                }
            }
            None => {}
        }
    }

    #[inline(always)]
    fn wake(&self) -> Wake {
        Wake::OnMessage
    }
}

impl<const DECIDING: bool, const HALTING: bool> Protocol for Lcr<DECIDING, HALTING> {
    type Msg = Payload;

    const SPEC: Spec = Spec {
        name: "lcr",
        variant: match (DECIDING, HALTING) {
            (_, true) => "halting",
            (true, false) => "deciding",
            (false, false) => "leader-only",
        },
        summary: match (DECIDING, HALTING) {
            (_, true) => "ranks go round, lower ones are dropped; then the leader's id goes round",
            (true, false) => {
                "ranks go round, lower ones are dropped; a member that sees a higher rank knows that it does not lead"
            }
            (false, false) => "ranks go round, lower ones are dropped; only the leader learns the outcome",
        },
        sources: &[CHANG_ROBERTS_1979, LE_LANN_1977, MICHAIL_LECTURE, LYNCH_1996],
        need: Need::OneWayRing,
        timing: Timing::Rounds,
        links: Links::Fifo,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::empty(),
        goal: match (DECIDING, HALTING) {
            (_, true) => Goal::EveryoneHalts,
            (true, false) => Goal::EveryoneDecides,
            (false, false) => Goal::LeaderOnly,
        },
        survives: Faults::UNHURRIED.union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: if HALTING { &claims::HALTING } else { &claims::LEADER_ONLY },
        text: include_str!("page.md"),
    };

    #[inline]
    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader, term: 0, halted: self.halted }
    }

    fn invariant(&self) -> Result<(), Broken> {
        let may_name = self.role == Role::Leader || (self.role == Role::Follower && !DECIDING);
        if may_name != self.leader.is_some() {
            return Err(Broken("a member has a leader if and only if it knows the leader's id".into()));
        }
        Ok(())
    }
}

mod claims {
    use super::*;

    const LEADER_ROUND: Claim = Claim {
        name: "leader_round",
        measure: Measure::LeaderRound,
        formula: "n + 1",
        expect: |run| undisturbed(run, run.n() as f64 + 1.0),
    };

    pub const LEADER_ONLY: [Claim; 5] = [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "sum of distances to the next higher rank: 2n - 1 (best order) to n(n+1)/2 (worst)",
            expect: |run| undisturbed(run, total_distance(run.ranks)),
        },
        Claim {
            name: "mean_messages",
            measure: Measure::Messages,
            formula: "n H(n) over random orders",
            expect: |run| mean(run, 0.0),
        },
        LEADER_ROUND,
        Claim {
            name: "rounds",
            measure: Measure::Rounds,
            formula: "n + 1",
            expect: |run| undisturbed(run, run.n() as f64 + 1.0),
        },
        Claim {
            name: "time",
            measure: Measure::Time,
            formula: "n",
            expect: |run| undisturbed(run, run.n() as f64),
        },
    ];

    pub const HALTING: [Claim; 5] = [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "leader-only + n",
            expect: |run| undisturbed(run, total_distance(run.ranks) + run.n() as f64),
        },
        Claim {
            name: "mean_messages",
            measure: Measure::Messages,
            formula: "n H(n) + n over random orders",
            expect: |run| mean(run, run.n() as f64),
        },
        LEADER_ROUND,
        Claim {
            name: "rounds",
            measure: Measure::Rounds,
            formula: "2n + 1",
            expect: |run| undisturbed(run, 2.0 * run.n() as f64 + 1.0),
        },
        Claim {
            name: "time",
            measure: Measure::Time,
            formula: "2n",
            expect: |run| undisturbed(run, 2.0 * run.n() as f64),
        },
    ];

    fn undisturbed(run: &Setting<'_>, figure: f64) -> Option<Expect> {
        is_undisturbed(run).then_some(Expect::Exactly(figure))
    }

    fn mean(run: &Setting<'_>, more: f64) -> Option<Expect> {
        let figure = run.n() as f64 * harmonic(run.n()) + more;
        (is_undisturbed(run) && run.order == Order::Random).then_some(Expect::OnAverage(figure))
    }
}
