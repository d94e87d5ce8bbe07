//! A store on a disk that is full: a tiny file system of its own, which only this program, started once more, can see.

use bellwether_cluster::{Store, StoreError, Terms};
use bellwether_core::{Id, Span};
use bellwether_testkit::skipped::skipped;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;
use std::{fs, io};

const ROLE: &str = "BELLWETHER_TEST_DISK";

/// Not a test by itself: what this program does on the tiny disk.
#[test]
fn on_a_tiny_disk() {
    let member = Id::new(1).unwrap();
    let terms = Terms {
        protocol: "quorum-lease/ranked".to_owned(),
        parameters: String::new(),
        delay_bound: Span::from_ticks(12_000),
        drift_bound: 10_000,
        voters: vec![member],
    };
    let open = |path: &str| Store::open(Path::new(path), "orders", member, &terms);
    match std::env::var(ROLE).as_deref() {
        Ok("full from the start") => {
            fill("filler");
            let error = open("data").unwrap_err();
            assert!(matches!(&error, StoreError::Io { error, .. } if error.kind() == ErrorKind::StorageFull));
            assert!(error.to_string().contains("make room on the disk"), "{error}");
            assert!(!Path::new("data/state").exists(), "half a store is none");
            fs::remove_file("filler").unwrap();
            assert_eq!(open("data").unwrap().1.boot, 1);
        }
        Ok("full later") => {
            let (mut store, _) = open("data").unwrap();
            fill("filler");
            for vote in 0..100_u8 {
                store.write(&[vote; 2000]).unwrap();
            }
            drop(store);
            let (_, saved) = open("data").unwrap();
            assert_eq!((saved.boot, saved.durable), (2, Some(vec![99; 2000])));
        }
        _ => {}
    }
}

fn fill(path: &str) {
    let mut file = fs::File::create(path).unwrap();
    let error: io::Error = loop {
        if let Err(error) = file.write_all(&[0xff; 4096]) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[test]
fn a_full_disk_is_a_clear_error_at_first_and_stops_no_vote_later() {
    let mount = "mount -t tmpfs -o size=128k none \"$1\" && cd \"$1\" && exec \"$2\" on_a_tiny_disk --exact --nocapture";
    for role in ["full from the start", "full later"] {
        let directory = tempfile::tempdir().unwrap();
        let in_a_namespace = |script: &str| {
            let mut command = Command::new("unshare");
            command.args(["--mount", "sh", "-c", script, "sh"]).arg(directory.path());
            command.arg(std::env::current_exe().unwrap()).env(ROLE, role);
            command
        };
        let may_mount =
            in_a_namespace("mount -t tmpfs none \"$1\"").output().is_ok_and(|it| it.status.success());
        if !may_mount {
            skipped(&format!("a disk that is {role}"), "only root can make a tiny disk to fill");
            continue;
        }
        let output = in_a_namespace(mount).output().unwrap();
        assert!(output.status.success(), "{role}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "it must have been tested");
    }
}
