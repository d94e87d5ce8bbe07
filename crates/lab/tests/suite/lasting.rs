//! Scenarios and swarms of algorithms that go on for ever.

use bellwether_core::{FaultEvent, Request};
use bellwether_lab::scenario::{Draft, Scenario, write};
use bellwether_lab::swarm::{self, Case, Model, Options, draw_for};
use bellwether_runspec::notation::DriftBound;
use bellwether_runspec::{Chosen, RunSpec, Script};
use bellwether_sim::{RoundMode, simulate};
use bellwether_testkit::toys::beacon::BEACONS;
use bellwether_testkit::toys::{hops, id};
use std::path::Path;

#[test]
fn a_scenario_keeps_what_is_asked_of_whom_and_what_they_are_there_for() {
    let at = |hop: u64| hops(hop as f64);
    let requests = [
        Request::Resign,
        Request::Transfer(id(2)),
        Request::Admit(id(5)),
        Request::Dismiss(id(1)),
        Request::Withdraw,
        Request::Stand,
    ];
    let script =
        requests.into_iter().zip(3..).map(|(request, hop)| (id(4), FaultEvent::Request(request), at(hop)));
    let setup = RunSpec {
        witnesses: vec![id(3)],
        observers: vec![id(1), id(5)],
        drift_bound: Some(DriftBound(500)),
        script: Script::of(script),
        ids: (1..=5).map(id).collect(),
        seed: 1,
        ..RunSpec::of("beacon:beat=7")
    };
    let spec = BEACONS.entries[0].spec;
    let plan = setup.plan(spec, 1).expect("it fits");
    let report = simulate(&BEACONS.entries[0], &plan, RoundMode::Auto);
    let text = write(&Draft { title: "T", about: "A", run: &setup, report: &report });
    let scenario =
        Scenario::parse(&text, Path::new("t.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut resolved = scenario.resolve(&BEACONS).unwrap_or_else(|error| panic!("{error}\n{text}"));
    resolved.plan.limits.messages = plan.limits.messages; // scenarios give up sooner
    assert_eq!(format!("{:?}", resolved.plan), format!("{plan:?}"), "{text}");
    assert!(scenario.expect.check(&resolved.play()).is_empty(), "{text}");
}

#[test]
fn a_swarm_leaves_lasting_runs_the_time_to_settle() {
    let options = Options::usual(BEACONS.detectors);
    for model in Model::ALL {
        for seed in 0..30 {
            let case = Case { choice: BEACONS.choice(0), model, seed };
            let setup = draw_for(&BEACONS, case, &options);
            let chosen = Chosen::of(BEACONS.entries[0].spec, &setup, BEACONS.detectors).expect("it is known");
            let plan = setup.plan(chosen, seed).expect("it fits");
            assert!(plan.limits.time > plan.settles_at(), "{model} {seed}");
            let class = swarm::run(&BEACONS, case, &options).expect("it can be run").class;
            // Beats are heard anew each time, so whatever ceases is forgotten. Clocks that go on drifting apart and
            // members that go on lying are another matter.
            let ceases = !matches!(model, Model::Drift | Model::Lie | Model::Mix);
            assert!(!ceases || !class.is_failure(), "{model} {seed}: {class}");
        }
    }
}
