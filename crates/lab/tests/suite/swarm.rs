//! Swarms: what is drawn, what becomes of it, and that it can be written down.

use bellwether_core::{FaultEvent, FaultKind, Id, Lie, Need, Spec, Starts, Time};
use bellwether_lab::scenario::{Draft, Scenario, write};
use bellwether_lab::swarm::{self, Case, Class, Model, Options, draw, draw_for};
use bellwether_runspec::notation::{Interval, Share};
use bellwether_runspec::{Callers, Chosen, Partition, RunSpec, ScriptLine, Scripted};
use bellwether_sim::{LinkCounts, Plan, RoundMode, simulate};
use bellwether_testkit::toys::TOY;
use bellwether_testkit::toys::shouting::{MODEST, PROMISING};
use std::collections::BTreeSet;
use std::path::Path;

const SEEDS: u64 = 150;
const SPECS: [Spec; 3] = [
    TOY,
    Spec { need: Need::OneWayRing, ..TOY },
    Spec { need: Need::Complete, starts: Starts::Everyone, ..TOY },
];

fn options() -> Options {
    Options::usual(MODEST.detectors)
}

fn each_setup(mut see: impl FnMut(&Spec, Model, u64, RunSpec)) {
    for spec in &SPECS {
        for model in Model::ALL {
            for seed in 0..SEEDS {
                see(spec, model, seed, draw(spec, model, seed, &options()));
            }
        }
    }
}

/// What happens, with partitions as what they cut, among all members.
fn events(run: &RunSpec) -> Vec<Scripted> {
    let of = |line: &ScriptLine| match line {
        ScriptLine::Partition(Partition { groups, during }) => {
            let group_of = |id: Id| groups.iter().position(|group| group.contains(&id));
            let pairs = run.ids.iter().flat_map(|a| run.ids.iter().map(move |b| (*a, *b)));
            let apart = pairs.filter(|(a, b)| group_of(*a) != group_of(*b));
            apart.flat_map(|(a, b)| ScriptLine::CutOneWay(a, b, *during).events()).collect()
        }
        line => line.events(),
    };
    run.script.iter().flat_map(of).collect()
}

/// The plan of a drawn run.
fn planned(run: &RunSpec, spec: &Spec) -> Plan {
    let chosen = Chosen::of(spec, run, MODEST.detectors).expect("it is registered");
    run.plan(chosen, run.seed).expect("it can be run")
}

/// The words of what may happen under a model, apart from calls.
fn words(model: Model) -> &'static [&'static str] {
    match model {
        Model::Crash | Model::Certified => &["crash", "crash-sending"],
        Model::Recovery => &["crash", "recover"],
        Model::Torn => &["torn-crash", "recover"],
        Model::Links | Model::OneWay | Model::Partition => &["cut", "mend"],
        Model::Pause => &["pause", "resume"],
        Model::Drift => &["drift"],
        Model::Jump => &["jump"],
        Model::Lie => &["pretend", "forge", "silence"],
        _ => &[],
    }
}

#[test]
fn a_model_lets_its_own_faults_happen_and_no_others() {
    for model in Model::ALL.into_iter().filter(|model| *model != Model::Mix) {
        let mut seen = BTreeSet::new();
        let mut by_chance = 0.0;
        for seed in 0..SEEDS {
            let setup = draw(&TOY, model, seed, &options());
            seen.extend(
                events(&setup).iter().map(|(_, what, _)| what.kind().word()).filter(|word| *word != "call"),
            );
            let faults = &setup.link_faults;
            let shares = [faults.loss, faults.duplication, faults.reordering];
            by_chance += shares.into_iter().flatten().map(|share| share.0).sum::<f64>();
            assert_eq!(faults.burst.is_some_and(|burst| burst > 1.0), model == Model::Bursts);
            assert_eq!(setup.certified_crashes, model == Model::Certified);
        }
        assert_eq!(seen, words(model).iter().copied().collect(), "{model}");
        let is_by_chance =
            matches!(model, Model::Loss | Model::Bursts | Model::Duplication | Model::Reordering);
        assert_eq!(by_chance > 0.0, is_by_chance, "{model}");
    }
}

