//! A run is the same in every form in which its description is written, and each of them repeats it to the byte.

use bellwether_core::{Elect, FaultKind, Id, Order, Span};
use bellwether_engine::ALGORITHMS;
use bellwether_lab as lab;
use bellwether_lab::scenario::Scenario;
use bellwether_lab::swarm::{self, Case, Model, Options};
use bellwether_model::run_plan_observed;
use bellwether_runspec::document::{Table, parse_toml, write_toml};
use bellwether_runspec::notation::{DriftBound, Interval, Pattern};
use bellwether_runspec::{Attributes, Callers, FIELDS, Line, RunSpec, file_keys, trace as traces, words};
use bellwether_sim::network::Shape;
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::drawn_runs::run_of_words;
use std::collections::BTreeSet;
use std::path::Path;

/// What can be said of a run besides what swarms draw. What does not go with a run is taken back.
const ADDITIONS: [fn(&mut RunSpec); 22] = [
    |run| {
        if let Some((name, variant)) = run.algorithm.clone().split_once('/') {
            (run.algorithm, run.variant) = (name.to_owned(), Some(variant.to_owned()));
        }
    },
    |run| (run.nodes, run.order, run.ids) = (Some(run.ids.len() as u64), Some(Order::Best), Vec::new()),
    |run| {
        let nodes = Some(run.ids.len() as u64);
        let RunSpec { algorithm, topology, delay, detector, until, .. } = run.clone();
        *run = RunSpec {
            algorithm,
            topology,
            delay,
            detector,
            until,
            nodes,
            identical: true,
            ..RunSpec::default()
        };
    },
    |run| run.attributes = Attributes::Random,
    |run| run.attributes = Attributes::Listed((0..run.ids.len() as i64).map(|at| at % 3 - 1).collect()),
    |run| run.id_bound = run.ids.iter().max().map(|id| id.value() + 1),
    |run| run.elect = Elect::Worst,
    |run| run.witnesses.extend(run.ids.first()),
    |run| run.observers.extend(run.ids.last()),
    |run| run.restart_after = Some(20),
    |run| run.initiators = Callers::Ids(run.ids.iter().copied().take(2).collect()),
    |run| run.topology = Some(Shape::Complete),
    |run| run.delay_bound = Some(run.delay.bound() + Span::from_ticks(500)),
    |run| run.drift_bound = Some(DriftBound(12_345)),
    |run| run.add_parameter("renewals=4"),
    |run| run.links = LinkOrder::Reordering,
    |run| run.synchroniser = true,
    |run| run.link_faults.lose = vec![Pattern { nth: Some(3), ..Pattern::default() }],
    |run| run.link_faults.duplicate = vec![Pattern { to: run.ids.last().copied(), ..Pattern::default() }],
    |run| (run.ring_closes, run.certified_crashes) = (true, true),
    |run| run.max_messages = Some(5_000),
    |run| {
        let during = Interval { from: bellwether_core::Time::ZERO, to: run.until };
        run.script.extend(run.ids.get(1).map(|id| Line::Pause(*id, during)));
    },
];

fn plan(entry: usize, run: &RunSpec) -> Option<Plan> {
    lab::plan(&ALGORITHMS.entries[entry], run, ALGORITHMS.detectors, run.seed, u64::MAX).ok()
}

/// A run as a swarm draws it, with more that its algorithm can be asked.
fn drawn(entry: usize, model: Model, seed: u64) -> RunSpec {
    let options = Options::usual(ALGORITHMS.detectors);
    let mut run =
        swarm::draw_for(&ALGORITHMS, Case { choice: ALGORITHMS.choice(entry), model, seed }, &options);
    run.max_messages = Some(20_000);
    let odd = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    for (bit, add) in ADDITIONS.iter().enumerate() {
        let mut more = run.clone();
        add(&mut more);
        if odd >> bit & 1 == 1 && plan(entry, &more).is_some() {
            run = more;
        }
    }
    run
}

fn trace(entry: usize, run: &RunSpec) -> Vec<u8> {
    let algorithm = &ALGORITHMS.entries[entry];
    let plan = plan(entry, run).unwrap_or_else(|| panic!("it can be run: {run:?}"));
    let mut trace = traces::begin(run, algorithm.spec, &plan, Vec::new());
    let report = run_plan_observed(algorithm, &plan, run.mode(), &mut trace);
    traces::finish(trace, &report).expect("writing to memory")
}

