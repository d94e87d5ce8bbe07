//! Who goes before others at the processor.

use crate::cluster::Cluster;
use bellwether::{Event, Profile};
use bellwether_testkit::skipped::skipped;
use std::process::Command;

/// Names of a process's threads that have real-time priority, taking turns (`man 5 proc_pid_stat`, the policy).
fn that_go_first(pid: i32) -> Vec<String> {
    let threads =
        std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().map(|thread| thread.unwrap().path());
    let goes_first = |stat: &str| stat.rsplit_once(") ").unwrap().1.split(' ').nth(41 - 3) == Some("2");
    let named = threads.filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.join("stat")).ok()?; // it may have ended
        goes_first(&stat).then(|| stat[stat.find('(').unwrap() + 1..stat.rfind(')').unwrap()].to_owned())
    });
    named.collect()
}

#[test]
fn only_the_thread_that_keeps_short_leases_goes_before_all() {
    if !Command::new("chrt").args(["-r", "1", "true"]).output().is_ok_and(|output| output.status.success()) {
        skipped("real-time priority", "'chrt' of util-linux may not give any; it takes CAP_SYS_NICE");
        return;
    }
    let cases = [
        (Profile::FAST, "quorum-lease", vec!["bellwether-1"]),
        (Profile::STEADY, "quorum-lease", vec![]),
        (Profile::FAST, "lcr", vec![]), // its rounds never rest
    ];
    for (profile, algorithm, expected) in cases {
        let mut cluster = Cluster::of(1, |settings| {
            settings.profile = profile.clone();
            settings.algorithm = algorithm.into();
        });
        cluster.start(1);
        cluster.until_said("it leads", |_, event| matches!(event, Event::Gained { .. }));
        let process = cluster.process(1).member();
        assert_eq!(that_go_first(process), expected, "{algorithm}");
    }
}
