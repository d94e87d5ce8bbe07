//! How the program ends.

use crate::program::{command, run, run_well};
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn unsafe_runs_end_with_3() {
    // 80 is elected by time 13; everyone still believes in it after its death.
    let ended = run("simulate chang-roberts --ids 80,32,5 --crash 80@50 --format json");
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    let object = ended.json();
    assert_eq!(object["safe"], false);
    assert!(object["problems"][0].as_str().unwrap().contains("80"), "{object}");
    assert!(run("simulate chang-roberts --ids 80,32,5 --crash 80@50").stdout.contains("PROBLEM"));
}

#[test]
fn runs_without_a_leader_end_with_4() {
    // The ring is broken from the start: no rank comes round.
    let ended = run("simulate chang-roberts --ids 80,32,5 --crash 80@0 --format json");
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let object = ended.json();
    assert_eq!((object["outcome"].as_str(), object["live"].as_bool()), (Some("none"), Some(false)));
    assert!(object["leader"].is_null());
    assert!(object["known"]["first"].is_null());

    let stopped = run("simulate chang-roberts --ids 80,32,5 --until 2 --format json");
    assert_eq!((stopped.code, stopped.json()["outcome"].as_str()), (4, Some("undecided")));
    assert_eq!(run("simulate chang-roberts --nodes 50 --max-messages 10").code, 4);
}

#[test]
fn a_run_in_which_no_election_is_required_ends_with_0() {
    // 2 crashes as it calls, before it has asked 3: nobody alive knows of an election.
    let unheard = "simulate bully --ids 1,2,3 --initiators none --crash-sending 2@1 --call 2@2";
    let ended = run(&format!("{unheard} --format json"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let object = ended.json();
    assert_eq!(
        (object["outcome"].as_str(), object["live"].as_bool()),
        (Some("none"), Some(true)),
        "{object}"
    );
    assert!(run(unheard).stdout.contains("none was required"));
    // 1 has asked 2, and crashes before it asks 3.
    let heard = "simulate bully --ids 1,2,3 --initiators none --crash-sending 1@1 --call 1@2 --format json";
    assert_eq!(run_well(heard).json()["leader"], 3);
}

#[test]
fn the_worst_of_many_runs_counts() {
    let ended = run("simulate chang-roberts --nodes 5 --crash 5@0 --runs 3 --format json");
    assert_eq!(ended.code, 4);
    let object = ended.json();
    assert_eq!((object["outcomes"]["none"].as_u64(), object["not_live_in"].as_u64()), (Some(3), Some(3)));
    assert_eq!(run("simulate chang-roberts --nodes 5 --crash 5@90 --runs 3").code, 3);
    assert!(run("simulate chang-roberts --nodes 5 --crash 5@90 --runs 3").stdout.contains("with seed 0"));
}

#[test]
fn that_a_worse_member_leads_for_a_while_is_no_danger_where_members_go_on() {
    // 3 is back at 100, and leadership comes to it after a while: not by 150.
    let returned = "simulate quorum-lease --nodes 3 --crash 3@50 --recover 3@100";
    let early = run(&format!("{returned} --until 150 --format json"));
    assert_eq!(early.code, 4, "{}", early.stdout);
    let object = early.json();
    assert_eq!((&object["safe"], &object["live"]), (&true.into(), &false.into()), "{object}");
    assert!(object["problems"][0].as_str().unwrap().ends_with("the best live member is 3"), "{object}");
    let late = run_well(&format!("{returned} --format json")).json();
    assert_eq!(late["leader"], 3);
}

#[test]
fn the_codes_are_documented() {
    for args in ["--help", "simulate --help", "compare --help", "play --help"] {
        let help = run(args).stdout;
        for code in ["Exit codes", "3  safety", "4  liveness", "5  a claim"] {
            assert!(help.contains(code), "{args}: {help}");
        }
    }
    let help = run("up --help").stdout;
    for code in ["Exit codes", "3  safety", "4  liveness", "6  nothing is violated"] {
        assert!(help.contains(code), "{help}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    // More than a pipe holds, so that writing does fail.
    let sizes: Vec<String> = (1..=700).map(|n| n.to_string()).collect();
    let comparison = format!(
        "compare lcr lcr/halting --order best --runs 1 --threads 1 --format json --sizes {}",
        sizes.join(",")
    );
    for args in [comparison.as_str(), "completions zsh", "man", "algorithms", "simulate lcr"] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 16]).unwrap();
        drop(stdout);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{args}");
        assert!(ended.stderr.is_empty(), "{args}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}
