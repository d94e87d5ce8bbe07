//! Scenario files that make no sense: file, line and column, a message that helps, code 2, and
//! nothing else.

use crate::program::run_in;
use std::fs;

/// A ring with one more thing to say about it.
macro_rules! ring {
    ($more:literal) => {
        concat!("algorithm = 'chang-roberts'\nids = [80, 32, 5]\n", $more, "\n[expect]\nleader = 80\n")
    };
}

/// The same of members with leases.
macro_rules! lease {
    ($more:literal) => {
        concat!("algorithm = 'quorum-lease'\nids = [80, 32, 5]\n", $more, "\n[expect]\nleader = 80\n")
    };
}

/// A ring with this expectation.
macro_rules! expect {
    ($expected:literal) => {
        concat!("algorithm = 'chang-roberts'\nids = [80, 32, 5]\n[expect]\n", $expected, "\n")
    };
    ($more:literal, $expected:literal) => {
        concat!("algorithm = 'chang-roberts'\nids = [80, 32, 5]\n", $more, "\n[expect]\n", $expected, "\n")
    };
}

/// What follows the title, with a `^` before the place to be named, and words of the message.
const CASES: &[(&str, &[&str])] = &[
    // What is not TOML, and what no scenario says.
    (ring!("seed = ^"), &["this is not TOML"]),
    (ring!("^ids = [1]"), &["this is not TOML", "duplicate key"]),
    (ring!("^intiators = [5]"), &["a scenario has no key 'intiators'", "hint: did you mean 'initiators'?"]),
    (ring!("^qqqq = 1"), &["no key 'qqqq'", "hint: the keys are title, about"]),
    (expect!("^leadr = 80"), &["[expect] has no key 'leadr'", "did you mean 'leader'?"]),
    (expect!("leader = 80\n^seed = 3"), &["no key 'seed'", "above the first [table]"]),
    (ring!("[^network]"), &["no key 'network'", "hint: the keys are title, about"]),
    // Values of the wrong type.
    (ring!("seed = ^'x'"), &["'seed' must be a whole number, 0 or more, not 'x'"]),
    (ring!("seed = ^-1"), &["'seed' must be a whole number", "-1"]),
    (ring!("about = ^7"), &["'about' must be text in quotes, not 7"]),
    (ring!("source = ^' '"), &["'source' is empty"]),
    (ring!("synchroniser = ^'yes'"), &["'synchroniser' must be true or false"]),
    (ring!("initiators = [5, ^'x']"), &["'initiators' must be an id", "not 'x'"]),
    (ring!("initiators = ^5"), &["'initiators' must be a list of ids", "'all'"]),
    (ring!("attributes = [1, ^2.5, 3]"), &["'attributes' must be a whole number, not 2.5"]),
    (ring!("until = ^nan"), &["'until' must be a number of hops", "nan"]),
    (ring!("delay_bound = ^-2"), &["'delay_bound' must be a number of hops"]),
    (ring!("^title = 'again'"), &["this is not TOML"]),
    (ring!("elect = ^'bets'"), &["one of 'best', 'worst'", "did you mean 'best'?"]),
    (ring!("links = ^['1 -> 2']"), &["'fifo', 'reordering'", "list a network's links in 'topology'"]),
    // Algorithms, networks and delays that are not there.
    (
        "algorithm = ^'chang-robert'\nnodes = 3\n[expect]\nleader = 3",
        &["no algorithm 'chang-robert'", "lcr", "did you mean 'chang-roberts'?"],
    ),
    (ring!("variant = ^'plan'"), &["chang-roberts has no variant 'plan'", "did you mean 'plain'?"]),
    (ring!("topology = ^'rign'"), &["no topology 'rign'", "did you mean 'ring'?"]),
    (ring!("topology = ^'gnp:7'"), &["gnp:7", "probability"]),
    (ring!("topology = ^'star'"), &["chang-roberts needs a one-way ring", "'topology' ring"]),
    (ring!("topology = ^'file:net'"), &["complete in itself", "hint: list the links here"]),
    (ring!("topology = ^3"), &["a network's name, or a list of links"]),
    (ring!("delay = ^'gamma:1'"), &["delay 'gamma:1' is not understood", "uniform:LO..HI"]),
    (ring!("delay = ^'file:delays'"), &["complete in itself"]),
    (ring!("renewals = ^5"), &["'renewals=5' of chang-roberts", "chang-roberts has no parameters"]),
    (lease!("renewals = ^2"), &["2 is not between 3 and 12"]),
    (lease!("renewals = ^4294967299"), &["4294967299 is not between 3 and 12"]),
    (
        "algorithm = ^'quorum-lease:renewal=5'\nnodes = 3\n[expect]\nleader = 3",
        &["there is no 'renewal'", "did you mean 'renewals'?"],
    ),
    (
        "algorithm = ^'quorum-lease/tight'\nvariant = 'ranked'\nnodes = 3\n[expect]\nleader = 3",
        &["two variants are asked for", "name one"],
    ),
    (ring!("synchroniser = ^true"), &["chang-roberts does not run in rounds"]),
    // Members.
    (
        "algorithm = 'bully'\nids = [1, 2]\nnodes = ^2\n[expect]\nleader = 2",
        &["'ids' and 'nodes' exclude each other"],
    ),
    ("algorithm = 'bully'\nids = [1, 2, ^1]\n[expect]\nleader = 2", &["id 1 is given twice"]),
    ("algorithm = 'bully'\nids = ^[]\n[expect]\nleader = 2", &["how many members? Give 'nodes' N"]),
    ("algorithm = 'bully'\nnodes = ^0\n[expect]\nleader = 2", &["there are no members"]),
    ("algorithm = 'bully'\nnodes = ^9999999\n[expect]\nleader = 2", &["at most 1000", "bellwether simulate"]),
    ("algorithm = 'bully'\nids = [1, ^18446744073709551615]\n[expect]\nleader = 1", &["'ids'", "too large"]),
    (ring!("order = ^'best'"), &["'ids' and 'order' exclude each other"]),
    (ring!("attributes = ^[1, 2]"), &["2 attributes for 3 members"]),
    (ring!("id_bound = ^7"), &["id 80 is above", "raise 'id_bound'"]),
    (
        "algorithm = 'bully'\nids = ^[1, 2]\nidentical = true\n[expect]\nleader = 2",
        &["'identical' and 'ids' exclude each other"],
    ),
    (
        "algorithm = 'bully'\nnodes = 3\nidentical = ^true\n[expect]\noutcome = 'elected'",
        &["identical members cannot elect", "symmetry"],
    ),
    ("algorithm = 'lcr'\nids = ^[7, 7]\n[expect]\nleader = 7", &["identical members cannot elect"]),
    ("algorithm = 'bully'\ntopology = ['1 -> 2', '2 x ^1']\n[expect]\nleader = 2", &["one link a line"]),
    ("algorithm = 'bully'\ntopology = ['1 -> 2', '2 -- ^2']\n[expect]\nleader = 2", &["linked to itself"]),
    ("algorithm = 'bully'\ntopology = ['1 -> 2', ^'']\n[expect]\nleader = 2", &["one link"]),
    ("algorithm = 'bully'\ntopology = ^[]\n[expect]\nleader = 2", &["no link is listed"]),
    ("algorithm = 'bully'\ntopology = ^['a -> b']\n[expect]\nleader = 2", &["named by their ids"]),
    (
        "algorithm = 'bully'\nids = [1]\ntopology = ^['1 -- 2']\n[expect]\nleader = 1",
        &["has 2 members, but 1"],
    ),
    (
        "algorithm = 'bully'\ntopology = ^['1 -> 2']\n[expect]\nleader = 2",
        &["bully needs a complete network"],
    ),
    // Who calls, and what happens.
    (ring!("initiators = [5, ^9]"), &["initiator 9 is not a member", "80, 32, 5"]),
    (ring!("initiators = ^[]"), &["nobody calls an election", "name at least one initiator"]),
    ("algorithm = 'lcr'\nids = [1, 2]\ninitiators = ^[1]\n[expect]\nleader = 2", &["every member starts"]),
    (ring!("initiators = [^5]\n[[event]]\nat = 0\ncrash = 5"), &["member 5 is dead from the start"]),
    (ring!("[[event]]\nat = 1\ncrash = ^9"), &["member 9 is not a member"]),
    (ring!("[[event]]\nat = ^-1\ncrash = 5"), &["'at' must be a number of hops"]),
    (ring!("[[event]]\nat = ^nan\ncrash = 5"), &["'at' must be a number of hops"]),
    (ring!("[[event]]\nat = ^'now'\ncrash = 5"), &["'at' must be a number of hops"]),
    (ring!("^[[event]]\ncrash = 5"), &["an event needs a time"]),
    (ring!("^[[event]]\nat = 5"), &["an event says what happens"]),
    (ring!("[[event]]\nat = 5\n^crush = 5"), &["an event has no key 'crush'", "did you mean 'crash'?"]),
    (ring!("[[event]]\nat = 5\ncrash = 5\ncall = ^32"), &["an event is one thing"]),
    (ring!("[[event]]\nat = 5\ncrash = [5, ^5]"), &["member 5 crashes twice"]),
    (
        ring!("[[event]]\nat = 5\ntorn_crash = 5\n[[event]]\nat = 6\ntorn_crash = ^5"),
        &["member 5 crashes twice"],
    ),
    (ring!("[[event]]\nat = 5\ncrash = ^[]"), &["'crash' names nobody"]),
    (ring!("source = ^\"\\u001b[31mred\""), &["'source' has a control character, U+001B", "leave it out"]),
    (ring!("[[event]]\nat = 5\ncrash = 5\n[[event]]\nat = 6\nstart = ^5"), &["dead by then", "cannot start"]),
    (ring!("[[event]]\nat = 5\ncrash = 5\n[[event]]\nat = 6\ncall = ^5"), &["dead by then", "cannot call"]),
    (ring!("[[event]]\nat = 6\nstart = 5\n[[event]]\nat = 5\ncall = ^5"), &["has not started by then"]),
    (ring!("until = 9\n[[event]]\nat = ^9.5\ncrash = 5"), &["the run is over at 9", "raise 'until'"]),
    (
        "algorithm = 'lcr'\nnodes = 2\n^[[event]]\nat = 3\ncall = 1\n[expect]\nleader = 2",
        &["in lcr every member starts by itself", "'call'"],
    ),
    (ring!("event = ^3"), &["tables, each under [[event]]"]),
    // What goes wrong on purpose.
    (ring!("[[event]]\nat = 1\nrecover = ^5"), &["member 5 has not crashed", "let it crash before"]),
    (ring!("[[event]]\nat = 1\nresume = ^5"), &["member 5 is not frozen"]),
    (ring!("[[event]]\nat = 3\npause = 5\nuntil = ^2"), &["nothing lasts from 3 to 2"]),
    (ring!("[[event]]\nat = 3\ncrash = 5\nuntil = ^9"), &["'until' goes with pause or cut", "leave it out"]),
    (ring!("[[event]]\nat = 3\ncut = ^[5]"), &["'cut' must be two ids, as in [3, 1]"]),
    (ring!("[[event]]\nat = 3\ncut = [^5, 5]"), &["member 5 is to lose what it sends to itself"]),
    (ring!("[[event]]\nat = 3\ncut = [^5, 9]"), &["member 9 is not a member"]),
    (ring!("[[event]]\nat = 3\nmend = [5, 32]\none_way = ^1"), &["'one_way' must be true or false"]),
    (ring!("[[event]]\nat = 3\npartition = ^[[5], [5]]"), &["member 5 is named twice"]),
    (ring!("[[event]]\nat = 3\npartition = ^[[9]]"), &["member 9 is not a member"]),
    (ring!("^[[event]]\nat = 3\npartition = [[80, 32, 5]]"), &["parts nobody"]),
    (ring!("[[event]]\nat = 3\nheal = ^false"), &["'heal' must be true"]),
    (ring!("[[event]]\nat = 3\ndrift = ^5"), &["'drift' needs 'by'"]),
    (ring!("[[event]]\nat = 3\ndrift = 5\nby = ^'fast'"), &["'fast' is no rate"]),
    (ring!("[[event]]\nat = 3\njump = 5\nby = ^0"), &["'by' must be a number of hops, not 0"]),
    (ring!("[[event]]\nat = 3\npretend = ^5\nas = 5"), &["pretend to be itself"]),
    (ring!("[[event]]\nat = 3\nforge = 5\nleader = ^'x'"), &["'leader' must be an id"]),
    (ring!("[[event]]\nat = 3\nsilence = 5\ntowards = ^[]"), &["'towards' names nobody"]),
    (ring!("[[event]]\nat = 3\nsilence = ^5\ntowards = 9"), &["member 9 is not a member"]),
    (ring!("loss = ^1.5"), &["'loss' must be a share"]),
    (ring!("loss = ^'100%'"), &["'loss' must be a share", "5%"]),
    (ring!("burst = ^2"), &["'burst' needs something to lose", "add 'loss'"]),
    (ring!("held_up = ^2"), &["add 'reordering'"]),
    (ring!("faults_until = ^2"), &["'faults_until' ends nothing"]),
    (ring!("lose = [^'elected:3']"), &["chooses no message"]),
    (ring!("lose = [^'elected:3-5']"), &["member 3 is not a member"]),
    (ring!("lose = ^['electd']"), &["no messages of kind 'electd'", "did you mean 'elected'?"]),
    (ring!("duplicate = ^'elected'"), &["a list of messages"]),
    (ring!("detector = ^'xyzzy'"), &["there is no detector 'xyzzy'"]),
    (
        "algorithm = 'bully'\nnodes = 3\nring_closes = ^true\n[expect]\nleader = 3",
        &["'ring_closes' is for rings", "complete is not one"],
    ),
    // What is expected.
    ("algorithm = 'bully'\nnodes = 3\n^", &["nothing is expected", "hint: add [expect]"]),
    ("algorithm = 'bully'\nnodes = 3\n^[expect]", &["[expect] is empty"]),
    (expect!("leader = ^9"), &["leader 9 is not a member"]),
    (expect!("outcome = ^'electd'"), &["'elected', 'split', 'none', 'undecided'", "did you mean 'elected'?"]),
    (expect!("outcome = 'none'\nleader = ^80"), &["outcome 'none', which is without"]),
    (expect!("[[event]]\nat = 0\ncrash = 80", "leader = ^80"), &["member 80 crashes at 0"]),
    (expect!("outcome = 'split'\nagreed = ^true"), &["'agreed' cannot be where outcome is 'split'"]),
    (expect!("outcome = 'split'\nsafe = ^true"), &["'safe' cannot be where outcome is 'split'"]),
    (expect!("outcome = ^'undecided'"), &["nothing stops this one", "'until' or 'max_messages'"]),
    (expect!("leader = 80\nagreed = true\nleaders = { ^5 = 32 }"), &["all are to name one leader"]),
    (expect!("agreed = true\nleaders = { ^5 = 'none' }"), &["all are to name one leader"]),
    (expect!("leaders = { ^9 = 80 }"), &["member 9 is not a member"]),
    (expect!("leaders = { ^x = 80 }"), &["'x' is no id"]),
    (expect!("leaders = { 5 = ^'nobody' }"), &["an id, or 'none'"]),
    (
        expect!("[[event]]\nat = 3\ncrash = 5", "leaders = { ^5 = 80 }"),
        &["member 5 crashes, and the dead take nobody"],
    ),
    (
        expect!("messages = ^5\nmessages_of = { election = 3, elected = 3 }"),
        &["'messages' is 5, but the kinds in 'messages_of' make 6"],
    ),
    (expect!("messages = ^9\nmessages_of = { election = 3, elected = 3 }"), &["'messages' is 9"]),
    (expect!("messages_of = { ^electon = 3 }"), &["no messages of kind 'electon'", "mean 'election'?"]),
    (expect!("rounds = ^3"), &["'rounds': this run of chang-roberts has no common rounds"]),
    (
        "algorithm = 'lcr'\nnodes = 3\nsynchroniser = true\n[expect]\nleader_round = ^4",
        &["'leader_round': this run of lcr has no common rounds", "'time'"],
    ),
    (expect!("leader = 80\nleaders = { ^80 = 'none' }"), &["member 80 leads, and so names itself"]),
    (expect!("until = 3", "time = ^5"), &["'time' is 5, but the run is over at 3", "raise 'until'"]),
    (expect!("messages = 8\nbytes = ^0"), &["'bytes' is 0, which is less than 'messages'"]),
    (
        "algorithm = 'lcr'\nnodes = 3\n[expect]\nrounds = ^3\nleader_round = 4",
        &["'rounds' is 3, which is less than 'leader_round'"],
    ),
    (expect!("messages = ^'many'"), &["'messages' must be a number, or { at_most = 9 }"]),
    (expect!("messages = ^{ at_least = 5, at_most = 3 }"), &["nothing is at least 5 and at most 3"]),
    (expect!("messages = { ^atmost = 3 }"), &["did you mean 'at_most'?"]),
    (expect!("time = ^-3"), &["'time' must be a number"]),
    // Runs that are said step by step.
    (ring!("schedule = ^'call 5'"), &["'schedule' must be a list of steps"]),
    (ring!("schedule = ['call 5', ^7]"), &["'schedule' must be text in quotes, not 7"]),
    (ring!("schedule = ['call 5', ^'cal 5']"), &["'cal 5' is no step: expected call 3, deliver 3 -> 1"]),
    (
        ring!("schedule = ['call 5', ^'call 9']"),
        &["step 2 of the schedule, 'call 9': member 9 is not a member"],
    ),
    (ring!("schedule = ['call 5', ^'deliver 5 -> 32']"), &["nothing leads from 5 to 32", "name two members"]),
    (
        ring!("schedule = [\n'call 5',\n^'deliver 80 -> 32']"),
        &[
            "step 2 of the schedule, 'deliver 80 -> 32': this cannot happen then",
            "what can is call 80, call 32, deliver 5 -> 80",
        ],
    ),
    (
        ring!("schedule = ['call 5']\nloops_from = ^2"),
        &["the loop starts with step 2, and the last step is 1"],
    ),
    (ring!("schedule = ['call 5']\nloops_from = ^0"), &["'loops_from' must be a number, 1 or more, not 0"]),
    (ring!("schedule = ['call 5']\nloops_from = ^1"), &["do not lead back", "'loops_from'"]),
    (ring!("schedule = ['call 5']\nbeginning = ^2"), &["the run can begin in 1 ways"]),
    (ring!("loops_from = ^2"), &["'loops_from' goes with 'schedule'"]),
    (ring!("schedule = ^['call 5']\nuntil = 9"), &["a schedule says everything", "leave out 'until'"]),
    (ring!("schedule = ^['call 5']\ndelay = 'uniform:1..3'"), &["leave out 'delay'"]),
    (ring!("schedule = ^['call 5']\ndetector = 'heartbeat'"), &["leave out 'detector'"]),
    (ring!("schedule = ^['call 5']\n[[event]]\nat = 5\ncrash = 5"), &["leave out events"]),
    (
        ring!("schedule = ['crash 5', 'crash 32']\n[liberties]\ncrashes = ^1"),
        &["'crashes' is 1, and the steps of the schedule need 2", "raise it"],
    ),
    (ring!("schedule = []\n[liberties]\n^crash = 1"), &["no key 'crash'", "did you mean 'crashes'?"]),
    (ring!("schedule = []\n[liberties]\nlosses = ^300"), &["'losses' must be a smaller number, not 300"]),
    (ring!("schedule = ^[]\n[liberties]\nclock = { grain = 0 }"), &["0 steps of the clock: use 1 to 100"]),
    (
        "algorithm = 'bully'\nnodes = 17\nschedule = ^[]\n[expect]\nleader = 17",
        &["272 ways for messages", "use fewer members"],
    ),
    // What waits.
    ("algorithm = 'paxos'\nnodes = 3\nwaits_for = ^'quorums'", &["waits for quorums: it cannot be run yet"]),
    (ring!("waits_for = ^''"), &["'waits_for' is empty"]),
];

