//! A run is the same in every form of its description, and each form repeats it to the byte.

use bellwether_core::{
    AlgorithmText, ArgumentKind, Elect, FaultArgument, FaultEvent, FaultKind, Id, Order, Span, Time,
};
use bellwether_engine::ALGORITHMS;
use bellwether_lab as lab;
use bellwether_lab::scenario::{Draft, Scenario, write};
use bellwether_lab::swarm::{self, Case, Model, Options};
use bellwether_model::run_plan_observed;
use bellwether_runspec::document::{Table, parse_toml, write_toml};
use bellwether_runspec::notation::{DriftBound, Interval, Pattern};
use bellwether_runspec::{
    Attributes, Callers, FIELDS, RunSpec, ScriptLine, file_keys, trace as traces, words,
};
use bellwether_sim::network::Shape;
use bellwether_sim::schedule::{FaultBudget, Instruction};
use bellwether_sim::{LinkOrder, Plan, Report, Schedule};
use bellwether_testkit::drawn_runs::run_of_words;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// A part of a description that swarms do not draw.
type Addition = Box<dyn Fn(&mut RunSpec)>;

/// All parts that a description can have in addition, if they fit the run.
fn additions() -> Vec<Addition> {
    fn all<const N: usize>(list: [fn(&mut RunSpec); N]) -> impl Iterator<Item = Addition> {
        list.into_iter().map(|add| Box::new(add) as Addition)
    }
    let fields = all([
        |run| {
            let text = run.algorithm.clone();
            let parts = AlgorithmText::of(&text);
            if let Some(variant) = parts.variant {
                run.variant = Some(variant.to_owned());
                run.algorithm = AlgorithmText { variant: None, ..parts }.to_string();
            }
        },
        |run| (run.nodes, run.order, run.ids) = (Some(run.ids.len() as u64), Some(Order::Best), Vec::new()),
        |run| {
            let nodes = Some(run.ids.len() as u64);
            let RunSpec { algorithm, variant, topology, delay, detector, until, .. } = run.clone();
            let kept = RunSpec {
                algorithm,
                variant,
                topology,
                delay,
                detector,
                until,
                max_messages: Some(20_000),
                ..RunSpec::default()
            };
            *run = RunSpec { nodes, identical: true, ..kept };
        },
        |run| run.attributes = Attributes::Random,
        |run| run.attributes = Attributes::Listed((0..run.ids.len() as i64).map(|at| at % 3 - 1).collect()),
        |run| run.id_bound = run.ids.iter().max().map(|id| id.value() + 1),
        |run| run.elect = Elect::Worst,
        |run| run.witnesses.extend(run.ids.first()),
        |run| run.observers.extend(run.ids.last()),
        |run| run.restart_after = Some(20),
        |run| {
            run.restart_after = Some(20);
            run.initiators = Callers::Ids(Vec::new());
        },
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
    ]);
    let happenings = all([
        |run| {
            let during = Interval { from: Time::ZERO, to: run.until };
            run.script.extend(run.ids.get(1).map(|id| ScriptLine::Pause(*id, during)));
        },
        |run| run.script.push(ScriptLine::Heal(at(7))),
        |run| cut_and_mend(run, |a, b| ScriptLine::Mend(a, b, at(5))),
        |run| cut_and_mend(run, |a, b| ScriptLine::MendOneWay(a, b, at(5))),
        |run| {
            let Some(&id) = run.ids.first() else { return };
            run.script.push(ScriptLine::of((id, FaultEvent::Pause, at(2))));
            run.script.push(ScriptLine::of((id, FaultEvent::Resume, at(4))));
        },
    ]);
    let events =
        FaultKind::ALL.into_iter().map(|kind| Box::new(move |run: &mut RunSpec| strike(run, kind)) as _);
    let schedules = ["call", "crash"].map(|deed| Box::new(move |run: &mut RunSpec| schedule(run, deed)) as _);
    fields.chain(happenings).chain(events).chain(schedules).collect()
}

