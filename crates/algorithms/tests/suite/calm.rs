//! The loop that is compiled for each algorithm reports what the engine for all of them reports.

use bellwether_core::{Driving, HOP, Id, Lasting, Links, Order, Spec, Starts, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::{Attributes, Callers, RunSpec};
use bellwether_sim::{LinkOrder, Plan, Report, RoundMode, Runner, is_calm, simulate, simulate_observed};
use bellwether_testkit::casts::{BOTH_WAYS, DELAYS};
use bellwether_testkit::dice::Dice;

const SEEDS: u64 = 12;
const LARGEST: u64 = 9;

/// Plans in which nothing goes wrong: of all sizes, with all delays, called by everyone and by some. Some are given up
/// early, as a limit is reached.
fn plans(spec: &Spec) -> Vec<Plan> {
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
        for (callers, delay) in callers.iter().flat_map(|callers| DELAYS.map(|delay| (callers, delay))) {
            let may_reorder = spec.links == Links::Any && dice.coin();
            let setup = RunSpec {
                nodes: Some(n),
                order: Some(Order::Random),
                elect: BOTH_WAYS[dice.below(2)],
                attributes: if dice.coin() { Attributes::Random } else { Attributes::None },
                initiators: callers.clone(),
                delay: delay.parse().expect("a delay"),
                links: if may_reorder { LinkOrder::Reordering } else { LinkOrder::Fifo },
                ..RunSpec::default()
            };
            let mut plan = setup.plan(spec, seed).expect("the default network fits");
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

/// What the engine for all algorithms reports, even if nobody looks on.
fn erased(runner: &Runner, plan: &Plan) -> Report {
    simulate_observed(runner, plan, RoundMode::Auto, &mut ())
}

#[test]
fn calm_runs_come_to_what_the_engine_for_all_algorithms_says() {
    let (mut calm, mut given_up) = (0, 0);
    for runner in ALGORITHMS.entries {
        let spec = runner.spec;
        let mut calm_here = 0;
        for plan in plans(spec) {
            let report = simulate(runner, &plan, RoundMode::Auto);
            assert_eq!(report, erased(runner, &plan), "{runner:?} {plan:?}");
            if runner.driving == Driving::Events && is_calm(spec, &plan) {
                calm_here += 1;
                given_up += u32::from(!report.finished);
            }
        }
        let may_be_calm = runner.driving == Driving::Events && spec.lasting == Lasting::Ends;
        assert_eq!(calm_here > 0, may_be_calm, "{runner:?}: {calm_here} calm runs");
        calm += calm_here;
    }
    assert!(calm >= 10_000, "only {calm} calm runs were compared");
    assert!(given_up >= 500, "only {given_up} of them were given up");
}

/// The comparison above can fail: a run with other draws is another run.
#[test]
fn calm_runs_of_other_seeds_differ() {
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
}
