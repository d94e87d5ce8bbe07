//! Files of settings that make no sense: code 2 and what to do; files that cannot be read: code 1. No secret is repeated.

use crate::program::{Ended, command, ended, run_in};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

const SECRET: &str = "bw1-0708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526e6115903";

/// Settings of a member that would start.
fn good() -> Value {
    json!({
        "cluster": "orders",
        "me": 1,
        "members": [{"id": 1, "address": "127.0.0.1:0"}, {"id": 2, "address": "127.0.0.1:7402"}],
        "data": "votes",
        "security": {"secret": SECRET},
    })
}

/// Runs a member, or its supervisor, by what is in a file. A member that starts is told to stop.
fn run_by(dir: &Path, verb: &str, text: &[u8]) -> Ended {
    let path = dir.join("settings.json");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let mut member = command(&format!("{verb} settings.json"));
    member.current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut member = member.spawn().unwrap();
    let _ = member.stdin.take().unwrap().write_all(b"stop\n"); // it may have ended
    ended(member.wait_with_output().unwrap())
}

/// The pointer to a field, what is put there, and words that the message must have.
fn senseless() -> Vec<(&'static str, Value, &'static str)> {
    let long = "x".repeat(2_000);
    let many: Vec<Value> = (1..=101).map(|id| json!({"id": id, "address": format!("there:{id}")})).collect();
    let profile = |field: &str, value: Value| {
        let mut profile = json!({"delay_bound": 12_000, "drift_bound": 10_000});
        profile[field] = value;
        profile
    };
    let files = |ca, own, key| json!({"certificates": {"ca": ca, "certificate": own, "key": key}});
    vec![
        ("/cluster", json!(""), "`cluster` cannot be ''"),
        ("/cluster", json!("two words"), "'two words'"),
        ("/cluster", json!(long), "(2000 characters)"),
        ("/cluster", json!(7), "expected a string"),
        ("/me", json!(9), "member 9 is not among the members"),
        ("/me", json!(-1), "expected a whole number, not negative"),
        ("/me", json!("1"), "expected a whole number, not negative"),
        ("/me", json!(u64::MAX), "line"),
        ("/members", json!([]), "member 1 is not among the members"),
        ("/members", json!({}), "expected a list"),
        ("/members", json!(many), "there are 101 members"),
        ("/members/1/id", json!(1), "two members are called 1"),
        ("/members/1/address", json!("there"), "`address` of member 2: it has no port"),
        ("/members/1/address", json!("there:70000"), "`address` of member 2: its port"),
        ("/members/1/address", json!(":7400"), "it has no host"),
        ("/members/1/address", json!("::1:7400"), "in brackets"),
        ("/members/1/address", json!("http://there:1"), "it is a URL"),
        ("/members/1/address", json!("two words:1"), "its host has characters"),
        ("/members/1/address", json!(long), "it is too long"),
        ("/members/0/address", json!("127.0.0.1:7402"), "members 1 and 2 have the same address"),
        ("/members/1/address", json!("127.0.0.1:0"), "nobody can dial port 0"),
        ("/members/1/address", json!("0.0.0.0:7402"), "it is the address of every host and of none"),
        ("/members/1/address", json!("224.0.0.1:7402"), "it is the address of many hosts"),
        ("/members/1/duty", json!("boss"), "expected one of"),
        ("/members/1/weight", json!(1), "unknown field `weight`"),
        ("/listen", json!("7400"), "`listen`: it has no port"),
        ("/data", json!(""), "`data` is empty"),
        ("/data", json!("a\u{0}b"), "`data` is empty, too long or has a zero byte"),
        ("/security", json!("open"), "expected one of `secret`, `certificates`, `plaintext`"),
        ("/security", json!({"secret": ""}), "the secret has 0 bytes"),
        ("/security", json!({"secret": "too short"}), "needs at least 32"),
        ("/security", json!({"secret": "\0".repeat(32)}), "can be guessed"),
        ("/security", json!({"secret": "password".repeat(8)}), "`bellwether secret`"),
        ("/security", json!({"secret": long}), "at most 1024"),
        ("/security", json!({"secret": SECRET[..70]}), "its checksum is wrong"),
        ("/security", json!({"certificates": {"ca": "ca.pem"}}), "missing field `certificate`"),
        ("/algorithm", json!("quorum-leese"), "there is no algorithm 'quorum-leese'"),
        ("/algorithm", json!("quorum-lease/loose"), "quorum-lease has no variant 'loose'"),
        ("/algorithm", json!("quorum-lease:renewals=2"), "2 is not between 3 and 12"),
        ("/algorithm", json!("quorum-lease:leese=9"), "quorum-lease has the parameters renewals, lease"),
        ("/algorithm", json!(format!("quorum-lease:lease={}", &SECRET[4..36])), "it is too long"),
        ("/algorithm", json!(""), "`algorithm` is no name"),
        ("/algorithm", json!(SECRET), "`algorithm` has a secret in it"),
        ("/algorithm", json!(long), "`algorithm` is no name"),
        ("/detector", json!("hartbeat"), "there is no detector 'hartbeat'"),
        ("/detector", json!("perfect"), "only a simulator"),
        ("/detector", json!("heartbeat:D=1"), "D=1"),
        ("/detector", json!("heartbeat:T=x"), "is not a number"),
        ("/detector", json!(format!("heartbeat:T={}", &SECRET[4..36])), "it is too long"),
        ("/detector", json!(SECRET), "`detector` has a secret in it"),
        ("/cluster", json!(&SECRET[..60]), "`cluster` has a secret in it"),
        ("/data", json!(SECRET), "`data` has a secret in it"),
        ("/listen", json!(format!("{SECRET}:1")), "`listen` has a secret in it"),
        ("/members/1/address", json!(format!("{SECRET}:1")), "`address` has a secret in it"),
        ("/security", files(SECRET, "own.pem", "key.pem"), "`ca` has a secret in it"),
        ("/security", files("ca.pem", SECRET, "key.pem"), "`certificate` has a secret in it"),
        ("/security", files("ca.pem", "own.pem", SECRET), "`key` has a secret in it"),
        ("/profile", profile("delay_bound", json!(0)), "`delay_bound` is 0 us"),
        ("/profile", profile("delay_bound", json!(1)), "`delay_bound` is 1 us"),
        ("/profile", profile("delay_bound", json!(u64::MAX)), "`delay_bound` is 18446744073709551615 us"),
        ("/profile", profile("drift_bound", json!(500_000)), "`drift_bound` is 500000 millionths"),
        ("/profile", profile("drift_bound", json!(-1)), "`profile.drift_bound`: the value"),
        ("/profile", profile("renewals", json!(99)), "99 is not between 3 and 12"),
        ("/profile", profile("parameters", json!("renewals=2")), "2 is not between 3 and 12"),
        ("/profile", profile("parameters", json!(SECRET)), "`parameters` has a secret in it"),
        ("/profile", json!("quick"), "\"steady\", \"fast\""),
        ("/clock_gains", json!(-1_000_000), "`clock_gains` is -1000000 millionths"),
        ("/clock_gains", json!(2_000_000_000), "`clock_gains` is 2000000000 millionths"),
        ("/stop_timeout_ms", json!(0), "`stop_timeout_ms` is 0"),
        ("/stop_timeout_ms", json!(u64::MAX), "`stop_timeout_ms` is 18446744073709551615"),
        ("/seed", json!(1.5), "expected a whole number, not negative"),
        ("/always_stands", json!("yes"), "expected `true` or `false`"),
        ("/commitment", json!("00"), "unknown field `commitment`"),
        ("/detektor", json!("heartbeat"), "unknown field `detektor`"),
    ]
}

