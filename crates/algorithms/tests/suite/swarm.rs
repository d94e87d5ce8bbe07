//! Every algorithm in swarms: it survives the declared faults, and the same seed gives the same run.

use bellwether_engine::ALGORITHMS;
use bellwether_lab::matrix::{Example, Matrix, MatrixCell};
use bellwether_lab::scenario::Scenario;
use bellwether_lab::swarm::{self, Case, Class, Model, Options, draw};
use bellwether_lab::{Seeds, plan, shrink};
use bellwether_runspec::{Chosen, words};
use bellwether_sim::{RoundMode, simulate};
use bellwether_testkit::drawn_runs::run_of_words;
use std::path::Path;

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
    // Without a detector, no member learns of a crash after the election: only runs without faults are guaranteed.
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
fn same_seed_gives_same_run_on_any_number_of_cores() {
    let cases = cases(Model::Mix);
    let on = |threads| swarm::run_many(&ALGORITHMS, &cases, &options(), threads, &()).unwrap();
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

/// Lecture 000's problem: the would-be leader crashes, and its rank circulates for ever. Two members are too few to
/// show it, because the ring closes to one; three do.
#[test]
fn crash_of_the_would_be_leader_shrinks_to_three_members() {
    let entry = ALGORITHMS.find("chang-roberts", None).unwrap();
    let spec = ALGORITHMS.entries[entry].spec;
    let stuck = (0..300).find_map(|seed| {
        let run = draw(spec, Model::Crash, seed, &options());
        let verdict = swarm::judge(&ALGORITHMS.entries[entry], &run, ALGORITHMS.detectors).ok()?;
        (verdict.class == Class::NoLeader).then_some(run)
    });
    let run = stuck.expect("it happens often");
    let shrunk = swarm::reduce(&ALGORITHMS.entries[entry], &run, ALGORITHMS.detectors, 5_000).unwrap();
    let class = swarm::judge(&ALGORITHMS.entries[entry], &shrunk.run, ALGORITHMS.detectors).unwrap().class;
    assert_eq!(class, Class::NoLeader);
    let (members, by_chance, faults) = shrink::size(&shrunk.run);
    assert!((2..=3).contains(&members) && by_chance == 0, "{:?}", shrunk.run);
    assert!((1..=2).contains(&faults), "a crash, and perhaps a call: {:?}", shrunk.run);
}

/// Phases of duplicated messages multiply until the limit of a swarm's run stops them.
#[test]
fn a_flood_repeats_from_its_command_and_from_its_scenario() {
    let matrix = Matrix { registry: &ALGORITHMS, options: options(), threads: 1 };
    let choice = ALGORITHMS.choose("peterson").unwrap();
    let cells = matrix.fill(&[choice], &[Model::Duplication], Seeds { first: 1, count: 1 }, &()).unwrap();
    let failures: Vec<_> = cells.iter().flat_map(MatrixCell::failures).collect();
    let examples = matrix.reduce(&failures, 0, &()).unwrap();
    let Example { run, report, class, .. } = &examples[0];
    let n = run.ids.len() as u64;
    assert!(report.messages.total + report.signals >= 2_000 * n * n, "it is a flood: {report:?}");

    let repeated = run_of_words(&words(run));
    let algorithm = &ALGORITHMS.entries[choice.entry];
    let plan = plan(algorithm, &repeated, ALGORITHMS.detectors, repeated.seed, u64::MAX).unwrap();
    assert_eq!(&simulate(algorithm, &plan, repeated.mode()), report);
    assert_eq!(&swarm::judge(algorithm, &repeated, ALGORITHMS.detectors).unwrap().class, class);

    let scenario = Scenario::parse(&examples[0].scenario(), Path::new("flood.toml")).unwrap();
    let played = scenario.resolve(&ALGORITHMS).unwrap().play();
    assert_eq!(&played.report, report);
    assert_eq!(scenario.expect.check(&played), []);
}
