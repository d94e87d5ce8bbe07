//! FloodMax: the highest rank floods any strongly connected network whose diameter is known.

use crate::conditions::is_undisturbed;
use crate::sources::{LYNCH_1996_FLOODING, MICHAIL_LECTURE};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// As in the lecture: every member sends in every round.
pub type EveryRound = FloodMax<false>;
/// A member sends only in a round after it learns a higher rank: Lynch's OptFloodMax.
pub type NewsOnly = FloodMax<true>;

/// A member: the highest rank that it knows, and the round in which it decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FloodMax<const NEWS_ONLY: bool> {
    /// The lecture's `maxID`.
    best: Rank,
    /// Whether `best` is new in this round.
    is_news: bool,
    /// D + 1: by then the highest rank has reached every member.
    decides_in: u64,
    role: Role,
}

/// The message: the highest rank that the sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Max(Rank);

impl Message for Max {
    const KINDS: &'static [Kind] = &[Kind::payload("max")];

    fn kind(&self) -> usize {
        0
    }
}

impl<const NEWS_ONLY: bool> RoundAlgorithm for FloodMax<NEWS_ONLY> {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        let decides_in = u64::from(cx.diameter()) + 1;
        let mut member = FloodMax { best: cx.rank(), is_news: true, decides_in, role: Role::Undecided };
        if decides_in == 1 {
            member.decide(cx); // a single member
        }
        member
    }

    fn msgs(&self, cx: &RoundCx<'_, Self>, out: &mut impl Outbox<Max>) {
        if self.role == Role::Undecided && (self.is_news || !NEWS_ONLY) {
            cx.outgoing().for_each(|port| out.send(port, Max(self.best)));
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Max)]) {
        let heard = inbox.iter().map(|(_, Max(rank))| *rank).max();
        self.is_news = heard > Some(self.best);
        self.best = self.best.max(heard.unwrap_or(self.best));
        if cx.round() >= self.decides_in {
            self.decide(cx);
        } else if self.is_news {
            cx.because("a higher rank than any before: store and forward");
        } else if NEWS_ONLY {
            cx.because("no higher rank: nothing to forward");
        } else {
            cx.because("no higher rank: send the highest known rank again");
        }
    }

    fn wake(&self) -> Wake {
        if NEWS_ONLY { Wake::At(self.decides_in) } else { Wake::NextRound }
    }
}

impl<const NEWS_ONLY: bool> FloodMax<NEWS_ONLY> {
    /// After D rounds every member knows the highest rank.
    fn decide(&mut self, cx: &mut RoundCx<'_, Self>) {
        if self.best == cx.rank() {
            cx.because("after D rounds no higher rank is known: lead");
            self.role = Role::Leader;
        } else {
            cx.because("after D rounds a higher rank is known: its owner leads");
            self.role = Role::Follower;
        }
    }
}

impl<const NEWS_ONLY: bool> Protocol for FloodMax<NEWS_ONLY> {
    type Msg = Max;

    const SPEC: Spec = Spec {
        name: "floodmax",
        variant: if NEWS_ONLY { "news-only" } else { "every-round" },
        summary: if NEWS_ONLY {
            "for D rounds members forward the highest rank that they know, when it is new to them"
        } else {
            "for D rounds each member sends the highest rank that it knows to all its neighbours"
        },
        sources: &[LYNCH_1996_FLOODING, MICHAIL_LECTURE],
        need: Need::StronglyConnected,
        timing: Timing::Rounds,
        links: Links::Fifo,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::DIAMETER,
        goal: Goal::EveryoneHalts,
        survives: Faults::DUPLICATION.union(Faults::PAUSE).union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: if NEWS_ONLY { &claims::NEWS_ONLY } else { &claims::EVERY_ROUND },
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let decided = self.role != Role::Undecided;
        Status { role: self.role, leader: decided.then(|| self.best.id()), term: 0, halted: decided }
    }
}

mod claims {
    use super::*;

    const LEADER_ROUND: Claim = Claim {
        name: "leader_round",
        measure: Measure::LeaderRound,
        formula: "D + 1",
        expect: |run| diameter(run).map(|d| Expect::Exactly(d + 1.0)),
    };

    const ROUNDS: Claim = Claim { name: "rounds", measure: Measure::Rounds, ..LEADER_ROUND };

    const TIME: Claim = Claim {
        name: "time",
        measure: Measure::Time,
        formula: "D",
        expect: |run| diameter(run).map(Expect::Exactly),
    };

    pub const EVERY_ROUND: [Claim; 4] = [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "D m",
            expect: |run| diameter(run).map(|d| Expect::Exactly(d * run.m as f64)),
        },
        LEADER_ROUND,
        ROUNDS,
        TIME,
    ];

    pub const NEWS_ONLY: [Claim; 4] = [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "at most D m",
            expect: |run| diameter(run).map(|d| Expect::AtMost(d * run.m as f64)),
        },
        LEADER_ROUND,
        ROUNDS,
        TIME,
    ];

    /// The diameter, if the figures of a fault-free run apply.
    fn diameter(run: &Setting<'_>) -> Option<f64> {
        run.diameter.filter(|_| is_undisturbed(run)).map(f64::from)
    }
}
