//! Scenarios: what comes with the program, and files.

use crate::program::{run_in, run_well};
use serde_json::Value;
use std::fs;

#[test]
fn scenarios_are_listed_with_what_they_are_about() {
    let text = run_well("scenarios").stdout;
    let words = ["ring-of-six", "chang-roberts", "lecture 002", "ready", "chubby-master", "lcr/halting"];
    for word in words {
        assert!(text.contains(word), "no '{word}' in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");

    let list = run_well("scenarios --format json").json();
    let entries = list.as_array().unwrap();
    let six = entries.iter().find(|entry| entry["name"] == "ring-of-six").unwrap();
    assert_eq!(six["members"], Value::from(vec![80, 32, 5, 12, 6, 3]));
    assert_eq!((&six["status"], &six["algorithm"]), (&"ready".into(), &"chang-roberts".into()));
    assert_eq!(six["expects"]["leader"], "80");
    let waiting = entries.iter().filter(|entry| entry["status"] == "waiting");
    for entry in waiting {
        assert!(entry["waits_for"].is_string(), "{entry}");
    }
}

#[test]
fn every_listed_scenario_can_be_played_and_checked() {
    let list = run_well("scenarios --format json").json();
    for entry in list.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let heading = run_well(&format!("play {name}")).stdout;
        for key in ["title", "about", "source", "algorithm"] {
            assert!(heading.contains(entry[key].as_str().unwrap()), "{name}: no {key} in\n{heading}");
        }
        if entry["status"] == "waiting" {
            assert!(heading.contains("waits for"), "{name}");
            continue;
        }
        assert!(heading.contains("why: "), "{name}: nobody says why");
        let verdict = run_well(&format!("play {name} --check")).stdout;
        assert!(verdict.ends_with("as expected\n") && !verdict.contains("NO"), "{verdict}");
        let object = run_well(&format!("play {name} --check --format json")).json();
        assert_eq!((&object["scenario"], &object["as_expected"]), (&Value::from(name), &true.into()));
        assert_eq!(object["mismatches"], Value::Array(Vec::new()));
    }
}

#[test]
fn a_run_is_exported_in_four_formats() {
    let dir = tempfile::tempdir().unwrap();
    let exports = "--export mermaid:a.mmd --export svg:b.svg --export shiviz:c.log --export json:d.json";
    let ended = run_in(dir.path(), &format!("play ring-of-six {exports}"));
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    // One hop from 3 to 80, then round and round again: 1 + 6 + 6 messages.
    assert_eq!(read("a.mmd").matches("->>").count(), 13);
    let svg = read("b.svg");
    let picture = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(picture.root_element().tag_name().name(), "svg");
    let log = read("c.log");
    assert_eq!(log.lines().count() % 2, 0, "a line for the event and one for its clock");
    assert!(log.contains("member-80 {"), "{log}");
    let json: Value = serde_json::from_str(&read("d.json")).unwrap();
    assert_eq!(json["title"], "Six in a ring, and 3 starts an election");
    for (format, file) in [("mermaid", "a.mmd"), ("svg:-", "b.svg"), ("json", "d.json")] {
        assert_eq!(run_well(&format!("play ring-of-six --export {format}")).stdout, read(file));
    }
}

/// A ring of three in which 5 calls: d = 1 hop to 80, then round, then the news: 1 + 3 + 3.
const RING: &str =
    "title = 'T'\nalgorithm = 'chang-roberts'\nids = [80, 32, 5]\ninitiators = [5]\n[expect]\n";

#[test]
fn whatever_is_expected_wrongly_is_told() {
    let wrong = [
        ("outcome = 'none'", "outcome: expected none, and elected came"),
        ("leader = 32", "leader: expected 32, and 80 came"),
        ("agreed = false", "agreed: expected false, and true came"),
        ("decided = false", "decided: expected false, and true came"),
        ("halted = true", "halted: expected true, and false came"),
        ("safe = false", "safe: expected false, and true came"),
        ("live = false", "live: expected false, and true came"),
        ("leaders = { 5 = 32 }", "leaders.5: expected 32, and 80 came"),
        ("leaders = { 5 = 'none' }", "leaders.5: expected none, and 80 came"),
        ("messages = 8", "messages: expected 8, and 7 came"),
        ("messages = { at_most = 6 }", "messages: expected at most 6, and 7 came"),
        ("messages = { at_least = 8 }", "messages: expected at least 8, and 7 came"),
        ("messages = { at_least = 8, at_most = 9 }", "messages: expected 8 to 9, and 7 came"),
        ("messages_of = { elected = 4 }", "messages_of.elected: expected 4, and 3 came"),
        ("control = 1", "control: expected 1, and 0 came"),
        ("bytes = 0", "bytes: expected 0, and"),
        ("time = 6.5", "time: expected 6.5, and 7 came"),
        ("most_leaders = 2", "most_leaders: expected 2, and 1 came"),
        ("term = { at_least = 1 }", "term: expected at least 1, and 0 came"),
    ];
    for (line, words) in wrong {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("s.toml"), format!("{RING}{line}\n")).unwrap();
        let ended = run_in(dir.path(), "play s.toml --check");
        assert_eq!((ended.code, ended.stderr.as_str()), (5, ""), "{line}");
        for words in [words, ": NO", "MISMATCH", "not as expected"] {
            assert!(ended.stdout.contains(words), "{line}: no \"{words}\" in\n{}", ended.stdout);
        }
        let object = run_in(dir.path(), "play s.toml --check --format json").json();
        assert_eq!(
            (object["as_expected"].as_bool(), object["mismatches"].as_array().unwrap().len()),
            (Some(false), 1)
        );
    }
    let rounds = "title = 'T'\nalgorithm = 'lcr'\nnodes = 4\n[expect]\nrounds = 6\nleader_round = 4\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("s.toml"), rounds).unwrap();
    let ended = run_in(dir.path(), "play s.toml --check");
    for words in ["rounds: expected 6, and 5 came", "leader_round: expected 4, and 5 came"] {
        assert!(ended.stdout.contains(words), "{}", ended.stdout);
    }
}

