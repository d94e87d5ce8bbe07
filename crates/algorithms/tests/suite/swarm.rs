//! Every algorithm in swarms: promises are kept, and the same seed gives the same run.

use bellwether_engine::ALGORITHMS;
use bellwether_lab::shrink;
use bellwether_lab::swarm::{self, Case, Class, Model, Options, draw};
use bellwether_runspec::Chosen;
use bellwether_sim::{RoundMode, simulate};

const SEEDS: u64 = 40;

fn options() -> Options {
    Options::usual(ALGORITHMS.detectors)
}

fn cases(model: Model) -> Vec<Case> {
    let seeds = |entry| {
        let choice = ALGORITHMS.choice(entry);
        (0..SEEDS).map(move |seed| Case { choice, model, seed })
    };
    (0..ALGORITHMS.entries.len()).flat_map(seeds).collect()
}

#[test]
fn every_algorithm_survives_what_it_declares_to_survive() {
    let broken = swarm::broken_promises(&ALGORITHMS, SEEDS, &options()).unwrap();
    // Where nobody watches, nobody learns of a death after the election: only peace can be promised.
    let watched = options().detector.is_some();
    let broken: Vec<String> = broken
        .into_iter()
        .filter(|(case, _)| watched || case.model == Model::None)
        .map(|(Case { choice, model, seed }, class)| {
            format!("bellwether swarm {choice} --model {model} --seed {seed} --runs 1: {class}")
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_same_seed_gives_the_same_run_on_any_number_of_cores() {
    let cases = cases(Model::Mix);
    let on = |threads| swarm::run_many(&ALGORITHMS, &cases, &options(), threads, || ()).unwrap();
    assert_eq!(on(1), on(2));
    for case in cases.iter().filter(|case| case.seed < 5) {
        let spec = case.choice.spec;
        let report = || {
            let plan = {
                let run = draw(spec, case.model, case.seed, &options());
                let chosen = Chosen::of(spec, &run, ALGORITHMS.detectors).unwrap();
                run.plan(chosen, case.seed).unwrap()
            };
            simulate(&ALGORITHMS.entries[case.choice.entry], &plan, RoundMode::Auto)
        };
        assert_eq!(report(), report(), "{case:?}");
    }
}

/// Lecture 000's problem: the would-be leader dies, and its rank goes round for ever. Two members are too
/// few to show it, as the ring closes to one; three do.
#[test]
fn the_death_of_the_would_be_leader_shrinks_to_three_members() {
    let entry = ALGORITHMS.find("chang-roberts", None).unwrap();
    let spec = ALGORITHMS.entries[entry].spec;
    let stuck = (0..300).find_map(|seed| {
        let run = draw(spec, Model::Crash, seed, &options());
        let verdict = swarm::judge(&ALGORITHMS.entries[entry], &run, ALGORITHMS.detectors).ok()?;
        (verdict.class == Class::NoLeader).then_some(run)
    });
    let run = stuck.expect("it happens often");
    let shrunk = swarm::reduce(&ALGORITHMS.entries[entry], &run, ALGORITHMS.detectors, 5_000);
    let class = swarm::judge(&ALGORITHMS.entries[entry], &shrunk.run, ALGORITHMS.detectors).unwrap().class;
    assert_eq!(class, Class::NoLeader);
    let (members, by_chance, faults) = shrink::size(&shrunk.run);
    assert!((2..=3).contains(&members) && by_chance == 0, "{:?}", shrunk.run);
    assert!((1..=2).contains(&faults), "a crash, and perhaps a call: {:?}", shrunk.run);
}
