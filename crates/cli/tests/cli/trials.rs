//! `bellwether trials`: what ordeals do to leadership.

use crate::program::{run, run_well};
use std::path::Path;

/// The page is the output of the command that it names. With REWRITE_GOLDEN set it is written instead:
/// look at what changed before it is committed.
#[test]
fn the_page_of_what_ordeals_do_is_as_it_was() {
    let page = run_well("trials --runs 100 --seed 0 --nodes 5 --format markdown").stdout;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trials.md");
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(expected.lines()).find(|(one, other)| one != other);
    assert!(page == expected, "docs/trials.md has changed (REWRITE_GOLDEN=1 rewrites it): {differs:?}");
}

/// A voter that heard the last renewal up to eight delay bounds before the crash is free 25 after it heard it. To ask
/// who would vote, and to be voted for, takes four messages at most; what is lost costs turns of three.
#[test]
fn a_crashed_leader_is_missed_for_what_is_left_of_its_lease() {
    let object = run_well("trials quorum-lease --ordeal crash --runs 300 --format json").json();
    let row = &object["trials"][0];
    assert_eq!((&row["algorithm"], &row["ordeal"]), (&"quorum-lease".into(), &"crash".into()));
    assert_eq!((&row["runs_with_several"], &row["shared_terms"]), (&0.into(), &0.into()), "never two: {row}");
    assert_eq!(row["came_right"], 300);
    let figure = |key: &str| row["without_leader"][key].as_f64().unwrap();
    assert!((17.0..=30.0).contains(&figure("p50")), "{row}");
    assert!(figure("p50") < figure("p99") && figure("p99") <= 40.0, "{row}");
}

#[test]
fn only_leases_keep_a_leader_that_froze_from_leading_besides_another() {
    let object =
        run_well("trials quorum-lease raft-vote --ordeal pause,wild-drift --runs 30 --format json").json();
    let several = |at: usize| object["trials"][at]["runs_with_several"].as_u64().unwrap();
    assert_eq!((several(0), several(1)), (0, 30), "frozen: {object}");
    assert!(several(2) > 0, "clocks that are off by more than is allowed break leases: {object}");
    assert_eq!(object["trials"][3]["shared_terms"], 0, "and no clock breaks terms: {object}");
}

#[test]
fn the_output_does_not_depend_on_the_number_of_cores() {
    let on = |threads: u8| {
        run_well(&format!("trials omega --ordeal restart --runs 10 --nodes 4 --seed 3 --threads {threads}"))
            .stdout
    };
    assert_eq!(on(1), on(2));
    assert!(on(1).contains("restart: everyone crashes") && on(1).contains("omega"), "{}", on(1));
    for args in
        ["trials --runs 0", "trials --nodes 2", "trials --ordeal flood", "trials nobody", "trials lcr"]
    {
        let ended = run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args}: {}", ended.stderr);
    }
}
