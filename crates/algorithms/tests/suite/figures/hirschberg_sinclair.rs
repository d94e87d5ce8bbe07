//! Hirschberg and Sinclair's figures, against a naive implementation of the rules and against formulas.

use super::two_way::Subject;
use crate::support::naive_two_way;
use bellwether_core::{DynMessage, Elect, HOP, Port, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{LinkOrder, Observer, RoundMode, simulate_observed};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, claimed, run};
use bellwether_testkit::dice::Dice;

const SUBJECT: Subject = Subject { name: "hirschberg-sinclair", play: naive_two_way::hirschberg_sinclair };

/// The first power of two that is at least n: the reach of the last phase.
fn last_reach(n: usize) -> usize {
    (0..).map(|phase| 1 << phase).find(|reach| *reach >= n).expect("a larger power")
}

#[test]
fn messages_and_time_agree_with_the_naive_implementation() {
    SUBJECT.check_every_size_and_order();
}

#[test]
fn count_does_not_depend_on_the_initiators() {
    SUBJECT.check_every_initiator();
}

#[test]
fn count_does_not_depend_on_delays_or_message_order() {
    SUBJECT.check_every_delay(&[LinkOrder::Fifo, LinkOrder::Reordering]);
}

#[test]
fn late_boots_and_late_initiators_change_nothing() {
    SUBJECT.check_late_starts_and_calls();
}

#[test]
fn highest_member_takes_all_phases_and_two_turns() {
    let mut dice = Dice(4);
    for n in 1..=64 {
        let cast = Cast::shuffled(BOTH_WAYS[n % 2], n, &mut dice);
        for initiator in 0..n {
            let around = initiator.abs_diff(cast.best());
            let report = SUBJECT.check(&cast, &[initiator as u32]);
            let hops = around.min(n - around) + 2 * (last_reach(n) - 1) + 2 * n;
            assert_eq!(report.time, Time::ZERO + HOP * hops as u64, "{cast:?} {initiator}");
        }
    }
}

/// A neighbour drops the probes of every member but the highest-ranked, in phase 0.
#[test]
fn rising_ranks_take_6n_plus_four_times_the_last_reach_minus_8() {
    for n in 2..=64 {
        for cast in [Cast::in_best_order(Elect::Best, n), Cast::in_worst_order(Elect::Best, n)] {
            let report = run("hirschberg-sinclair", "plain", &cast.two_way_ring());
            assert_eq!(report.messages.payload as usize, 6 * n + 4 * last_reach(n) - 8, "{cast:?}");
        }
    }
}

/// If all start and every message takes one hop, phase i lasts from hop 2(2^i - 1) to the next: the number of
/// messages in each, and of those sent at its very beginning.
#[derive(Default)]
struct Phases {
    messages: Vec<u64>,
    at_once: Vec<u64>,
}

impl Observer for Phases {
    fn sent(&mut self, at: Time, _: u32, _: Port, _: (u32, Port), _: &dyn DynMessage, _: Time) {
        let hop = at.ticks() / HOP.ticks();
        let phase = (0..).take_while(|phase| 2 * ((1 << phase) - 1) <= hop).count() - 1;
        self.messages.resize(self.messages.len().max(phase + 1), 0);
        self.at_once.resize(self.messages.len(), 0);
        self.messages[phase] += 1;
        self.at_once[phase] += u64::from(2 * ((1 << phase) - 1) == hop);
    }
}

fn phases(cast: &Cast) -> Phases {
    let entry = ALGORITHMS.find("hirschberg-sinclair", None).expect("the algorithm is registered");
    let mut phases = Phases::default();
    simulate_observed(&ALGORITHMS.entries[entry], &cast.two_way_ring(), RoundMode::Auto, &mut phases);
    phases
}

