//! What the program says about itself and its algorithms.

use crate::program::{run_in, run_well};

const SUBCOMMANDS: [&str; 18] = [
    "up",
    "algorithms",
    "explain",
    "simulate",
    "compare",
    "detectors",
    "scenarios",
    "play",
    "swarm",
    "survive",
    "check",
    "timeouts",
    "trials",
    "member",
    "supervise",
    "secret",
    "completions",
    "man",
];

#[test]
fn algorithms_are_listed_with_needs_guarantees_costs_and_sources() {
    let text = run_well("algorithms").stdout;
    let words = [
        "lcr",
        "chang-roberts",
        "bully",
        "needs",
        "guarantees",
        "claimed cost",
        "source",
        "one-way ring",
        "complete network",
        "survives crash",
        "1979",
        "1982",
    ];
    for word in words {
        assert!(text.contains(word), "no '{word}' in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn the_list_as_json_has_everything() {
    let list = run_well("algorithms --format json").json();
    let entries = list.as_array().unwrap();
    let halting = entries.iter().find(|entry| entry["variant"] == "halting").unwrap();
    assert_eq!((&halting["name"], &halting["default"]), (&"lcr".into(), &false.into()));
    assert_eq!(halting["needs"]["network"], "one-way-ring");
    assert_eq!(halting["guarantees"]["goal"], "everyone-halts");
    for entry in entries {
        assert!(entry["claims"].as_array().is_some_and(|claims| !claims.is_empty()), "{entry}");
        assert!(entry["sources"][0]["year"].as_u64().is_some(), "{entry}");
    }
}

#[test]
fn every_listed_variant_can_be_simulated() {
    let list = run_well("algorithms --format json").json();
    for entry in list.as_array().unwrap() {
        let (name, variant) = (entry["name"].as_str().unwrap(), entry["variant"].as_str().unwrap());
        let object = run_well(&format!("simulate {name} --variant {variant} --format json")).json();
        assert_eq!((object["algorithm"].as_str(), object["variant"].as_str()), (Some(name), Some(variant)));
        assert_eq!(object["outcome"], "elected");
    }
}

#[test]
fn completions_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run_well(&format!("completions {shell}")).stdout;
        for subcommand in SUBCOMMANDS {
            assert!(script.contains(subcommand), "{shell}: no {subcommand}");
        }
        assert!(script.contains("initiators"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_subcommand() {
    let page = run_well("man").stdout;
    assert!(page.contains(".TH"), "{page}");
    for subcommand in SUBCOMMANDS {
        assert!(page.contains(subcommand), "no {subcommand}");
    }
    assert!(page.contains("safety violated"), "{page}");

    let dir = tempfile::tempdir().unwrap();
    let ended = run_in(dir.path(), "man --dir pages/man1");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", ended.stderr);
    let read = |name: &str| std::fs::read_to_string(dir.path().join("pages/man1").join(name)).unwrap();
    assert_eq!(read("bellwether.1"), page);
    for subcommand in SUBCOMMANDS {
        assert!(read(&format!("bellwether-{subcommand}.1")).contains(".SH SYNOPSIS"), "{subcommand}");
    }
    assert_eq!(std::fs::read_dir(dir.path().join("pages/man1")).unwrap().count(), 1 + SUBCOMMANDS.len());
}

#[test]
fn secret_prints_a_new_secret_each_time() {
    let [one, other] = [(); 2].map(|()| run_well("secret").stdout);
    assert_ne!(one, other);
    for line in [one, other] {
        let secret = bellwether::Secret::new(line.strip_suffix('\n').unwrap());
        assert_eq!(secret.check(), Ok(()));
        assert!(secret.expose().starts_with("bw1-"), "it was generated");
    }
}

#[test]
fn help_explains_topologies_and_delays() {
    let help = run_well("simulate --help").stdout;
    for word in ["two-way-ring", "gnp:P", "lognormal:MU,SIGMA", "ID@TIME", "--synchroniser"] {
        assert!(help.contains(word), "no '{word}' in\n{help}");
    }
}