fn changed(pointer: &str, value: Value) -> Value {
    let mut settings = good();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    let parent = settings.pointer_mut(parent).unwrap();
    match parent.as_array_mut() {
        Some(list) => list[field.parse::<usize>().unwrap()] = value,
        None => parent[field] = value,
    }
    settings
}

/// One or two sentences, without values that could be the secret.
fn assert_helpful(ended: &Ended, code: i32, words: &str, what: &str) {
    let said: Vec<&str> = ended.stderr.lines().filter(|line| !line.contains(" runs ")).collect();
    assert_eq!((ended.code, said.len()), (code, 1), "{what}: {}", ended.stderr);
    assert!(said[0].starts_with("error: ") && said[0].contains(words), "{what}: {}", said[0]);
    // A list of all algorithms or fields is the longest.
    assert!(said[0].len() < 700, "{what}: {}", said[0]);
    assert!(!said[0].contains(SECRET) && !said[0].contains(&SECRET[4..36]), "{what}: {}", said[0]);
    assert!(!said[0].contains(&"x".repeat(100)), "{what}: {}", said[0]);
    assert_eq!(ended.stdout, "", "{what}");
}

#[test]
fn senseless_settings_end_with_2_and_say_what_to_do() {
    let dir = TempDir::new().unwrap();
    for (pointer, value, words) in senseless() {
        let what = format!("{pointer}: {words}");
        let text = serde_json::to_vec_pretty(&changed(pointer, value)).unwrap();
        let ended = run_by(dir.path(), "member", &text);
        assert_helpful(&ended, 2, words, &what);
        assert!(ended.stderr.contains("settings.json"), "{what}: {}", ended.stderr);
        assert!(!dir.path().join("votes").exists(), "{what}: nothing was done");
    }
}

