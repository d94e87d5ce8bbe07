//! What goes wrong on purpose: the options, what they print, and the command that repeats it.

use crate::program::{command, run, run_in, run_well};
use serde_json::{Value, json};
use std::fs;

/// Every option about failures at once, as the program writes them.
const EVERYTHING: &str = "--crash 1@3 --torn-crash 2@4 --crash-sending 3@5 --recover 1@20,2@21.5 --start 5@2 \
     --call 4@30 --pause 6@1..4,6@8.. --drift 4@1:+1%,4@9:-501ppm --jump 4@2:-2.5 --pretend 7@6:9 \
     --silence 7@7:1 --resign 4@31 --transfer 4@32:1 --admit 4@33:2 --dismiss 4@34:3,4@35:1 --withdraw 4@36 \
     --stand 4@37 --cut 1-4@2..6 --cut-one-way 4-1@7.. --partition 1+2/3+4@10..12 --partition 8@14.. \
     --heal 16,17 --loss 0.05 --burst 2.5 --duplication 0.1 --reordering 0.2 --held-up 3 --faults-until 40 \
     --lose coordinator:3-1,answer#2 --duplicate election:*-4";

/// The words of a command line, as a shell takes them apart: none has a space in it.
fn words(line: &str) -> String {
    shlex::split(line).expect("its quotes are in pairs").join(" ")
}

fn again(output: &str) -> String {
    let line = output.lines().rev().find_map(|line| line.strip_prefix("again: bellwether "));
    words(line.unwrap_or_else(|| panic!("no command in {output}")))
}

#[test]
fn the_command_that_is_printed_repeats_the_run() {
    let first = run(&format!("simulate bully --nodes 8 --initiators 4 {EVERYTHING} --seed 3"));
    assert!([0, 3, 4].contains(&first.code), "{}", first.stderr);
    let repeat = again(&first.stdout);
    for option in EVERYTHING.split_whitespace() {
        assert!(repeat.split_whitespace().any(|word| word == option), "no {option} in {repeat}");
    }
    let second = run(&repeat);
    assert_eq!((second.code, second.stdout), (first.code, first.stdout));
}

#[test]
fn members_crash_and_come_back() {
    // The best dies after its election, the next takes over when called, and the best comes back.
    let args = "simulate bully --ids 1,2,3 --crash 3@10 --call 1@20 --recover 3@40 --format json";
    let object = run_well(args).json();
    assert_eq!((&object["outcome"], &object["leader"]), (&json!("elected"), &json!(3)));
    assert_eq!(object["stability"]["changes"], 2, "3, then 2, then 3 again");
    // It leads as soon as it is back, and 2 hears of it a hop later.
    assert_eq!(object["stability"]["most_leaders"], 2);
    assert_eq!(object["stability"]["with_several"], 1);
    assert!(object["stability"]["without_leader"].as_f64().unwrap() > 10.0, "{object}");
}

#[test]
fn links_lose_messages_and_that_is_counted() {
    // Of the three messages of a ring of three that knows its leader, the first is lost: nobody goes on.
    let object = run("simulate chang-roberts --ids 3,1,2 --initiators 3 --lose election#1 --format json");
    assert_eq!(object.code, 4, "{}", object.stdout);
    let object = object.json();
    assert_eq!(object["link_counts"], json!({ "lost": 1, "duplicated": 0, "held_up": 0 }));
    assert_eq!((&object["outcome"], &object["messages"]["total"]), (&json!("none"), &json!(1)));

    let object =
        run("simulate chang-roberts --ids 3,1,2 --initiators 3 --duplicate elected#1 --format json").json();
    assert_eq!(object["link_counts"]["duplicated"], 1);
    let untroubled = run_well("simulate chang-roberts --ids 3,1,2 --format json").json();
    assert_eq!(untroubled["link_counts"], json!({ "lost": 0, "duplicated": 0, "held_up": 0 }));
    assert_eq!(untroubled["signals"], 0);
}

#[test]
fn a_cut_link_is_a_ring_no_more_and_heals() {
    let cut = run("simulate chang-roberts --ids 3,1,2 --initiators 3 --cut 1-2@0..");
    assert_eq!(cut.code, 4, "{}", cut.stdout);
    assert!(cut.stdout.contains("on the way 1 lost"), "{}", cut.stdout);
    assert!(cut.stdout.contains("PROBLEM"), "{}", cut.stdout);
    // One way only, and the way that nothing goes.
    run_well("simulate chang-roberts --ids 3,1,2 --initiators 3 --cut-one-way 2-1@0..");
    // Called when it is mended, it elects; called before, it does not.
    let late = "simulate chang-roberts --ids 3,1,2 --initiators none --call 3@10";
    run_well(&format!("{late} --cut 1-2@0..9"));
    assert_eq!(run(&format!("{late} --cut 1-2@0..12")).code, 4);
    run_well(&format!("{late} --partition 1@0.. --heal 9"));
    assert_eq!(run(&format!("{late} --partition 1@0.. --heal 12")).code, 4);
}

