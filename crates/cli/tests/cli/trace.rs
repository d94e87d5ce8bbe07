//! Traces.

use crate::program::run_in;
use serde_json::Value;
use std::fs;
use std::path::Path;

const RUN: &str = "simulate bully --nodes 5 --attributes 3,-1,4,1,5 --initiators 2 --crash 1@0,3@40 --call 2@60.5 \
                   --delay uniform:1..3 --format json --trace t.jsonl";

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_trace_has_a_header_every_event_and_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let object = run_in(dir.path(), RUN).json();
    let lines = lines(&dir.path().join("t.jsonl"));

    let header = &lines[0];
    assert_eq!((&header["format"], &header["version"]), (&"bellwether-trace".into(), &Value::from(1)));
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
        run_in(dir.path(), &format!("{RUN} {options}"));
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
