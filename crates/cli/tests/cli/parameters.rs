//! Parameters of algorithms: shown by `explain`, and taken wherever an algorithm is named.

use crate::program::{run, run_in, run_well};
use serde_json::{Value, json};
use std::fs;

#[test]
fn explain_shows_each_parameter_with_its_unit_default_and_range() {
    let text = run_well("explain quorum-lease").stdout.replace("\n  ", " ");
    for line in [
        "- `renewals` (unless set, 3 times; 3 to 12): how often a leader renews during one lease",
        "- `lease` (unless set, 25 delay bounds, in `tight` 5; 5 to 128, in `adaptive` 5 to 32): ",
        "- `steady` (unless set, 64 delay bounds, in `tight` 4; 1 to 4096): ",
        "- `order` (set by the variant: ranked, in `randomised` random): ",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let text = run_well("explain raft-vote").stdout.replace("\n  ", " ");
    assert!(
        text.contains("- `timeout` (unless set, 100..200 tenths of a delay bound; within 10..10000): "),
        "{text}"
    );
    assert!(!run_well("explain lcr").stdout.contains("Parameters"));
    let text = run_well("explain quorum-lease:lease=30").stdout;
    assert!(text.contains("Here: 30."), "{text}");
}

#[test]
fn json_has_each_parameter_of_each_variant() {
    let page = run_well("explain quorum-lease/tight:renewals=5 --format json").json();
    assert_eq!(page["given"], json!({ "renewals": 5 }));
    let of = |variant: usize, name: &str| {
        let all = page["variants"][variant]["parameters"].as_array().unwrap();
        all.iter().find(|parameter| parameter["name"] == name).unwrap().clone()
    };
    assert_eq!(
        of(0, "renewals"),
        json!({
            "name": "renewals",
            "about": "how often a leader renews during one lease",
            "unit": "times",
            "kind": "whole",
            "default": 3,
            "default_in_delay_bounds": false,
            "least": 3,
            "most": 12,
            "set_by_variant": false,
        })
    );
    assert_eq!((&of(2, "lease")["default"], &of(2, "lease")["most"]), (&json!(25), &json!(32)));
    assert_eq!(of(3, "lease")["default"], 5);
    assert_eq!(of(1, "order")["default"], "random");
    assert_eq!(
        (&of(1, "order")["words"], &of(1, "order")["set_by_variant"]),
        (&json!(["ranked", "random"]), &json!(true))
    );
    let listed = run_well("algorithms --format json").json();
    let raft = listed.as_array().unwrap().iter().find(|entry| entry["variant"] == "pre-vote").unwrap();
    assert_eq!(
        (&raft["parameters"][0]["default"], &raft["parameters"][0]["kind"]),
        (&json!("100..200"), &json!("range"))
    );
    assert_eq!(raft["parameters"][1]["default"], "yes");
}

const RUN: &str = "--nodes 5 --delay uniform:0.1..1 --pause 5@60..110 --seed 3";

#[test]
fn a_run_goes_by_parameters_and_says_so() {
    let simulate = |algorithm: &str| run_well(&format!("simulate {algorithm} {RUN} --format json")).json();
    let (usual, set) = (simulate("quorum-lease"), simulate("quorum-lease:renewals=12"));
    assert_eq!((usual.get("parameters"), &set["parameters"]), (None, &json!({ "renewals": 12 })));
    let renewals = |object: &Value| object["messages"]["by_kind"]["renew"].as_f64().unwrap();
    // Every two delay bounds and not every eight.
    assert!(renewals(&set) > 3.0 * renewals(&usual), "{} {}", renewals(&usual), renewals(&set));
    assert_eq!(simulate("quorum-lease:renewals=3"), {
        let mut same = usual;
        same["again"] = simulate("quorum-lease:renewals=3")["again"].clone();
        same
    });
    let text = run_well(&format!("simulate quorum-lease/tight:asks=2 {RUN}")).stdout;
    assert!(text.contains("quorum-lease (tight, asks=2): "), "{text}");
    assert!(text.contains("again: bellwether simulate quorum-lease/tight:asks=2 --nodes 5"), "{text}");
    let old = run_well(&format!("simulate quorum-lease --renewals 12 {RUN}")).stdout;
    assert_eq!(old, run_well(&format!("simulate quorum-lease:renewals=12 {RUN}")).stdout, "the old option");
}

#[test]
fn play_says_parameters_in_each_json() {
    let dir = tempfile::tempdir().unwrap();
    let file = "title = 'T'\nalgorithm = 'quorum-lease:renewals=7'\nvariant = 'tight'\nnodes = 3\n[expect]\nsafe = true\n";
    fs::write(dir.path().join("s.toml"), file).unwrap();
    for what in ["--check --format json", "--export json"] {
        let object = run_in(dir.path(), &format!("play s.toml {what}")).json();
        let named = ["algorithm", "variant", "parameters"].map(|key| object[key].clone());
        assert_eq!(named, [json!("quorum-lease"), json!("tight"), json!({ "renewals": 7 })], "{what}");
    }
}

/// What the header says, as a command, gives the same trace.
#[test]
fn a_trace_records_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let trace = |algorithm: &str, variant: &str| {
        run_in(dir.path(), &format!("simulate {algorithm} --variant {variant} {RUN} --trace t"));
        fs::read_to_string(dir.path().join("t")).unwrap()
    };
    for (algorithm, variant) in [
        ("quorum-lease:renewals=7,lease=40", "ranked"),
        ("quorum-lease:asks=9", "adaptive"),
        ("raft-vote:timeout=120..340", "pre-vote"),
    ] {
        let first = trace(algorithm, variant);
        let header: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
        let given = header["parameters"].as_object().unwrap();
        let setting = |(name, value): (&String, &Value)| {
            format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let settings = given.iter().map(setting).collect::<Vec<_>>().join(",");
        let again = format!("{}:{settings}", header["algorithm"].as_str().unwrap());
        assert_eq!(trace(&again, header["variant"].as_str().unwrap()), first, "{again}");
    }
    assert!(!trace("quorum-lease", "ranked").lines().next().unwrap().contains("parameters"));
}

#[test]
fn a_check_goes_by_parameters() {
    let check = |algorithm: &str| {
        let object = run_well(&format!("check {algorithm} --crashes 1 --ticks 6 --format json")).json();
        assert_eq!(object["verdict"], "holds");
        (object["states"].clone(), object["transitions"].clone(), object.get("parameters").cloned())
    };
    let (states, transitions, given) = check("quorum-lease:lease=5,asks=1,steady=4");
    assert_eq!(given, Some(json!({ "asks": 1, "lease": 5, "steady": 4 })));
    assert_eq!((states, transitions, None), check("quorum-lease/tight"), "a variant is a set of parameters");
    let text = run("check raft-vote:timeout=30..30 --nodes 2 --states 1000").stdout;
    assert!(text.contains("raft-vote/plain:timeout=30..30, 2 members"), "{text}");
}

#[test]
fn tables_tell_parameters_apart() {
    let trials = run_well(
        "trials quorum-lease quorum-lease:lease=60 quorum-lease:lease=25 --ordeal crash --runs 20 --format json",
    )
    .json();
    let rows = trials["trials"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "one is the default");
    assert_eq!((rows[0].get("parameters"), &rows[1]["parameters"]), (None, &json!({ "lease": 60 })));
    // Most of a lease is waited for.
    let waits = |row: &Value| row["without_leader"]["mean"].as_f64().unwrap();
    assert!((15.0..28.0).contains(&waits(&rows[0])) && (50.0..63.0).contains(&waits(&rows[1])), "{rows:?}");
    let compared = run_well("compare quorum-lease quorum-lease:asks=2 --sizes 3 --format csv").stdout;
    let names: Vec<&str> = compared.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["quorum-lease", "quorum-lease:asks=2"].repeat(3), "in each order");
}

