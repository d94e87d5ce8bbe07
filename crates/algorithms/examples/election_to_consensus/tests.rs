//! Election solves consensus, as far as it is one: the example, with every algorithm.

use crate::{decide, election, tells_everyone};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{Event, time_after_hops};
use bellwether_testkit::casts::disturbed::happens;
use bellwether_testkit::dice::Dice;

#[test]
fn every_algorithm_that_elects_agrees_on_a_bit_that_was_proposed() {
    let mut dice = Dice(10);
    let mut decisions = [0, 0];
    for (entry, algorithm) in ALGORITHMS.entries.iter().enumerate().filter(|(_, it)| tells_everyone(it.spec))
    {
        for seed in 0..30 {
            let all_propose_the_same = seed % 3 == 0;
            let first = dice.coin();
            let n = 2 + dice.below(6);
            let proposals: Vec<bool> =
                (0..n).map(|_| if all_propose_the_same { first } else { dice.coin() }).collect();
            let plan = election(algorithm.spec, &proposals, seed).expect("it can be run");
            let decided = decide(entry, &plan);
            let context =
                format!("{} {} {proposals:?}: {decided:?}", algorithm.spec.name, algorithm.spec.variant);
            let bit = decided[0].unwrap_or_else(|| panic!("nobody decides: {context}"));
            assert!(decided.iter().all(|other| *other == Some(bit)), "agreement: {context}");
            assert!(proposals.contains(&bit), "validity: {context}");
            decisions[usize::from(bit)] += 1;
        }
    }
    assert!(decisions.iter().all(|&count| count > 100), "both bits are decided: {decisions:?}");
}

/// Two parts of the network elect a leader each, and decide what each of these has proposed; a majority's does not.
#[test]
fn an_election_that_falls_apart_does_not_agree() {
    let decided_apart = |name: &str| {
        let entry = ALGORITHMS.find(name, None).expect("it is registered");
        // The best of each part, the third and the fifth, propose different bits.
        let mut plan =
            election(ALGORITHMS.entries[entry].spec, &[true, true, false, true, true], 0).expect("it fits");
        let across = (0..3).flat_map(|one| [(one, 3), (one, 4), (3, one), (4, one)]);
        plan.script = across.map(|(from, to)| happens(Event::Cut(to as u32), from, 0)).collect();
        plan.script.sort_unstable();
        plan.limits.time = time_after_hops(300.0).expect("soon");
        decide(entry, &plan)
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(decided_apart("bully"), [no, no, no, yes, yes]);
    assert_eq!(decided_apart("paxos"), [no, no, no, None, None]);
    assert_eq!(decided_apart("zookeeper"), [no, no, no, None, None]);
}
