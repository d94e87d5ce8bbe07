//! Traces.

use crate::program::{Ended, command, ended, run_in};
use serde_json::Value;
use std::fs;
use std::path::Path;

const CRASHES: &str = "simulate bully --nodes 5 --attributes 3,-1,4,1,5 --initiators 2 --crash 1@0,3@40 \
                       --call 2@60.5 --delay uniform:1..3";

/// The same with a trace.
fn run_traced(dir: &Path, options: &str) -> Ended {
    run_in(dir, &format!("{CRASHES} --format json --trace t.jsonl {options}"))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_trace_has_a_header_every_event_and_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let object = run_traced(dir.path(), "").json();
    let lines = lines(&dir.path().join("t.jsonl"));

    let header = &lines[0];
    assert_eq!((&header["format"], &header["version"]), (&"bellwether-trace".into(), &Value::from(2)));
    assert_eq!((&header["algorithm"], &header["variant"]), (&"bully".into(), &"at-once".into()));
    assert_eq!((&header["n"], &header["seed"]), (&Value::from(5), &Value::from(0)));
    assert_eq!((&header["topology"], &header["delay"]), (&"complete".into(), &"uniform:1..3".into()));
    assert_eq!((&header["links"], &header["elect"]), (&"fifo".into(), &"best".into()));
    assert_eq!(header["ids"].as_array().unwrap().len(), 5);
    assert_eq!(header["attributes"], serde_json::json!([3, -1, 4, 1, 5]));
    assert_eq!(header["initiators"], serde_json::json!([2]));
    let script = serde_json::json!([
        { "t": 0, "event": "crash", "member": 1 },
        { "t": 40, "event": "crash", "member": 3 },
        { "t": 60.5, "event": "call", "member": 2 },
    ]);
    assert_eq!(header["script"], script);

    let sends = lines.iter().filter(|line| line["event"] == "send").count();
    assert_eq!(object["messages"]["total"], sends);

    let footer = lines.last().unwrap();
    assert_eq!(footer["event"], "end");
    for key in ["outcome", "leader", "time"] {
        assert_eq!(footer[key], object[key], "{key}");
    }
    assert_eq!(footer["messages"], object["messages"]["total"]);
}

#[test]
fn traces_repeat_to_the_byte_and_leave_nothing_else_behind() {
    let trace = |options: &str| {
        let dir = tempfile::tempdir().unwrap();
        run_traced(dir.path(), options);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "a temporary file is left");
        fs::read(dir.path().join("t.jsonl")).unwrap()
    };
    assert_eq!(trace("--seed 1"), trace("--seed 1"));
    assert_ne!(trace("--seed 1"), trace("--seed 2"));
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error_and_the_old_one_stays() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run_in(dir.path(), "simulate lcr --trace no/such/place");
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
    assert!(ended.stderr.starts_with("error: cannot write no/such/place"), "{}", ended.stderr);
    fs::create_dir(dir.path().join("taken")).unwrap();
    assert_eq!(run_in(dir.path(), "simulate lcr --trace taken").code, 1);

    fs::write(dir.path().join("t.jsonl"), "old").unwrap();
    assert_eq!(run_in(dir.path(), "simulate lcr --ids 1,1 --trace t.jsonl").code, 2);
    assert_eq!(fs::read_to_string(dir.path().join("t.jsonl")).unwrap(), "old");
    assert_eq!(run_in(dir.path(), "simulate lcr --trace t.jsonl").code, 0);
    assert_eq!(lines(&dir.path().join("t.jsonl"))[0]["algorithm"], "lcr");
}

#[test]
fn over_a_synchroniser_every_message_is_traced_too() {
    let dir = tempfile::tempdir().unwrap();
    let args = "simulate lcr/halting --nodes 4 --delay exponential:3 --format json --trace t";
    let object = run_in(dir.path(), args).json();
    let sends = lines(&dir.path().join("t")).iter().filter(|line| line["event"] == "send").count();
    assert_eq!(object["messages"]["total"], sends);
}

/// A run again from its trace: what it prints and its trace, without the command that repeats it.
fn repeated(dir: &Path, options: &str) -> (Value, Vec<u8>) {
    let ended =
        run_in(dir, &format!("simulate --from-trace t.jsonl --trace u.jsonl --format json {options}"));
    let mut object = ended.json();
    object["again"].take();
    (object, fs::read(dir.join("u.jsonl")).unwrap())
}

#[test]
fn a_run_repeats_from_its_trace_to_the_byte() {
    let told = "simulate quorum-lease --nodes 5 --witnesses 2 --observers 5 --drift-bound 500ppm --id-bound 9 --seed 3";
    let restarted = "simulate bully --ids 1,2 --initiators 2 --lose coordinator:2-1#1 --restart-after 50";
    let troubled = "simulate chang-roberts/suppressing --nodes 6 --loss 5% --crash 3@4 --detector heartbeat:T=5 \
                    --delay uniform:0.5..2.0 --links reordering --ring-closes --until 300";
    let in_rounds = "simulate lcr --variant halting --order worst --synchroniser";
    for run in [CRASHES, told, restarted, troubled, in_rounds] {
        let dir = tempfile::tempdir().unwrap();
        let mut object = run_in(dir.path(), &format!("{run} --format json --trace t.jsonl")).json();
        object["again"].take();
        let trace = fs::read(dir.path().join("t.jsonl")).unwrap();
        assert_eq!(repeated(dir.path(), ""), (object, trace), "{run}");
    }
}

/// Also one that the checker has found, step by step: a run that goes round for ever.
#[test]
fn what_the_checker_finds_repeats_from_its_trace_to_the_byte() {
    let dir = tempfile::tempdir().unwrap();
    let found = run_in(dir.path(), "check chang-roberts --nodes 3 --crashes 1 --trace t.jsonl");
    assert_eq!(found.code, 4, "{}", found.stdout);
    let (object, trace) = repeated(dir.path(), "");
    assert_eq!(object["live"], false);
    assert_eq!(trace, fs::read(dir.path().join("t.jsonl")).unwrap());
    let again = run_in(dir.path(), "simulate --from-trace t.jsonl --format json").json();
    let again = again["again"].as_str().unwrap();
    assert!(again.contains("--schedule '") && again.contains("--loops-from"), "{again}");
    let words = shlex::split(again).unwrap();
    let ended = ended(
        command("").args(&words[1..]).args(["--trace", "v.jsonl"]).current_dir(dir.path()).output().unwrap(),
    );
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(fs::read(dir.path().join("v.jsonl")).unwrap(), trace);
    let refused = run_in(dir.path(), "simulate --from-trace t.jsonl --runs 2");
    assert!(refused.code == 2 && refused.stderr.contains("leave out --runs"), "{}", refused.stderr);
}

#[test]
fn what_is_no_trace_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("other"), "title = 'T'\n").unwrap();
    fs::write(dir.path().join("later"), "{\"format\":\"bellwether-trace\",\"version\":9}\n").unwrap();
    for (args, code, words) in [
        ("--from-trace missing", 1, "cannot read missing"),
        ("--from-trace other", 2, "other: this is not a trace"),
        ("--from-trace later", 2, "later: this trace has version 9"),
        ("--from-trace other --seed 3", 2, "cannot be used with"),
        ("lcr --from-trace other", 2, "cannot be used with"),
    ] {
        let ended = run_in(dir.path(), &format!("simulate {args}"));
        assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{args}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{args}: {}", ended.stderr);
    }
}
