//! The bully algorithm's figures.
//!
//! Let b be the highest-ranked live member and c the lowest-ranked initiator. Each live member from c upwards starts
//! an election (the initiators by themselves, the others because c asks them). Each asks all higher-ranked members,
//! dead or alive; each live one answers; b announces itself to all lower-ranked members. That is the exact count if
//! no member learns the outcome before it is asked: if b waits for answers, or all members start at the beginning, or
//! messages take equally long. Otherwise it is an upper bound. In the variant `stable` each asks all members, not
//! only higher-ranked ones. In the variant `broadcast` b announces itself to all members: those with a higher rank
//! are dead, so this costs messages and changes nothing else.

use super::{ANSWER_WAIT, AtOnce};
use bellwether_core::*;

const fn claims<const RULE_2: bool, const ASKS_ALL: bool, const TELLS_ALL: bool>() -> [Claim; 6] {
    [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: if ASKS_ALL {
                "leader dead, second highest starts: 2n - 3, lowest starts: (n - 1)(3n - 4)/2 + n - 2"
            } else if TELLS_ALL {
                "leader dead, second highest starts: n - 1, lowest starts: n^2 - n; all alive, all start: n^2 - 1"
            } else if RULE_2 {
                "leader dead, second highest starts: n - 2, lowest starts: n^2 - n - 1; all alive, all start: n^2 - 1"
            } else {
                "leader dead, second highest starts: n - 1, lowest starts: n^2 - n - 1; all alive, all start: n^2 - 1"
            },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                Some(run.exact_or_most(run.elections() + run.answers() + run.announcements()))
            },
        },
        Claim {
            name: "election",
            measure: Measure::MessagesOf("election"),
            formula: if ASKS_ALL {
                "leader dead, lowest starts: (n-1)^2"
            } else {
                "leader dead, lowest starts: n(n-1)/2"
            },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                Some(run.exact_or_most(run.elections()))
            },
        },
        Claim {
            name: "answer",
            measure: Measure::MessagesOf("answer"),
            formula: "leader dead, lowest starts: (n-1)(n-2)/2",
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                Some(run.exact_or_most(run.answers()))
            },
        },
        Claim {
            name: "coordinator",
            measure: Measure::MessagesOf("coordinator"),
            formula: if TELLS_ALL { "n - 1" } else { "leader dead: n - 2" },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                Some(Expect::Exactly(run.announcements() as f64))
            },
        },
        Claim {
            name: "time",
            measure: Measure::Time,
            formula: if RULE_2 {
                "leader dead, second highest starts: 1, lowest starts: 5; all alive, all start: 2"
            } else {
                "leader dead, second highest starts: 4, lowest starts: 5; all alive, all start: 4"
            },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                run.hops().map(|hops| Expect::Exactly(hops as f64))
            },
        },
        Claim {
            name: "storage",
            measure: Measure::Storage,
            formula: "O(n): the ids of all others, and a port for each suspected member",
            expect: |run| {
                let bytes = |suspected: usize| (size_of::<AtOnce>() + suspected * size_of::<Port>()) as f64;
                Some(match Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL]) {
                    Some(_) => Expect::Exactly(bytes(run.dead.len())), // the initiator suspects the dead members
                    None => Expect::AtMost(bytes(run.n() - 1)),
                })
            },
        },
    ]
}

pub const AT_ONCE: [Claim; 6] = claims::<true, false, false>();
pub const WAITING: [Claim; 6] = claims::<false, false, false>();
pub const STABLE: [Claim; 6] = claims::<false, true, false>();
pub const BROADCAST: [Claim; 6] = claims::<true, false, true>();

/// One undisturbed election, analysed from outside.
struct Election<'a> {
    run: &'a Setting<'a>,
    /// All members, lowest rank first.
    by_rank: Vec<u32>,
    /// The place of the lowest-ranked initiator in `by_rank`.
    worst_caller: usize,
    /// The place of the highest-ranked live member in `by_rank`.
    best_alive: usize,
    /// The number of initiators.
    callers: usize,
    /// Whether the highest-ranked live member announces itself without waiting for answers.
    announces_at_once: bool,
    /// Whether members ask all others, not only higher-ranked ones.
    asks_all: bool,
    /// Whether the winner announces itself to all, not only to lower-ranked members.
    tells_all: bool,
}