/// Time-outs that do not differ split votes for ever: the example that a swarm finds and reduces has them too.
#[test]
fn swarms_and_their_examples_go_by_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let swarm = "swarm raft-vote:timeout=10..10 --model none --runs 30 --shrink --save s.toml --format json";
    let object = run_in(dir.path(), swarm).json();
    let cell = &object["cells"][0];
    assert_eq!(cell["parameters"], json!({ "timeout": "10..10" }), "{object}");
    assert!(cell["no_leader"].as_u64().unwrap() > 0, "{cell}");
    let example = &object["failures"][0];
    let command = example["command"].as_str().unwrap();
    let replayed = command.strip_prefix("bellwether ").unwrap();
    assert!(replayed.starts_with("simulate raft-vote:timeout=10..10 "), "{command}");
    assert_eq!(run(replayed).code, 4, "nobody leads: {command}");
    let saved = fs::read_to_string(dir.path().join("s.toml")).unwrap();
    assert!(saved.contains("algorithm = \"raft-vote:timeout=10..10\"\nvariant = \"plain\"\n"), "{saved}");
    assert_eq!(run_in(dir.path(), "play s.toml --check").code, 0);
    let usual = run_well("swarm raft-vote --model none --runs 30 --format json").json();
    assert_eq!(usual["cells"][0]["right"], 30);
    let survived = run("survive raft-vote raft-vote:timeout=10..10 --model none --runs 30").stdout;
    let row = |name: &str| {
        let mut rows = survived.lines().filter_map(|line| line.split_once(' '));
        let row = rows.find(|(first, _)| *first == name);
        row.unwrap_or_else(|| panic!("{name} in {survived}")).1.trim().to_owned()
    };
    assert_ne!(row("raft-vote"), row("raft-vote:timeout=10..10"));
}

#[test]
fn a_real_cluster_goes_by_parameters() {
    let text = run_well("up --algorithm quorum-lease:lease=30,renewals=10 --members 1 --for 200ms").stdout;
    assert!(text.contains("1 member runs quorum-lease:renewals=10,lease=30, steady"), "{text}");
}
