//! Explanations.

use crate::program::{run, run_well};
use std::collections::BTreeSet;

const HEADINGS: [&str; 8] =
    ["Idea", "Assumptions", "Rules", "Outcome", "Cost", "What breaks it", "Sources", "Try it"];

fn names() -> BTreeSet<String> {
    let list = run_well("algorithms --format json").json();
    let names = list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn every_algorithm_has_a_page_with_everything() {
    for name in names() {
        let text = run_well(&format!("explain {name}")).stdout;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], name);
        for heading in HEADINGS {
            let at = lines.iter().position(|line| *line == heading);
            let at = at.unwrap_or_else(|| panic!("{name}: no '{heading}' in\n{text}"));
            assert_eq!(lines[at + 1], "-".repeat(heading.len()), "{name}");
            assert!(lines[at + 3].len() > 3, "{name}: nothing under '{heading}'");
        }
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn json_has_the_same_sections() {
    let page = run_well("explain lcr --format json").json();
    assert_eq!(page["name"], "lcr");
    let variants: Vec<_> = page["variants"].as_array().unwrap().iter().map(|v| &v["name"]).collect();
    assert_eq!(variants, ["leader-only", "deciding", "halting"]);
    for section in ["idea", "rules", "what_breaks_it"] {
        assert!(page[section].as_str().is_some_and(|text| text.len() > 50), "{section}");
    }
    let all = run_well("explain --format json").json();
    assert_eq!(all.as_array().unwrap().len(), names().len());
}

/// No variant's name stands in the middle of what is said of another.
#[test]
fn what_is_said_of_variants_is_apart() {
    for name in names() {
        let text = run_well(&format!("explain {name}")).stdout;
        let page = run_well(&format!("explain {name} --format json")).json();
        for variant in page["variants"].as_array().unwrap() {
            let heading = format!("`{}`:", variant["name"].as_str().unwrap());
            let is_apart = |line: &str| {
                !line.contains(&heading)
                    || line.trim_start_matches("- ").trim_start_matches("In ").starts_with(&heading)
            };
            assert!(text.lines().all(is_apart), "{heading} in\n{text}");
        }
    }
}

#[test]
fn the_page_of_all_algorithms_is_up_to_date() {
    let page = run_well("explain --format markdown").stdout;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/algorithms.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let how = "write it anew: cargo run -- explain --format markdown > docs/algorithms.md";
    assert!(page == written, "docs/algorithms.md is not what `explain` says; {how}");
}

#[test]
fn the_book_lists_every_algorithm_and_variant() {
    let page = include_str!("../../../../book/src/reference/algorithms.md");
    let list = run_well("algorithms --format json").json();
    for entry in list.as_array().unwrap() {
        let (name, variant) = (entry["name"].as_str().unwrap(), entry["variant"].as_str().unwrap());
        let row =
            page.lines().find(|line| line.starts_with(&format!("| [`{name}`](algorithm-pages.md#{name}) |")));
        let row = row.unwrap_or_else(|| panic!("the book does not list {name}"));
        assert!(row.contains(&format!("`{variant}`")), "{row} lacks {variant}");
    }
}

#[test]
fn an_unknown_algorithm_is_refused_with_a_suggestion() {
    let ended = run("explain chang-robert");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("did you mean 'chang-roberts'?"), "{}", ended.stderr);
}
