//! Scenario files as text: whatever stands in them, the answer is a scenario or a place and a reason.

use bellwether_sim::scenario::{Scenario, ScenarioError};
use proptest::prelude::*;
use std::path::Path;

const SOUND: &str = r#"title = "T"
about = "ä"
algorithm = "chang-roberts"
ids = [80, 32, 5]
attributes = [1, -2, 3]
initiators = [5]
delay = "uniform:1..3"
until = 100
[[event]]
at = 2.5
crash = [32]
[expect]
outcome = "elected"
leader = 80
messages = { at_most = 9 }
messages_of = { election = 4 }
leaders = { 5 = 80 }
"#;

fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, Path::new("s.toml"))
}

#[test]
fn a_sound_one_is_read_in_full() {
    let scenario = parse(SOUND).unwrap();
    assert_eq!(scenario.title, "T");
    assert_eq!(scenario.ids.iter().map(|id| id.value()).collect::<Vec<_>>(), [80, 32, 5]);
    assert_eq!(scenario.setup.script.len(), 1);
    assert_eq!(scenario.setup.limits.time.hops(), 100.0);
    let lines: Vec<String> =
        scenario.expect.lines().into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    assert_eq!(
        lines,
        [
            "outcome = elected",
            "leader = 80",
            "leaders.5 = 80",
            "messages = at most 9",
            "messages_of.election = 4"
        ]
    );
}

/// The place that an error names is in the text.
fn names_a_place(text: &str) {
    if let Err(error) = parse(text) {
        let ScenarioError::Flawed { line, column, problem, .. } = error else { panic!("{error}") };
        assert!(!problem.is_empty());
        let named = text.split('\n').nth(line - 1).unwrap_or_else(|| panic!("no line {line} in {text:?}"));
        assert!((1..=named.chars().count() + 1).contains(&column), "{line}:{column} in {text:?}");
    }
}

#[test]
fn every_beginning_of_a_sound_one_names_a_place() {
    for (end, _) in SOUND.char_indices() {
        names_a_place(&SOUND[..end]);
    }
}

#[test]
fn depth_is_bounded() {
    for deep in ["[".repeat(100_000), "{a=".repeat(100_000), "a.".repeat(100_000)] {
        names_a_place(&format!("ids = {deep}"));
        names_a_place(&format!("{deep} = 1"));
    }
}

proptest! {
    #[test]
    fn a_spoilt_one_names_a_place(at in 0..SOUND.len(), length in 0_usize..8, put in "[ -~ä\n]{0,6}") {
        let start = (0..=at).rev().find(|&at| SOUND.is_char_boundary(at)).unwrap();
        let end = (start + length..).find(|&at| at >= SOUND.len() || SOUND.is_char_boundary(at)).unwrap();
        let spoilt = format!("{}{put}{}", &SOUND[..start], SOUND.get(end..).unwrap_or_default());
        names_a_place(&spoilt);
    }

    #[test]
    fn any_text_names_a_place(text in "\\PC{0,60}") {
        names_a_place(&text);
    }
}
