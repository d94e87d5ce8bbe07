//! One run.

use crate::program::{run, run_well};
use serde_json::Value;

/// A ring, clockwise; 3 calls.
const EXAMPLE: &str = "simulate chang-roberts --ids 80,32,5,12,6,3 --initiators 3";

/// What the theory says of the example: the caller's message meets the best after d hops, then the
/// best's own rank goes round, then the news.
fn example_cost() -> u64 {
    let ids = [80, 32, 5, 12, 6, 3];
    let n = ids.len();
    let place = |id| ids.iter().position(|&other| other == id).unwrap();
    let d = (place(80) + n - place(3)) % n;
    (d + 2 * n) as u64
}

#[test]
fn the_example_elects_80_at_the_cost_of_theory() {
    let object = run_well(&format!("{EXAMPLE} --format json")).json();
    assert_eq!(object["leader"], 80);
    assert_eq!(object["outcome"], "elected");
    assert_eq!(object["messages"]["total"], example_cost());
    assert_eq!(object["messages"]["by_kind"]["elected"], 6);
    assert_eq!(object["time"], example_cost());
    assert_eq!(object["rounds"], Value::Null);
    for claim in object["claims"].as_array().unwrap() {
        assert_eq!(claim["holds"], true, "{claim}");
        assert_eq!(claim["expected"], claim["measured"], "{claim}");
    }
    // The best knows when its rank is back, and the others as the news passes by.
    let members = object["known"]["members"].as_array().unwrap();
    for (hops, member) in members.iter().enumerate() {
        assert_eq!(member["since"], example_cost() - 6 + hops as u64, "{member}");
    }
    assert_eq!(members.len(), 6);
}

#[test]
fn people_read_the_same() {
    let text = run_well(EXAMPLE).stdout;
    let cost = example_cost();
    let essentials = [
        "80, and everyone knows".to_owned(),
        format!("messages   {cost} (elected 6, election {})", cost - 6),
        format!("time       {cost} hops"),
        format!("exactly {cost}"),
        "d + 2n".to_owned(),
        "n = 6, m = 6, diameter 5".to_owned(),
        format!("again: bellwether {EXAMPLE} --seed 0"),
    ];
    for essential in essentials {
        assert!(text.contains(&essential), "no '{essential}' in\n{text}");
    }
    assert!(text.is_ascii(), "{text}");
    let members = text.lines().filter(|line| line.contains("follower")).count();
    assert_eq!(members, 5, "{text}");
}

#[test]
fn the_object_has_its_stable_keys_with_their_types() {
    let object = run_well("simulate lcr --variant halting --nodes 5 --seed 3 --format json").json();
    type Check = fn(&Value) -> bool;
    let keys: [(&str, Check); 24] = [
        ("algorithm", Value::is_string),
        ("variant", Value::is_string),
        ("n", Value::is_u64),
        ("m", Value::is_u64),
        ("diameter", Value::is_u64),
        ("topology", Value::is_string),
        ("delay", Value::is_string),
        ("driver", Value::is_string),
        ("order", Value::is_string),
        ("seed", Value::is_u64),
        ("elect", Value::is_string),
        ("outcome", Value::is_string),
        ("leader", Value::is_u64),
        ("agreed", Value::is_boolean),
        ("safe", Value::is_boolean),
        ("live", Value::is_boolean),
        ("problems", Value::is_array),
        ("known", Value::is_object),
        ("messages", Value::is_object),
        ("bytes", Value::is_u64),
        ("time", Value::is_u64),
        ("rounds", Value::is_u64),
        ("storage_max", Value::is_u64),
        ("claims", Value::is_array),
    ];
    for (key, has_type) in keys {
        assert!(has_type(&object[key]), "{key}: {}", object[key]);
    }
    for key in ["total", "payload", "control"] {
        assert!(object["messages"][key].is_u64(), "{key}");
    }
    assert!(object["messages"]["by_kind"].as_object().unwrap().values().all(Value::is_u64));
    assert!(object["known"]["first"].is_u64() && object["known"]["last"].is_u64());
    let claims = object["claims"].as_array().unwrap();
    assert!(!claims.is_empty());
    for claim in claims {
        for key in ["name", "relation", "formula"] {
            assert!(claim[key].is_string(), "{claim}");
        }
        assert!(claim["expected"].is_u64() && claim["measured"].is_u64() && claim["holds"].is_boolean());
    }
    assert_eq!((&object["seed"], &object["n"]), (&Value::from(3), &Value::from(5)));
}

#[test]
fn the_same_seed_prints_the_same_and_others_do_not() {
    for format in ["text", "json"] {
        let args =
            |seed| format!("simulate bully --nodes 6 --delay exponential:2 --seed {seed} --format {format}");
        let outputs: Vec<String> = [7, 7, 8].map(|seed| run(&args(seed)).stdout).into();
        assert_eq!(outputs[0], outputs[1]);
        assert_ne!(outputs[0], outputs[2]);
    }
}

#[test]
fn the_command_printed_at_the_end_repeats_the_run() {
    let first = run_well(
        "simulate chang-roberts --variant suppressing --nodes 5 --order worst --attributes -1,2,-3,2,0 \
         --elect worst --initiators 1,2 --delay uniform:1..4 --links reordering --threads 1",
    );
    let again = first.stdout.lines().last().unwrap().strip_prefix("again: bellwether ").unwrap();
    assert_eq!(run_well(again).stdout, first.stdout);
}

