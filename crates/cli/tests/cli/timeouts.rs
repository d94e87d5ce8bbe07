//! `timeouts`: the Raft paper's experiment with ranges of time-outs, at a small size.

use crate::program::{run_in, run_well};
use serde_json::Value;

fn rows<'v>(object: &'v Value, graph: &str) -> &'v Vec<Value> {
    object[graph].as_array().unwrap()
}

#[test]
fn without_randomness_votes_are_split_for_ever_and_with_enough_of_it_hardly_ever() {
    let object = run_well("timeouts --runs 40 --format json").json();
    let randomness = rows(&object, "randomness");
    // Most of the members that do not differ never elect anyone; the paper waited for ten seconds.
    assert_eq!(
        (&randomness[0]["time_out_ms"], &randomness[0]["median_ms"]),
        (&[150, 150].into(), &Value::Null)
    );
    let medians: Vec<f64> = randomness[1..].iter().map(|row| row["median_ms"].as_f64().unwrap()).collect();
    // With a millisecond of randomness votes are split again and again; with fifty, half of the elections take one
    // time-out, of which some has passed when the leader crashes, and two messages.
    assert!(medians[0] > 10.0 * 150.0 && medians[1] > 2.0 * 150.0, "{medians:?}");
    assert!(medians[3..].iter().all(|median| (75.0..=220.0).contains(median)), "{medians:?}");
    for row in &randomness[2..] {
        assert_eq!((&row["crashes"], &row["replaced"]), (&40.into(), &40.into()), "{row}");
    }
}

#[test]
fn the_shorter_time_outs_are_the_sooner_a_crash_is_made_good() {
    let object = run_well("timeouts --runs 40 --format json").json();
    let length = rows(&object, "length");
    let medians: Vec<f64> = length.iter().map(|row| row["median_ms"].as_f64().unwrap()).collect();
    // But for those that are shorter than asking everyone takes.
    assert!(medians[1..].is_sorted(), "{medians:?}");
    for row in length {
        // Nobody takes over before the least time-out has passed since the last heartbeat.
        let (least, median) = (row["time_out_ms"][0].as_f64().unwrap(), row["median_ms"].as_f64().unwrap());
        assert!(median >= least / 2.0, "{row}");
    }
    assert_eq!(length.last(), rows(&object, "randomness").last(), "the same range gives the same figures");
}

#[test]
fn the_output_does_not_depend_on_the_number_of_cores() {
    let on =
        |threads: u8| run_well(&format!("timeouts --runs 10 --nodes 4 --seed 3 --threads {threads}")).stdout;
    assert_eq!(on(1), on(2));
    assert!(on(1).contains("150 to 300") && on(1).contains("median"), "{}", on(1));
}

#[test]
fn it_is_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run_in(dir.path(), "timeouts --runs 10 --plot t.svg");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let svg = std::fs::read_to_string(dir.path().join("t.svg")).unwrap();
    let picture = roxmltree::Document::parse(&svg).expect("well-formed");
    let texts: Vec<&str> = picture.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for text in ["150 to 155 ms", "12 to 24 ms", "time without a leader (ms)", "replaced by then (%)"] {
        assert!(texts.contains(&text), "no '{text}' in {texts:?}");
    }
    for args in ["timeouts --runs 0", "timeouts --nodes 2", "timeouts --nodes 1000", "timeouts raft-vote"] {
        let ended = run_in(dir.path(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args}: {}", ended.stderr);
    }
}
