//! The loops compiled for each algorithm give the same reports as the machine that is compiled once for all.

use bellwether_core::{Driving, HOP, Id, Identities, Links, Order, Spec, Starts, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::{Attributes, Callers, RunSpec};
use bellwether_sim::{
    LinkOrder, Plan, Report, RoundMode, Runner, is_calm, runs_in_step, simulate, simulate_observed,
};
use bellwether_testkit::casts::{BOTH_WAYS, DELAYS};
use bellwether_testkit::dice::Dice;
use bellwether_testkit::toys::patient::PATIENTS;

const SEEDS: u64 = 12;
const LARGEST: u64 = 9;

/// Networks besides the one that an algorithm needs. If a network does not fit, the default is used.
const NETWORKS: [&str; 9] =
    ["two-way-ring", "line", "star", "tree:2", "grid", "complete", "hypercube", "gnp:0.5", "digraph:2"];

/// All algorithms, and toy algorithms with parameters and runs that end.
fn runners() -> impl Iterator<Item = &'static Runner> {
    ALGORITHMS.entries.iter().chain(PATIENTS.entries)
}

/// Plans without faults: of all sizes and networks, with all these delays, started by all members and by some. Some
/// runs stop early at a limit.
fn plans(spec: &'static Spec, delays: &[&str]) -> Vec<Plan> {
    let mut plans = Vec::new();
    for (n, seed) in (1..=LARGEST).flat_map(|n| (0..SEEDS).map(move |seed| (n, seed))) {
        let mut dice = Dice(seed * 100 + n);
        let some = dice.some_of(n as usize).into_iter();
        let some = some.map(|member| Id::new(1 + u64::from(member)).expect("small ids")).collect();
        let callers = if spec.starts == Starts::Callers {
            vec![Callers::All, Callers::Ids(some)]
        } else {
            vec![Callers::All]
        };
        for (callers, delay) in
            callers.iter().flat_map(|callers| delays.iter().map(move |delay| (callers, delay)))
        {
            let may_reorder = spec.links == Links::Any && dice.coin();
            let is_identical = spec.identities == Identities::Anonymous && dice.coin();
            let setup = RunSpec {
                nodes: Some(n),
                order: (!is_identical).then_some(Order::Random),
                elect: BOTH_WAYS[dice.below(2)],
                attributes: if dice.coin() && !is_identical { Attributes::Random } else { Attributes::None },
                id_bound: (!is_identical && dice.coin()).then(|| n + dice.below(5) as u64),
                identical: is_identical,
                initiators: callers.clone(),
                delay: delay.parse().expect("a delay"),
                links: if may_reorder { LinkOrder::Reordering } else { LinkOrder::Fifo },
                ..RunSpec::default()
            };
            let network = NETWORKS[dice.below(NETWORKS.len())].parse().expect("a network");
            let elsewhere = RunSpec { topology: Some(network), ..setup.clone() };
            let planned = elsewhere.plan(spec, seed).or_else(|_| setup.plan(spec, seed));
            let mut plan = planned.unwrap_or_else(|error| panic!("{}: {error}", spec.name));
            match dice.below(8) {
                0 => plan.limits.messages = n,
                1 => plan.limits.time = Time::ZERO + HOP * 3,
                _ => {}
            }
            plans.push(plan);
        }
    }
    plans
}

/// The report of the machine for all algorithms, also without an observer.
fn erased(runner: &Runner, plan: &Plan) -> Report {
    simulate_observed(runner, plan, RoundMode::Synchroniser, &mut ())
}