#[test]
fn a_field_that_is_missing_is_named() {
    let dir = TempDir::new().unwrap();
    for field in ["cluster", "me", "members", "data", "security"] {
        let mut settings = good();
        settings.as_object_mut().unwrap().remove(field);
        let ended = run_by(dir.path(), "member", &serde_json::to_vec(&settings).unwrap());
        assert_helpful(&ended, 2, &format!("missing field `{field}`"), field);
    }
}

#[test]
fn files_that_are_no_settings_end_with_2() {
    let dir = TempDir::new().unwrap();
    let whole = serde_json::to_vec(&good()).unwrap();
    for (text, words) in [
        (&b""[..], "EOF while parsing"),
        (b"{", "EOF while parsing"),
        (b"[]", "expected an object"),
        (b"null", "expected an object"),
        (b"\"a string\"", "expected an object"),
        (b"\xff\xfe\x00", "expected value"),
        (b"cluster = 'orders'", "expected value"),
        (&[&whole[..], b"x"].concat(), "trailing characters"),
        (&whole[..whole.len() - 1], "EOF while parsing"),
        (&vec![b' '; (1 << 20) + 1], "more than 1048576 bytes"),
        (&vec![b'['; 100_000], "line 1"),
    ] {
        let ended = run_by(dir.path(), "member", text);
        assert_helpful(&ended, 2, words, words);
    }
}

#[test]
fn files_that_cannot_be_read_or_used_end_with_1() {
    let dir = TempDir::new().unwrap();
    for (path, words) in [("there-is-none.json", "No such file"), (".", "Is a directory")] {
        for verb in ["member", "supervise"] {
            assert_helpful(&run_in(dir.path(), &format!("{verb} {path}")), 1, words, path);
        }
    }
    fs::write(dir.path().join("a-file"), "").unwrap();
    let certificates =
        json!({"certificates": {"ca": "none.pem", "certificate": "none.pem", "key": "none.pem"}});
    for (pointer, value, words) in [
        ("/data", json!("a-file"), "a-file"),
        ("/listen", json!("192.0.2.1:7400"), "cannot listen at 192.0.2.1:7400"),
        ("/security", certificates, "cannot read none.pem"),
    ] {
        let text = serde_json::to_vec(&changed(pointer, value)).unwrap();
        assert_helpful(&run_by(dir.path(), "member", &text), 1, words, words);
    }
}

#[test]
fn certificates_that_are_none_end_with_2() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("empty.pem"), "").unwrap();
    let files = json!({"certificates": {"ca": "empty.pem", "certificate": "empty.pem", "key": "empty.pem"}});
    let text = serde_json::to_vec(&changed("/security", files)).unwrap();
    assert_helpful(&run_by(dir.path(), "member", &text), 2, "no certificate in it", "an empty file");
}

/// It ends as its member would, and says it once.
#[test]
fn a_supervisor_ends_with_the_same_code() {
    let dir = TempDir::new().unwrap();
    for (pointer, value, words) in [
        ("/me", json!(9), "member 9 is not among the members"),
        ("/algorithm", json!("quorum-leese"), "there is no algorithm"),
    ] {
        let text = serde_json::to_vec(&changed(pointer, value)).unwrap();
        assert_helpful(&run_by(dir.path(), "supervise", &text), 2, words, words);
    }
}

#[test]
fn a_secret_that_others_can_read_is_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("settings.json");
    fs::write(&path, serde_json::to_vec(&good()).unwrap()).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    for verb in ["member", "supervise"] {
        let ended = run_in(dir.path(), &format!("{verb} settings.json"));
        assert_helpful(&ended, 2, "its mode is 0644", verb);
        assert!(ended.stderr.contains("chmod 600"), "{}", ended.stderr);
    }
}

/// The directory was another member's, or of other voters.
#[test]
fn settings_that_contradict_what_is_on_disk_end_with_2() {
    let dir = TempDir::new().unwrap();
    let mut alone = good();
    alone["members"] = json!([{"id": 1, "address": "127.0.0.1:0"}]);
    let text = serde_json::to_vec(&alone).unwrap();
    let before = run_by(dir.path(), "member", &text);
    assert_eq!(before.code, 0, "{}", before.stderr);
    let mut renamed = alone.clone();
    renamed["cluster"] = json!("returns");
    for (changed, words) in [(good(), "voters"), (renamed, "belongs to member 1 of cluster 'orders'")] {
        let ended = run_by(dir.path(), "member", &serde_json::to_vec(&changed).unwrap());
        assert_helpful(&ended, 2, words, words);
    }
}
