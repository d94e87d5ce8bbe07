//! Parameters of algorithms in scenarios, swarms and trials.

use bellwether_core::AlgorithmChoice;
use bellwether_lab::failover::{self, FailoverCase};
use bellwether_lab::scenario::Scenario;
use bellwether_lab::swarm::{self, Case, Model, Options};
use bellwether_runspec::RunSpec;
use bellwether_testkit::toys::beacon::BEACONS;
use std::path::Path;

fn choose(text: &str) -> AlgorithmChoice {
    BEACONS.choose(text).unwrap()
}

#[test]
fn a_scenario_names_parameters_with_its_algorithm() {
    let play = |algorithm: &str| {
        let text = format!("title = 'T'\nnodes = 5\n{algorithm}\n[expect]\nlive = true\n");
        let scenario = Scenario::parse(&text, Path::new("t.toml")).unwrap();
        let resolved = scenario.resolve(&BEACONS).map_err(|error| error.to_string())?;
        Ok::<_, String>((resolved.choice.to_string(), resolved.play().report.time.hops()))
    };
    let is = |choice: &str, time: f64| Ok((choice.to_owned(), time));
    assert_eq!(play("algorithm = 'beacon:beat=9'"), is("beacon:beat=9", 9.0));
    assert_eq!(play("algorithm = 'beacon:beat=9'\nvariant = 'eager'"), is("beacon/eager:beat=9", 9.0));
    assert_eq!(play("algorithm = 'beacon/eager'"), is("beacon/eager", 1.0));
    assert_eq!(play("algorithm = 'beacon:beat=4'"), is("beacon", 4.0), "that is the default");
    for (algorithm, problem) in [
        ("algorithm = 'beacon:beat=51'", "t.toml:3:13: 'beat=51' of beacon: 51 is not between 1 and 50"),
        ("algorithm = 'beacon:beta=5'", "there is no 'beta'; beacon has the parameter beat"),
        ("algorithm = 'beacon'\nrenewals = 5", "t.toml:4:12: 'renewals=5' of beacon: there is no 'renewals'"),
        ("algorithm = 'beacon/eager'\nvariant = 'only'", "two variants are asked for, 'eager' and 'only'"),
        ("algorithm = 'beacon/lazy'", "beacon has no variant 'lazy': use one of only, eager"),
    ] {
        let error = play(algorithm).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn swarms_and_cases_go_by_parameters() {
    let options = Options { nodes: 5..=5, detector: None };
    let case = |text| Case { choice: choose(text), model: Model::Crash, seed: 1 };
    let drawn = |text| swarm::draw_for(&BEACONS, case(text), &options);
    assert_eq!(drawn("beacon:beat=9").algorithm, "beacon:beat=9");
    // Everything else is drawn alike.
    let without = RunSpec { algorithm: "beacon".to_owned(), ..drawn("beacon:beat=9") };
    assert_eq!(without, drawn("beacon"));
    // A dead leader is missed within two beats, and not sooner than in one.
    let missed = |text| {
        let choice = choose(text);
        let algorithm = &BEACONS.entries[choice.entry];
        let trial = failover::run(algorithm, choice.params, FailoverCase::Crash, 5, None, 3).unwrap();
        trial.without_leader.hops()
    };
    let (short, long) = (missed("beacon:beat=2"), missed("beacon:beat=40"));
    assert!(short <= 5.0 && (20.0..=81.0).contains(&long), "{short} {long}");
}
