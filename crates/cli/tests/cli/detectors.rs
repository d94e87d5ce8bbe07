//! Failure detectors: the list, the pages, and how good they are.

use crate::program::{run, run_in, run_well};
use serde_json::Value;

const NAMES: [&str; 8] =
    ["heartbeat", "ping", "three-valued", "learned", "bayes", "perfect", "incomplete", "inaccurate"];
/// Small, so that it is quick.
const SMALL: &str = "--runs 20 --hops 200";

#[test]
fn every_detector_is_listed_with_its_parameters() {
    let text = run_well("detectors").stdout;
    for word in NAMES.into_iter().chain(["T", "D2", "phi", "the delay bound", "Hayashibara"]) {
        assert!(text.contains(word), "no '{word}' in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    let list = run_well("detectors --format json").json();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|page| page["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    for page in list.as_array().unwrap() {
        for key in ["summary", "idea", "rules", "what_breaks_it"] {
            assert!(page[key].as_str().is_some_and(|text| text.len() > 20), "{key} of {page}");
        }
        assert!(page["sources"][0]["year"].is_u64() && page["is_oracle"].is_boolean(), "{page}");
    }
    let d = &list[0]["parameters"][1];
    assert_eq!((&d["name"], &d["default"]), (&"D".into(), &Value::from(1)));
    assert_eq!(d["default_in_delay_bounds"], true);
}

#[test]
fn every_detector_has_a_page() {
    for name in NAMES {
        let text = run_well(&format!("detectors {name}")).stdout;
        assert_eq!(text.lines().next(), Some(name));
        for heading in ["Idea", "Rules", "Parameters", "What breaks it", "Sources", "Try it"] {
            assert!(text.lines().any(|line| line == heading), "{name}: no '{heading}' in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn the_page_of_all_detectors_is_up_to_date() {
    let page = run_well("detectors --format markdown").stdout;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/detectors.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let how = "write it anew: cargo run -- detectors --format markdown > docs/detectors.md";
    assert!(page == written, "docs/detectors.md is not what `detectors` says; {how}");
}

#[test]
fn the_book_lists_every_detector() {
    let page = include_str!("../../../../book/src/researchers/detectors.md");
    for name in NAMES {
        assert!(page.contains(&format!("| [`{name}`](../reference/detector-pages.md#{name}) |")), "{name}");
    }
}

#[test]
fn measured_figures_stand_beside_theory() {
    let command = format!("detectors heartbeat:T=5,D=2 ping --measure --delay unit --loss 0,10% {SMALL}");
    let text = run_well(&command).stdout;
    // Without loss a death is found E(d) + D + T/2 later, and nobody is mistaken.
    let row = text.lines().find(|line| line.contains("0%") && line.contains("heartbeat")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((words[4], words[5], words[6], words[9]), ("5.50", "0.0", "0.0", "100.000%"), "{row}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");

    let object = run_well(&format!("{command} --format json")).json();
    assert_eq!((&object["watches"], &object["hops"], &object["seed"]), (&20.into(), &200.into(), &0.into()));
    assert_eq!(object["hops_an_hour"], 3_600_000);
    let rows = object["rows"].as_array().unwrap();
    let keys = |row: &Value| (row["detector"].as_str().unwrap().to_owned(), row["loss"].as_f64().unwrap());
    let found: Vec<(String, f64)> = rows.iter().map(keys).collect();
    let expected = [("heartbeat", 0.0), ("ping", 0.0), ("heartbeat", 0.1), ("ping", 0.1)];
    assert_eq!(found, expected.map(|(name, loss)| (name.to_owned(), loss)));
    let lossy = &rows[2];
    assert_eq!((&lossy["parameters"]["T"], &lossy["delay"]), (&5.0.into(), &"unit".into()));
    // One loss is a mistake: p (1 - p) / T a hop, each (1 + 1/(1-p)) T - T - D long.
    let theory = &lossy["closed_form"];
    let about = |value: &Value, figure: f64| (value.as_f64().unwrap() - figure).abs() < 1e-6 * figure;
    assert!(about(&theory["mistakes_per_hour"], 0.1 * 0.9 / 5.0 * 3.6e6), "{theory}");
    assert!(about(&theory["mistake_duration"], (1.0 + 1.0 / 0.9) * 5.0 - 7.0), "{theory}");
    for key in ["mistake_recurrence", "good_period", "query_accuracy", "signals_per_hop", "observed"] {
        assert!(lossy[key].as_f64().is_some_and(|value| value > 0.0), "{key} of {lossy}");
    }
    for key in ["detection_time", "mistakes_per_hour", "mistake_duration"] {
        assert!(lossy[key]["std_error"].is_number(), "{key} of {lossy}");
    }
    assert!(rows[1]["closed_form"].is_null() && rows[1]["detected"] == 20);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_cores() {
    let on =
        |threads: u8| run_well(&format!("detectors --measure {SMALL} --seed 3 --threads {threads}")).stdout;
    assert_eq!(on(1), on(2));
    assert!(!on(1).contains("perfect"), "oracles are measured only by name");
}

#[test]
fn the_trade_off_is_a_table_and_a_picture() {
    let dir = tempfile::tempdir().unwrap();
    let ended =
        run_in(dir.path(), &format!("detectors --trade-off {SMALL} --plot t.svg --delay uniform:1.0..4.0"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("heartbeat:T=50,D=2") && ended.stdout.contains("heartbeat:T=5,D=16"));
    let svg = std::fs::read_to_string(dir.path().join("t.svg")).unwrap();
    let picture = roxmltree::Document::parse(&svg).expect("well-formed");
    let texts: Vec<&str> = picture.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for text in ["T (hops)", "D (hops)", "detection time (hops)", "signals a hop", "mistakes an hour"] {
        assert!(texts.contains(&text), "no '{text}' in {texts:?}");
    }
    assert!(texts.contains(&"delay uniform:1.0..4.0, 5% lost"), "{texts:?}");
    let object = run_in(dir.path(), &format!("detectors --trade-off {SMALL} --format json")).json();
    assert_eq!(object["rows"].as_array().unwrap().len(), 4 * (6 + 7), "conditions by values");
}

#[test]
fn bad_input_is_refused_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("detectors hartbeat", "did you mean 'heartbeat'?"),
        ("detectors heartbeat:X=1", "heartbeat has the parameters T, D"),
        ("detectors heartbeat:T", "expected NAME=VALUE"),
        ("detectors heartbeat:T=0 --measure", "is not between"),
        ("detectors heartbeat:T=nan --measure", "is not between"),
        ("detectors --measure --delay sometimes", "delay 'sometimes' is not understood"),
        ("detectors --measure --loss 100%", "'100%' is no share"),
        ("detectors --measure --runs 0", "--runs"),
        ("detectors --measure --trade-off", "cannot be used with"),
        ("detectors --plot x.svg", "--trade-off"),
        ("detectors --measure --plot x.svg", "cannot be used with"),
        ("detectors --measure --format markdown", "table or json"),
        ("detectors ping --trade-off --plot x.svg", "heartbeat"),
    ];
    for (args, message) in cases {
        let ended = run_in(dir.path(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{args}: no '{message}' in {}", ended.stderr);
    }
    let unwritable = run_in(dir.path(), &format!("detectors --trade-off --plot nowhere/x.svg {SMALL}"));
    assert_eq!((unwritable.code, unwritable.stdout.as_str()), (1, ""));
    assert!(unwritable.stderr.contains("cannot write nowhere/x.svg"), "{}", unwritable.stderr);
    let missing = run("detectors --measure --delay file:no-such-file");
    assert_eq!(missing.code, 1, "{}", missing.stderr);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
}