#[test]
fn somebody_is_spared_and_calls_and_everything_ceases() {
    each_setup(|spec, model, seed, setup| {
        let (members, script) = (&setup.ids, events(&setup));
        assert!((5..=9).contains(&members.len()));
        let own = |what: FaultEvent<Id>| {
            !matches!(what, FaultEvent::Call | FaultEvent::Cut(_) | FaultEvent::Mend(_))
        };
        let is_spared = |id: &&Id| !script.iter().any(|(whose, what, _)| whose == *id && own(*what));
        let spared: Vec<&Id> = members.iter().filter(is_spared).collect();
        assert!(spared.len() >= 2, "{model} {seed}");
        let calls = |id: &&Id| match &setup.initiators {
            Callers::All => true,
            Callers::Ids(callers) => callers.contains(id),
        };
        let calls_later = |id: &&Id| script.contains(&(**id, FaultEvent::Call, last(&setup)));
        let called = script.iter().filter(|(_, what, _)| *what == FaultEvent::Call).count();
        assert_eq!(called == 0, spared.iter().any(&calls), "{model} {seed}: a call only where it is needed");
        assert!(spared.iter().any(|id| calls(id) || calls_later(id)), "{model} {seed}");
        // Whatever begins ends.
        let count = |is: fn(&FaultEvent<Id>) -> bool| script.iter().filter(|(_, what, _)| is(what)).count();
        assert_eq!(count(|what| *what == FaultEvent::Pause), count(|what| *what == FaultEvent::Resume));
        assert_eq!(
            count(|what| matches!(what, FaultEvent::Cut(_))),
            count(|what| matches!(what, FaultEvent::Mend(_)))
        );
        assert!(setup.until.is_some_and(|until| until > last(&setup)));
        assert!(setup.link_faults.is_none() || setup.link_faults.until < setup.until);
        planned(&setup, spec);
        assert_eq!(setup.seed, seed);
        let closes = matches!(spec.need, Need::OneWayRing | Need::TwoWayRing);
        assert_eq!(setup.ring_closes, closes);
    });
}

fn last(setup: &RunSpec) -> Time {
    setup.script.last().unwrap_or(Time::ZERO)
}

#[test]
fn liars_are_fewer_than_a_third_and_the_dead_fewer_than_half() {
    for seed in 0..SEEDS {
        let of = |model| draw(&TOY, model, seed, &options());
        let (lies, crashes) = (of(Model::Lie), of(Model::Crash));
        assert!(
            lies.script.events().filter(|(_, what, _)| matches!(what, FaultEvent::Lie(_))).count() * 3
                < lies.ids.len()
        );
        let is_crash = |what: &FaultEvent<Id>| {
            matches!(what.kind(), FaultKind::Crash | FaultKind::TornCrash | FaultKind::CrashSending)
        };
        assert!(
            crashes.script.events().filter(|(_, what, _)| is_crash(what)).count() * 2 < crashes.ids.len()
        );
    }
}

#[test]
fn the_same_seed_draws_the_same_and_others_draw_others() {
    let drawn = |seed| format!("{:?}", draw(&TOY, Model::Mix, seed, &options()));
    assert_eq!(drawn(3), drawn(3));
    let different: BTreeSet<String> = (0..20).map(drawn).collect();
    assert_eq!(different.len(), 20);
}

/// Counts of what becomes of the toy, which nothing disturbs but what is said.
fn classes(model: Model) -> BTreeSet<Class> {
    let case = |seed| Case { choice: MODEST.choice(0), model, seed };
    let cases: Vec<Case> = (0..SEEDS).map(case).collect();
    let verdicts = swarm::run_many(&MODEST, &cases, &options(), 1, &()).unwrap();
    assert_eq!(verdicts, swarm::run_many(&MODEST, &cases, &options(), 2, &()).unwrap());
    verdicts.into_iter().map(|verdict| verdict.class).collect()
}

#[test]
fn what_becomes_of_runs_is_what_must() {
    assert_eq!(classes(Model::None), [Class::Right].into());
    // Clocks are not asked, and messages that overtake each other say the same.
    assert_eq!(classes(Model::Drift), [Class::Right].into());
    assert_eq!(classes(Model::Reordering), [Class::Right].into());
    // Everyone counts what comes: what does not come is waited for, and what comes twice counts twice.
    assert!(classes(Model::Loss).contains(&Class::NoLeader));
    assert!(classes(Model::Duplication).contains(&Class::TwoLeaders));
    // Everyone names the best, and it dies.
    assert!(classes(Model::Crash).contains(&Class::WrongLeader));
    // Who sleeps through the election learns of it when it wakes, though late.
    assert!(classes(Model::Pause).is_subset(&[Class::Right, Class::Late].into()));
}

#[test]
fn promises_that_are_not_kept_are_found() {
    assert_eq!(swarm::broken_promises(&MODEST, SEEDS, &options()).unwrap(), []);
    let broken = swarm::broken_promises(&PROMISING, SEEDS, &options()).unwrap();
    assert!(!broken.is_empty());
    assert!(broken.iter().all(|(case, _)| case.model == Model::Duplication), "{broken:?}");
}

