//! Itai and Rodeh's averages, against all draws of small rings and many seeds of larger ones.

use bellwether_core::{Expect, Id, Order};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::{Callers, RunSpec};
use bellwether_sim::{Outcome, Plan, RoundMode, claims, simulate};
use bellwether_testkit::casts::DELAYS;
use std::collections::{BTreeMap, VecDeque};

fn entry() -> usize {
    ALGORITHMS.find("itai-rodeh", None).expect("the algorithm is registered")
}

fn setup(n: u64, delay: &str, callers: Callers) -> RunSpec {
    RunSpec {
        nodes: Some(n),
        order: Some(Order::Random),
        identical: true,
        delay: delay.parse().expect("a delay"),
        initiators: callers,
        max_messages: Some(1_000_000),
        ..RunSpec::default()
    }
}

fn plan(setup: &RunSpec, seed: u64) -> Plan {
    setup.plan(ALGORITHMS.entries[entry()].spec, seed).expect("the plan is valid")
}

/// The claimed average of a plan.
fn claimed(plan: &Plan, name: &str) -> Option<f64> {
    let spec = ALGORITHMS.entries[entry()].spec;
    let setting = plan.setting(spec, &[]);
    let found = claims(spec, &setting).find(|(claim, _)| claim.name == name)?;
    match found.1 {
        Expect::OnAverage(figure) => Some(figure),
        other => panic!("{name} is {other:?}"),
    }
}

/// One phase, token by token: the number of hops, and the members that receive their own token.
fn play_phase(drawn: &[Option<u32>]) -> (u64, Vec<usize>) {
    let n = drawn.len();
    let mut in_race = drawn.to_vec();
    let mut queue: VecDeque<(usize, u32, usize)> = VecDeque::new(); // where, number, hops
    for (member, number) in drawn.iter().enumerate() {
        queue.extend(number.map(|number| ((member + 1) % n, number, 1)));
    }
    let (mut hops_in_all, mut back) = (queue.len() as u64, Vec::new());
    while let Some((here, number, hops)) = queue.pop_front() {
        match in_race[here] {
            Some(_) if hops == n => back.push(here),
            Some(own) if own > number => {}
            other => {
                if other.is_some_and(|own| own < number) {
                    in_race[here] = None;
                }
                queue.push_back(((here + 1) % n, number, hops + 1));
                hops_in_all += 1;
            }
        }
    }
    (hops_in_all, back)
}

/// The mean messages and phases from these members on: over all draws, each equally likely.
fn enumerate(n: usize, in_race: u32, known: &mut BTreeMap<u32, (f64, f64)>) -> (f64, f64) {
    if let Some(&means) = known.get(&in_race) {
        return means;
    }
    let members: Vec<usize> = (0..n).filter(|member| in_race >> member & 1 == 1).collect();
    let draws = n.pow(members.len() as u32);
    let (mut messages, mut phases, mut the_same_again) = (0.0, 0.0, 0.0);
    for mut draw in 0..draws {
        let mut drawn = vec![None; n];
        for &member in &members {
            drawn[member] = Some((draw % n) as u32 + 1);
            draw /= n;
        }
        let (hops, back) = play_phase(&drawn);
        messages += hops as f64;
        phases += 1.0;
        let left: u32 = back.iter().map(|member| 1 << member).sum();
        assert!(!back.is_empty());
        if left == in_race && back.len() > 1 {
            the_same_again += 1.0;
        } else if back.len() > 1 {
            let later = enumerate(n, left, known);
            messages += later.0;
            phases += later.1;
        }
    }
    let others = draws as f64 - the_same_again;
    known.insert(in_race, (messages / others, phases / others));
    known[&in_race]
}

