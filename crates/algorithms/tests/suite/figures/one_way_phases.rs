//! Figures of Peterson's algorithms and of Dolev, Klawe and Rodeh's, against a naive implementation of the rules,
//! closed formulas, and orders constructed to take the most phases.

use crate::support::naive_phase::{Rules, play};
use bellwether_core::Elect;
use bellwether_sim::{Plan, Report};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims_hold, assert_elected, called_by, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
/// The size on the wire of a message with a rank and of an `elected` with its id.
const RANK_BYTES: u64 = 1 + 16;
const ELECTED_BYTES: u64 = 1 + 8;

const ALL: [(&str, &str, Rules); 3] = [
    ("peterson", "basic", Rules::PetersonBasic),
    ("peterson", "improved", Rules::PetersonImproved),
    ("dolev-klawe-rodeh", "algorithm-a", Rules::DolevKlaweRodeh),
];

fn casts(elect: Elect, n: usize, dice: &mut Dice) -> [Cast; 4] {
    [
        Cast::in_best_order(elect, n),
        Cast::in_worst_order(elect, n),
        Cast::shuffled(elect, n, dice),
        Cast::with_ties(elect, n, dice),
    ]
}

/// A run with this many messages that carry ranks, and n that announce the leader.
fn check((name, variant, _): (&str, &str, Rules), cast: &Cast, plan: &Plan, ranks: u64) -> Report {
    let n = cast.n() as u64;
    let context = format!("{name} {variant} {cast:?} {:?} {:?} {}", plan.initiators, plan.delay, plan.seed);
    let report = run(name, variant, plan);
    assert_elected(&report, cast.id(cast.best()), true, &context);
    assert_eq!((sent(&report, "elected"), report.messages.control), (n, 0), "{context}");
    assert_eq!(report.messages.payload, ranks + n, "{context}");
    assert_eq!(report.bytes, ranks * RANK_BYTES + n * ELECTED_BYTES, "{context}");
    assert_claims_hold(&report, &context);
    let claimed = |name: &str| report.claims.iter().find(|claim| claim.name == name);
    let exact = claimed("messages").expect("an exact count is claimed");
    assert_eq!((exact.relation, exact.expected), ("exactly", (ranks + n) as f64), "{context}");
    let bound = claimed("messages_bound").expect("a bound is claimed");
    assert_eq!(
        (bound.relation, bound.expected),
        ("at most", bound_of(variant, cast.n()) as f64),
        "{context}"
    );
    assert!(claimed("elected").is_some());
    report
}

/// The bounds of the papers, announcement included.
fn bound_of(variant: &str, n: usize) -> usize {
    if variant == "improved" {
        let phases = (0..).take_while(|p| fibonacci(p + 2) <= n).last().expect("F(2) is 1");
        return n * phases + 2 * n;
    }
    let log = (0..).take_while(|log| 1 << log <= n).last().expect("2^0 is 1");
    2 * n * log + 2 * n
}

fn fibonacci(k: usize) -> usize {
    (0..k).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// The count of the naive implementation, which has to find the correct leader too.
fn count(cast: &Cast, rules: Rules) -> u64 {
    let played = play(cast, rules);
    assert_eq!(played.elected, cast.n() as u64, "{cast:?} {rules:?}");
    assert_eq!(played.named, vec![Some(cast.best()); cast.n()], "{cast:?} {rules:?}");
    played.ranks
}

#[test]
fn runs_that_all_start_agree_with_the_naive_implementation() {
    let mut dice = Dice(1);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for cast in casts(elect, n, &mut dice) {
                for entry in ALL {
                    check(entry, &cast, &cast.ring(), count(&cast, entry.2));
                }
            }
        }
    }
}

#[test]
fn every_order_of_a_small_ring_agrees_with_the_naive_implementation() {
    fn orders(ids: Vec<u64>, left: Vec<u64>, visit: &mut impl FnMut(Vec<u64>)) {
        if left.is_empty() {
            return visit(ids);
        }
        for at in 0..left.len() {
            let (mut ids, mut left) = (ids.clone(), left.clone());
            ids.push(left.remove(at));
            orders(ids, left, visit);
        }
    }
    for n in 1..=6 {
        orders(Vec::new(), (1..=n).collect(), &mut |ids| {
            let members = ids.into_iter().map(|id| (0, id)).collect();
            let cast = Cast { elect: Elect::Best, members };
            for entry in ALL {
                check(entry, &cast, &cast.ring(), count(&cast, entry.2));
            }
        });
    }
}

