//! `bellwether survive`: which algorithm survives which failures.

use crate::program::run_well;
use std::path::Path;

/// The page is the output of the command that it names. With REWRITE_GOLDEN set it is written instead:
/// look at what changed before it is committed.
#[test]
fn the_page_of_what_survives_what_is_as_it_was() {
    let page = run_well("survive --runs 40 --seed 0 --format markdown").stdout;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/survival.md");
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(expected.lines()).find(|(one, other)| one != other);
    assert!(page == expected, "docs/survival.md has changed (REWRITE_GOLDEN=1 rewrites it): {differs:?}");
}

#[test]
fn it_tells_the_same_in_words_and_as_json() {
    let args = "survive lcr --model none,loss --runs 30";
    let text = run_well(args).stdout;
    assert!(text.contains("always right") && text.contains("no leader"), "{text}");
    assert!(text.contains("bellwether simulate lcr"), "{text}");
    let object = run_well(&format!("{args} --format json")).json();
    assert_eq!((&object["cells"][0]["right"], &object["cells"][0]["model"]), (&30.into(), &"none".into()));
    assert_eq!(object["failures"][0]["class"], "no leader");
    assert_eq!(object["failures"][0]["members"], 2);
}
