//! The examples do what they say.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example that cargo has built beside this test.
fn run(name: &str) -> String {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples");
    path.push(name);
    let output = Command::new(&path).output().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn one_worker_after_the_other_with_growing_tokens() {
    let said = run("singleton_worker");
    let tokens: Vec<u64> =
        said.lines().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(tokens.len(), 3, "{said}");
    assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{said}");
}

#[test]
fn a_former_writer_is_refused() {
    let said = run("fenced_writer");
    assert!(said.starts_with("refused: token"), "{said}");
    assert!(!said.contains("still 100"), "{said}");
}

#[test]
fn one_instance_takes_orders_and_the_others_say_which() {
    let said = run("leader_aware_http");
    assert_eq!(said.matches("201 Created").count(), 1, "{said}");
    assert_eq!(said.matches("421 Misdirected Request").count(), 2, "{said}");
    assert_eq!(said.matches(r#""leader":3"#).count(), 2, "{said}");
}

#[test]
fn a_worker_that_is_killed_is_certified_to_be_dead_and_the_next_takes_over() {
    let said = run("supervised_worker");
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("no '{words}' in\n{said}"));
    assert!(place("kill -9") < place("for certain"), "{said}");
    let tokens: Vec<u64> = said
        .lines()
        .filter_map(|line| line.split_once(" leads with token "))
        .map(|(_, token)| token.parse().unwrap())
        .collect();
    assert!(tokens.iter().any(|&token| token > tokens[0]), "{said}");
}
