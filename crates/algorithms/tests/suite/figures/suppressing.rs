//! Figures of Chang and Roberts' algorithm for many initiators: only the highest one's run completes.

use bellwether_core::{Elect, HOP, Time};
use bellwether_sim::{Plan, Report};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims, assert_elected, called_by, clockwise, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

/// The size on the wire of an `election` and an `elected`, each with its initiator's id.
const ELECTION_BYTES: u64 = 1 + 8 + 16;
const ELECTED_BYTES: u64 = 1 + 8 + 8;

/// The hops of each initiator's message until a higher initiator discards it; none for the highest.
fn hops_until_stopped(cast: &Cast, initiators: &[u32], initiator: u32) -> Option<u64> {
    let n = cast.n();
    let id = |member: u32| cast.members[member as usize].1;
    let higher = initiators.iter().filter(|&&other| id(other) > id(initiator));
    higher.map(|&other| clockwise(n, initiator as usize, other as usize) as u64).min()
}

/// The hops of the highest initiator's run: to the highest-ranked member, and two turns.
fn hops_of_highest(cast: &Cast, initiators: &[u32]) -> u64 {
    let n = cast.n();
    let highest = initiators.iter().max_by_key(|&&member| cast.members[member as usize].1);
    let highest = *highest.expect("a member starts") as usize;
    (clockwise(n, highest, cast.best()) + 2 * n) as u64
}

fn check(cast: &Cast, initiators: &[u32], plan: &Plan) -> (Report, u64) {
    let n = cast.n() as u64;
    let context = format!("{cast:?} {initiators:?} {:?}", plan.delay);
    let stopped = initiators.iter().filter_map(|&one| hops_until_stopped(cast, initiators, one)).sum::<u64>();
    let messages = hops_of_highest(cast, initiators) + stopped;
    let report = run("chang-roberts", "suppressing", plan);
    assert_elected(&report, cast.id(cast.best()), true, &context);
    assert_eq!(sent(&report, "elected"), n, "only one run completes: {context}");
    assert_eq!(report.messages.payload, messages, "{context}");
    assert_eq!(report.bytes, (messages - n) * ELECTION_BYTES + n * ELECTED_BYTES, "{context}");
    (report, messages)
}

fn check_in_units(cast: &Cast, initiators: &[u32]) {
    let n = cast.n() as u64;
    let (report, messages) = check(cast, initiators, &called_by(cast.ring(), initiators));
    let context = format!("{cast:?} {initiators:?}");
    let hops = hops_of_highest(cast, initiators);
    assert_eq!(report.time, Time::ZERO + HOP * hops, "{context}");
    assert_claims(&report, &[("messages", messages), ("elected", n), ("time", hops)], &context);
}

#[test]
fn every_set_of_initiators_of_small_rings() {
    let mut dice = Dice(1);
    for n in 1..=6 {
        for elect in BOTH_WAYS {
            for round in 0..6 {
                let cast = match round {
                    0 => Cast::in_best_order(elect, n),
                    1 => Cast::in_worst_order(elect, n),
                    2 => Cast::shuffled(elect, n, &mut dice),
                    _ => Cast::with_ties(elect, n, &mut dice),
                };
                for set in 1_u32..1 << n {
                    let initiators: Vec<u32> =
                        (0..n as u32).filter(|member| set >> member & 1 == 1).collect();
                    check_in_units(&cast, &initiators);
                }
            }
        }
    }
}

#[test]
fn random_initiators_of_larger_rings() {
    let mut dice = Dice(2);
    for n in 7..=64 {
        for elect in BOTH_WAYS {
            for _ in 0..3 {
                let cast = Cast::with_ties(elect, n, &mut dice);
                check_in_units(&cast, &dice.some_of(n));
            }
            let all_members: Vec<u32> = (0..n as u32).collect();
            check_in_units(&Cast::shuffled(elect, n, &mut dice), &all_members);
        }
    }
}

#[test]
fn one_initiator_takes_d_plus_2n_messages() {
    let mut dice = Dice(3);
    for n in 1..=32 {
        let cast = Cast::with_ties(Elect::Best, n, &mut dice);
        for initiator in 0..n {
            let report = run("chang-roberts", "suppressing", &called_by(cast.ring(), &[initiator as u32]));
            let d = clockwise(n, initiator, cast.best());
            assert_eq!(report.messages.payload, (d + 2 * n) as u64);
        }
    }
}

#[test]
fn counts_do_not_depend_on_delays_if_links_keep_their_order() {
    let mut dice = Dice(4);
    for n in [1, 2, 3, 5, 8, 13, 21] {
        for _ in 0..3 {
            let cast = Cast::with_ties(Elect::Best, n, &mut dice);
            let initiators = dice.some_of(n);
            for delay in &DELAYS[1..] {
                for seed in 0..4 {
                    let mut plan = called_by(cast.ring(), &initiators);
                    set_delay(&mut plan, delay);
                    plan.seed = seed;
                    let (report, messages) = check(&cast, &initiators, &plan);
                    let context = format!("{cast:?} {initiators:?} {delay} {seed}");
                    assert_claims(&report, &[("messages", messages), ("elected", n as u64)], &context);
                }
            }
        }
    }
}
