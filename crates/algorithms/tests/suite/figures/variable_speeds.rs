//! VariableSpeeds' figures, against a race of tokens that the tests play themselves.

use crate::support::naive_speeds::race;
use crate::support::values::{dense_with_ties, greatest_id, ring_with_ids_up_to, values};
use bellwether_core::{Elect, HOP, Time};
use bellwether_sim::Report;
use bellwether_testkit::casts::{BOTH_WAYS, Cast, DELAYS, assert_elected, run, set_delay};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
/// A rank, and a value below 128.
const TOKEN_BYTES: u64 = 16 + 1;

/// Only the highest-ranked member knows, in round n 2^v + 1, after this many messages.
fn check_value(cast: &Cast, bound: u64, value: u64, messages: u64) -> Report {
    let (n, best) = (cast.n() as u64, cast.best());
    let context = format!("ids up to {bound} {cast:?}");
    let report = run("variable-speeds", "plain", &ring_with_ids_up_to(cast, bound));
    assert_elected(&report, cast.id(best), n == 1, &context);
    assert_eq!((report.messages.total, report.messages.by_kind["token"]), (messages, messages), "{context}");
    let turn = n << value;
    assert_eq!((report.leader_round, report.rounds), (Some(turn + 1), Some(turn + 1)), "{context}");
    assert_eq!(report.time, Time::ZERO + HOP * turn, "{context}");
    for member in 0..cast.n() {
        let knew_at = if member == best { Time::ZERO + HOP * turn } else { Time::NEVER };
        assert_eq!(report.knew_at[member], knew_at, "{context}");
    }
    let claims: Vec<_> = report.claims.iter().map(|claim| (claim.name, claim.expected)).collect();
    let figure = |name| claims.iter().find(|claim| claim.0 == name).map(|claim| claim.1);
    assert_eq!(claims.len(), 5, "{context}");
    assert_eq!(figure("messages"), Some(messages as f64), "{context}");
    assert_eq!(figure("messages_bound"), Some(bound_on_messages(n) as f64), "{context}");
    assert_eq!(figure("leader_round"), Some((turn + 1) as f64), "{context}");
    assert_eq!(figure("rounds"), Some((turn + 1) as f64), "{context}");
    assert_eq!(figure("time"), Some(turn as f64), "{context}");
    assert!(report.claims.iter().all(|claim| claim.holds), "{context}: {:?}", report.claims);
    assert!(messages < 2 * n, "{context}");
    report
}

/// The highest token's n hops, and for the k-th after it at most the 2^k-th part of n - 1.
fn bound_on_messages(n: u64) -> u64 {
    n + (1..n.min(63)).map(|k| (n - 1) >> k).sum::<u64>()
}

/// Against the race.
fn check(cast: &Cast, bound: u64) -> u64 {
    let values = values(cast, bound);
    let race = race(cast, &values);
    assert_eq!(race.leader, cast.best());
    let messages = race.hops.iter().sum();
    let report = check_value(cast, bound, values[cast.best()], messages);
    assert_eq!(Some(race.leader_round), report.leader_round, "{cast:?}");
    if values.iter().all(|&value| value < 128) {
        assert_eq!(report.bytes, messages * TOKEN_BYTES, "{cast:?}");
    }
    messages
}

#[test]
fn ids_from_1_to_n_in_any_order() {
    let mut dice = Dice(31);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            // In best order there is a higher-ranked member before every token but the highest.
            let fewest = check(&Cast::in_best_order(elect, n), n as u64);
            assert!(fewest >= n as u64);
            check(&Cast::in_worst_order(elect, n), n as u64);
            let mut cast = Cast::in_best_order(elect, n);
            for _ in 0..3 {
                dice.shuffle(&mut cast.members);
                check(&cast, n as u64);
            }
        }
    }
}

#[test]
fn ids_with_gaps_and_a_higher_bound() {
    let mut dice = Dice(32);
    for n in 1..=MOST {
        let mut cast = Cast::shuffled(Elect::Best, n, &mut dice);
        for above in 0..4 {
            check(&cast, greatest_id(&cast) + above);
        }
        cast.elect = Elect::Worst;
        for _ in 0..3 {
            cast.members.iter_mut().for_each(|member| member.1 += 1);
            check(&cast, greatest_id(&cast));
        }
    }
}

#[test]
fn attributes_count_before_ids() {
    let mut dice = Dice(33);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            // If the highest-ranked member is far from the highest possible rank, every round takes too long to play.
            let near = |cast: &Cast| values(cast, n as u64)[cast.best()] <= 6;
            let cast =
                (0..).map(|_| dense_with_ties(elect, n, &mut dice)).find(near).expect("a time within range");
            check(&cast, n as u64);
        }
    }
}

#[test]
fn no_order_exceeds_the_bound_and_most_sizes_attain_it() {
    for n in 1..=7_u64 {
        let mut worst = 0;
        each_order(n as usize, &mut |members| {
            let cast = Cast { elect: Elect::Best, members: members.to_vec() };
            worst = worst.max(check(&cast, n));
        });
        // With five members, the second and the third cannot both travel as far as the bound allows.
        assert_eq!(worst == bound_on_messages(n), n != 5, "{n}: {worst}");
    }
}

/// Calls with every order of the ids 1 to n in a ring, the highest always first.
fn each_order(n: usize, call: &mut impl FnMut(&[(i64, u64)])) {
    fn from(place: usize, members: &mut [(i64, u64)], call: &mut impl FnMut(&[(i64, u64)])) {
        if place >= members.len() {
            return call(members);
        }
        for other in place..members.len() {
            members.swap(place, other);
            from(place + 1, members, call);
            members.swap(place, other);
        }
    }
    let mut members: Vec<(i64, u64)> = (1..=n as u64).rev().map(|id| (0, id)).collect();
    from(1, &mut members, call);
}

#[test]
fn any_number_of_silent_rounds_costs_no_messages() {
    // Even if every token is held much longer, each travels as far as before.
    let mut dice = Dice(35);
    for n in 1..=MOST as u64 {
        let mut cast = Cast::in_worst_order(Elect::Best, n as usize);
        dice.shuffle(&mut cast.members);
        let messages = check(&cast, n);
        for above in [20, 40] {
            check_value(&cast, n + above, above + 1, messages);
        }
    }
}

#[test]
fn values_too_large_to_count_do_no_harm() {
    // Id 1 is the highest possible rank; the tokens of the others would wait longer than any run.
    for n in 2..=9 {
        let mut cast = Cast::in_worst_order(Elect::Worst, n);
        for (at, member) in cast.members.iter_mut().enumerate().skip(1) {
            member.1 = 60 + 1_000_000_000_000 * at as u64;
        }
        check_value(&cast, greatest_id(&cast), 1, n as u64);
    }
}

#[test]
fn messages_are_the_same_with_any_delays() {
    let mut dice = Dice(34);
    for n in 1..=9 {
        let mut cast = Cast::in_best_order(BOTH_WAYS[n % 2], n);
        dice.shuffle(&mut cast.members);
        let messages = check(&cast, n as u64);
        for delay in &DELAYS[1..] {
            let mut plan = cast.ring();
            set_delay(&mut plan, delay);
            let report = run("variable-speeds", "plain", &plan);
            assert_elected(&report, cast.id(cast.best()), n == 1, delay);
            assert_eq!(report.messages.payload, messages, "{delay} {cast:?}");
        }
    }
}