fn at(hops: u64) -> Time {
    Time::ZERO + Span::from_hops(hops)
}

fn cut_and_mend(run: &mut RunSpec, mend: fn(Id, Id) -> ScriptLine) {
    if let [a, b, ..] = run.ids[..] {
        run.script.extend([ScriptLine::Cut(a, b, Interval { from: at(3), to: None }), mend(a, b)]);
    }
}

/// Adds an event at the first member, which may name the second.
fn strike(run: &mut RunSpec, kind: FaultKind) {
    let [member, other, ..] = run.ids[..] else { return };
    let argument = kind.takes().map(|takes| match takes {
        ArgumentKind::Member => FaultArgument::Member(other),
        ArgumentKind::Id => FaultArgument::Id(other),
        ArgumentKind::Rate => FaultArgument::Rate(-700),
        ArgumentKind::Ticks => FaultArgument::Ticks(1_500),
    });
    let event = FaultEvent::from_parts(kind, argument).expect("it is of that kind");
    run.script.push(ScriptLine::of((member, event, at(6))));
}

/// Describes the run as a schedule, with an event at the first member.
fn schedule(run: &mut RunSpec, deed: &str) {
    let Some(first) = run.ids.first() else { return };
    let actions: Vec<Instruction> = vec![format!("{deed} {first}").parse().expect("it is a step")];
    let liberties = FaultBudget { losses: 1, ..FaultBudget::needed_for(&actions) };
    let RunSpec { algorithm, variant, ids, topology, seed, .. } = run.clone();
    let schedule = Schedule { liberties, beginning: 0, actions, loop_from: None };
    *run =
        RunSpec { algorithm, variant, ids, topology, seed, schedule: Some(schedule), ..RunSpec::default() };
}

fn plan(entry: usize, run: &RunSpec) -> Option<Plan> {
    lab::plan(&ALGORITHMS.entries[entry], run, ALGORITHMS.detectors, run.seed, u64::MAX).ok()
}

/// A run as a swarm draws it.
fn drawn(entry: usize, model: Model, seed: u64) -> RunSpec {
    let (choice, options) = (ALGORITHMS.choice(entry), Options::usual(ALGORITHMS.detectors));
    let run = swarm::draw_for(&ALGORITHMS, Case { choice, model, seed }, &options);
    RunSpec { max_messages: Some(20_000), ..run }
}

/// The run with an addition, if the result is valid.
fn with(entry: usize, run: &RunSpec, add: &Addition) -> Option<RunSpec> {
    let mut more = run.clone();
    add(&mut more);
    plan(entry, &more).map(|_| more)
}

fn trace(entry: usize, run: &RunSpec, plan: &Plan) -> (Vec<u8>, Report) {
    let algorithm = &ALGORITHMS.entries[entry];
    let mut trace = traces::begin(run, algorithm.spec, plan, Vec::new());
    let report = run_plan_observed(algorithm, plan, run.mode(), &mut trace);
    (traces::finish(trace, &report).expect("writing to memory"), report)
}

fn of_toml(text: &str) -> RunSpec {
    let entries = parse_toml(text).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"));
    let keys = file_keys();
    let table = Table::new(&entries, 0, "a run", &keys, &keys);
    table.and_then(|table| RunSpec::read(&table)).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"))
}