#[test]
fn calm_runs_give_the_reports_of_the_erased_machine() {
    let (mut calm, mut given_up) = (0, 0);
    for runner in runners().filter(|runner| runner.driving == Driving::Events) {
        let mut calm_here = 0;
        for plan in plans(runner.spec, &DELAYS) {
            let report = simulate(runner, &plan, RoundMode::Auto);
            assert_eq!(report, erased(runner, &plan), "{runner:?} {plan:?}");
            if is_calm(runner.spec, &plan) {
                calm_here += 1;
                given_up += u32::from(!report.finished);
            }
        }
        assert_eq!(
            calm_here > 0,
            bellwether_sim::can_be_calm(runner.spec),
            "{runner:?}: {calm_here} calm runs"
        );
        calm += calm_here;
    }
    assert!(calm >= 10_000, "only {calm} calm runs were compared");
    assert!(given_up >= 500, "only {given_up} of them were given up");
}

/// Over a synchroniser an algorithm in rounds runs as the machine that is compiled once. It also sends markers, and
/// may end later; all else is the same.
#[test]
fn rounds_in_step_give_the_reports_of_the_erased_machine() {
    let (mut compared, mut with_leader) = (0, 0);
    for runner in runners().filter(|runner| runner.driving == Driving::Rounds) {
        for mut plan in plans(runner.spec, &["unit"]) {
            plan.limits = Plan::new(plan.topology.clone(), None, plan.ranks.clone(), plan.order).limits;
            assert!(runs_in_step(&plan));
            let in_step = simulate(runner, &plan, RoundMode::Auto);
            if in_step.rounds.is_some_and(|rounds| rounds > 300) {
                continue; // a synchroniser fills each round with markers
            }
            let mut over = erased(runner, &plan);
            let context = format!("{runner:?} {plan:?}\n{in_step:?}\n{over:?}");
            let markers = over.messages.by_kind.remove("marker");
            assert_eq!(markers, Some(over.messages.control), "{context}");
            assert_eq!(over.messages.by_kind, in_step.messages.by_kind, "{context}");
            assert_eq!(over.messages.payload, in_step.messages.payload, "{context}");
            assert_eq!(over.ruling, in_step.ruling, "{context}");
            if plan.n() > 1 {
                assert_eq!(over.knew_at, in_step.knew_at, "{context}");
            } // otherwise there is no neighbour to wait for, and all rounds take no time
            assert_eq!((over.rivals, over.finished), (in_step.rivals, in_step.finished), "{context}");
            compared += 1;
            with_leader += u32::from(in_step.ruling.leader.is_some());
        }
    }
    assert!(compared >= 800, "only {compared} runs were compared");
    assert_eq!(compared, with_leader, "calm runs elect");
}

/// The comparisons above can fail: a run with other draws, or of the variant with another parameter, is another run.
#[test]
fn runs_of_other_seeds_and_parameters_differ() {
    let mut compared = 0;
    for runner in ALGORITHMS.entries.iter().filter(|runner| runner.driving == Driving::Events) {
        for delay in &DELAYS[1..] {
            let setup = RunSpec {
                nodes: Some(7),
                order: Some(Order::Random),
                delay: delay.parse().expect("a delay"),
                ..RunSpec::default()
            };
            let plan = setup.plan(runner.spec, 1).expect("the default network fits");
            if is_calm(runner.spec, &plan) {
                let other = Plan { seed: 2, ..plan.clone() };
                let report = simulate(runner, &plan, RoundMode::Auto);
                assert_eq!(report, erased(runner, &plan), "{runner:?} {delay}");
                assert_ne!(report, erased(runner, &other), "{runner:?} {delay}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 50, "only {compared} runs were compared");
    for variants in PATIENTS.entries.chunks(2) {
        let setup = RunSpec { nodes: Some(5), ..RunSpec::default() };
        let time = |runner: &Runner| {
            let plan = setup.plan(runner.spec, 1).expect("the default network fits");
            let report = simulate(runner, &plan, RoundMode::Auto);
            assert!(report.is_as_it_should_be() && !report.claims.is_empty(), "{runner:?} {report:?}");
            report.time
        };
        assert_ne!(time(&variants[0]), time(&variants[1]));
    }
}
