//! Franklin's figures, against a naive implementation of the rules and against formulas.

use super::two_way::Subject;
use crate::support::naive_two_way;
use bellwether_core::{Elect, HOP, Time};
use bellwether_sim::LinkOrder;
use bellwether_testkit::casts::{BOTH_WAYS, Cast, claimed, run, sent};
use bellwether_testkit::dice::Dice;

const SUBJECT: Subject = Subject { name: "franklin", play: naive_two_way::franklin };

#[test]
fn messages_and_time_agree_with_the_naive_implementation() {
    SUBJECT.check_every_size_and_order();
}

#[test]
fn count_does_not_depend_on_the_initiators() {
    SUBJECT.check_every_initiator();
}

#[test]
fn count_does_not_depend_on_delays_if_links_keep_their_order() {
    SUBJECT.check_every_delay(&[LinkOrder::Fifo]);
}

#[test]
fn late_boots_and_late_initiators_change_nothing() {
    SUBJECT.check_late_starts_and_calls();
}

/// The number of rounds: only members with a higher rank than both active neighbours stay active.
fn rounds(cast: &Cast) -> u64 {
    let mut left: Vec<usize> = (0..cast.n()).collect();
    let mut rounds = 1;
    while left.len() > 1 {
        let all = left.clone();
        let neighbours = |at: usize| [all[(at + 1) % all.len()], all[(at + all.len() - 1) % all.len()]];
        left = (0..all.len())
            .filter(|&at| neighbours(at).iter().all(|&other| cast.beats(all[at], other)))
            .map(|at| all[at])
            .collect();
        rounds += 1;
    }
    rounds
}

#[test]
fn every_round_takes_2n() {
    let mut dice = Dice(4);
    for n in 1..=64 {
        for elect in BOTH_WAYS {
            let cast = Cast::with_ties(elect, n, &mut dice);
            let report = run("franklin", "plain", &cast.two_way_ring());
            assert_eq!(sent(&report, "rank"), 2 * n as u64 * rounds(&cast), "{cast:?}");
        }
    }
}

/// Only the highest-ranked member has a higher rank than both neighbours: it knows after a hop, and its messages go
/// round twice.
#[test]
fn rising_ranks_take_two_rounds() {
    for n in 2..=64 {
        for cast in [Cast::in_best_order(Elect::Best, n), Cast::in_worst_order(Elect::Best, n)] {
            let report = run("franklin", "plain", &cast.two_way_ring());
            assert_eq!(report.messages.payload, 5 * n as u64, "{cast:?}");
            assert_eq!(report.time, Time::ZERO + HOP * (2 * n as u64 + 1), "{cast:?}");
        }
    }
}

/// In each round every second active member has a higher rank than its neighbours.
fn slowest_order(n: usize) -> Cast {
    let mut members = vec![(0, 0); n];
    let mut left: Vec<usize> = (0..n).collect();
    let mut ids = 1..;
    while left.len() > 1 {
        for &loser in left.iter().step_by(2) {
            members[loser].1 = ids.next().expect("there are more");
        }
        left = left.into_iter().skip(1).step_by(2).collect();
    }
    members[left[0]].1 = n as u64;
    Cast { elect: Elect::Best, members }
}

#[test]
fn bound_is_attained_for_every_n() {
    for n in 1..=300_usize {
        let report = run("franklin", "plain", &slowest_order(n).two_way_ring());
        let bound = claimed(&report, "messages_bound");
        let halvings = (1..).take_while(|&halvings| n >> halvings > 0).count();
        assert_eq!(bound.expected, (2 * n * (halvings + 1) + n) as f64, "{n}");
        assert_eq!(bound.measured, bound.expected, "{n}");
    }
}
