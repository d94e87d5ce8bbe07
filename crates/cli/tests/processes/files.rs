//! Members that are started from settings files, as the book describes it.

use crate::cluster::{Cluster, places, write_for_owner};
use crate::process::{Process, Record, id};
use crate::three_machines::settings_of_the_page;
use bellwether::process::SUPERVISOR;
use bellwether::{Secret, Security};
use bellwether_testkit::skipped::skipped;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use serde_json::json;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

#[test]
fn members_with_the_books_minimal_settings_elect_a_leader() {
    let directory = TempDir::new().unwrap();
    let mut settings = settings_of_the_page();
    let secret = settings.pointer_mut("/security/secret").unwrap();
    assert!(
        Secret::new(secret.as_str().unwrap()).check().is_err(),
        "nobody is to use what everybody can read"
    );
    *secret = json!(Secret::generate().unwrap().expose());
    let members = settings["members"].as_array_mut().unwrap();
    assert_eq!(members.len(), 3);
    for (member, place) in members.iter_mut().zip(places()) {
        member["address"] = json!(place);
    }
    let record = Arc::new(Record::default());
    let start = |me: u64| {
        let path = directory.path().join(format!("settings-{me}.json"));
        let mut settings = settings.clone();
        settings["me"] = json!(me);
        settings["data"] = json!(directory.path().join(format!("votes-{me}")));
        write_for_owner(&path, &serde_json::to_vec(&settings).unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_bellwether"));
        command.arg("supervise").arg(path).env(SUPERVISOR, std::process::id().to_string());
        Process::start(command, id(me), &record, 0)
    };
    let _running = [1, 2, 3].map(start);
    record.until("all name the same leader", |recording| {
        let known = recording.known_leaders();
        let all_alike = known.values().all(|it| Some(it) == known.get(&1));
        (known.len() == 3 && all_alike).then_some(())
    });
}

/// How often this is in a process's memory; nothing if this user may not look.
fn in_memory(pid: u32, text: &[u8]) -> Option<usize> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
    let mut found = 0;
    for line in maps.lines().filter(|line| line.contains(" r")) {
        let (from, to) = line.split_once(' ')?.0.split_once('-')?;
        let [from, to] = [from, to].map(|it| u64::from_str_radix(it, 16).unwrap());
        let mut bytes = vec![0; usize::try_from(to - from).unwrap()];
        // Some of the kernel's own pages cannot be read.
        if memory.read_exact_at(&mut bytes, from).is_ok() {
            found += bytes.windows(text.len()).filter(|window| *window == text).count();
        }
    }
    Some(found)
}

/// The secret was in both processes when they read the settings. Keys that were derived from it are left in the member.
#[test]
fn the_secret_is_wiped_from_memory() {
    let chosen = "Zk8v2PqL0xWm5RtY7uBn3CdE6fGh9JsA";
    for secret in [Secret::generate().unwrap(), Secret::new(chosen)] {
        let (mut cluster, ..) =
            Cluster::at_work(1, |settings| settings.security = Security::Secret(secret.clone()));
        let member = cluster.process(1).member().unsigned_abs();
        let supervisor = bellwether::process::parent_of(member).unwrap();
        let text = secret.expose().as_bytes();
        let Some(here) = in_memory(std::process::id(), text) else {
            return skipped("whether secrets are wiped", "this user may not read processes' memory");
        };
        assert!(here > 0, "it is found where it is");
        for (process, pid) in [("supervisor", supervisor), ("member", member)] {
            let Some(found) = in_memory(pid, text) else {
                return skipped("whether secrets are wiped", "this user may not read processes' memory");
            };
            assert_eq!(found, 0, "in the {process}'s memory");
        }
        cluster.finish(&[1]);
    }
}

/// Even root cannot, without the capabilities to trace and to measure processes, which are taken from it here.
#[test]
fn a_member_and_its_supervisor_cannot_be_inspected_by_their_own_user() {
    let tested = std::thread::spawn(|| {
        for capability in [CapabilitySet::SYS_PTRACE, CapabilitySet::PERFMON, CapabilitySet::SYS_ADMIN] {
            // A user who may not do this does not have the capability either.
            let _ = remove_capability_from_bounding_set(capability);
        }
        let can_read = |pid: i32| {
            let mut reader = Command::new("cat");
            reader.arg(format!("/proc/{pid}/environ")).output().unwrap().status.success()
        };
        let mut other = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(can_read(i32::try_from(other.id()).unwrap()), "any other process can be inspected");
        other.kill().unwrap();
        other.wait().unwrap();
        let (mut cluster, ..) = Cluster::at_work(1, |_| ());
        let member = cluster.process(1).member();
        let supervisor = bellwether::process::parent_of(member.unsigned_abs()).unwrap();
        assert!(!can_read(member), "the member's keys are in its memory");
        assert!(!can_read(i32::try_from(supervisor).unwrap()), "the token is in the supervisor's memory");
        cluster.finish(&[1]);
    });
    tested.join().unwrap();
}
