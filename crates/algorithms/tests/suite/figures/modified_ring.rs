//! The modified ring election: several initiators, the size of messages, and the lecture's example.

use super::overlay_rings::{BOUNDED, all_calls_in_small_rings, check_counts, dead_and_callers, without};
use bellwether_core::{Elect, FaultEvent, HOP};
use bellwether_sim::LinkOrder;
use bellwether_testkit::casts::disturbed::{happens, watch};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, assert_claims_hold, assert_elected, called_by, clockwise, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
/// The size on the wire of a letter before its content: its kind, its number, the content's kind, and the run (epoch,
/// and the initiator's rank).
const ENVELOPE_BYTES: usize = 1 + 1 + 1 + (1 + 16);
const ACK_BYTES: usize = 1 + 1;

/// The hops of `election` messages: the highest initiator's once round the live members, each other one's to the next
/// higher initiator.
fn election_hops(cast: &Cast, initiators: &[u32], dead: &[u32]) -> usize {
    let alive: Vec<usize> = (0..cast.n()).filter(|&member| !dead.contains(&(member as u32))).collect();
    let n = alive.len();
    if n == 1 {
        return 0;
    }
    let calls = |place: usize| initiators.contains(&(alive[place] as u32));
    let travelled = (0..n).filter(|&place| calls(place)).map(|place| {
        let stops = |hops: &usize| {
            let there = (place + hops) % n;
            calls(there) && cast.beats(alive[there], alive[place])
        };
        (1..n).find(stops).unwrap_or(n)
    });
    travelled.sum()
}

#[test]
fn messages_grow_with_their_lists() {
    for n in 2..=MOST {
        let cast = Cast::shuffled(Elect::Best, n, &mut Dice(n as u64));
        let report = run("modified-ring", "plain", &called_by(cast.overlay(), &[0]));
        let entries = n * (n + 1) / 2; // lists of 1, 2, ... n, each with its length
        let election = n * (ENVELOPE_BYTES + 1) + entries * 16;
        let coordinator = n * (ENVELOPE_BYTES + 8 + 1) + entries * 8;
        assert_eq!(report.bytes, (election + coordinator + 2 * n * ACK_BYTES) as u64, "{n}");
    }
}

#[test]
fn every_set_of_initiators_of_small_rings_takes_the_expected_hops() {
    for (cast, initiators) in all_calls_in_small_rings(&mut Dice(1)) {
        let election = election_hops(&cast, &initiators, &[]);
        let plan = called_by(cast.overlay(), &initiators);
        check_counts("modified-ring", &cast, &plan, election, if cast.n() == 1 { 0 } else { cast.n() });
    }
}

#[test]
fn all_start_in_best_and_in_worst_order() {
    for n in 2..=MOST {
        for elect in BOTH_WAYS {
            let best = Cast::in_best_order(elect, n);
            check_counts("modified-ring", &best, &best.overlay(), 2 * n - 1, n);
            let worst = Cast::in_worst_order(elect, n);
            check_counts("modified-ring", &worst, &worst.overlay(), n * (n + 1) / 2, n);
        }
    }
}

#[test]
fn lower_initiators_reach_the_next_higher_one_with_any_delays() {
    let mut dice = Dice(2);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for &delay in BOUNDED {
                let cast = Cast::shuffled(elect, n, &mut dice);
                let (dead, initiators) = dead_and_callers(n, &mut dice);
                for dead in [&dead[..], &[]] {
                    let mut plan = without(called_by(cast.overlay(), &initiators), dead);
                    set_delay(&mut plan, delay);
                    plan.seed = n as u64;
                    let election = election_hops(&cast, &initiators, dead) + dead.len();
                    let turn = if dead.len() + 1 == n { 0 } else { n - dead.len() };
                    check_counts("modified-ring", &cast, &plan, election, turn);
                }
            }
        }
    }
}

#[test]
fn highest_is_elected_even_if_messages_overtake_each_other() {
    let mut dice = Dice(3);
    for round in 0..600 {
        let n = 1 + dice.below(12);
        let cast = Cast::with_ties(BOTH_WAYS[round % 2], n, &mut dice);
        let mut plan = called_by(cast.overlay(), &dice.some_of(n));
        set_delay(&mut plan, "uniform:0.1..3.0");
        (plan.links, plan.seed) = (LinkOrder::Reordering, round as u64);
        let report = run("modified-ring", "plain", &plan);
        let context = format!("{cast:?} {:?} {round}", plan.initiators);
        assert_elected(&report, cast.id(cast.best()), true, &context);
        assert_claims_hold(&report, &context);
        let turn = if n == 1 { 0 } else { n as u64 };
        assert_eq!(sent(&report, "coordinator"), turn, "only one run completes: {context}");
    }
}

#[test]
fn next_highest_is_elected_when_the_lectures_leader_crashes_after_forwarding_election() {
    // Lecture 000: a ring 0 to 5; 5 is dead, 2 starts, 4 forwards `election` and crashes; 3 is elected.
    let cast = Cast { elect: Elect::Best, members: (0..6).map(|id| (0, id)).collect() };
    let mut plan = called_by(cast.overlay(), &[2]);
    let forwarded = clockwise(6, 2, 4) as u64;
    plan.script = vec![
        happens(FaultEvent::Crash, 5, 0),
        happens(FaultEvent::Crash, 4, forwarded * HOP.ticks() + 2_500),
    ];
    let (report, announced) = watch("modified-ring", "plain", &plan);
    assert_elected(&report, cast.id(3), true, "the lecture's example");
    assert_eq!(announced, [false, false, false, true, false, false]);
    // The first run: `election` to 5 live members and to 5, which is dead; `coordinator` to 4 live members, and 3
    // finds both 4 and 5 dead. The second run tries both once more, and sends 4 each to live members.
    assert_eq!((sent(&report, "election"), sent(&report, "coordinator")), (5 + 1 + 2 + 4, 4 + 2 + 4));
}