#[test]
fn whatever_is_expected_rightly_is_confirmed() {
    let right = "outcome = 'elected'\nleader = 80\nagreed = true\ndecided = true\nhalted = false\nsafe = true\n\
                 live = true\nleaders = { 5 = 80, 80 = 80 }\nmessages = 7\ncontrol = 0\ntime = 7\n\
                 most_leaders = 1\nterm = 0\n\
                 messages_of = { election = 4, elected = { at_most = 3 } }\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("s.toml"), format!("{RING}{right}")).unwrap();
    let ended = run_in(dir.path(), "play s.toml --check");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stdout.matches(": yes").count(), 16, "{}", ended.stdout);
}

#[test]
fn a_scenario_says_all_that_simulate_can_be_told() {
    let text = "title = 'T'\nalgorithm = 'chang-roberts'\nvariant = 'suppressing'\nnodes = 5\norder = 'worst'\n\
                attributes = [-1, 2, -3, 2, 0]\nelect = 'worst'\ninitiators = [1, 2]\ndelay = 'uniform:1..4'\n\
                delay_bound = 9\nlinks = 'reordering'\ntopology = 'two-way-ring'\nseed = 7\nuntil = 1000\n\
                max_messages = 500\n[[event]]\nat = 2.5\nstart = 3\n[[event]]\nat = 90\ncall = 4\n\
                [expect]\nlive = true\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("s.toml"), text).unwrap();
    let played = run_in(dir.path(), "play s.toml --check --format json").json();
    let simulated = run_well(
        "simulate chang-roberts/suppressing --nodes 5 --order worst --attributes -1,2,-3,2,0 --elect worst \
         --initiators 1,2 --delay uniform:1..4 --delay-bound 9 --links reordering --topology two-way-ring \
         --seed 7 --until 1000 --max-messages 500 --start 3@2.5 --call 4@90 --format json",
    )
    .json();
    for key in ["outcome", "leader", "agreed", "messages", "bytes", "time", "rounds", "problems"] {
        assert_eq!(played[key], simulated[key], "{key}");
    }
}

#[test]
fn networks_are_listed_link_by_link() {
    // A ring written down in any order is a ring; two members with a two-way link are complete.
    let cases =
        [("chang-roberts", "['5 -> 9', '3 -> 7', '9 -> 3', '7 -> 5']", 9), ("bully", "['1 -- 2']", 2)];
    for (algorithm, links, leader) in cases {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "title = 'T'\nalgorithm = '{algorithm}'\ntopology = {links}\n[expect]\nleader = {leader}\nagreed = true"
        );
        fs::write(dir.path().join("s.toml"), text).unwrap();
        let ended = run_in(dir.path(), "play s.toml --check");
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn the_same_scenario_prints_the_same() {
    let once = run_well("play lcr-without-rounds --check --format json").stdout;
    assert_eq!(once, run_well("play lcr-without-rounds --check --format json").stdout);
}

#[test]
fn the_formats_description_is_complete_and_its_example_is_right() {
    let description = concat!(
        include_str!("../../../../book/src/reference/scenario-format.md"),
        include_str!("../../../../book/src/reference/scenario-events.md"),
        include_str!("../../../../book/src/reference/scenario-schedule.md"),
    );
    let dir = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(dir.path().join("s.toml"), text).unwrap();
    let example = description.split("```").find_map(|block| block.strip_prefix("toml\n")).unwrap();
    write(example);
    let ended = run_in(dir.path(), "play s.toml --check");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);

    // The program itself says which keys there are.
    let mut described = 0;
    let tables = ["", "[[event]]\n", "[expect]\n"];
    for table in tables {
        write(&format!("title = 'T'\nalgorithm = 'lcr'\nnodes = 3\n{table}qqqq = 1\n"));
        let told = run_in(dir.path(), "play s.toml").stderr;
        let keys = told.lines().last().unwrap().strip_prefix("hint: the keys are ").unwrap();
        for key in keys.split(", ") {
            assert!(
                description.contains(&format!("`{key}`")) || description.contains(&format!("[{key}]")),
                "{key}"
            );
            described += 1;
        }
    }
    assert!(described > 40, "{described}");
}
