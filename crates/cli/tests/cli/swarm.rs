//! `bellwether swarm`: runs drawn from seeds.

use crate::program::{run, run_in, run_well};

#[test]
fn where_nothing_goes_wrong_all_runs_come_right() {
    let object = run_well("swarm all --model none --runs 20 --format json").json();
    for cell in object["cells"].as_array().unwrap() {
        assert_eq!(cell["right"], 20, "{cell}");
    }
    assert_eq!(object["failures"].as_array().unwrap().len(), 0);
}

#[test]
fn the_output_depends_on_the_seed_and_on_nothing_else() {
    let with =
        |more: &str| run(&format!("swarm chang-roberts bully --model crash,mix --runs 60 {more}")).stdout;
    assert_eq!(with("--threads 1"), with("--threads 2"));
    assert_ne!(with("--seed 0"), with("--seed 1000"));
}

#[test]
fn counts_add_up_and_the_rate_is_told_apart_from_the_data() {
    let ended = run("swarm chang-roberts --model loss --runs 50 --format json");
    assert!(ended.stderr.contains("runs a second"), "{}", ended.stderr);
    let cell = &ended.json()["cells"][0];
    let classes = ["right", "late", "no_leader", "wrong_leader", "two_leaders"];
    assert_eq!(classes.map(|class| cell[class].as_u64().unwrap()).iter().sum::<u64>(), 50);
}

/// Losing a message stops a ring for good, and that is not a matter of safety.
#[test]
fn the_exit_code_tells_safety_liveness_and_usage_apart() {
    assert_eq!(run("swarm lcr --model none --runs 20").code, 0);
    assert_eq!(run("swarm lcr --model loss --runs 20").code, 4);
    assert_eq!(run("swarm floodmax --model crash --runs 40").code, 3);
    for wrong in ["--model nothing", "--nodes 0", "--nodes 9..5", "--runs 0", "--save x.toml"] {
        assert_eq!(run(&format!("swarm chang-roberts {wrong}")).code, 2, "{wrong}");
    }
}

/// The first command under a failure draws the same run again, and it fails in the same way.
#[test]
fn failures_end_with_the_command_that_replays_them() {
    let ended = run("swarm lcr --model crash --runs 30");
    let lines: Vec<&str> = ended.stdout.lines().map(str::trim).collect();
    let swarm = lines.iter().find(|line| line.starts_with("bellwether swarm")).expect("a failure");
    let replayed = run(swarm.strip_prefix("bellwether ").unwrap());
    assert_eq!(replayed.code, ended.code, "{}", replayed.stdout);
    let simulate = lines.iter().find(|line| line.starts_with("bellwether simulate")).expect("a failure");
    assert!(replayed.stdout.contains(simulate), "{}", replayed.stdout);
    let simulated = run(simulate.strip_prefix("bellwether ").unwrap());
    assert_eq!(simulated.code, ended.code, "{simulate}: {}{}", simulated.stdout, simulated.stderr);
}

/// In a broken ring nothing comes round: two members are enough to show it.
#[test]
fn reduced_failures_are_small_and_can_be_played() {
    let dir = tempfile::tempdir().unwrap();
    let ended =
        run_in(dir.path(), "swarm lcr --model crash --runs 30 --shrink --save small.toml --format json");
    let failure = &ended.json()["failures"][0];
    assert_eq!(failure["members"], 2, "{failure}");
    let played = run_in(dir.path(), "play small.toml --check");
    assert_eq!(played.code, 0, "{}{}", played.stdout, played.stderr);
}

#[test]
fn a_single_run_that_comes_right_is_shown_too() {
    let ended = run_well("swarm lcr --model none --runs 1 --seed 7");
    let simulate =
        ended.stdout.lines().find(|line| line.starts_with("bellwether simulate")).expect("a command");
    run_well(simulate.strip_prefix("bellwether ").unwrap());
}