#[test]
fn all_draws_of_small_rings_have_the_claimed_average() {
    for n in 1..=5 {
        let (messages, phases) = enumerate(n, (1 << n) - 1, &mut BTreeMap::new());
        let plan = plan(&setup(n as u64, "unit", Callers::All), 0);
        let near = |claimed: f64, figure: f64| (claimed - figure).abs() < 1e-9 * figure;
        assert!(near(claimed(&plan, "mean_messages").expect("claimed"), messages), "{n}: {messages}");
        assert!(near(claimed(&plan, "mean_time").expect("claimed"), n as f64 * phases), "{n}: {phases}");
    }
    // By hand: two members. Equal draws, every other time, take 4 messages and a new phase.
    assert_eq!(enumerate(2, 0b11, &mut BTreeMap::new()), (7.0, 2.0));
}

/// The mean of a sample and its standard error.
fn mean(sample: &[f64]) -> (f64, f64) {
    let runs = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / runs;
    let variance = sample.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (runs - 1.0);
    (mean, (variance / runs).sqrt())
}

fn assert_near(sample: &[f64], figure: f64, context: &str) {
    let (mean, error) = mean(sample);
    assert!(error < 0.05 * figure, "{context}: not too scattered");
    assert!((mean - figure).abs() <= 5.0 * error, "{context}: {mean} is not {figure} (error {error})");
}

#[test]
fn many_runs_have_the_claimed_average_and_one_leader_each() {
    for (n, runs) in [(1, 100), (2, 3_000), (3, 3_000), (5, 2_000), (8, 2_000), (20, 1_000), (64, 500)] {
        for delay in DELAYS {
            let one = Callers::Ids(vec![Id::new(1).expect("small ids")]);
            for callers in [Callers::All, one] {
                let context = format!("n {n} {delay} {callers:?}");
                let everyone_calls = n == 1 || callers == Callers::All;
                let setup = setup(n, delay, callers);
                let (mut messages, mut times) = (Vec::new(), Vec::new());
                for seed in 0..runs {
                    let report = simulate(&ALGORITHMS.entries[entry()], &plan(&setup, seed), RoundMode::Auto);
                    assert!(report.is_as_it_should_be(), "{context} {seed}: {report:?}");
                    assert_eq!(report.ruling.outcome, Outcome::Elected, "{context} {seed}");
                    assert!(report.ruling.leader.is_some() && !report.ruling.agreed, "{context} {seed}");
                    messages.push(report.messages.payload as f64);
                    times.push(report.time.hops());
                }
                let plan = plan(&setup, 0);
                assert_near(&messages, claimed(&plan, "mean_messages").expect("claimed"), &context);
                let time = claimed(&plan, "mean_time");
                assert_eq!(time.is_some(), delay == "unit" && everyone_calls, "{context}");
                if let Some(time) = time {
                    assert_near(&times, time, &context);
                }
            }
        }
    }
}

#[test]
fn all_members_are_equally_likely_to_be_elected() {
    let (n, runs) = (5_u64, 4_000_u64);
    let setup = setup(n, "unit", Callers::All);
    let mut wins = vec![0.0; n as usize];
    for seed in 0..runs {
        let report = simulate(&ALGORITHMS.entries[entry()], &plan(&setup, seed), RoundMode::Auto);
        wins[report.ruling.leader.expect("one leads").value() as usize - 1] += 1.0;
    }
    // Each wins a fifth of the runs, within five standard deviations.
    let expected = runs as f64 / n as f64;
    let deviation = (expected * (1.0 - 1.0 / n as f64)).sqrt();
    assert!(wins.iter().all(|won: &f64| (won - expected).abs() < 5.0 * deviation), "{wins:?}");
}

#[test]
fn large_rings_elect_too() {
    let setup = setup(3_000, "exponential:1", Callers::All);
    let plan = plan(&setup, 1);
    assert_eq!(claimed(&plan, "mean_messages"), None, "it would take longer than the run");
    let report = simulate(&ALGORITHMS.entries[entry()], &plan, RoundMode::Auto);
    assert!(report.is_as_it_should_be() && report.claims.is_empty(), "{:?}", report.ruling);
}