#[test]
fn failures_shrink_to_the_smallest_there_are() {
    let mut reduced = 0;
    for seed in 0..SEEDS {
        let setup = draw(MODEST.entries[0].spec, Model::Crash, seed, &options());
        if swarm::judge(&MODEST.entries[0], &setup, MODEST.detectors).unwrap().class != Class::WrongLeader {
            continue;
        }
        let shrunk = swarm::reduce(&MODEST.entries[0], &setup, MODEST.detectors, 5_000).unwrap();
        let class = swarm::judge(&MODEST.entries[0], &shrunk.run, MODEST.detectors).unwrap().class;
        assert_eq!(class, Class::WrongLeader);
        // One dies, and one is left to name it.
        assert_eq!(bellwether_lab::shrink::size(&shrunk.run), (2, 0, 1), "{:?}", shrunk.run);
        let again = swarm::reduce(&MODEST.entries[0], &shrunk.run, MODEST.detectors, 5_000).unwrap();
        assert_eq!(again.run, shrunk.run, "seed {seed}");
        reduced += 1;
    }
    assert!(reduced > 10);
}

#[test]
fn messages_lost_by_chance_become_chosen_ones() {
    let mut reduced = 0;
    for seed in 0..40 {
        let setup = draw(MODEST.entries[0].spec, Model::Loss, seed, &options());
        if swarm::judge(&MODEST.entries[0], &setup, MODEST.detectors).unwrap().class != Class::NoLeader {
            continue;
        }
        let shrunk = swarm::reduce(&MODEST.entries[0], &setup, MODEST.detectors, 5_000).unwrap();
        // Of two members, one waits for the other's message.
        assert_eq!(bellwether_lab::shrink::size(&shrunk.run), (2, 0, 1), "{:?}", shrunk.run);
        assert_eq!(shrunk.run.link_faults.lose.len(), 1);
        let plan = planned(&shrunk.run, MODEST.entries[0].spec);
        let report = simulate(&MODEST.entries[0], &plan, RoundMode::Auto);
        assert_eq!(report.links, LinkCounts { lost: 1, ..LinkCounts::default() });
        reduced += 1;
    }
    assert!(reduced > 10);
}

#[test]
fn setups_come_back_from_files_as_they_were() {
    let spec = MODEST.entries[0].spec;
    let mut read = 0;
    for (model, seed) in Model::ALL.into_iter().flat_map(|model| (0..20).map(move |seed| (model, seed))) {
        let setup = draw_for(&MODEST, Case { choice: MODEST.choice(0), model, seed }, &options());
        let plan = planned(&setup, spec);
        let report = simulate(&MODEST.entries[0], &plan, RoundMode::Auto);
        let draft = Draft { title: "T", about: "A", run: &setup, report: &report };
        let text = write(&draft);
        let scenario =
            Scenario::parse(&text, Path::new("s.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut resolved = scenario.resolve(&MODEST).unwrap_or_else(|error| panic!("{error}\n{text}"));
        // Scenarios are to be watched, and give up sooner.
        resolved.plan.limits.messages = plan.limits.messages;
        assert_eq!(format!("{:?}", resolved.plan), format!("{plan:?}"), "{text}");
        let played = resolved.play();
        assert!(scenario.expect.check(&played).is_empty(), "{text}");
        read += 1;
    }
    assert!(read >= 20);
}

#[test]
fn everything_that_can_go_wrong_is_written_as_the_notation_has_it() {
    let id = |value| Id::new(value).unwrap();
    let at = |hops: f64| Time::from_ticks((hops * 1000.0) as u64);
    let spec = MODEST.entries[0].spec;
    let mut setup = draw(spec, Model::None, 0, &options());
    setup.ids = [7, 3, 5].map(id).to_vec();
    let during = Interval { from: at(6.0), to: Some(at(7.25)) };
    let events = [
        (id(3), FaultEvent::TornCrash, at(1.5)),
        (id(3), FaultEvent::Recover, at(2.0)),
        (id(5), FaultEvent::Drift(-10_000), at(3.0)),
        (id(5), FaultEvent::Jump(2_500), at(4.0)),
        (id(7), FaultEvent::Lie(Lie::Pretend(id(9))), at(5.0)),
        (id(5), FaultEvent::Cut(id(3)), at(8.0)),
    ];
    setup.script = events.map(ScriptLine::of).into_iter().chain([ScriptLine::Pause(id(5), during)]).collect();
    setup.link_faults.loss = Some(Share(0.05));
    let plan = planned(&setup, spec);
    let report = simulate(&MODEST.entries[0], &plan, RoundMode::Auto);
    let text = write(&Draft { title: "T", about: "A", run: &setup, report: &report });
    for part in [
        "ids = [7, 3, 5]\n",
        "loss = 0.05\n",
        "at = 1.5\ntorn_crash = 3\n",
        "at = 2\nrecover = 3\n",
        "at = 3\ndrift = 5\nby = \"-1%\"\n",
        "at = 4\njump = 5\nby = 2.5\n",
        "at = 5\npretend = 7\nas = 9\n",
        "at = 6\npause = 5\nuntil = 7.25\n",
        "at = 8\ncut = [5, 3]\none_way = true\n",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
