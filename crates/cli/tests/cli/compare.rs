//! Comparisons.

use crate::program::{run_in, run_well};
use serde_json::Value;

const SMALL: &str = "compare lcr lcr/halting bully --sizes 16,4,8,8 --runs 3";

#[test]
fn the_table_sets_measured_against_claimed() {
    let text = run_well(&format!("{SMALL} --order worst")).stdout;
    // n(n + 1) / 2 in the worst order, and once more round for the halting variant.
    for n in [4, 8, 16] {
        let row = |name: &str, count: usize| {
            text.lines().any(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let (n, count) = (n.to_string(), count.to_string());
                words.starts_with(&["worst", name, &n, &count, &count, "exactly", "1.000", "yes"])
            })
        };
        assert!(row("lcr", n * (n + 1) / 2), "{n}\n{text}");
        assert!(row("lcr/halting", n * (n + 1) / 2 + n), "{n}\n{text}");
    }
    assert!(text.contains("grows as") && text.contains("n^2.0"), "{text}");
    assert!(text.is_ascii(), "{text}");
}

/// ZooKeeper's members, told in rising order, each change their vote for everyone: (n - 1)(n + n(n - 1)/2)
/// notifications, more than a million from 128 members on.
#[test]
fn the_usual_sizes_end_where_a_run_sends_too_many_messages() {
    let most = |n: u64| (n - 1) * (n + n * (n - 1) / 2);
    assert!(most(64) < 1_000_000 && most(128) > 1_000_000);
    let ended = run_well("compare zookeeper --order best --runs 1 --format json");
    let object = ended.json();
    let points = object["algorithms"][0]["points"].as_array().unwrap();
    let sizes: Vec<u64> = points.iter().map(|point| point["n"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [8, 16, 32, 64]);
    let note = "zookeeper in best order: left out from n = 128 on";
    assert!(ended.stderr.starts_with(note), "{}", ended.stderr);
    // What is asked for is done, and nothing is said of it.
    let asked = run_well("compare zookeeper --order best --runs 1 --sizes 8 --format json");
    assert!(asked.stderr.is_empty(), "{}", asked.stderr);
}

#[test]
fn json_has_all_points_and_exponents() {
    let object = run_well(&format!("{SMALL} --order best --format json")).json();
    assert_eq!((&object["measure"], &object["runs"]), (&"messages".into(), &Value::from(3)));
    assert_eq!(object["algorithms"][0]["order"], "best");
    let algorithms = object["algorithms"].as_array().unwrap();
    assert_eq!(algorithms.len(), 3);
    let lcr = &algorithms[0];
    assert_eq!((&lcr["algorithm"], &lcr["variant"]), (&"lcr".into(), &"leader-only".into()));
    let points = lcr["points"].as_array().unwrap();
    assert_eq!(points.len(), 3, "sizes in order, each once");
    for (point, n) in points.iter().zip([4, 8, 16]) {
        assert_eq!(point["n"], n);
        assert_eq!(point["measured"]["mean"], 2 * n - 1);
        assert_eq!(point["claimed"], 2 * n - 1);
        assert_eq!(point["holds"], true);
        assert_eq!(point["runs"], 1, "nothing is random");
    }
    let exponent = lcr["exponent"].as_f64().unwrap();
    assert!((1.0..1.2).contains(&exponent), "{exponent}");
    assert_eq!(lcr["exponent"], lcr["claimed_exponent"]);
}

#[test]
fn csv_has_a_header_and_a_line_a_point() {
    let text = run_well(&format!("{SMALL} --order random --format csv --measure bytes")).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 3 * 3);
    assert!(lines[0].starts_with("algorithm,variant,order,n,measure,runs,mean,"), "{}", lines[0]);
    assert!(lines[1].starts_with("lcr,leader-only,random,4,bytes,3,"), "{}", lines[1]);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == columns), "{text}");
}

#[test]
fn groups_of_algorithms_have_names() {
    let names_of = |command: &str, order: &str| -> Vec<Value> {
        let compared = run_well(&format!("{command} --sizes 4 --runs 1 --format json")).json();
        let series = compared["algorithms"].as_array().unwrap().iter();
        series.filter(|series| series["order"] == order).map(|series| series["algorithm"].clone()).collect()
    };
    let listed = run_well("algorithms --format json").json();
    let defaults = listed.as_array().unwrap().iter().filter(|entry| entry["default"] == true);
    let names = |entries: Vec<&Value>| entries.iter().map(|entry| entry["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names_of("compare all", "random"), names(defaults.clone().collect()));
    let is_ring = |entry: &&Value| entry["needs"]["network"].as_str().unwrap().ends_with("ring");
    let rings = names(defaults.filter(is_ring).collect());
    for order in ["worst", "best", "random"] {
        assert_eq!(names_of("compare", order), rings, "by default, rings in every order");
        assert_eq!(names_of("compare lcr rings", order), rings, "each once");
    }
}

#[test]
fn threads_do_not_show_in_the_output() {
    let of = |threads| run_well(&format!("{SMALL} --delay uniform:1..5 --threads {threads}")).stdout;
    assert_eq!(of(1), of(2));
}

#[test]
fn time_is_compared_with_its_own_claims() {
    let object =
        run_well("compare lcr --order random --sizes 4,8 --measure time --runs 2 --format json").json();
    for point in object["algorithms"][0]["points"].as_array().unwrap() {
        assert_eq!(point["measured"]["mean"], point["n"]);
        assert_eq!(point["claimed"], point["n"]);
    }
}

#[test]
fn the_plot_is_well_formed_and_names_everything() {
    let dir = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        let ended = run_in(dir.path(), &format!("{SMALL} --plot {name}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        std::fs::read_to_string(dir.path().join(name)).unwrap()
    };
    let svg = draw("one.svg");
    assert_eq!(svg, draw("two.svg"));
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for text in ["lcr", "lcr/halting", "bully", "members n", "messages", "4", "8", "16"] {
        assert!(texts.contains(&text), "no '{text}' in {texts:?}");
    }
    for text in ["worst order", "best order", "random order"] {
        assert!(texts.contains(&text), "no '{text}' in {texts:?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("claimed")), "{texts:?}");
}
