//! VariableSpeeds: on a one-way ring of unknown size, a token of a higher rank travels faster.

use crate::ring::figures::{best_value, is_undisturbed};
use crate::sources::{FREDERICKSON_LYNCH_1987, LYNCH_1996_COUNTING};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// A member: the highest token that it has seen, and whether it still holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VariableSpeeds {
    /// The highest token seen, its own included: lower ones are dropped.
    best: Token,
    /// The round in which the highest token leaves; none once it has left.
    leaves_in: Option<u64>,
    /// Whether to send the highest token in this round.
    sends: bool,
    role: Role,
}

/// The message: a token, which carries the rank and the value of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token {
    rank: Rank,
    /// 1 for the highest possible rank, 2 for the next, and so on.
    value: u64,
}

impl Token {
    /// The number of rounds for which each member holds it, including the one in which it leaves: 2^v.
    fn stay(self) -> u64 {
        let shift = u32::try_from(self.value).unwrap_or(u32::MAX);
        1_u64.checked_shl(shift).unwrap_or(u64::MAX)
    }
}

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::payload("token")];

    fn kind(&self) -> usize {
        0
    }
}

impl RoundAlgorithm for VariableSpeeds {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        let own = Token { rank: cx.rank(), value: cx.better_ranks().saturating_add(1) };
        VariableSpeeds::holding(own, own.stay()) // not before round 2, as values are at least 1
    }

    fn msgs(&self, _: &RoundCx<'_, Self>, out: &mut impl Outbox<Token>) {
        if self.sends {
            out.send(NEXT, self.best);
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, inbox: &[(Port, Token)]) {
        self.sends = false;
        match inbox.first() {
            Some(&(_, token)) if token.rank > self.best.rank => {
                cx.because("the highest token so far: hold it, and drop the one held before");
                // It was sent in the previous round; from one sending to the next it takes 2^v rounds.
                let leaves_in = (cx.round() - 1).saturating_add(token.stay());
                *self = VariableSpeeds::holding(token, leaves_in);
            }
            Some((_, token)) if token.rank == cx.rank() && *token == self.best => {
                cx.because("own token returned, so no member has a higher rank: lead");
                self.role = Role::Leader;
            }
            Some(_) => cx.because("a lower token than one seen before: discard"),
            None => {}
        }
        if self.leaves_in == Some(cx.round()) {
            cx.because("the token has been held for its time: forward");
            self.leaves_in = None;
            self.sends = true;
        }
    }

    fn wake(&self) -> Wake {
        self.leaves_in.map_or(Wake::OnMessage, Wake::At)
    }
}

impl VariableSpeeds {
    fn holding(best: Token, leaves_in: u64) -> Self {
        VariableSpeeds { best, leaves_in: Some(leaves_in), sends: false, role: Role::Undecided }
    }
}

impl Protocol for VariableSpeeds {
    type Msg = Token;

    const SPEC: Spec = Spec {
        name: "variable-speeds",
        variant: "plain",
        summary: "tokens go round, those of higher ranks faster; the member whose own token returns leads",
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
        knows: Knowledge::RANGE,
        goal: Goal::LeaderOnly,
        survives: Faults::UNHURRIED.union(Faults::CLOCK),
        randomised: false,
        parameters: &[],
        claims: &claims::ALL,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        let leader = (self.role == Role::Leader).then(|| self.best.rank.id());
        Status { role: self.role, leader, term: 0, halted: false }
    }
}

mod claims {
    use super::*;
    use std::cmp::Reverse;

    pub const ALL: [Claim; 5] = [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: "n + the hops of the other tokens before a higher one overtakes them",
            expect: |run| is_undisturbed(run).then(|| Expect::Exactly(total_hops(run) as f64)),
        },
        Claim {
            name: "messages_bound",
            measure: Measure::Messages,
            formula: "fewer than 2n: at most 2n - 1 - the ones in n - 1 as a binary number",
            // The token k places below the highest is at least 2^k times slower. Its h-th hop, which it makes before
            // the highest token arrives and before the highest-ranked member, needs h 2^k <= n - 1. The sum of
            // floor((n - 1) / 2^k) over all k is n - 1 - ones, by Legendre's formula.
            expect: |run| {
                let n = run.n() as u64;
                let most = 2 * n - 1 - u64::from((n - 1).count_ones());
                is_undisturbed(run).then_some(Expect::AtMost(most as f64))
            },
        },
        Claim {
            name: "leader_round",
            measure: Measure::LeaderRound,
            formula: "n 2^v + 1, where v - 1 possible ranks are higher than the highest-ranked member's",
            expect: |run| turn(run).map(|rounds| Expect::Exactly(rounds + 1.0)),
        },
        Claim {
            name: "rounds",
            measure: Measure::Rounds,
            formula: "n 2^v + 1, where v - 1 possible ranks are higher than the highest-ranked member's",
            expect: |run| turn(run).map(|rounds| Expect::Exactly(rounds + 1.0)),
        },
        Claim {
            name: "time",
            measure: Measure::Time,
            formula: "n 2^v",
            expect: |run| turn(run).map(Expect::Exactly),
        },
    ];

    /// The number of rounds in which the highest token goes once round, in an undisturbed run.
    fn turn(run: &Setting<'_>) -> Option<f64> {
        let value = i32::try_from(best_value(run)?).unwrap_or(i32::MAX);
        is_undisturbed(run).then(|| run.n() as f64 * 2_f64.powi(value))
    }

    /// The number of times that tokens are sent. Each token travels as far as higher ones let it, so the tokens are
    /// followed one after the other, highest first.
    fn total_hops(run: &Setting<'_>) -> u64 {
        let n = run.n();
        let mut by_rank: Vec<usize> = (0..n).collect();
        by_rank.sort_unstable_by_key(|&member| Reverse(run.ranks[member]));
        // For each member, the round from which on it has seen a higher token than the next ones in this order.
        let mut closed_from = vec![u64::MAX; n];
        let mut hops = 0;
        for member in by_rank {
            let rank = run.ranks[member];
            let token = Token { rank, value: run.range.better_than(rank).saturating_add(1) };
            let (mut here, mut since) = (member, 0);
            for hop in 1..=n as u64 {
                let leaves_in = token.stay().saturating_mul(hop);
                let closed = closed_from[here];
                closed_from[here] = closed.min(since);
                if closed <= leaves_in {
                    break;
                }
                hops += 1;
                here = (here + 1) % n;
                since = leaves_in.saturating_add(1);
            }
        }
        hops
    }
}
