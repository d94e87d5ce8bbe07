//! Rings of real processes: they close round a killed leader.

use super::{Up, count};
use rustix::process::Signal;
use serde_json::Value;

/// What was told last of this kind.
fn last<'a>(told: &'a [Value], event: &str) -> &'a Value {
    told.iter().rfind(|line| line["event"] == event).unwrap()
}

#[test]
fn killed_leader_of_a_ring_is_replaced_each_time() {
    let one_way = ["chang-roberts", "chang-roberts/neighbour-timeout", "chang-roberts/detector"];
    for algorithm in one_way.into_iter().chain(["franklin", "hirschberg-sinclair"]) {
        let mut up = Up::start(&format!("--members 3 --algorithm {algorithm} --kill-leader-every 1s"));
        // A leader is killed only when all survivors of the one before have named the same next one.
        up.read_until(|told| count(told, "killed") == 3 && told.last().unwrap()["event"] == "gained");
        up.signal(Signal::TERM);
        up.read_to_the_end();
        assert_eq!(up.child.wait().unwrap().code(), Some(0), "{algorithm}");
        let summary = last(&up.told, "summary");
        let number = |value: &Value| value.as_u64().unwrap();
        assert!(number(&summary["failovers"]["count"]) >= 2, "{algorithm}: {summary}");
        assert!(number(&summary["elections"]) >= 4, "{algorithm}: {summary}");
        if one_way.contains(&algorithm) {
            assert_eq!(number(&summary["leader_changes"]["unprovoked"]), 0, "{algorithm}: {summary}");
        }
        assert_eq!(number(&summary["kills"]), count(&up.told, "killed") as u64, "{algorithm}");
    }
}
