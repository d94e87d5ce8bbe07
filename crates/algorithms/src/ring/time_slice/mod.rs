//! TimeSlice: on a one-way ring of known size, silence tells that nobody is better.

use crate::ring::figures::{best_value, is_undisturbed};
use crate::sources::{FREDERICKSON_LYNCH_1987, LYNCH_1996_COUNTING};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member: when its phase begins, and what it has heard.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeSlice {
    /// The first round of the phase in which only its own token may go round.
    phase_begins_in: u64,
    /// Whether the token goes out in this round.
    sends: bool,
    role: Role,
    leader: Option<Id>,
    halted: bool,
}

/// What members say: the leader's token.
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
        // The phase of value v is the v-th of n rounds each; our value is one more than this.
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
                cx.because("its token is back: everyone has seen it, so it halts");
                self.halted = true;
            }
            Some(&(_, Token(leader))) => {
                cx.because("the leader's token: it goes on, and the member halts");
                *self = TimeSlice {
                    sends: true,
                    role: Role::Follower,
                    leader: Some(leader),
                    halted: true,
                    ..*self
                };
            }
            None if cx.round() == self.phase_begins_in => {
                cx.because("its phase has come and there was silence: nobody is better, so it leads");
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
    /// Anyone better would have sent its token round in an earlier phase.
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
        summary: "each possible rank has a phase of n rounds, the best first; silence means: nobody has it",
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
            return Err(Broken("a member that knows the outcome names the leader".into()));
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
        formula: "n (v - 1) + 1, where v - 1 ranks could be better than the best member's",
        expect: |run| exactly(run, |n, v| n * (v - 1.0) + 1.0),
    },
    Claim {
        name: "rounds",
        measure: Measure::Rounds,
        formula: "n v + 1, where v - 1 ranks could be better than the best member's",
        expect: |run| exactly(run, |n, v| n * v + 1.0),
    },
    Claim { name: "time", measure: Measure::Time, formula: "n v", expect: |run| exactly(run, |n, v| n * v) },
];

/// A figure of an undisturbed run, from the number of members and the best one's value.
fn exactly(run: &Setting<'_>, figure: fn(f64, f64) -> f64) -> Option<Expect> {
    let value = best_value(run)? as f64;
    is_undisturbed(run).then(|| Expect::Exactly(figure(run.n() as f64, value)))
}
