//! `bellwether check`: every run there can be.

use crate::program::{run, run_in, run_well};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(args: &str) -> (i32, Value) {
    let ended = run(&format!("check {args} --format json"));
    (ended.code, ended.json())
}

/// Compares with a file in `tests/golden`; with REWRITE_GOLDEN set it is written instead: look at what changed
/// before it is committed.
fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&path).unwrap_or_default(), "{name}");
}

#[test]
fn what_holds_is_said_with_how_much_was_seen() {
    let (code, object) = json("chang-roberts --nodes 3");
    assert_eq!((code, object["verdict"].as_str(), object["n"].as_u64()), (0, Some("holds"), Some(3)));
    assert!(object["property"].is_null() && object["counterexample"].is_null(), "{object}");
    assert!(object["incomplete_because"].is_null() && object["states"].as_u64() > Some(0), "{object}");
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    for key in
        ["algorithm", "variant", "transitions", "depth", "seconds", "reduction", "symmetry", "liberties"]
    {
        assert!(keys.iter().any(|known| *known == key), "no {key} in {object}");
    }
    // Every property has a twin that was seen: nothing holds for want of an occasion.
    for property in object["properties"].as_array().unwrap() {
        assert_eq!(property["verdict"], "holds", "{property}");
        assert!(property["seen"].as_u64() > Some(0) && property["twin"].is_string(), "{property}");
    }
}