#[test]
fn many_runs_are_summed_up_and_the_first_failure_can_be_repeated() {
    let args = "simulate chang-roberts --nodes 6 --loss 30% --runs 20 --threads 2";
    let ended = run(args);
    assert_eq!(ended.code, 4, "{}", ended.stdout);
    for words in ["lost on the way", "changes of leader", "without a leader"] {
        assert!(ended.stdout.contains(words), "no '{words}' in {}", ended.stdout);
    }
    let last = ended.stdout.lines().last().unwrap();
    let single =
        words(last.strip_prefix("first problem again: bellwether ").unwrap_or_else(|| panic!("{last}")));
    let object = run(&format!("{single} --format json"));
    assert_eq!(object.code, 4, "{single}");

    let batch = run(&format!("{args} --format json")).json();
    assert_eq!(batch["first_problem"]["seed"], object.json()["seed"]);
    assert_eq!(words(batch["first_problem"]["again"].as_str().unwrap()), format!("bellwether {single}"));
    for figures in [&batch["link_counts"]["lost"], &batch["stability"]["without_leader"], &batch["signals"]] {
        assert!(figures["p99"].is_number(), "{batch}");
    }
}

#[test]
fn a_run_that_could_go_on_for_ever_is_given_up() {
    // The best dies while its own message is on its way; the ring closes, and nobody ever takes it out.
    let args = "simulate chang-roberts --ids 0,1,2,3,4,5 --initiators 2 --crash 5@0,4@2.5 --ring-closes";
    let ended = run(&format!("{args} --format json"));
    assert_eq!(ended.code, 4, "{}", ended.stdout);
    let object = ended.json();
    assert_eq!(object["outcome"], "undecided");
    assert_eq!(object["time"], 10_002, "10,000 hops after the last event, at whole hops");
    let until = run(&format!("{args} --until 60 --format json")).json();
    assert_eq!(until["time"], 60);
}

#[test]
fn traces_tell_what_went_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let args = "simulate chang-roberts --ids 4,1,2,3 --initiators 1 --crash 2@0 --ring-closes --pause 3@1..5 \
         --drift 4@1:-500ppm --cut-one-way 4-1@9.. --lose elected#1 --trace t.jsonl";
    let ended = run_in(dir.path(), args);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let text = fs::read_to_string(dir.path().join("t.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let header = &lines[0];
    assert_eq!(header["ring_closes"], true);
    assert_eq!(header["link_faults"]["lose"], json!(["elected#1"]));
    assert_eq!(header["detector"], Value::Null);
    let script = header["script"].as_array().unwrap();
    assert!(script.contains(&json!({ "t": 1, "event": "drift", "member": 4, "rate_ppm": -500 })), "{header}");
    assert!(script.contains(&json!({ "t": 9, "event": "cut", "member": 4, "peer": 1 })), "{header}");

    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    assert_eq!(of("pause")[0], &json!({ "t": 1, "event": "pause", "member": 3 }));
    assert_eq!(of("resume").len(), 1);
    assert_eq!(of("drop").len(), 1);
    assert_eq!((&of("drop")[0]["why"], &of("drop")[0]["kind"]), (&json!("chosen"), &json!("elected")));
    // 1's message passes over 2, and 3 hears from 1.
    let first = of("deliver")[0];
    assert_eq!((&first["member"], &first["peer"]), (&json!(3), &json!(1)), "{first}");
}

#[test]
fn help_explains_failures() {
    let help = run_well("simulate --help").stdout;
    for word in
        ["--torn-crash", "A-B@FROM..[TO]", "A+B/C+D@FROM..[TO]", "-500ppm", "--ring-closes", "--detector"]
    {
        assert!(help.contains(word), "no '{word}' in\n{help}");
    }
}

#[test]
fn values_may_begin_with_a_sign_or_a_number_sign() {
    let mut program = command("simulate chang-roberts --ids 3,1,2 --initiators 3 --format json --lose");
    let output = program.arg("#2").output().unwrap();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["link_counts"]["lost"], 1);
}
