//! Directories of earlier runs: which ones are refused, and what is said.

use crate::program::{Ended, run_in};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn up(dir: &Path, args: &str) -> Ended {
    run_in(dir, &format!("up --data data --for 100ms --format json {args}"))
}

/// A directory in which three members have run.
fn used() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let ended = up(dir.path(), "--members 3");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    dir
}

fn state(dir: &Path, member: u64) -> std::path::PathBuf {
    dir.join(format!("data/member-{member}/votes/state"))
}

/// It is refused before anything is started or written.
fn assert_refused(ended: &Ended, words: &[&str]) {
    assert_eq!((ended.code, &*ended.stdout), (2, ""), "{}", ended.stderr);
    for word in words {
        assert!(ended.stderr.contains(word), "no '{word}' in {}", ended.stderr);
    }
}

#[test]
fn directory_of_another_number_of_members_is_refused() {
    let dir = used();
    assert_refused(&up(dir.path(), "--members 5"), &["a cluster of 3 members, not of 5", "--members 3"]);
    assert_refused(&up(dir.path(), "--members 1"), &["a cluster of 3 members, not of 1"]);
    assert!(!dir.path().join("data/member-4").exists());
    assert_eq!(up(dir.path(), "--members 3").code, 0);
}

#[test]
fn settings_without_state_need_a_flag() {
    let dir = used();
    fs::remove_file(state(dir.path(), 2)).unwrap();
    let words = ["member 2 has no state", "dismiss", "When a disk is lost"];
    let refused = up(dir.path(), "--members 3");
    assert_refused(&refused, &words);
    assert!(!refused.stderr.contains("--new-store"), "it does not help: {}", refused.stderr);
    [1, 3].iter().for_each(|&member| fs::remove_file(state(dir.path(), member)).unwrap());
    let words = ["members 1, 2, 3 have no state", "fencing tokens begin anew", "--new-store"];
    assert_refused(&up(dir.path(), "--members 3"), &words);
    let ended = up(dir.path(), "--members 3 --new-store");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(run_in(dir.path(), "up --members 3 --for 100ms --new-store").code, 2, "of which directory?");
}

#[test]
fn missing_member_directory_is_a_missing_state() {
    let dir = used();
    fs::remove_dir_all(dir.path().join("data/member-2")).unwrap();
    assert_refused(&up(dir.path(), "--members 3"), &["member 2 has no state", "When a disk is lost"]);
    assert!(!dir.path().join("data/member-2").exists());
}

#[test]
fn member_that_ends_unasked_shows_in_the_exit_code() {
    let dir = used();
    fs::remove_dir_all(dir.path().join("data/member-2")).unwrap();
    let ended = run_in(dir.path(), "up --data data --for 4s --format json --members 3 --new-store");
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("error: member 2 ended unasked"), "{}", ended.stderr);
    assert!(ended.stdout.contains("\"event\":\"summary\""), "the others run: {}", ended.stdout);
}

#[test]
fn member_that_cannot_start_shows_in_the_exit_code() {
    let dir = used();
    fs::remove_file(state(dir.path(), 2)).unwrap();
    fs::create_dir(state(dir.path(), 2)).unwrap();
    let ended = up(dir.path(), "--members 3");
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("member 2: error: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("error: member 2 could not start"), "{}", ended.stderr);
    assert!(ended.stdout.contains("\"event\":\"summary\""), "the others run: {}", ended.stdout);
}
