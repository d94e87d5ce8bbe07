//! TimeSlice: on a one-way ring of known size, silence shows that no member has a higher rank.

use crate::ring::figures::{best_value, is_undisturbed};
use crate::sources::{FREDERICKSON_LYNCH_1987, LYNCH_1996_COUNTING};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member: when its phase begins, and which leader it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeSlice {
    /// The first round of the phase in which only its own token may go round.
    phase_begins_in: u64,
    /// Whether to send the token in this round.
    sends: bool,
    role: Role,
    leader: Option<Id>,
    halted: bool,
}

/// The message: the leader's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::payload("token")];

    fn kind(&self) -> usize {
        0
    }
}

impl RoundAlgorithm for TimeSlice {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        // The phase of value v is the v-th of n rounds each; this member's value is one more than `phases_before`.
        let phases_before = cx.better_ranks();
        let phase_begins_in = phases_before.saturating_mul(cx.size().into()).saturating_add(1);
        let mut member =
            TimeSlice { phase_begins_in, sends: false, role: Role::Undecided, leader: None, halted: false };
        if phase_begins_in == 1 {
            member.lead(cx);
        }
        member
    }

    fn msgs(&self, _: &RoundCx<'_, Self>, out: &mut impl Outbox<Token>) {
        if let Some(leader) = self.leader
            && self.sends
        {
            out.send(NEXT, Token(leader));
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Token)]) {
        self.sends = false;
        match inbox.first() {
            Some(_) if self.role == Role::Leader => {
                cx.because("own token returned, every member has seen it: halt");
                self.halted = true;
            }
            Some(&(_, Token(leader))) => {
                cx.because("the leader's token: forward and halt");
                *self = TimeSlice {
                    sends: true,
                    role: Role::Follower,
                    leader: Some(leader),
                    halted: true,
                    ..*self
                };
            }
            None if cx.round() == self.phase_begins_in => {
                cx.because("its phase begins without a token, so no member has a higher rank: lead");
                self.lead(cx);
            }
            None => {}
        }
    }

    fn wake(&self) -> Wake {
        if self.leader.is_none() { Wake::At(self.phase_begins_in) } else { Wake::OnMessage }
    }
}

impl TimeSlice {
    /// A higher-ranked member would have sent its token in an earlier phase.
    fn lead(&mut self, cx: &RoundCx<'_, Self>) {
        self.role = Role::Leader;
        self.leader = Some(cx.id());
        self.sends = true;
    }
}

impl Protocol for TimeSlice {
    type Msg = Token;

    const SPEC: Spec = Spec {
        name: "time-slice",
        variant: "plain",
        summary: "each possible rank has a phase of n rounds, the highest first; silence means that no member has it",
        sources: &[LYNCH_1996_COUNTING, FREDERICKSON_LYNCH_1987],
        need: Need::OneWayRing,
        timing: Timing::Rounds,
        links: Links::Fifo,
        starts: Starts::Everyone,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::SIZE.union(Knowledge::RANGE),
        goal: Goal::EveryoneHalts,
        survives: Faults::UNHURRIED.union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader, term: 0, halted: self.halted }
    }

    fn invariant(&self) -> Result<(), Broken> {
        if (self.role == Role::Undecided) != self.leader.is_none() {
            return Err(Broken("a member has a leader if and only if it knows the outcome".into()));
        }
        Ok(())
    }
}

const CLAIMS: [Claim; 4] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "n",
        expect: |run| exactly(run, |n, _| n),
    },
    Claim {
        name: "leader_round",
        measure: Measure::LeaderRound,
        formula: "n (v - 1) + 1, where v - 1 possible ranks are higher than the highest-ranked member's",
        expect: |run| exactly(run, |n, v| n * (v - 1.0) + 1.0),
    },
    Claim {
        name: "rounds",
        measure: Measure::Rounds,
        formula: "n v + 1, where v - 1 possible ranks are higher than the highest-ranked member's",
        expect: |run| exactly(run, |n, v| n * v + 1.0),
    },
    Claim { name: "time", measure: Measure::Time, formula: "n v", expect: |run| exactly(run, |n, v| n * v) },
];

/// A figure of an undisturbed run, from n and the value of the highest-ranked member.
fn exactly(run: &Setting<'_>, figure: fn(f64, f64) -> f64) -> Option<Expect> {
    let value = best_value(run)? as f64;
    is_undisturbed(run).then(|| Expect::Exactly(figure(run.n() as f64, value)))
}
