//! Many runs.

use crate::program::{run, run_well};
use serde_json::Value;

#[test]
fn threads_do_not_show_in_the_output() {
    for format in ["text", "json"] {
        let of = |threads| {
            let args = "simulate chang-roberts --nodes 20 --delay uniform:1..9 --runs 40";
            run_well(&format!("{args} --threads {threads} --format {format}")).stdout
        };
        let alone = of(1);
        assert_eq!(alone, of(2));
        assert_eq!(alone, of(0));
    }
}

#[test]
fn runs_are_summed_up_with_their_claims() {
    let runs = 60;
    let object = run_well(&format!("simulate lcr --nodes 10 --runs {runs} --seed 5 --format json")).json();
    assert_eq!((&object["runs"], &object["seed"]), (&Value::from(runs), &Value::from(5)));
    assert_eq!(object["outcomes"]["elected"], runs);
    for outcome in ["split", "none", "undecided"] {
        assert_eq!(object["outcomes"][outcome], 0);
    }
    for measure in ["bytes", "time", "rounds", "storage_max"] {
        let figure =
            |name: &str| object[measure][name].as_f64().unwrap_or_else(|| panic!("{measure} {name}"));
        assert!(figure("p50") <= figure("p99") && figure("p99") <= figure("max"));
        assert!(figure("mean") <= figure("max") && figure("std_error") >= 0.0);
    }
    assert_eq!(object["rounds"]["mean"], 11); // n + 1, in every run
    assert_eq!((&object["outcome"], &object["leader"]), (&"elected".into(), &Value::from(10)));
    assert_eq!(object["agreed"], false); // only the leader knows
    let messages = &object["messages"];
    assert_eq!(messages["total"], messages["payload"]);
    assert_eq!(messages["total"], messages["by_kind"]["id"]);
    assert_eq!(messages["control"]["max"], 0);

    let claim = |name: &str| {
        let claims = object["claims"].as_array().unwrap();
        claims.iter().find(|claim| claim["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    // Each order has its own count; the average over all orders is one.
    let messages = claim("messages");
    assert_eq!((&messages["expected"], &messages["held_in"]), (&Value::Null, &Value::from(runs)));
    let mean = claim("mean_messages");
    let harmonic: f64 = (1..=10).map(|k| 1.0 / f64::from(k)).sum();
    assert!((mean["expected"].as_f64().unwrap() - 10.0 * harmonic).abs() < 1e-9);
    assert_eq!(mean["measured"], object["messages"]["total"]["mean"]);
    assert_eq!((&mean["relation"], &mean["holds"]), (&"on average".into(), &Value::Bool(true)));
    assert_eq!(claim("rounds")["expected"], 11);
}

#[test]
fn few_runs_say_nothing_about_averages() {
    let ended = run_well("simulate lcr --nodes 3 --runs 2 --format json").json();
    let claims = ended["claims"].as_array().unwrap();
    let mean = claims.iter().find(|claim| claim["name"] == "mean_messages").unwrap();
    assert_eq!(mean["holds"], Value::Null);
}

#[test]
fn the_first_seed_is_that_of_a_single_run() {
    let single = |seed: u64| {
        let object = run_well(&format!("simulate lcr --nodes 30 --seed {seed} --format json")).json();
        object["messages"]["total"].as_f64().unwrap()
    };
    let both = run_well("simulate lcr --nodes 30 --seed 4 --runs 2 --format json").json();
    assert_eq!(both["messages"]["total"]["mean"].as_f64().unwrap(), (single(4) + single(5)) / 2.0);
}

/// Of clocks that go wrong by far more than is allowed for, some make two lead at once; other runs are only
/// stopped too early.
#[test]
fn the_gravest_problem_comes_first_and_two_leaders_have_lines_of_their_own() {
    let args = "simulate quorum-lease/tight --nodes 3 --drift 1@0:+25%,2@0:+25%,3@0:-25% \
                --cut 3-1@200..400,3-2@200..400 --delay uniform:0.1..1 --until 380 --runs 30";
    let batch = run(&format!("{args} --format json"));
    assert_eq!(batch.code, 3, "{}", batch.stderr);
    let batch = batch.json();
    let happened = |what: &str| (batch[what]["runs"].as_u64().unwrap(), batch[what]["first_seed"].as_u64());
    let (runs, seed) = happened("two_at_once");
    assert!(runs > 0 && runs <= batch["unsafe_in"].as_u64().unwrap(), "{batch}");
    assert_eq!(happened("two_in_one_term"), (0, None), "terms do not depend on clocks: {batch}");
    let seed = seed.unwrap();
    assert_eq!(batch["first_problem"]["seed"], seed, "{batch}");
    // The very run has them, and none before.
    let most_leaders = |seed: u64| {
        let again = args.replace("--runs 30", &format!("--seed {seed}"));
        run(&format!("{again} --format json")).json()["stability"]["most_leaders"].as_u64().unwrap()
    };
    assert_eq!(most_leaders(seed), 2);
    assert!((0..seed).all(|earlier| most_leaders(earlier) < 2));

    let text = run(args).stdout;
    let problems: Vec<&str> = text.lines().filter(|line| line.starts_with("PROBLEM")).collect();
    let counted = format!("two led at once in {runs} run");
    assert!(problems[0].contains(&counted) && problems[0].ends_with(&format!("seed {seed}")), "{text}");
    assert!(
        problems.last().unwrap().contains(&format!("the gravest, first with seed {seed}: members")),
        "{text}"
    );
}

/// Where two may lead at once for a while, that is told, and no problem.
#[test]
fn two_that_may_lead_at_once_are_told_and_no_problem() {
    let text = run_well("simulate invitation --nodes 3 --runs 5").stdout;
    assert!(text.contains("at once    two led at once in 5 runs, first with seed 0"), "{text}");
    assert!(!text.contains("PROBLEM"), "{text}");
}
