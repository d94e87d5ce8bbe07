//! The common part of the two-way ring algorithms: their counts depend on ranks alone, and the time with unit delays
//! on ranks and initiators. Each is compared with a naive implementation of its rules.

use crate::support::naive_two_way::Played;
use bellwether_core::{FaultEvent, HOP, Time};
use bellwether_sim::{Happening, LinkOrder, Report};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims_hold, assert_elected, called_by, claimed, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;

pub struct Subject {
    pub name: &'static str,
    pub play: fn(&Cast, &[u32]) -> Played,
}

impl Subject {
    /// With unit delays the run and the claims agree with the naive implementation.
    pub fn check(&self, cast: &Cast, initiators: &[u32]) -> Report {
        let played = (self.play)(cast, initiators);
        assert_eq!(played.named, vec![Some(cast.best()); cast.n()]);
        let report = self.check_counts(cast, initiators, &played, ("unit", LinkOrder::Fifo, 0));
        let context = format!("{} {cast:?} {initiators:?}", self.name);
        assert_eq!(report.time, Time::ZERO + HOP * played.hops, "{context}");
        let time = claimed(&report, "time");
        assert_eq!((time.relation, time.expected), ("exactly", played.hops as f64), "{context}");
        report
    }

    /// With any delays the counts agree with the naive implementation.
    fn check_counts(
        &self,
        cast: &Cast,
        initiators: &[u32],
        played: &Played,
        (delay, links, seed): (&str, LinkOrder, u64),
    ) -> Report {
        let context = format!("{} {cast:?} {initiators:?} {delay} {links:?} {seed}", self.name);
        let mut plan = called_by(cast.two_way_ring(), initiators);
        set_delay(&mut plan, delay);
        plan.links = links;
        plan.seed = seed;
        let report = run(self.name, "plain", &plan);
        assert_elected(&report, cast.id(cast.best()), true, &context);
        for (kind, count) in &played.sent {
            assert_eq!(sent(&report, kind), *count, "{kind} {context}");
        }
        assert_eq!(report.messages.total, played.messages(), "{context}");
        assert_eq!(sent(&report, "elected"), cast.n() as u64, "{context}");
        let exact = claimed(&report, "messages");
        assert_eq!((exact.relation, exact.expected), ("exactly", played.messages() as f64), "{context}");
        assert_eq!(claimed(&report, "messages_bound").relation, "at most", "{context}");
        assert_claims_hold(&report, &context);
        report
    }

    pub fn check_every_size_and_order(&self) {
        let mut dice = Dice(1);
        for n in 1..=MOST {
            let all_members: Vec<u32> = (0..n as u32).collect();
            for elect in BOTH_WAYS {
                for cast in [
                    Cast::in_best_order(elect, n),
                    Cast::in_worst_order(elect, n),
                    Cast::shuffled(elect, n, &mut dice),
                    Cast::with_ties(elect, n, &mut dice),
                ] {
                    self.check(&cast, &all_members);
                }
            }
        }
    }

    /// The counts do not depend on the initiators: they are those of a run that all start.
    pub fn check_every_initiator(&self) {
        let mut dice = Dice(2);
        for n in 1..=24 {
            for elect in BOTH_WAYS {
                let cast = Cast::with_ties(elect, n, &mut dice);
                let all_members: Vec<u32> = (0..n as u32).collect();
                let counts = self.check(&cast, &all_members).messages;
                for initiator in 0..n as u32 {
                    assert_eq!(self.check(&cast, &[initiator]).messages, counts);
                }
                assert_eq!(self.check(&cast, &dice.some_of(n)).messages, counts);
            }
        }
        for n in 25..=MOST {
            self.check(&Cast::shuffled(BOTH_WAYS[n % 2], n, &mut dice), &dice.some_of(n));
        }
    }

    pub fn check_every_delay(&self, links: &[LinkOrder]) {
        let mut dice = Dice(3);
        for n in [1, 2, 3, 4, 5, 8, 13, 21, 34, 64] {
            let cast = Cast::with_ties(BOTH_WAYS[n % 2], n, &mut dice);
            let all_members: Vec<u32> = (0..n as u32).collect();
            for initiators in [all_members, dice.some_of(n), vec![dice.below(n) as u32]] {
                let played = (self.play)(&cast, &initiators);
                for delay in DELAYS {
                    for &links in links {
                        for seed in 0..4 {
                            self.check_counts(&cast, &initiators, &played, (delay, links, seed));
                        }
                    }
                }
            }
        }
    }
    /// A member that boots late finds its messages waiting, and a late initiator, or one after the outcome, changes
    /// nothing. There are no claims for such runs, but they have the same cost.
    pub fn check_late_starts_and_calls(&self) {
        let mut dice = Dice(4);
        for n in 1..=20 {
            let cast = Cast::with_ties(BOTH_WAYS[n % 2], n, &mut dice);
            let played = (self.play)(&cast, &[0]);
            for seed in 0..20 {
                let mut plan = called_by(cast.two_way_ring(), &dice.some_of(n));
                set_delay(&mut plan, DELAYS[seed % DELAYS.len()]);
                plan.seed = seed as u64;
                for what in [FaultEvent::Start, FaultEvent::Call] {
                    let at = Time::ZERO + HOP * dice.below(10 * n) as u64;
                    plan.script.push(Happening { at, what, member: dice.below(n) as u32 });
                }
                plan.script.sort_unstable();
                let report = run(self.name, "plain", &plan);
                let context = format!("{} {cast:?} {:?} {:?}", self.name, plan.initiators, plan.script);
                assert_elected(&report, cast.id(cast.best()), true, &context);
                assert_eq!(report.messages.total, played.messages(), "{context}");
                assert!(report.claims.is_empty(), "{context}");
            }
        }
    }
}
