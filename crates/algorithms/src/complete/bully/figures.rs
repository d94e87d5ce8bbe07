//! The bully algorithm's figures.
//!
//! Let b be the best member alive and c the worst caller. Everyone alive from c upwards calls (the
//! callers by themselves, the rest because c asks them). Each asks everyone better, dead or alive;
//! each one alive answers; b tells everyone worse. That is the count, provided that nobody hears of
//! the outcome before it is asked: b waits for answers, or everyone calls at the beginning, or
//! messages take equally long. Otherwise it is the most there can be. In the variant `stable` each asks
//! everyone, not only the better. In the variant `broadcast` b tells everyone: those better than b are dead, so that
//! costs messages and changes nothing.

use super::{ANSWER_WAIT, AtOnce};
use bellwether_core::*;

const fn claims<const RULE_2: bool, const ASKS_ALL: bool, const TELLS_ALL: bool>() -> [Claim; 6] {
    [
        Claim {
            name: "messages",
            measure: Measure::Messages,
            formula: if ASKS_ALL {
                "leader dead, second best calls: 2n - 3, worst calls: (n - 1)(3n - 4)/2 + n - 2"
            } else if TELLS_ALL {
                "leader dead, second best calls: n - 1, worst calls: n^2 - n; all alive, all call: n^2 - 1"
            } else if RULE_2 {
                "leader dead, second best calls: n - 2, worst calls: n^2 - n - 1; all alive, all call: n^2 - 1"
            } else {
                "leader dead, second best calls: n - 1, worst calls: n^2 - n - 1; all alive, all call: n^2 - 1"
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
                "leader dead, worst calls: (n-1)^2"
            } else {
                "leader dead, worst calls: n(n-1)/2"
            },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                Some(run.exact_or_most(run.elections()))
            },
        },
        Claim {
            name: "answer",
            measure: Measure::MessagesOf("answer"),
            formula: "leader dead, worst calls: (n-1)(n-2)/2",
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
                "leader dead, second best calls: 1, worst calls: 5; all alive, all call: 2"
            } else {
                "leader dead, second best calls: 4, worst calls: 5; all alive, all call: 4"
            },
            expect: |run| {
                let run = Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL])?;
                run.hops().map(|hops| Expect::Exactly(hops as f64))
            },
        },
        Claim {
            name: "storage",
            measure: Measure::Storage,
            formula: "O(n): everyone else's id, and a port for each that is suspected",
            expect: |run| {
                let bytes = |suspected: usize| (size_of::<AtOnce>() + suspected * size_of::<Port>()) as f64;
                Some(match Election::new(run, [RULE_2, ASKS_ALL, TELLS_ALL]) {
                    Some(_) => Expect::Exactly(bytes(run.dead.len())), // the caller suspects the dead
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

/// One undisturbed election, seen from above.
struct Election<'a> {
    run: &'a Setting<'a>,
    /// All members, worst first.
    by_rank: Vec<u32>,
    /// Where the worst caller stands in `by_rank`.
    worst_caller: usize,
    /// Where the best member alive stands in `by_rank`.
    best_alive: usize,
    /// How many call by themselves.
    callers: usize,
    /// Whether the best alive announces without waiting for answers.
    announces_at_once: bool,
    /// Whether callers ask everyone, not only the better.
    asks_all: bool,
    /// Whether the winner tells everyone, not only the worse.
    tells_all: bool,
}

impl<'a> Election<'a> {
    /// Nothing if it is disturbed, or nobody calls.
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
        // A caller has asked its failure detector; one that is asked knows only that it is best of all.
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

    /// Those that call, by themselves or because they are asked: where they stand in `by_rank`.
    fn askers(&self) -> impl Iterator<Item = usize> + '_ {
        (self.worst_caller..=self.best_alive).filter(|&at| {
            self.run.is_alive(self.by_rank[at]) && !(at == self.best_alive && self.announces_at_once)
        })
    }

    fn elections(&self) -> usize {
        let others = self.by_rank.len() - 1;
        self.askers().map(|at| if self.asks_all { others } else { others - at }).sum()
    }

    /// Each pair of those involved: the worse asks, the better answers.
    fn answers(&self) -> usize {
        self.involved() * (self.involved() - 1) / 2
    }

    fn announcements(&self) -> usize {
        if self.tells_all { self.by_rank.len() - 1 } else { self.best_alive }
    }

    /// How many call, by themselves or because they are asked (the best one too).
    fn involved(&self) -> usize {
        (self.worst_caller..=self.best_alive).filter(|&at| self.run.is_alive(self.by_rank[at])).count()
    }

    fn exact_or_most(&self, figure: usize) -> Expect {
        let nobody_hears_early = !self.announces_at_once
            || self.involved() == self.callers
            || (self.run.delivery == Delivery::Unit && !self.best_calls());
        if nobody_hears_early { Expect::Exactly(figure as f64) } else { Expect::AtMost(figure as f64) }
    }

    /// How long it takes when every message takes one hop.
    fn hops(&self) -> Option<u64> {
        if self.run.delivery != Delivery::Unit {
            return None;
        }
        let asked = u64::from(!self.best_calls());
        let wait = if self.announces_at_once { 0 } else { ANSWER_WAIT };
        let hears = |&member: &u32| self.run.is_alive(member);
        let told = u64::from(self.by_rank[..self.best_alive].iter().any(hears));
        let outcome = asked + wait + told;
        // Answers may trail behind an outcome that came at once.
        let last_answer = match (self.involved(), self.callers) {
            (1, _) => 0,
            (involved, callers) if involved == callers => 2,
            // Asked at 1, those below the best ask in turn.
            (involved, callers) if involved > callers + asked as usize => 3,
            _ => 2,
        };
        let exact = matches!(self.exact_or_most(0), Expect::Exactly(_));
        exact.then_some(outcome.max(last_answer))
    }
}
