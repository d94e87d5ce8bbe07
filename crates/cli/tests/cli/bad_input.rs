//! Input that makes no sense: a message that helps, code 2, and nothing else.

use crate::program::run_in;
use std::fs;

/// Arguments, and words that the message must have.
const CASES: &[(&str, &[&str])] = &[
    ("up --members 0", &["--members", "1..=99"]),
    ("up --members 100", &["--members", "1..=99"]),
    ("up --algorithm quorum-leese", &["no algorithm 'quorum-leese'", "did you mean 'quorum-lease'?"]),
    ("up --algorithm bully/brave", &["no variant 'brave'", "at-once, waiting, stable"]),
    ("up --detector hartbeat", &["'hartbeat'", "did you mean 'heartbeat'?"]),
    ("up --detector perfect", &["told the truth", "only a simulator"]),
    ("up --profile slow", &["slow", "steady, fast"]),
    ("up --for 10", &["'10' is no length of time", "ms, s, m or h", "500ms"]),
    ("up --kill-leader-every 0s", &["'0s' is no length of time"]),
    ("up --format table", &["text, json"]),
    (
        "simulate chang-robert",
        &["no algorithm 'chang-robert'", "lcr, chang-roberts, ", "hint: did you mean 'chang-roberts'?"],
    ),
    ("simulate xyzzy", &["no algorithm 'xyzzy'", "lcr"]),
    ("simulate", &["ALGORITHM"]),
    (
        "simulate lcr --variant halt",
        &["no variant 'halt'", "leader-only, deciding, halting", "did you mean 'halting'?"],
    ),
    ("simulate lcr/halt", &["no variant 'halt'", "leader-only, deciding, halting"]),
    ("simulate lcr/halting --variant leader-only", &["name one"]),
    ("simulate lcr --topology rign", &["no topology 'rign'", "two-way-ring", "did you mean 'ring'?"]),
    ("simulate lcr --topology torus", &["lcr needs a one-way ring", "--topology ring"]),
    ("simulate bully --topology gnp:2", &["gnp:2", "probability"]),
    ("simulate bully --topology file:bad.net", &["bad.net:2:5", "expected a link"]),
    ("simulate bully --topology file:ring.net", &["bully needs a complete network"]),
    ("simulate lcr --topology file:ring.net --order best", &["leave out --order"]),
    ("simulate lcr --topology file:ring.net --nodes 9", &["has 3 members"]),
    ("simulate lcr --delay file:bad.delay", &["bad.delay:2:1", "'abc' is not a number"]),
    ("simulate lcr --delay gamma:3", &["delay 'gamma:3'", "uniform:LO..HI"]),
    ("simulate lcr --delay-bound x", &["'x' is no time", "hops"]),
    ("simulate lcr --ids 1,2,1", &["id 1 is given twice"]),
    ("simulate lcr --identical", &["identical members cannot elect a leader with lcr", "itai-rodeh"]),
    ("simulate peterson --ids 4,4,4", &["identical members cannot elect a leader with peterson"]),
    ("simulate lcr --ids 1,,2", &["an id is missing", "whole number"]),
    ("simulate lcr --ids=", &["an id is missing"]),
    ("simulate lcr --ids 1,x", &["'x' is no id", "whole number"]),
    ("simulate lcr --ids 1,18446744073709551615", &["too large"]),
    ("simulate lcr --ids 1,2 --nodes 2", &["--ids", "cannot be used with", "--nodes"]),
    ("simulate lcr --ids 1,2 --order best", &["--ids", "cannot be used with", "--order"]),
    ("simulate chang-roberts --ids 1,2 --initiators 9", &["initiator 9 is not a member", "1, 2"]),
    ("simulate chang-roberts --ids 1,2 --crash 9@1", &["member 9 is not a member", "1, 2"]),
    ("simulate chang-roberts --ids 1,2 --initiators 2 --crash 2@0", &["member 2 is dead"]),
    ("simulate chang-roberts --initiators none", &["nobody calls"]),
    ("simulate chang-roberts --initiators some", &["'some' is no id", "'all'"]),
    ("simulate lcr --initiators 1", &["every member starts by itself"]),
    ("simulate lcr --call 1@4", &["leave out --call"]),
    ("simulate bully --synchroniser", &["leave out --synchroniser"]),
    ("simulate lcr --crash 9", &["ID@TIME"]),
    ("simulate lcr --crash 9@-1", &["'-1' is no time"]),
    ("simulate time-slice --ids 3,9,5 --id-bound 8", &["id 9 is above", "could be, 8", "raise --id-bound"]),
    ("simulate time-slice --ids 3,9,5 --id-bound many", &["--id-bound", "many"]),
    (
        "simulate time-slice --ids 3,9,5 --id-bound 9223372036854775806",
        &["time-slice would need about 2.8e19 rounds", "n v + 1", "a lower --id-bound"],
    ),
    (
        "simulate variable-speeds --ids 3,9,5 --id-bound 100",
        &["variable-speeds would need about 1.5e28 rounds", "n 2^v + 1", "a lower --id-bound"],
    ),
    ("simulate variable-speeds --ids 3,9,5 --id-bound 5000", &["more than 1.8e308 rounds"]),
    ("simulate variable-speeds --ids 60,70 --elect worst", &["would need about 2.3e18 rounds"]),
    ("simulate lcr --attributes 1,2", &["2 attributes for 8 members"]),
    ("simulate lcr --attributes 1,b", &["'b' is no attribute", "random"]),
    ("simulate lcr --nodes 0", &["no members", "at least 1"]),
    ("simulate lcr --nodes 99999999999999", &["99999999999999 members", "--memory"]),
    ("simulate lcr --nodes 18446744073709551615", &["members would take", "--memory"]),
    ("simulate lcr --nodes 1e9", &["--nodes"]),
    ("simulate lcr --nodes 1000000 --memory 1M", &["1.0 MiB", "--memory"]),
    ("simulate bully --nodes 1000000 --memory 20G", &["1000000 members", "20.0 GiB", "--memory"]),
    ("simulate bully --nodes 20000 --memory 100M", &["20000 members", "100.0 MiB", "--memory"]),
    ("simulate lcr --memory lots", &["'lots' is no size", "4G"]),
    ("simulate lcr --runs 0", &["--runs"]),
    ("simulate lcr --runs 9999999999999", &["runs would take", "--memory"]),
    ("simulate lcr --threads 100000", &["--threads"]),
    ("simulate lcr --seed -1", &["-1"]),
    ("simulate lcr --trace -", &["--trace needs a file"]),
    ("simulate lcr --trace t.jsonl --runs 2", &["single run", "hint:"]),
    // What goes wrong on purpose must make sense too.
    ("simulate bully --recover 3@4", &["at 4 member 3 has not crashed", "let it crash before"]),
    ("simulate bully --crash 3@5 --recover 3@4", &["member 3 has not crashed"]),
    ("simulate bully --crash 3@5,3@7", &["member 3 crashes twice", "recover between"]),
    ("simulate bully --crash 3@5 --torn-crash 3@7", &["member 3 crashes twice"]),
    ("simulate bully --recover 9@4", &["member 9 is not a member"]),
    ("simulate bully --transfer 3@4", &["ID@TIME:ID"]),
    ("simulate bully --transfer 3@4:3", &["member 3 is to let itself lead"]),
    ("simulate bully --admit 3@4:99", &["member 99 is not a member"]),
    ("simulate bully --crash 3@4 --resign 3@5", &["member 3 is dead by then and cannot do what is asked"]),
    ("simulate bully --witnesses 3", &["in bully every member votes and may lead", "--witnesses"]),
    ("simulate bully --observers 3,4", &["leave out --observers"]),
    ("simulate bully --drift-bound 1", &["'1' is no bound on drift", "500ppm"]),
    ("simulate bully --drift-bound=-1%", &["is no bound on drift"]),
    ("simulate quorum-lease --renewals 2", &["2 is not between 3 and 12"]),
    ("simulate quorum-lease:renewals=4 --renewals 5", &["the parameter is given twice"]),
    ("simulate bully --renewals 5", &["'renewals=5' of bully", "has no parameters"]),
    ("simulate quorum-lease:renewal=5", &["there is no 'renewal'", "did you mean 'renewals'?"]),
    ("simulate quorum-lease:order=random", &["use quorum-lease/randomised"]),
    ("check quorum-lease/tight:lease=4", &["4 is not between 5 and 128"]),
    ("swarm quorum-lease:lease=x", &["'x' is not a whole number from 5 to 128"]),
    ("survive raft-vote:timeout=9..20", &["'9..20' is not a range", "from 10 to 10000"]),
    ("trials raft-vote:timeout=5", &["'5' is not a range LEAST..MOST"]),
    ("compare lcr:x=1", &["has no parameters"]),
    ("explain quorum-lease:asks=0", &["0 is not between 1 and 16"]),
    ("up --algorithm quorum-lease:steady=0", &["0 is not between 1 and 4096"]),
    ("simulate bully --pause 3@4", &["'4' is no interval", "FROM..TO"]),
    ("simulate bully --pause 3", &["ID@FROM..TO"]),
    ("simulate bully --pause 3@9..4", &["nothing lasts from 9 to 4"]),
    ("simulate bully --crash 3@1 --pause 3@4..9", &["member 3 is dead by then and cannot freeze"]),
    ("simulate bully --pause 3@1..9,3@4..", &["member 3 is frozen already"]),
    ("simulate bully --cut 3-3@1..", &["member 3 is to lose what it sends to itself"]),
    ("simulate bully --cut 3-9@1..", &["member 9 is not a member"]),
    ("simulate bully --cut 3@1..", &["A-B@FROM..TO"]),
    ("simulate bully --partition 1+2/2+3@1..", &["member 2 is named twice"]),
    ("simulate bully --nodes 2 --partition 1+2@1..", &["parts nobody"]),
    ("simulate bully --partition 1+9/3@1..", &["member 9 is not a member"]),
    ("simulate bully --partition 1+2", &["A+B/C+D@FROM..TO"]),
    ("simulate bully --heal soon", &["'soon' is no time"]),
    ("simulate bully --drift 3@1:-100%", &["no clock drifts by -100%", "-99% to +1000%"]),
    ("simulate bully --drift 3@1:5", &["'5' is no rate", "-500ppm"]),
    ("simulate bully --jump 3@1:0", &["'0' is no jump"]),
    ("simulate bully --pretend 3@1:3", &["pretend to be itself"]),
    ("simulate bully --pretend 3@1", &["ID@TIME:ID"]),
    ("simulate bully --silence 3@1:9", &["member 9 is not a member"]),
    ("simulate bully --crash 3@1 --silence 3@4:1", &["member 3 is dead by then and cannot lie"]),
    ("simulate lcr --forge 3@1:9", &["in lcr no single message says who leads", "--pretend"]),
    ("simulate bully --loss 100%", &["'100%' is no share", "5% or 0.05"]),
    ("simulate bully --loss -1", &["-1"]),
    ("simulate bully --duplication nan", &["'nan' is no share"]),
    ("simulate bully --burst 3", &["add --loss"]),
    ("simulate bully --loss 5% --burst 0.5", &["--burst is 1 or more"]),
    ("simulate bully --held-up 3", &["add --reordering"]),
    ("simulate bully --reordering 5% --held-up 0", &["--held-up is more than 0"]),
    ("simulate bully --faults-until 3", &["--faults-until ends nothing"]),
    (
        "simulate bully --lose coordinatr",
        &["no messages of kind 'coordinatr'", "did you mean 'coordinator'?"],
    ),
    ("simulate bully --duplicate elected:3", &["'elected:3' chooses no message", "SENDER-RECEIVER"]),
    ("simulate bully --lose answer#0", &["a number from 1 after #"]),
    ("simulate bully --lose answer:3-99", &["member 99 is not a member"]),
    ("simulate bully --ring-closes", &["--ring-closes is for rings", "complete is not one"]),
    ("simulate bully --loops-from 2", &["--loops-from goes with --schedule"]),
    ("simulate bully --nodes 2 --loops-from 0 --schedule tick", &["'0' is no number from 1"]),
    ("simulate bully --nodes 2 --schedule tick --liberties ticks=1,crash=1", &["has no key 'crash'"]),
    ("simulate bully --nodes 2 --schedule tick --loss 5%", &["a schedule says everything that happens"]),
    ("simulate bully --nodes 2 --schedule tick --runs 2", &["a schedule is a single run", "--runs"]),
    ("simulate bully --restart-after 0", &["1 delay bound or more"]),
    ("simulate bully --restart-after 1000001", &["--restart-after is 1000001 delay bounds"]),
    ("simulate bully --detector xyzzy", &["there is no detector 'xyzzy'"]),
    ("simulate bully --call 3@4 --crash 3@1", &["member 3 is dead by then and cannot call"]),
    ("compare lcr bulli --plot p.svg", &["no algorithm 'bulli'", "did you mean 'bully'?"]),
    ("compare lcr --sizes 0,4 --plot p.svg", &["no members"]),
    ("compare lcr --sizes 4,99999999999999 --plot p.svg", &["members would take"]),
    ("compare lcr --sizes 4,x --plot p.svg", &["--sizes"]),
    ("compare bully --sizes 1 --plot p.svg", &["nothing to plot"]),
    ("compare --delay uniform:3..1 --plot p.svg", &["3 is more than 1"]),
    ("completions tcsh", &["bash", "zsh", "fish"]),
    ("bogus", &["bogus"]),
];

