//! Chang and Roberts' figures, plain variant, against formulas and a naive implementation of the rules.

use crate::support::naive_ring;
use bellwether_core::{Elect, HOP, Time};
use bellwether_sim::{Plan, Report};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims, assert_elected, called_by, clockwise, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
/// The size on the wire of an `election` with its rank and an `elected` with its id.
const ELECTION_BYTES: u64 = 1 + 16;
const ELECTED_BYTES: u64 = 1 + 8;

/// A run of a plan of this cast, with this many `election` messages and n of `elected`.
fn check(cast: &Cast, plan: &Plan, election: u64) -> Report {
    let n = cast.n() as u64;
    let context = format!("{cast:?} {:?} {:?}", plan.initiators, plan.delay);
    let report = run("chang-roberts", "plain", plan);
    assert_elected(&report, cast.id(cast.best()), true, &context);
    assert_eq!((sent(&report, "election"), sent(&report, "elected")), (election, n), "{context}");
    assert_eq!((report.messages.payload, report.messages.control), (election + n, 0), "{context}");
    assert_eq!(report.bytes, election * ELECTION_BYTES + n * ELECTED_BYTES, "{context}");
    report
}

/// The same with unit delays, for which the time is known too.
fn check_in_units(cast: &Cast, plan: &Plan, election: u64, hops: u64) {
    let n = cast.n() as u64;
    let report = check(cast, plan, election);
    let context = format!("{cast:?} {:?}", plan.initiators);
    assert_eq!(report.time, Time::ZERO + HOP * hops, "{context}");
    assert_claims(&report, &[("messages", election + n), ("time", hops)], &context);
    // The leader knows n hops before the last message is back, the others one after the other.
    for step in 0..cast.n() {
        let member = (cast.best() + step) % cast.n();
        assert_eq!(report.knew_at[member], Time::ZERO + HOP * (hops - n + step as u64), "{context}");
    }
}

#[test]
fn one_initiator_d_hops_before_the_highest_takes_d_plus_2n_messages_and_hops() {
    let mut dice = Dice(1);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            let cast = Cast::with_ties(elect, n, &mut dice);
            let mut seen = Vec::new();
            for initiator in 0..n {
                let d = clockwise(n, initiator, cast.best());
                let total = (d + 2 * n) as u64;
                check_in_units(&cast, &called_by(cast.ring(), &[initiator as u32]), total - n as u64, total);
                seen.push(total as usize);
            }
            assert_eq!(seen.iter().min(), Some(&(2 * n)));
            assert_eq!(seen.iter().max(), Some(&(3 * n - 1)));
        }
    }
}

#[test]
fn all_initiators_take_the_sum_of_lcr_plus_n_messages_in_2n_hops() {
    let mut dice = Dice(2);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for (cast, sum) in [
                (Cast::in_best_order(elect, n), 2 * n - 1),
                (Cast::in_worst_order(elect, n), n * (n + 1) / 2),
            ] {
                assert_eq!(cast.total_distance(), sum as u64);
                check_in_units(&cast, &cast.ring(), sum as u64, 2 * n as u64);
            }
            let cast = Cast::shuffled(elect, n, &mut dice);
            check_in_units(&cast, &cast.ring(), cast.total_distance(), 2 * n as u64);
            let cast = Cast::with_ties(elect, n, &mut dice);
            check_in_units(&cast, &cast.ring(), cast.total_distance(), 2 * n as u64);
        }
    }
}

/// The result of the naive implementation for these initiators.
fn check_against_naive(cast: &Cast, initiators: &[u32]) {
    let n = cast.n();
    let played = naive_ring::play(cast, initiators);
    assert_eq!(played.elected, n as u64);
    assert_eq!(played.named, vec![Some(cast.best()); n]);
    let d = (0..n)
        .filter(|&member| initiators.contains(&(member as u32)))
        .map(|member| clockwise(n, member, cast.best()))
        .min();
    let hops = d.expect("a member starts") + 2 * n;
    check_in_units(cast, &called_by(cast.ring(), initiators), played.election, hops as u64);
}

#[test]
fn every_set_of_initiators_of_small_rings_agrees_with_the_naive_implementation() {
    let mut dice = Dice(3);
    for n in 1..=6 {
        for elect in BOTH_WAYS {
            for _ in 0..4 {
                let cast = Cast::with_ties(elect, n, &mut dice);
                for set in 1_u32..1 << n {
                    let initiators: Vec<u32> =
                        (0..n as u32).filter(|member| set >> member & 1 == 1).collect();
                    check_against_naive(&cast, &initiators);
                }
            }
        }
    }
}

#[test]
fn random_initiators_agree_with_the_naive_implementation() {
    let mut dice = Dice(4);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for _ in 0..4 {
                let cast = Cast::shuffled(elect, n, &mut dice);
                check_against_naive(&cast, &dice.some_of(n));
            }
        }
    }
}

#[test]
fn counts_do_not_depend_on_delays_if_links_keep_their_order() {
    let mut dice = Dice(5);
    for n in [1, 2, 3, 5, 8, 13, 21, 34] {
        let cast = Cast::shuffled(Elect::Best, n, &mut dice);
        let all_members: Vec<u32> = (0..n as u32).collect();
        for initiators in [all_members, dice.some_of(n), dice.some_of(n), vec![dice.below(n) as u32]] {
            let election = naive_ring::play(&cast, &initiators).election;
            for delay in DELAYS {
                for seed in 0..4 {
                    let mut plan = called_by(cast.ring(), &initiators);
                    set_delay(&mut plan, delay);
                    plan.seed = seed;
                    let report = check(&cast, &plan, election);
                    if delay != "unit" {
                        let context = format!("{cast:?} {initiators:?} {delay} {seed}");
                        assert_claims(&report, &[("messages", election + n as u64)], &context);
                    }
                }
            }
        }
    }
}
