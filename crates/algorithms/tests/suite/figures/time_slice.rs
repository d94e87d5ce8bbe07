//! TimeSlice's figures, from values that the tests find by counting ranks.

use crate::support::values::{dense_with_ties, greatest_id, ring_with_ids_up_to, values};
use bellwether_core::{Elect, HOP, Time};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, DELAYS, assert_claims, assert_elected, run, set_delay};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
const ID_BYTES: u64 = 8;

/// The highest-ranked member has this value if ids go up to `bound`: it knows when its phase begins, the others when
/// its token passes, and when the token is back the run is over.
fn check_value(cast: &Cast, bound: u64, value: u64) {
    let (n, best) = (cast.n() as u64, cast.best());
    let context = format!("ids up to {bound} {cast:?}");
    let report = run("time-slice", "plain", &ring_with_ids_up_to(cast, bound));
    assert_elected(&report, cast.id(best), true, &context);
    assert_eq!((report.messages.total, report.messages.by_kind["token"]), (n, n), "{context}");
    assert_eq!(report.bytes, n * ID_BYTES, "{context}");
    let before = n * (value - 1);
    let (leader_round, rounds) = (before + 1, n * value + 1);
    assert_eq!((report.leader_round, report.rounds), (Some(leader_round), Some(rounds)), "{context}");
    assert_eq!(report.time, Time::ZERO + HOP * (n * value), "{context}");
    for hops in 0..cast.n() {
        let passes = Time::ZERO + HOP * (before + hops as u64);
        assert_eq!(report.knew_at[(best + hops) % cast.n()], passes, "{context}");
    }
    let figures = [("messages", n), ("leader_round", leader_round), ("rounds", rounds), ("time", n * value)];
    assert_claims(&report, &figures, &context);
}

fn check(cast: &Cast, bound: u64) {
    check_value(cast, bound, values(cast, bound)[cast.best()]);
}

#[test]
fn ids_from_1_to_n_take_the_least_time() {
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            check_value(&Cast::in_best_order(elect, n), n as u64, 1);
            check_value(&Cast::in_worst_order(elect, n), n as u64, 1);
        }
    }
}

#[test]
fn any_ids_in_any_order_take_n_messages() {
    let mut dice = Dice(21);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            let mut cast = Cast::shuffled(elect, n, &mut dice);
            check(&cast, greatest_id(&cast));
            check(&cast, greatest_id(&cast) + dice.below(100) as u64);
            cast.members.iter_mut().for_each(|member| member.1 += 30);
            check(&cast, greatest_id(&cast));
            check(&cast, greatest_id(&cast) + dice.below(100) as u64);
        }
    }
}

#[test]
fn attributes_count_before_ids() {
    let mut dice = Dice(22);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for cast in [Cast::with_ties(elect, n, &mut dice), dense_with_ties(elect, n, &mut dice)] {
                check(&cast, greatest_id(&cast));
                check(&cast, greatest_id(&cast) + 5);
            }
        }
    }
}

#[test]
fn any_number_of_silent_rounds_costs_no_messages() {
    for n in 1..=MOST as u64 {
        let cast = Cast::in_worst_order(Elect::Best, n as usize);
        for bound in [1_000_000, 1_000_000_000_000] {
            check_value(&cast, bound, bound - n + 1);
        }
    }
}

#[test]
fn messages_are_the_same_with_any_delays() {
    let mut dice = Dice(23);
    for n in 1..=9 {
        let cast = dense_with_ties(BOTH_WAYS[n % 2], n, &mut dice);
        for delay in DELAYS {
            let mut plan = ring_with_ids_up_to(&cast, n as u64 + 3);
            set_delay(&mut plan, delay);
            let report = run("time-slice", "plain", &plan);
            assert_elected(&report, cast.id(cast.best()), true, delay);
            assert_eq!(report.messages.payload, n as u64, "{delay} {cast:?}");
        }
    }
}
