//! Parameters of every registered algorithm: their lists, and their written form.

use bellwether_algorithms::ALGORITHMS;
use bellwether_core::{Domain, Entry, HOP, Parameter, Params};
use bellwether_testkit::dice::Dice;
use std::collections::BTreeSet;

/// A value of a parameter as a user may write it: the least, the greatest, or any.
fn drawn(parameter: &Parameter, dice: &mut Dice) -> String {
    let mut whole = |least: u64, most: u64| match dice.below(4) {
        0 => least,
        1 => most,
        _ => least + dice.below((most - least + 1) as usize) as u64,
    };
    match parameter.domain {
        Domain::Whole(least, most) => whole(least, most).to_string(),
        Domain::Range(least, most) => {
            let from = whole(least, most);
            format!("{from}..{}", whole(from, most))
        }
        Domain::Number(least, most) => (least + (most - least) * whole(0, 1_000) as f64 / 1e3).to_string(),
        Domain::Words(words) => words[whole(0, words.len() as u64 - 1) as usize].to_owned(),
    }
}

/// Every entry with any of its parameters, many times: the displayed form is parsed as the same choice, and is the
/// shortest form.
#[test]
fn displayed_choice_is_parsed_as_the_same() {
    let (mut dice, mut seen) = (Dice(7), BTreeSet::new());
    for (entry, round) in
        (0..ALGORITHMS.entries.len()).flat_map(|entry| (0..200).map(move |round| (entry, round)))
    {
        let plain = ALGORITHMS.choice(entry);
        let mut choice = plain;
        for parameter in plain.spec.parameters.iter().filter(|parameter| !parameter.is_fixed) {
            if dice.below(2) == 0 {
                choice = choice.with(&format!("{}={}", parameter.name, drawn(parameter, &mut dice))).unwrap();
            }
        }
        for text in [choice.to_string(), choice.in_full()] {
            let read = ALGORITHMS.choose(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read, choice, "{text}, round {round}");
            assert_eq!(read.to_string(), choice.to_string());
        }
        assert_eq!(serde_json::to_value(choice).unwrap(), choice.to_string());
        // No part can be left out: neither the variant nor any of the settings.
        let text = choice.to_string();
        let shorter = [text.split_once('/').map(|(name, rest)| {
            format!("{name}{}", rest.split_once(':').map(|(_, it)| format!(":{it}")).unwrap_or_default())
        })];
        for shorter in shorter.into_iter().flatten() {
            assert!(ALGORITHMS.choose(&shorter).is_ok_and(|other| other != choice), "{shorter} {text}");
        }
        let (name, settings) = text.split_once(':').unwrap_or((&text, ""));
        for left_out in settings.split_terminator(',') {
            let rest: Vec<&str> = settings.split(',').filter(|setting| *setting != left_out).collect();
            let shorter =
                if rest.is_empty() { name.to_owned() } else { format!("{name}:{}", rest.join(",")) };
            assert_ne!(ALGORITHMS.choose(&shorter).unwrap(), choice, "{text} without {left_out}");
        }
        seen.insert(text);
    }
    assert!(seen.len() > 500, "too few different choices: {}", seen.len());
}

#[test]
fn invalid_choices_are_refused_with_the_valid_ones() {
    for (text, parts) in [
        ("quorum-leese", &["there is no algorithm 'quorum-leese'", "quorum-lease, zookeeper"] as &[&str]),
        ("quorum-lease/loose", &["has no variant 'loose'", "ranked, randomised, adaptive, tight"]),
        ("quorum-lease:renewals=2", &["2 is not between 3 and 12"]),
        ("quorum-lease:renewals=13", &["13 is not between 3 and 12"]),
        ("quorum-lease:renewals=3..5", &["'3..5' is not a whole number from 3 to 12"]),
        ("quorum-lease/adaptive:lease=33", &["33 is not between 5 and 32"]),
        (
            "quorum-lease:leese=9",
            &[
                "there is no 'leese'",
                "quorum-lease has the parameters renewals, lease, asks, steady, penalties",
            ],
        ),
        ("quorum-lease:order=random", &["the variant sets it, to ranked; use quorum-lease/randomised"]),
        ("quorum-lease:order=oldest", &["'oldest' is not ranked or random"]),
        ("raft-vote:pre-vote=yes", &["the variant sets it, to no; use raft-vote/pre-vote"]),
        ("raft-vote:timeout=150", &["is not a range LEAST..MOST of whole numbers from 10 to 10000"]),
        ("raft-vote:timeout=200..100", &["'200..100' is not a range"]),
        ("lcr:renewals=5", &["'renewals=5' of lcr", "lcr has no parameters"]),
        ("lcr:", &["expected NAME=VALUE"]),
    ] {
        let error = ALGORITHMS.choose(text).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
    }
    assert_eq!(ALGORITHMS.choose("raft-vote:pre-vote=no,timeout=100..200").unwrap().to_string(), "raft-vote");
    let apart =
        |text, variant| ALGORITHMS.choose_variant(text, Some(variant)).map(|choice| choice.to_string());
    assert_eq!(apart("quorum-lease:asks=2", "tight").unwrap(), "quorum-lease/tight:asks=2");
    assert_eq!(apart("quorum-lease/tight:asks=2", "tight").unwrap(), "quorum-lease/tight:asks=2");
    assert!(apart("quorum-lease/tight", "ranked").unwrap_err().to_string().contains("two variants"));
}

/// Keys are looked up in the list of the type, and read in that of the variant.
#[test]
fn variants_of_one_state_machine_list_the_same_parameters() {
    let mut shared = 0;
    for (at, one) in ALGORITHMS.entries.iter().enumerate() {
        let defaults = Params::default().values(one.spec.parameters, HOP);
        for parameter in one.spec.parameters {
            let default = parameter.default_value(HOP);
            assert!(parameter.domain.has(default), "{} of {}: {default}", parameter.name, one.spec.name);
            assert!(!parameter.about.is_empty() && !parameter.name.contains([',', '=', ':', '/']));
            let has_unit = !matches!(parameter.domain, Domain::Words(_));
            assert_eq!(!parameter.unit.is_empty(), has_unit, "{} of {}", parameter.name, one.spec.name);
        }
        for other in &ALGORITHMS.entries[at + 1..] {
            // Variants of one type boot alike.
            if !std::ptr::fn_addr_eq(one.machine.boot, other.machine.boot) {
                continue;
            }
            shared += 1;
            assert_eq!(one.spec.name, other.spec.name);
            let list = |entry: &Entry| {
                let kind = |it: &Parameter| (it.name, it.about, it.unit, std::mem::discriminant(&it.domain));
                entry.spec.parameters.iter().map(kind).collect::<Vec<_>>()
            };
            assert_eq!(list(one), list(other), "{} {}", one.spec.variant, other.spec.variant);
            let policies = |entry: &Entry| {
                let fixed = entry.spec.parameters.iter().filter(|parameter| parameter.is_fixed);
                fixed.map(Parameter::default_text).collect::<Vec<_>>()
            };
            let numbers = Params::default().values(other.spec.parameters, HOP) != defaults;
            assert!(numbers || policies(one) != policies(other), "variants differ");
        }
    }
    assert_eq!(shared, 6 + 1, "four variants of quorum-lease and two of raft-vote");
}