/// The members whose rank is the highest within this many hops on both sides.
fn best_within(cast: &Cast, hops: usize) -> u64 {
    let n = cast.n();
    let is_best = |member: &usize| {
        let others = (1..=hops).flat_map(|hops| [(member + hops) % n, (member + hops * (n - 1)) % n]);
        others.into_iter().all(|other| !cast.beats(other, *member))
    };
    (0..n).filter(is_best).count() as u64
}

#[test]
fn phase_i_has_the_members_that_are_highest_within_half_its_reach() {
    let mut dice = Dice(5);
    for n in 1..=64 {
        for _ in 0..4 {
            let cast = Cast::with_ties(Elect::Best, n, &mut dice);
            let Phases { at_once, .. } = phases(&cast);
            for phase in 0..=last_reach(n).ilog2() {
                let half = (1 << phase) / 2;
                let stand = at_once[phase as usize] / 2;
                assert_eq!(stand, best_within(&cast, half), "{cast:?} phase {phase}");
                assert!(phase == 0 || stand <= (n / (half + 1)).max(1) as u64, "{cast:?} phase {phase}");
            }
        }
    }
}

/// The last phase is counted with the announcement: 2n and n.
#[test]
fn phase_0_takes_3n_and_later_phases_at_most_their_part_of_the_bound() {
    let mut dice = Dice(6);
    for n in 2..=64 {
        for _ in 0..4 {
            let cast = Cast::shuffled(Elect::Best, n, &mut dice);
            let Phases { messages, .. } = phases(&cast);
            let last = last_reach(n).ilog2() as usize;
            assert_eq!(messages[0] as usize, 3 * n, "{cast:?}");
            assert_eq!(messages[last..].iter().sum::<u64>() as usize, 3 * n, "{cast:?}");
            for (phase, &messages) in messages.iter().enumerate().take(last).skip(1) {
                let r = 1 << (phase - 1);
                assert!(messages as usize <= n * (5 * r + 1) / (r + 1), "{cast:?} phase {phase}");
            }
        }
    }
}

/// One high rank every r + 1, and only low ones between them.
#[test]
fn each_phase_attains_its_part_of_the_bound() {
    for phase in 1..=5 {
        let r = 1 << (phase - 1);
        for stand in [2, 3, 5] {
            let n = stand * (r + 1);
            if 2 * r >= n {
                continue; // that would be the last phase
            }
            let good = |member: usize| member.is_multiple_of(r + 1);
            let members = (0..n).map(|member| (i64::from(good(member)), member as u64)).collect();
            let Phases { messages, at_once } = phases(&Cast { elect: Elect::Best, members });
            assert_eq!(at_once[phase] as usize, 2 * stand, "n {n} phase {phase}");
            assert_eq!(messages[phase] as usize, n * (5 * r + 1) / (r + 1), "n {n} phase {phase}");
        }
    }
}

#[test]
fn bounds_are_those_of_the_literature_and_are_attained_in_small_rings() {
    // Every second rank is high: no order takes more messages.
    for (ids, most) in [(vec![1], 3), (vec![1, 2], 12), (vec![3, 1, 4, 2], 36)] {
        let members = ids.into_iter().map(|id| (0, id)).collect();
        let cast = Cast { elect: Elect::Best, members };
        let report = run("hirschberg-sinclair", "plain", &cast.two_way_ring());
        let bound = claimed(&report, "messages_bound");
        assert_eq!((bound.measured, bound.expected), (f64::from(most), f64::from(most)), "{cast:?}");
    }
    for n in 2..=64 {
        let report = run("hirschberg-sinclair", "plain", &Cast::in_best_order(Elect::Best, n).two_way_ring());
        let (bound, classic) = (claimed(&report, "messages_bound"), claimed(&report, "classic_bound"));
        let last_phase = last_reach(n).ilog2() as usize;
        assert!(bound.expected <= (n * (5 * last_phase + 1)) as f64);
        assert_eq!(classic.expected, (8 * n * (1 + last_phase)) as f64);
    }
}