/// The same run, read from its trace, from a file's keys, from its command and from a scenario: each gives the same trace.
fn check_forms(entry: usize, run: &RunSpec) {
    let planned = plan(entry, run).unwrap_or_else(|| panic!("it can be run: {run:?}"));
    let (original, report) = trace(entry, run, &planned);
    let header = original.split(|&byte| byte == b'\n').next().expect("it has a first line");
    let header = std::str::from_utf8(header).expect("it is text");
    let read = [
        traces::read_header(header).unwrap_or_else(|error| panic!("{error}: {header}")),
        of_toml(&write_toml(&run.entries())),
        run_of_words(&words(run)),
    ];
    for read in read {
        assert_eq!(&read, run);
        let planned = plan(entry, &read).unwrap_or_else(|| panic!("it can be run: {run:?}"));
        assert!(trace(entry, &read, &planned).0 == original, "not the same trace: {run:?}");
    }
    let text = write(&Draft { title: "T", about: "A", run, report: &report });
    let scenario =
        Scenario::parse(&text, Path::new("s.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let resolved = scenario.resolve(&ALGORITHMS).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!((resolved.choice.entry, &resolved.run), (entry, run));
    assert!(trace(entry, &resolved.run, &resolved.plan).0 == original, "not the same trace: {text}");
    assert_eq!(scenario.expect.check(&resolved.play()), [], "{text}");
}

/// The keys of the fields that a run sets, and the kinds of its events.
fn said(run: &RunSpec) -> impl Iterator<Item = &'static str> + '_ {
    FIELDS
        .iter()
        .filter(|field| field.datum(run).is_some() || !field.texts(run).is_empty())
        .map(|field| if field.key.is_empty() { field.option } else { field.key })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn drawn_runs_repeat_from_each_of_their_forms(
        entry in 0..ALGORITHMS.entries.len(),
        model in proptest::sample::select(Model::ALL.to_vec()),
        seed in any::<u64>(),
        added in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let additions = additions();
        let run = added.iter().fold(drawn(entry, model, seed), |run, add| {
            with(entry, &run, add.get(&additions)).unwrap_or(run)
        });
        check_forms(entry, &run);
    }
}

/// Each addition fits some run.
#[test]
fn every_field_repeats_from_each_form() {
    let mut all = BTreeSet::new();
    for add in additions() {
        let entries = 0..ALGORITHMS.entries.len();
        let runs = entries.flat_map(|entry| [Model::None, Model::Mix].map(|model| (entry, model)));
        let found = runs.into_iter().find_map(|(entry, model)| {
            let (before, after) = (drawn(entry, model, 1), with(entry, &drawn(entry, model, 1), &add)?);
            (before != after).then_some((entry, after))
        });
        if let Some((entry, run)) = found {
            check_forms(entry, &run);
            all.extend(said(&run));
        }
    }
    for (number, model) in Model::ALL.into_iter().enumerate() {
        let run = drawn(number % ALGORITHMS.entries.len(), model, number as u64);
        check_forms(number % ALGORITHMS.entries.len(), &run);
        all.extend(said(&run));
    }
    let elsewhere = ["loops_from", "beginning"]; // scenarios have them, and drawn descriptions
    let never: Vec<&str> = FIELDS
        .iter()
        .filter(|field| !field.is_hidden)
        .map(|field| if field.key.is_empty() { field.option } else { field.key })
        .filter(|name| !all.contains(name) && !elsewhere.contains(name))
        .collect();
    assert!(never.is_empty(), "nothing is drawn of {never:?}");
}

#[test]
fn scenarios_repeat_from_each_form() {
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

/// The fields that the first version of traces left out.
#[test]
fn settings_of_members_are_in_the_trace() {
    let entry = ALGORITHMS.find("quorum-lease", None).expect("the algorithm is registered");
    let id = |value| Id::new(value).expect("an id");
    // A scenario without limits has its own.
    let limited = |algorithm: &str| RunSpec {
        until: Some(at(500)),
        max_messages: Some(9_000),
        ..RunSpec::of(algorithm)
    };
    let run = RunSpec {
        ids: (1..=5).map(id).collect(),
        id_bound: Some(9),
        witnesses: vec![id(2)],
        observers: vec![id(5)],
        drift_bound: Some(DriftBound(500)),
        seed: 3,
        ..limited("quorum-lease")
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
        ..limited("bully")
    };
    check_forms(ALGORITHMS.find("bully", None).expect("the algorithm is registered"), &restarts);
}