#[test]
fn initiators_and_delays_do_not_change_the_count() {
    let mut dice = Dice(2);
    for n in [1, 2, 3, 4, 5, 8, 13, 21, 34] {
        for elect in BOTH_WAYS {
            let cast = Cast::with_ties(elect, n, &mut dice);
            for entry in ALL {
                let ranks = count(&cast, entry.2);
                for initiator in 0..n as u32 {
                    check(entry, &cast, &called_by(cast.ring(), &[initiator]), ranks);
                }
                for (seed, delay) in DELAYS.into_iter().cycle().take(3 * DELAYS.len()).enumerate() {
                    let mut plan = called_by(cast.ring(), &dice.some_of(n));
                    set_delay(&mut plan, delay);
                    plan.seed = seed as u64;
                    check(entry, &cast, &plan, ranks);
                    plan.initiators = cast.ring().initiators;
                    check(entry, &cast, &plan, ranks);
                }
            }
        }
    }
}

/// Members whose ranks are in the order of these numbers, which differ.
fn cast_of(numbers: &[i64]) -> Cast {
    let least = numbers.iter().min().expect("there is a member");
    Cast { elect: Elect::Best, members: numbers.iter().map(|number| (0, (number - least) as u64)).collect() }
}

/// Inserts a rank lower than all others after each number that `picks` selects, given that number and the next one.
fn with_worse_after(numbers: &[i64], picks: impl Fn(i64, i64) -> bool) -> Vec<i64> {
    let mut worst = *numbers.iter().min().expect("there is a member");
    let mut all = Vec::new();
    for (at, &number) in numbers.iter().enumerate() {
        all.push(number);
        if picks(number, numbers[(at + 1) % numbers.len()]) {
            worst -= 1;
            all.push(worst);
        }
    }
    all
}

#[test]
fn dolev_klawe_rodeh_takes_its_bound_if_each_phase_removes_only_half() {
    let mut numbers = vec![0];
    for log in 0..=10_u64 {
        let (n, cast) = (1 << log, cast_of(&numbers));
        let dkr = check(ALL[2], &cast, &cast.ring(), 2 * n * log + n);
        assert_eq!((sent(&dkr, "m1"), sent(&dkr, "m2")), (n * log + n, n * log));
        // In Peterson's algorithm the owner recognises its rank. In the last phase the two holders are n/2 apart, the
        // highest rank's n/2 - 1 past its owner and so the other's 1 before it.
        let last = if n == 1 { 1 } else { n + n / 2 + 2 };
        let peterson = check(ALL[0], &cast, &cast.ring(), 2 * n * log.saturating_sub(1) + last);
        assert!(peterson.messages.payload <= dkr.messages.payload);
        numbers = with_worse_after(&numbers, |_, _| true);
    }
}

#[test]
fn improved_peterson_takes_its_bound_if_phases_remove_as_few_as_possible() {
    // Backwards: a rank that a phase has to remove is placed where a rank that is to stay would not be higher than
    // the one before it (odd phases) or after it (even ones).
    for phases in 1..=14_usize {
        let mut numbers = vec![1, 0];
        for phase in (1..phases).rev() {
            let is_odd = phase % 2 == 1;
            numbers = with_worse_after(&numbers, |number, next| (number > next) == is_odd);
        }
        let n = numbers.len();
        assert_eq!(n, fibonacci(phases + 2), "the fewest members that can take this many phases");
        let cast = cast_of(&numbers);
        check(ALL[1], &cast, &cast.ring(), (n * phases + n) as u64);
    }
}

#[test]
fn one_order_takes_one_phase() {
    // Ranks that rise clockwise: only the highest is higher than both its neighbours.
    for n in 3..=MOST as u64 {
        for elect in BOTH_WAYS {
            let cast = Cast::in_best_order(elect, n as usize);
            check(ALL[2], &cast, &cast.ring(), 2 * n + n);
            check(ALL[0], &cast, &cast.ring(), 2 * n + n - 1);
        }
    }
}
