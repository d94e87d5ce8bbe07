//! Averages over random orders: n H(n), as in the sources.

use bellwether_core::{Expect, Order};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::{Seeds, batch};
use bellwether_runspec::RunSpec;
use bellwether_sim::claims;

const N: u64 = 50;
const RUNS: u64 = 2_000;

/// The mean number of messages over random orders meets `figure` within four standard errors, and the algorithm
/// claims that figure.
fn check(name: &str, variant: &str, figure: f64) {
    let entry = ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered");
    let spec = ALGORITHMS.entries[entry].spec;
    let setup = RunSpec { nodes: Some(N), order: Some(Order::Random), ..RunSpec::default() };
    let seeds = Seeds { first: 1, count: RUNS };
    let sample = batch::run_each(&ALGORITHMS.entries[entry], &setup, &[], seeds, 2, |plan, report| {
        assert!(report.is_as_it_should_be(), "{name} {variant} seed {}: {report:?}", plan.seed);
        let setting = plan.setting(spec, &[]);
        let mean = claims(spec, &setting).find(|(claim, _)| claim.name == "mean_messages");
        match mean.map(|(_, expect)| expect) {
            Some(Expect::OnAverage(claimed)) => assert!((claimed - figure).abs() < 1e-9 * figure),
            other => panic!("{name} {variant} claims {other:?} on average"),
        }
        report.messages.payload as f64
    })
    .expect("the plan is valid");

    let runs = sample.len() as f64;
    assert_eq!(sample.len() as u64, RUNS);
    let mean = sample.iter().sum::<f64>() / runs;
    let variance = sample.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / (runs - 1.0);
    let standard_error = (variance / runs).sqrt();
    assert!(standard_error > 0.0 && standard_error < 0.02 * figure, "orders differ, and not wildly");
    assert!((mean - figure).abs() < 4.0 * standard_error, "{name} {variant}: {mean} is not {figure}");
}

/// n H(n).
fn n_harmonic() -> f64 {
    (1..=N).map(|k| N as f64 / k as f64).sum()
}

#[test]
fn lcr_takes_n_times_the_harmonic_number() {
    assert!((n_harmonic() - 224.960_267).abs() < 1e-5);
    check("lcr", "leader-only", n_harmonic());
}

#[test]
fn halting_lcr_takes_n_more() {
    check("lcr", "halting", n_harmonic() + N as f64);
}

#[test]
fn chang_roberts_takes_n_more_when_all_start() {
    check("chang-roberts", "plain", n_harmonic() + N as f64);
}

/// Hirschberg and Sinclair's mean by another way than theirs: over all pairs of distances to the next higher-ranked
/// member on either side.
#[test]
fn hirschberg_sinclair_mean_follows_from_the_distances_to_the_next_higher() {
    let n = N as usize;
    // The probability of being the highest of this many on one side and this many on the other.
    let best_of = |one: usize, other: usize| 1.0 / n.min(one + other + 1) as f64;
    let mut figure = 1.0 / n as f64 * probes_and_replies([n, n]);
    for one in 1..n {
        for other in 1..n {
            let (less, less_too) = (best_of(one - 1, other), best_of(one, other - 1));
            let chance = best_of(one - 1, other - 1) - less - less_too + best_of(one, other);
            figure += chance * probes_and_replies([one, other]);
        }
    }
    check("hirschberg-sinclair", "plain", n as f64 * (figure + 1.0));
}

/// The probes and replies of a member that meets a higher-ranked one this far away on its two sides.
fn probes_and_replies(better: [usize; 2]) -> f64 {
    let mut hops = 0;
    for reach in (0..).map(|phase| 1 << phase) {
        let stopped = better.map(|distance| distance <= reach);
        for (distance, stopped) in better.into_iter().zip(stopped) {
            hops += if stopped { distance } else { 2 * reach };
        }
        if stopped != [false; 2] {
            break;
        }
    }
    hops as f64
}

#[test]
fn suppressing_takes_as_many_messages_as_plain_if_all_start_and_ids_decide() {
    // The highest initiator is the highest-ranked member: every message is dropped where LCR drops it.
    let entry = ALGORITHMS.find("chang-roberts", Some("suppressing")).expect("the algorithm is registered");
    let plain = ALGORITHMS.find("chang-roberts", Some("plain")).expect("the algorithm is registered");
    let setup = RunSpec { nodes: Some(N), order: Some(Order::Random), ..RunSpec::default() };
    let count = |entry| {
        let seeds = Seeds { first: 1, count: 50 };
        batch::run_each(&ALGORITHMS.entries[entry], &setup, &[], seeds, 1, |_, report| report.messages)
            .expect("it can be run")
    };
    assert_eq!(count(entry), count(plain));
}