/// The would-be leader dies, and its rank goes round for ever: with one member dead no one of the other three
/// can take it off the ring, so the loop has as many steps as there are members left.
#[test]
fn a_rank_whose_owner_is_dead_goes_round_for_ever() {
    let (code, object) = json("chang-roberts --nodes 4 --crashes 1");
    assert_eq!((code, object["verdict"].as_str()), (4, Some("violated")));
    assert_eq!(object["property"], "eventually");
    let run = &object["counterexample"];
    let steps: Vec<&str> =
        run["steps"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
    let from = run["loop_from"].as_u64().expect("a loop") as usize;
    assert_eq!(steps.len() - from, 3, "{steps:?}");
    assert!(steps[from..].iter().all(|step| step.starts_with("deliver")), "{steps:?}");
    assert!(steps[..from].iter().any(|step| step.starts_with("crash 4") || step.contains("crash after")));
    assert_eq!(run["shortest"], false, "of loops that is not known");
    let one_leader = &object["properties"][0];
    assert_eq!((&one_leader["property"], &one_leader["verdict"]), (&"one-leader".into(), &"holds".into()));
}

#[test]
fn the_exit_code_tells_safety_liveness_and_limits_apart() {
    assert_eq!(run("check peterson --nodes 3 --duplicates 1").code, 3, "two leaders");
    assert_eq!(run("check itai-rodeh --nodes 2 --crashes 1").code, 4, "nobody leads");
    let (code, object) = json("chang-roberts --nodes 14 --no-reduction --memory 16M");
    assert_eq!((code, object["verdict"].as_str()), (6, Some("incomplete")));
    assert_eq!(object["incomplete_because"], "the memory limit was reached");
    assert!(
        object["properties"].as_array().unwrap().iter().all(|property| property["verdict"] == "incomplete")
    );
    assert!(
        run("check chang-roberts --nodes 14 --no-reduction --memory 16M").stdout.contains("not everything")
    );
}

/// What a family comes to is what its members come to, each asked for by itself.
#[test]
fn a_family_is_the_sum_of_its_members() {
    let sums = |members: &[String]| {
        let mut sums = (0, 0, 0);
        for member in members {
            let (code, object) = json(member);
            assert_eq!(code, 0, "{member}");
            let figure = |key: &str| object[key].as_u64().unwrap();
            sums = (sums.0 + figure("states"), sums.1 + figure("transitions"), sums.2.max(figure("depth")));
        }
        sums
    };
    let of = |family: &str, checks: u64| {
        let (code, object) = json(family);
        assert_eq!(
            (code, object["checks"].as_u64(), object["checked"].as_u64()),
            (0, Some(checks), Some(checks))
        );
        let figure = |key: &str| object[key].as_u64().unwrap();
        (figure("states"), figure("transitions"), figure("depth"))
    };
    let orders = ["4,1,2,3", "4,1,3,2", "4,2,1,3", "4,2,3,1", "4,3,1,2", "4,3,2,1"];
    let by_order = orders.map(|ids| format!("chang-roberts --no-reduction --ids {ids}"));
    assert_eq!(of("chang-roberts --no-reduction --nodes 4 --orders all", 6), sums(&by_order));
    let sets = ["1", "2", "3", "1,2", "1,3", "2,3", "1,2,3"];
    let by_set = sets.map(|set| format!("chang-roberts --no-reduction --ids 3,2,1 --initiators {set}"));
    assert_eq!(of("chang-roberts --no-reduction --nodes 3 --initiators any", 7), sums(&by_set));
    let alone =
        ["1", "2", "3"].map(|one| format!("chang-roberts --no-reduction --ids 3,2,1 --initiators {one}"));
    assert_eq!(of("chang-roberts --no-reduction --nodes 3 --initiators one", 3), sums(&alone));
    // In a complete network it does not matter who sits where.
    of("bully --nodes 3 --orders all", 1);
}

#[test]
fn of_a_family_the_first_that_is_violated_is_named() {
    let (code, object) = json("chang-roberts --nodes 3 --orders all --initiators any --losses 1");
    assert_eq!((code, object["checks"].as_u64()), (4, Some(2 * 7)));
    let run = &object["counterexample"];
    assert_eq!((run["ids"].to_string(), run["initiators"].to_string()), ("[3,1,2]".into(), "[3]".into()));
    let text = run_in(Path::new("."), "check chang-roberts --nodes 3 --initiators any --losses 1").stdout;
    assert!(text.contains("initiators 3\n"), "{text}");
}

#[test]
fn reductions_and_threads_change_no_verdict() {
    let verdicts = |args: &str| {
        let (code, object) = json(args);
        let properties = object["properties"].as_array().unwrap().iter();
        (code, properties.map(|property| property["verdict"].clone()).collect::<Vec<_>>())
    };
    for args in ["chang-roberts --nodes 4", "itai-rodeh --nodes 2", "franklin --nodes 3 --duplicates 1"] {
        assert_eq!(verdicts(args), verdicts(&format!("{args} --no-reduction --no-symmetry")), "{args}");
    }
    let without_time = |threads: u32| {
        let (_, mut object) = json(&format!("chang-roberts --nodes 4 --crashes 1 --threads {threads}"));
        object["seconds"] = Value::Null;
        object
    };
    assert_eq!(without_time(1), without_time(2));
}

/// A caller that crashes before anybody has heard of its call leaves no election to be decided.
#[test]
fn a_caller_that_crashes_unheard_violates_nothing() {
    for variant in ["at-once", "waiting", "stable", "broadcast"] {
        let (code, object) = json(&format!("bully/{variant} --initiators any --crashes 1"));
        assert_eq!((code, object["verdict"].as_str()), (0, Some("holds")), "{object}");
        assert_eq!((&object["checks"], &object["checked"]), (&7.into(), &7.into()));
    }
    // One that was heard does: its neighbour waits for ever.
    let (code, object) = json("aggregation-tree --nodes 2 --initiators one --crashes 1");
    assert_eq!((code, object["property"].as_str()), (4, Some("eventually")), "{object}");
}

/// Lots are bounded, and that is said.
#[test]
fn bounded_draws_are_told() {
    let (_, object) = json("itai-rodeh --nodes 2");
    assert_eq!((&object["draws_cut"], &object["liberties"]["draws"]), (&true.into(), &2.into()));
    assert!(run("check itai-rodeh --nodes 2").stdout.contains("draws at most 2 numbers"));
    assert!(json("chang-roberts --nodes 2").1["liberties"]["draws"].is_null());
}

/// What the checker found plays again, and comes to the same.
#[test]
fn counterexamples_are_written_and_play_again() {
    let cases = [
        ("chang-roberts --nodes 4 --crashes 1", "live", false),
        ("chang-roberts --nodes 3 --crashes 1 --recoveries 1", "safe", false),
        ("bully/waiting --nodes 2 --losses 1", "outcome", true),
        ("peterson --nodes 3 --duplicates 1", "outcome", true),
        ("chang-roberts/suppressing --nodes 3 --links reordering", "live", false),
    ];
    for (args, key, is_word) in cases {
        let dir = tempfile::tempdir().unwrap();
        let ended = run_in(
            dir.path(),
            &format!("check {args} --save r.toml --trace r.jsonl --mermaid r.mmd --svg r.svg"),
        );
        assert!(ended.code == 3 || ended.code == 4, "{args}: {}", ended.stderr);
        assert!(ended.stdout.contains("bellwether play r.toml"), "{}", ended.stdout);
        let played = run_in(dir.path(), "play r.toml --check");
        assert_eq!(played.code, 0, "{args}: {}{}", played.stdout, played.stderr);
        let expected = if is_word { format!("{key} = split") } else { format!("{key} = false") };
        assert!(played.stdout.contains(&expected), "{args}: {}", played.stdout);
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(read("r.mmd").starts_with("---") || read("r.mmd").contains("sequenceDiagram"));
        assert!(roxmltree::Document::parse(&read("r.svg")).is_ok());
        let trace = read("r.jsonl");
        assert!(trace.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        assert!(trace.lines().last().unwrap().contains("\"end\""));
    }
}

#[test]
fn where_nothing_is_violated_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run_in(dir.path(), "check chang-roberts --nodes 3 --save r.toml --svg r.svg");
    assert_eq!(ended.code, 0);
    assert_eq!(ended.stderr.matches("nothing is violated").count(), 2, "{}", ended.stderr);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Arguments, and words that the message must have.
const REFUSED: &[(&str, &[&str])] = &[
    ("check", &["ALGORITHM"]),
    ("check chang-robert", &["no algorithm 'chang-robert'", "did you mean 'chang-roberts'?"]),
    ("check chang-roberts --nodes 0", &["no members"]),
    ("check chang-roberts --nodes 33", &["33 members are too many to check", "at most 32"]),
    ("check chang-roberts --nodes 99999999999999", &["too many to check"]),
    ("check bully --nodes 17", &["272 ways for messages", "255"]),
    ("check chang-roberts --ids 1,2 --orders all", &["--ids", "cannot be used with", "--orders"]),
    ("check chang-roberts --order best --orders all", &["--order", "cannot be used with", "--orders"]),
    ("check chang-roberts --nodes 12 --orders all", &["more than 1000000 orders", "use fewer members"]),
    ("check chang-roberts --nodes 32 --initiators any", &["more than 1000000", "use fewer members"]),
    ("check chang-roberts --ids 1,2 --initiators 9", &["initiator 9 is not a member", "1, 2"]),
    ("check chang-roberts --initiators none", &["'none' is no id", "'any'"]),
    ("check lcr --initiators any", &["every member starts by itself", "leave out --initiators any"]),
    ("check lcr --initiators one", &["every member starts by itself", "leave out --initiators one"]),
    ("check lcr --initiators 1", &["every member starts by itself"]),
    ("check chang-roberts --crashes 17", &["--crashes", "16"]),
    ("check chang-roberts --nodes 2 --crashes 3", &["there cannot be 3 crashes", "at most 2"]),
    ("check chang-roberts --recoveries 1", &["--recoveries goes with --crashes"]),
    ("check chang-roberts --losses 300", &["--losses"]),
    ("check chang-roberts --drift 1%", &["no clock", "--drift goes with --timing clock"]),
    ("check bully --timing any --grain 2", &["no clock", "--grain goes with --timing clock"]),
    ("check bully --drift 0.1% --grain 2", &["nobody would notice a drift of 0.1%", "--grain"]),
    ("check bully --drift 60%", &["'60%' is no drift"]),
    ("check bully --drift 1% --nodes 11", &["11 clocks that drift"]),
    ("check bully --grain 0", &["--grain"]),
    ("check bully --ring-closes yes", &["--ring-closes is for rings"]),
    ("check lcr --topology torus", &["lcr needs a one-way ring"]),
    ("check chang-roberts --threads 100000", &["--threads"]),
    ("check chang-roberts --memory 1M", &["1.0 MiB are too few", "at least 16.0 MiB"]),
    ("check chang-roberts --memory lots", &["'lots' is no size"]),
    ("check chang-roberts --time soon", &["'soon' is no length of time", "90s or 10m"]),
    ("check chang-roberts --time 0s", &["'0s' is no length of time"]),
    ("check chang-roberts --save -", &["--save needs a file"]),
    ("check chang-roberts --crashes 1 --mermaid a --svg a", &["a is to be written twice"]),
    ("check chang-roberts --format markdown", &["goes with --all"]),
    ("check chang-roberts --all", &["cannot be used with", "--all"]),
    ("check --all --crashes 1", &["cannot be used with"]),
    ("check --all --save a", &["cannot be used with"]),
    ("check --all --time 5s --format markdown", &["how fast the machine is", "--states"]),
    ("check --all --time 5s --states 9 --format markdown", &["how fast the machine is", "leave out --time"]),
    ("check --all --time 5s --states 9", &["one bound is enough", "leave out --time"]),
];

#[test]
fn what_cannot_be_checked_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    for (args, words) in REFUSED {
        let ended = run_in(dir.path(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args}: {}", ended.stderr);
        for word in *words {
            assert!(ended.stderr.contains(word), "{args}: no '{word}' in {}", ended.stderr);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{args}");
    }
    let ended = run_in(dir.path(), "check chang-roberts --crashes 1 --save nowhere/r.toml");
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{}", ended.stderr);
}

#[test]
fn what_people_read_is_as_it_was() {
    assert_golden("check-holds.txt", &run_well("check chang-roberts --nodes 4 --no-reduction").stdout);
    let violated = run("check chang-roberts --nodes 4 --crashes 1").stdout;
    assert_golden("check-violated.txt", &violated);
}

#[test]
fn limits_are_kept_in_the_command_that_checks_again() {
    for time in ["1m30s", "1s500ms", "20ms"] {
        let limits = format!("--ticks 9 --memory 512M --time {time} --states 12");
        let object = run(&format!("check quorum-lease --nodes 2 {limits} --format json")).json();
        assert_eq!(object["again"], format!("bellwether check quorum-lease --nodes 2 {limits}"));
    }
}

/// Duties bear on who can lead: of two voters and an onlooker both are needed, of three voters two.
#[test]
fn duties_and_the_bound_on_drift_can_be_given() {
    let duties = "--ids 1,2,3 --witnesses 2 --observers 3";
    let (code, object) = json(&format!("quorum-lease {duties} --drift-bound 2%"));
    assert_eq!((code, object["verdict"].as_str()), (0, Some("holds")), "{object}");
    let again = format!("bellwether check quorum-lease {duties} --drift-bound 2%");
    assert_eq!(object["again"], again);
    let (_, all_alike) = json("quorum-lease --ids 1,2,3");
    assert_ne!(object["states"], all_alike["states"], "duties make a difference");
    // What an algorithm does not know of is refused, and so is a member that is not there.
    assert_eq!(run("check chang-roberts --ids 1,2,3 --observers 3").code, 2);
    assert_eq!(run("check quorum-lease --ids 1,2,3 --witnesses 4").code, 2);
    assert_eq!(run("check --all --observers 3").code, 2);
}

/// Cells of the page with at most so many states are checked again.
const MOST_STATES: u64 = 5_000;
/// A violation that takes more states to be found is not looked for again.
const MOST_SEARCHED: u64 = 100_000;

/// With REWRITE_GOLDEN set the whole page is written: that takes minutes.
#[test]
fn the_page_of_what_is_proven_is_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proven.md");
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        fs::write(&path, run_well("check --all --format markdown").stdout).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap();
    let options = [
        "",
        "--crashes 1",
        "--crashes 1 --recoveries 1",
        "--losses 1",
        "--duplicates 1",
        "--links reordering",
    ];
    let tables = page.split("## Every member calls").nth(1).unwrap();
    let (everyone, one) = tables.split_once("## One member calls").unwrap();
    for (table, callers) in [(everyone, "all"), (one, "one")] {
        check_table(table, callers, &options);
    }
}

/// Checks the smaller cells of a table again.
fn check_table(table: &str, callers: &str, options: &[&str]) {
    let (mut held, mut broken) = (0, 0);
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        for (cell, options) in cells[1..].iter().zip(options) {
            let number_after = |mark: &str| {
                let digits = cell.split(mark).nth(1)?.chars().take_while(|c| c.is_ascii_digit() || *c == ',');
                digits.filter(char::is_ascii_digit).collect::<String>().parse::<u64>().ok()
            };
            let check = |n: u64| {
                let limit = format!("--states {MOST_SEARCHED}");
                json(&format!("{} --nodes {n} --initiators {callers} {options} {limit}", cells[0]))
            };
            if let Some(n) = number_after("holds to n = ") {
                let states = number_after("(").unwrap();
                if states <= MOST_STATES {
                    let (_, object) = check(n);
                    assert_eq!(
                        (object["verdict"].as_str(), object["states"].as_u64()),
                        (Some("holds"), Some(states)),
                        "{}: {cell}",
                        cells[0]
                    );
                    held += 1;
                }
            } else if let Some(n @ ..=2) = number_after("violated at n = ") {
                let (code, object) = check(n);
                if code == 6 {
                    continue;
                }
                let (property, steps) =
                    (object["property"].as_str().unwrap_or("none"), number_after("(").unwrap());
                assert!(cell.contains(&format!(": {property} (")), "{}: {cell}, not {property}", cells[0]);
                assert_eq!(
                    object["counterexample"]["steps"].as_array().map(|steps| steps.len() as u64),
                    Some(steps)
                );
                broken += 1;
            }
        }
    }
    assert!(held > 10 && broken > 10, "{callers}: {held} and {broken} cells are few");
}

/// The best member's announcement is lost, and the other has no leader for ever: unless it starts an election again.
#[test]
fn elections_are_started_again_if_asked_for() {
    let lost = "bully --nodes 2 --initiators 2 --losses 1";
    let (code, object) = json(lost);
    assert_eq!((code, object["property"].as_str()), (4, Some("eventually")), "{object}");
    assert!(object["liberties"].get("restarts").is_none() && object.get("restarts_cut").is_none());
    let (code, object) = json(&format!("{lost} --restarts 3"));
    assert_eq!((code, object["verdict"].as_str()), (0, Some("holds")), "{object}");
    assert!(object.get("restarts_cut").is_none(), "three are enough");
    let liberties = &object["liberties"];
    assert_eq!((&liberties["restarts"], &liberties["restart_after"]), (&3.into(), &50.into()));
    assert_eq!(object["again"], format!("bellwether check {lost} --restarts 3"));
    // The root of a tree waits for a lost answer for ever, however often it is called: the end of such runs stays open.
    let in_vain =
        "aggregation-tree --nodes 2 --initiators 1 --losses 1 --restarts 1 --restart-after 20 --timing clock";
    let (code, object) = json(in_vain);
    assert_eq!((code, &object["restarts_cut"]), (0, &true.into()), "{object}");
    let open = object["properties"].as_array().unwrap().iter().filter(|it| it["verdict"] == "incomplete");
    assert_eq!(open.count(), 4, "all but one-leader, and the claims");
    assert_eq!(object["again"], format!("bellwether check {in_vain}"));
    let text = run(&format!("check {in_vain}")).stdout;
    assert!(text.contains("one leader in all") && text.contains("of up to 1 restart"), "{text}");
    assert!(text.contains("members without a leader for 20 delay bounds start an election again"), "{text}");
}

#[test]
fn suspicions_are_heard_if_asked_for() {
    let (code, object) = json("chang-roberts --nodes 3 --suspicions 1");
    assert_eq!((code, object["verdict"].as_str()), (0, Some("holds")), "{object}");
    let (_, without) = json("chang-roberts --nodes 3");
    assert!(object["states"].as_u64() > without["states"].as_u64());
    assert_eq!(object["liberties"]["suspicions"], 1);
    assert!(without["liberties"].get("suspicions").is_none());
    assert!(run("check bully --nodes 2 --suspicions 2").stdout.contains("faults     2 suspicions"));
}

/// The preset is the sum of its options, and options change it.
#[test]
fn what_a_cluster_does_is_checked_by_one_option() {
    let (code, object) = json("bully --nodes 2 --as-cluster --false-alarms 0 --restart-after 2");
    let spelt = "bully --nodes 2 --crashes 1 --suspicions 1 --restarts 1 --restart-after 2 --late-calls --detector yes --certified";
    let (same_code, same) = json(spelt);
    for key in ["liberties", "states", "transitions", "verdict", "properties"] {
        assert_eq!(object[key], same[key], "{key}");
    }
    assert_eq!(code, same_code);
    assert_eq!(
        object["again"],
        "bellwether check bully --nodes 2 --as-cluster --false-alarms 0 --restart-after 2"
    );
    let (_, with_alarm) = json("bully --nodes 2 --as-cluster --restart-after 2");
    assert_eq!(with_alarm["liberties"]["false_alarms"], 1);
    assert!(with_alarm["states"].as_u64() > object["states"].as_u64());
    let refused = run("check chang-roberts --as-cluster");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("which is not checked: leave out --as-cluster"), "{}", refused.stderr);
}

