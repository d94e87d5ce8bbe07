//! Drawn descriptions through every form and back.

use bellwether_runspec::document::{Table, parse_toml, write_toml};
use bellwether_runspec::trace::read_header;
use bellwether_runspec::{FIELDS, RunSpec, command, file_keys, words};
use bellwether_testkit::drawn_runs::{drawn_run, run_of_words};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn from_toml(text: &str) -> RunSpec {
    let entries = parse_toml(text).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"));
    let keys = file_keys();
    let table =
        Table::new(&entries, 0, "a run", &keys, &keys).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"));
    RunSpec::read(&table).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_description_is_the_same_in_toml(run in drawn_run()) {
        let text = write_toml(&run.entries());
        prop_assert_eq!(from_toml(&text), run, "{}", text);
    }

    #[test]
    fn a_description_is_the_same_in_json(run in drawn_run()) {
        let text = serde_json::to_string(&run).unwrap();
        let read: RunSpec = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        prop_assert_eq!(&read, &run, "{}", text);
        let header = format!("{{\"format\":\"bellwether-trace\",\"version\":2,\"run\":{text}}}");
        prop_assert_eq!(read_header(&header), Ok(run));
    }

    #[test]
    fn a_description_is_the_same_in_words(run in drawn_run()) {
        let words = words(&run);
        prop_assert_eq!(run_of_words(&words), run.clone(), "{:?}", words);
        // A shell takes the command apart into the same words.
        let mut all = vec!["bellwether".to_owned(), "simulate".to_owned()];
        all.extend(words);
        prop_assert_eq!(shlex::split(&command(&run)), Some(all));
    }
}

/// Drawing leaves nothing out: whatever a field can be written as, it is written as.
#[test]
fn every_field_is_drawn_and_written() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let (mut in_files, mut in_words) = (BTreeSet::new(), BTreeSet::new());
    let mut runner = TestRunner::deterministic();
    for _ in 0..1_000 {
        let run = drawn_run().new_tree(&mut runner).expect("it can be drawn").current();
        in_files.extend(run.entries().into_iter().map(|(key, _)| key.value));
        in_words
            .extend(FIELDS.iter().filter(|field| !field.texts(&run).is_empty()).map(|field| field.option));
    }
    // What is only read: it is written as a parameter of the algorithm.
    let is_written = |name: &&str| *name != "renewals";
    let keys: BTreeSet<String> = file_keys().into_iter().filter(is_written).map(str::to_owned).collect();
    assert_eq!(in_files, keys);
    let options: BTreeSet<&str> = FIELDS
        .iter()
        .map(|field| field.option)
        .filter(|option| !option.is_empty())
        .filter(is_written)
        .collect();
    assert_eq!(in_words, options);
}

#[test]
fn renewals_are_read_as_a_parameter_of_the_algorithm() {
    for (algorithm, expected) in [
        ("quorum-lease", "quorum-lease:renewals=5"),
        ("quorum-lease/tight:lease=9", "quorum-lease/tight:lease=9,renewals=5"),
    ] {
        let run = RunSpec::of(expected);
        assert_eq!(from_toml(&format!("renewals = 5\nalgorithm = '{algorithm}'\n")), run);
        assert_eq!(run_of_words(&[algorithm, "--renewals", "5"].map(str::to_owned)), run);
        assert_eq!(words(&run)[0], expected);
    }
}