#[test]
fn bad_scenarios_are_refused_with_their_place_and_a_message_that_helps() {
    let mut wrong = Vec::new();
    for (marked, expected) in CASES {
        let marked = format!("title = 'T'\n{marked}");
        let before = marked.split('^').next().unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let place = format!("error: s.toml:{line}:{column}: ");

        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("s.toml"), marked.replace('^', "")).unwrap();
        let ended = run_in(dir.path(), "play s.toml --check");
        let is_refused = (ended.code, ended.stdout.as_str()) == (2, "");
        let is_told = expected.iter().all(|words| ended.stderr.contains(words));
        let nothing_else = fs::read_dir(dir.path()).unwrap().count() == 1;
        if !(is_refused && is_told && nothing_else && ended.stderr.starts_with(&place)) {
            wrong.push(format!(
                "{marked}\nexpected {place}{expected:?}\ncame {}: {}",
                ended.code, ended.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_missing_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("", "s.toml:1:1: 'title' is missing"),
        ("title = 'T'", "s.toml:1:1: 'algorithm' is missing"),
        ("title = 'T'\nalgorithm = 'lcr'\n[expect]\nsafe = true", "s.toml:2:13: how many members?"),
    ] {
        fs::write(dir.path().join("s.toml"), text).unwrap();
        let ended = run_in(dir.path(), "play s.toml");
        assert!(ended.code == 2 && ended.stderr.contains(words), "{text}: {}", ended.stderr);
    }
}

#[test]
fn files_that_cannot_be_read_are_told_from_those_that_make_no_sense() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(dir.path().join(name), content).unwrap();
    write("bytes.toml", b"title = 'T'\n\xff");
    write("waiting.toml", b"title = 'T'\nalgorithm = 'chess'\nids = [1]\nwaits_for = 'patience'\n");
    write("large.toml", "#".repeat((1 << 20) + 1).as_bytes());
    let cases = [
        ("play none.toml", 1, "error: cannot read none.toml"),
        ("play .", 1, "error: cannot read ."),
        ("play bytes.toml", 2, "error: bytes.toml:2:1: this is not text: expected UTF-8"),
        ("play large.toml", 2, "error: large.toml is too large: a scenario has at most 1048576 bytes"),
        (
            "play ring-of-sx",
            2,
            "no scenario 'ring-of-sx', and no file of that name\nhint: did you mean 'ring-of-six'?",
        ),
        ("play 0000", 2, "hint: 'bellwether scenarios' lists them"),
        (
            "play ring-of-six --export png",
            2,
            "there is no format 'png': use one of mermaid, svg, shiviz, json",
        ),
        ("play ring-of-six --export svg:", 2, "names no file after the colon"),
        ("play ring-of-six --export svg --export json:-", 2, "hint: give exports a file"),
        ("play ring-of-six --export svg --check", 2, "hint: give exports a file"),
        ("play ring-of-six --format json", 2, "--check"),
        ("play", 2, "NAME|FILE"),
        ("play waiting.toml --check", 2, "waiting.toml:4:13: this scenario waits for patience"),
        ("play waiting.toml --export svg", 2, "it cannot be run yet"),
    ];
    for (args, code, words) in cases {
        let ended = run_in(dir.path(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{args}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{args}: {}", ended.stderr);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "something was written");
}