#[test]
fn where_only_the_leader_is_to_know_that_is_enough() {
    let object = run_well("simulate lcr --variant leader-only --nodes 6 --format json").json();
    assert_eq!(object["agreed"], false);
    assert_eq!(object["leader"], 6);
    assert_eq!(object["live"], true);
}

#[test]
fn attributes_decide_before_ids_and_either_end_may_win() {
    let leader = |options: &str| {
        run_well(&format!("simulate chang-roberts --ids 1,2,3 {options} --format json")).json()["leader"]
            .clone()
    };
    assert_eq!(leader(""), 3);
    assert_eq!(leader("--elect worst"), 1);
    assert_eq!(leader("--attributes -5,7,-9"), 2);
    assert_eq!(leader("--attributes -5,7,-9 --elect worst"), 3);
    assert!(run_well("simulate lcr --attributes random").stdout.contains("attribute"));
}

#[test]
fn a_synchroniser_adds_control_messages_only() {
    let object =
        |options: &str| run(&format!("simulate lcr/halting --nodes 5 {options} --format json")).json();
    let (in_step, over) = (object(""), object("--synchroniser"));
    assert_eq!(in_step["driver"], "rounds");
    assert_eq!(over["driver"], "synchroniser");
    assert_eq!(in_step["messages"]["payload"], over["messages"]["payload"]);
    assert_eq!(in_step["messages"]["control"], 0);
    assert!(over["messages"]["control"].as_u64().unwrap() > 0);
}

#[test]
fn ids_are_counted_up_to_the_bound() {
    // The value v of the best, 9, is 1 where 9 is the greatest id there could be; the time is n v
    // for the one and n 2^v for the other.
    for (bound, v) in [("", 1), ("--id-bound 9", 1), ("--id-bound 20", 12)] {
        for (algorithm, turn) in [("time-slice", 3 * v), ("variable-speeds", 3 << v)] {
            let object = run_well(&format!("simulate {algorithm} --ids 3,9,5 {bound} --format json")).json();
            assert_eq!(
                (&object["leader"], &object["time"]),
                (&Value::from(9), &Value::from(turn)),
                "{bound}"
            );
            assert_eq!(object["rounds"], turn + 1, "{bound}");
        }
    }
}

#[test]
fn a_bound_on_ids_is_part_of_the_command_that_repeats_the_run() {
    let first = run_well("simulate time-slice --nodes 4 --id-bound 20");
    let again = first.stdout.lines().last().unwrap().strip_prefix("again: bellwether ").unwrap();
    assert!(again.contains("--id-bound 20"), "{again}");
    assert_eq!(run_well(again).stdout, first.stdout);
}

#[test]
fn networks_come_from_shapes_and_files() {
    let sized = run_well("simulate chang-roberts --topology two-way-ring --nodes 7 --format json").json();
    assert_eq!((&sized["n"], &sized["m"]), (&Value::from(7), &Value::from(14)));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("net"), "10 -> 20\n20 -> 30\n30 -> 10\n").unwrap();
    let ended =
        crate::program::run_in(dir.path(), "simulate chang-roberts --topology file:net --format json");
    let object = ended.json();
    assert_eq!((&object["n"], &object["leader"]), (&Value::from(3), &Value::from(30)));
    assert_eq!(object["topology"], "file:net");
}

#[test]
fn identical_members_draw_lots_and_name_nobody() {
    let command = "simulate itai-rodeh --nodes 5 --identical";
    let object = run_well(&format!("{command} --format json")).json();
    let leader = object["leader"].as_u64().expect("the onlooker's name for who leads");
    assert_eq!((&object["outcome"], &object["agreed"]), (&"elected".into(), &false.into()));
    assert_eq!((&object["safe"], &object["live"]), (&true.into(), &true.into()));
    let known = object["known"]["members"].as_array().unwrap();
    assert!(known.iter().all(|member| member["since"].is_null()), "nobody can name anyone: {known:?}");

    let text = run_well(command).stdout;
    let elected = format!("elected    {leader}, and everyone knows whether it leads");
    for essential in [elected.as_str(), "to win     luck: members are identical", " --identical"] {
        assert!(text.contains(essential), "no '{essential}' in\n{text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains("follower")).count(), 4, "{text}");
    assert!(!text.contains("known since"), "{text}");
}

#[test]
fn who_is_elected_among_identical_members_depends_on_the_draws() {
    let leader = |seed: u64| {
        let command = format!("simulate itai-rodeh --nodes 4 --identical --format json --seed {seed}");
        run_well(&command).json()["leader"].as_u64().unwrap()
    };
    let leaders: std::collections::BTreeSet<u64> = (0..12).map(leader).collect();
    assert!(leaders.len() > 1, "{leaders:?}");
}

/// The announcement of the best of two is lost. The other has no leader, calls after 50 hops, asks (51) and is answered (52).
#[test]
fn a_member_without_a_leader_calls_again_if_asked_for() {
    let lost = "simulate bully --ids 1,2 --initiators 2 --lose coordinator:2-1#1";
    let ended = run(&format!("{lost} --format json"));
    assert_eq!(ended.code, 4, "{}", ended.stdout);
    let ended = run_well(&format!("{lost} --restart-after 50 --format json"));
    let object = ended.json();
    assert_eq!((&object["outcome"], &object["leader"]), (&"elected".into(), &2.into()), "{object}");
    assert_eq!(object["time"], 52, "{object}");
    let again = object["again"].as_str().unwrap();
    assert!(again.contains("--restart-after 50"), "{again}");
    let refused = run("simulate chang-roberts --nodes 3 --restart-after 50");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}
