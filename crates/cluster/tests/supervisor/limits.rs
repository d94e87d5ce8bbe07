//! How long a supervisor waits, and what others can see of it.

use crate::stage::{STOP_TIMEOUT_MS, Stage, eventually, exists, signal, this_program};
use rustix::process::Signal;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use std::process::Command;
use std::time::Duration;

#[test]
fn a_frozen_member_is_killed_some_time_after_the_supervisor_is_told_to_end() {
    let script = "trap 'exit 7' TERM; echo $$ > new; mv new ready; while :; do sleep 0.01; done";
    let stage = Stage::start(this_program("supervisor").env(STOP_TIMEOUT_MS, "200"), script);
    let member = stage.pids("ready")[0];
    signal(member, Signal::STOP);
    signal(stage.supervisor.id(), Signal::TERM);
    let (stream, _) = stage.heard();
    assert!(!exists(member), "it is announced when it is dead");
    assert_eq!(stage.acknowledge(stream).code(), Some(128 + 9));
}

/// To a program they may mean: read your settings again, or leave off what you are doing.
#[test]
fn a_member_that_goes_on_after_other_signals_than_sigterm_is_not_killed() {
    let script = "trap 'echo hup >> heard' HUP; trap 'echo int >> heard' INT; trap 'echo quit >> heard' QUIT; \
                  trap 'exit 7' USR1; echo $$ > new; mv new ready; while :; do sleep 0.01; done";
    let stage = Stage::start(this_program("supervisor").env(STOP_TIMEOUT_MS, "100"), script);
    stage.pids("ready");
    let supervisor = stage.supervisor.id();
    for (number, sent) in [Signal::HUP, Signal::INT, Signal::QUIT].into_iter().enumerate() {
        signal(supervisor, sent);
        eventually(|| stage.read("heard").lines().count() == number + 1);
    }
    std::thread::sleep(Duration::from_millis(200)); // longer than a limit would be, if there were one
    signal(supervisor, Signal::USR1);
    let (stream, _) = stage.heard();
    assert_eq!(stage.acknowledge(stream).code(), Some(7));
}

/// What a process of the same user, without privileges, can open of another.
fn openable(pid: u32) -> Vec<&'static str> {
    let opens = |file: &&str| {
        let mut reader = Command::new("cat");
        let reader = reader.arg(format!("/proc/{pid}/{file}"));
        // Memory cannot be read from its beginning, but that is another error.
        let said = reader.output().unwrap().stderr;
        !String::from_utf8_lossy(&said).contains("ermission denied")
    };
    ["environ", "mem", "maps", "stat"].into_iter().filter(opens).collect()
}

/// Even root cannot, without the capabilities to trace and to measure processes, which are taken from it here.
#[test]
fn a_supervisor_cannot_be_inspected_by_its_own_user() {
    let tested = std::thread::spawn(|| {
        for capability in [CapabilitySet::SYS_PTRACE, CapabilitySet::PERFMON, CapabilitySet::SYS_ADMIN] {
            // A user that may not do this does not have the capability either.
            let _ = remove_capability_from_bounding_set(capability);
        }
        let stage = Stage::set("echo $$ > new; mv new ready; exec sleep 600");
        let member = stage.pids("ready")[0];
        assert!(openable(member).contains(&"environ"), "the member is a program like any other");
        assert_eq!(openable(stage.supervisor.id()), ["stat"]);
        signal(member, Signal::KILL);
        let (stream, _) = stage.heard();
        assert_eq!(stage.acknowledge(stream).code(), Some(128 + 9), "it does its work all the same");
    });
    tested.join().unwrap();
}