#[test]
fn bad_input_is_refused_with_a_message_that_helps() {
    for (args, expected) in CASES {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            ("bad.net", "1 2\n2 x y z\n"),
            ("bad.delay", "1\nabc\n"),
            ("ring.net", "1 -> 2\n2 -> 3\n3 -> 1\n"),
        ];
        for (name, content) in files {
            fs::write(dir.path().join(name), content).unwrap();
        }
        // A trace is asked for wherever it can be, to see that none is begun.
        let traced = args.starts_with("simulate ") && !args.contains("--trace") && !args.contains("--runs");
        let ended = run_in(dir.path(), &format!("{args}{}", if traced { " --trace t.jsonl" } else { "" }));
        assert_eq!(ended.code, 2, "{args}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{args}");
        assert!(ended.stderr.starts_with("error: "), "{args}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{args}: {}", ended.stderr);
        for words in *expected {
            assert!(ended.stderr.contains(words), "{args}: no \"{words}\" in: {}", ended.stderr);
        }
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, files.len(), "{args}: something was written");
    }
}

#[test]
fn files_that_are_not_there_are_another_matter() {
    for args in ["simulate bully --topology file:none", "simulate bully --delay file:none"] {
        let dir = tempfile::tempdir().unwrap();
        let ended = run_in(dir.path(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{args}");
        assert!(ended.stderr.starts_with("error: cannot read"), "{args}: {}", ended.stderr);
    }
}