fn of_toml(text: &str) -> RunSpec {
    let entries = parse_toml(text).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"));
    let keys = file_keys();
    let table = Table::new(&entries, 0, "a run", &keys, &keys);
    table.and_then(|table| RunSpec::read(&table)).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"))
}

/// The same run, read from its trace, from a scenario's keys and from its command: each gives the same trace.
fn check_forms(entry: usize, run: &RunSpec) {
    let original = trace(entry, run);
    let header = original.split(|&byte| byte == b'\n').next().expect("it has a first line");
    let header = std::str::from_utf8(header).expect("it is text");
    let read = [
        traces::read_header(header).unwrap_or_else(|error| panic!("{error}: {header}")),
        of_toml(&write_toml(&run.entries())),
        run_of_words(&words(run)),
    ];
    for read in read {
        assert_eq!(&read, run);
        assert!(trace(entry, &read) == original, "not the same trace: {run:?}");
    }
}

/// The keys of the fields that a run gives, and the words of what happens in it.
fn said(run: &RunSpec) -> impl Iterator<Item = &'static str> + '_ {
    FIELDS
        .iter()
        .filter(|field| field.datum(run).is_some() || !field.texts(run).is_empty())
        .map(|field| if field.key.is_empty() { field.option } else { field.key })
}

#[test]
fn drawn_runs_repeat_from_each_of_their_forms() {
    let mut all = BTreeSet::new();
    for entry in 0..ALGORITHMS.entries.len() {
        for (number, model) in Model::ALL.into_iter().enumerate() {
            let run = drawn(entry, model, (entry * 100 + number) as u64);
            check_forms(entry, &run);
            all.extend(said(&run));
        }
    }
    let steps = ["schedule", "loops_from", "beginning", "liberties"]; // scenarios have them
    // No swarm draws these; what they are written as is tested of drawn descriptions.
    let single = ["start", "mend", "mend-one-way", "heal", "resume", "learn"];
    let never: Vec<&str> = FIELDS
        .iter()
        .filter(|field| !field.is_hidden)
        .map(|field| if field.key.is_empty() { field.option } else { field.key })
        .filter(|name| !all.contains(name) && !steps.contains(name) && !single.contains(name))
        .filter(|name| !FaultKind::ALL.iter().any(|kind| kind.is_request() && kind.word() == *name))
        .collect();
    assert!(never.is_empty(), "nothing is drawn of {never:?}");
}

#[test]
fn scenarios_repeat_from_each_of_their_forms() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut all = BTreeSet::new();
    for file in std::fs::read_dir(directory).expect("there are scenarios") {
        let scenario = Scenario::read(&file.expect("a file").path()).expect("it is a scenario");
        let Ok(resolved) = scenario.resolve(&ALGORITHMS) else {
            assert!(scenario.waits_for.is_some());
            continue;
        };
        check_forms(resolved.choice.entry, &resolved.run);
        all.extend(said(&resolved.run));
    }
    for name in ["schedule", "loops_from", "event", "detector", "resign", "partition"] {
        assert!(all.contains(name), "no scenario has {name}: {all:?}");
    }
}

/// What the first version of traces left out.
#[test]
fn what_members_are_told_is_in_the_trace() {
    let entry = ALGORITHMS.find("quorum-lease", None).expect("it is registered");
    let id = |value| Id::new(value).expect("an id");
    let run = RunSpec {
        ids: (1..=5).map(id).collect(),
        id_bound: Some(9),
        witnesses: vec![id(2)],
        observers: vec![id(5)],
        drift_bound: Some(DriftBound(500)),
        seed: 3,
        ..RunSpec::of("quorum-lease")
    };
    check_forms(entry, &run);
    let restarts = RunSpec {
        ids: vec![id(1), id(2)],
        initiators: Callers::Ids(vec![id(2)]),
        restart_after: Some(50),
        link_faults: bellwether_runspec::LinkOptions {
            lose: vec!["coordinator:2-1#1".parse().expect("a pattern")],
            ..Default::default()
        },
        ..RunSpec::of("bully")
    };
    check_forms(ALGORITHMS.find("bully", None).expect("it is registered"), &restarts);
}