impl<'a> Election<'a> {
    /// None if it is disturbed, or no member starts.
    fn new(run: &'a Setting<'a>, [rule_2, asks_all, tells_all]: [bool; 3]) -> Option<Self> {
        if !run.calm || !run.bounded {
            return None;
        }
        let mut by_rank: Vec<u32> = (0..run.n() as u32).collect();
        by_rank.sort_unstable_by_key(|&member| run.ranks[member as usize]);
        let calls = |&member: &u32| run.is_alive(member) && run.initiators.contains(member);
        let worst_caller = by_rank.iter().position(calls)?;
        let callers = by_rank.iter().filter(|member| calls(member)).count();
        let best_alive = by_rank.iter().rposition(|&member| run.is_alive(member))?;
        // An initiator has asked its failure detector; a member that is asked knows only whether it has the highest
        // rank of all.
        let knows = calls(&by_rank[best_alive]) || best_alive + 1 == by_rank.len();
        let announces_at_once = rule_2 && knows;
        Some(Election {
            run,
            worst_caller,
            best_alive,
            callers,
            announces_at_once,
            asks_all,
            tells_all,
            by_rank,
        })
    }

    fn best_calls(&self) -> bool {
        self.run.initiators.contains(self.by_rank[self.best_alive])
    }

    /// The members that start an election, by themselves or because they are asked: their places in `by_rank`.
    fn askers(&self) -> impl Iterator<Item = usize> + '_ {
        (self.worst_caller..=self.best_alive).filter(|&at| {
            self.run.is_alive(self.by_rank[at]) && !(at == self.best_alive && self.announces_at_once)
        })
    }

    fn elections(&self) -> usize {
        let others = self.by_rank.len() - 1;
        self.askers().map(|at| if self.asks_all { others } else { others - at }).sum()
    }

    /// Each pair of the members involved: the lower-ranked one asks, the higher-ranked one answers.
    fn answers(&self) -> usize {
        self.involved() * (self.involved() - 1) / 2
    }

    fn announcements(&self) -> usize {
        if self.tells_all { self.by_rank.len() - 1 } else { self.best_alive }
    }

    /// The number of members that start an election, by themselves or because they are asked (the highest-ranked one
    /// included).
    fn involved(&self) -> usize {
        (self.worst_caller..=self.best_alive).filter(|&at| self.run.is_alive(self.by_rank[at])).count()
    }

    fn exact_or_most(&self, figure: usize) -> Expect {
        let nobody_hears_early = !self.announces_at_once
            || self.involved() == self.callers
            || (self.run.delivery == Delivery::Unit && !self.best_calls());
        if nobody_hears_early { Expect::Exactly(figure as f64) } else { Expect::AtMost(figure as f64) }
    }

    /// The time in hops, if every message takes one hop.
    fn hops(&self) -> Option<u64> {
        if self.run.delivery != Delivery::Unit {
            return None;
        }
        let asked = u64::from(!self.best_calls());
        let wait = if self.announces_at_once { 0 } else { ANSWER_WAIT };
        let hears = |&member: &u32| self.run.is_alive(member);
        let told = u64::from(self.by_rank[..self.best_alive].iter().any(hears));
        let outcome = asked + wait + told;
        // Answers may arrive after an outcome that was announced at once.
        let last_answer = match (self.involved(), self.callers) {
            (1, _) => 0,
            (involved, callers) if involved == callers => 2,
            // Asked at time 1, the members below the highest-ranked one ask in turn.
            (involved, callers) if involved > callers + asked as usize => 3,
            _ => 2,
        };
        let exact = matches!(self.exact_or_most(0), Expect::Exactly(_));
        exact.then_some(outcome.max(last_answer))
    }
}