#[test]
fn restarts_that_make_no_sense_are_refused() {
    for (args, why) in [
        ("raft-vote --restarts 1", "every member starts by itself"),
        ("chang-roberts --restarts 1", "boots chang-roberts anew for each election"),
        ("bully --restart-after 9", "--restart-after goes with --restarts"),
        ("aggregation-tree --restarts 1 --restart-after 9", "--restart-after goes with --timing clock"),
        ("bully --restarts 17", "17"),
        ("bully --restarts 1 --restart-after 1000001", "from 1 to 1000000"),
        ("raft-vote --false-alarms 1", "--false-alarms goes with --detector yes"),
    ] {
        let ended = run(&format!("check {args}"));
        assert_eq!(ended.code, 2, "{args}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{args}: {}", ended.stderr);
    }
}

/// A run in which an election is started again is a scenario like any other.
#[test]
fn a_run_with_a_restart_can_be_saved_and_played() {
    let dir = tempfile::tempdir().unwrap();
    let args =
        "check bully --nodes 2 --initiators 1 --losses 1 --restarts 1 --restart-after 12 --save r.toml";
    let ended = run_in(dir.path(), args);
    assert_eq!(ended.code, 3, "two lead for as long as a message takes: {}", ended.stdout);
    let text = fs::read_to_string(dir.path().join("r.toml")).unwrap();
    assert!(text.contains("\"call 2 again\"") && text.contains("restart_after = 12"), "{text}");
    let played = run_in(dir.path(), "play r.toml --check");
    assert_eq!(played.code, 0, "{}{}", played.stdout, played.stderr);
}
