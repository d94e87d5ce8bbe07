//! Real clusters: what they say, and that nothing of them is left.

mod kept;
mod rings;
mod terminal;

use crate::program::{command, run, run_in, run_well};
use bellwether::process::SUPERVISOR;
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(60);

/// A cluster that runs until it is told to end, with its temporary files in a directory of the test's. Ends with the test.
struct Up {
    child: Child,
    /// Nothing once nobody reads any more.
    lines: Option<Lines<BufReader<ChildStdout>>>,
    temporary: TempDir,
    told: Vec<Value>,
}

impl Up {
    fn start(args: &str) -> Up {
        Up::with(command(&format!("up --format json {args}")).stdout(Stdio::piped()))
    }

    fn with(command: &mut Command) -> Up {
        let temporary = tempfile::tempdir().unwrap();
        // A test that waits for what does not come fails then, and does not hang.
        let mut child = command.args(["--for", "60s"]).env("TMPDIR", temporary.path()).spawn().unwrap();
        let lines = child.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        Up { child, lines, temporary, told: Vec::new() }
    }

    /// Reads what is told until this is so.
    fn read_until(&mut self, is_so: impl Fn(&[Value]) -> bool) {
        while !is_so(&self.told) {
            let line = self.lines.as_mut().and_then(Lines::next).expect("it goes on").unwrap();
            self.told.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}")));
        }
    }

    fn read_to_the_end(&mut self) {
        for line in self.lines.take().into_iter().flatten() {
            self.told.push(serde_json::from_str(&line.unwrap()).unwrap());
        }
    }

    /// Ends it: all that it started, which is at least so many processes, and all that it wrote is gone then.
    fn end_by(&mut self, signal: Signal, least: usize) {
        let processes = descendants(self.pid());
        self.signal(signal);
        self.read_to_the_end();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        assert!(processes.len() >= least, "{processes:?}");
        assert_gone(&processes);
        assert_empty(self.temporary.path());
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn pid(&self) -> i32 {
        self.child.id() as i32
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(told: &[Value], event: &str) -> usize {
    told.iter().filter(|line| line["event"] == event).count()
}

/// A process, as nobody else will ever be: its pid, and when it was started.
type Process = (i32, String);

/// A process's parent and itself, if it lives.
fn look_up(pid: i32) -> Option<(i32, Process)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let is_alive = *fields.first()? != "Z";
    is_alive.then(|| Some((fields.get(1)?.parse().ok()?, (pid, (*fields.get(19)?).to_owned()))))?
}

/// Everything below a process.
fn descendants(root: i32) -> BTreeSet<Process> {
    let pids = fs::read_dir("/proc").unwrap();
    let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let all: Vec<(i32, Process)> = pids.filter_map(look_up).collect();
    let mut found: BTreeSet<Process> = BTreeSet::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for (_, process) in all.iter().filter(|(of, _)| *of == parent) {
            parents.push(process.0);
            found.insert(process.clone());
        }
    }
    found
}

/// They are gone, or soon are.
fn assert_gone(processes: &BTreeSet<Process>) {
    let limit = Instant::now() + LIMIT;
    let is_alive = |process: &&Process| look_up(process.0).is_some_and(|(_, now)| now == **process);
    while let Some(process) = processes.iter().find(is_alive) {
        assert!(Instant::now() < limit, "process {} is left", process.0);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn assert_empty(dir: &Path) {
    let left: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn killed_leaders_are_replaced_and_all_is_summed_up_and_gone_at_the_end() {
    let mut up = Up::start("--members 3 --kill-leader-every 200ms");
    up.read_until(|told| count(told, "killed") == 3 && told.last().unwrap()["event"] == "gained");
    up.end_by(Signal::TERM, 4); // at least two members live, each with a supervisor

    let told = &up.told;
    for line in told {
        assert!(line["at_ms"].is_number() && line["event"].is_string(), "{line}");
        assert!(["member", "leader", "term"].iter().all(|key| line.get(key).is_some()), "{line}");
    }
    let (first, last) = (&told[0], &told[told.len() - 1]);
    assert_eq!((&first["event"], &last["event"]), (&"up".into(), &"summary".into()));
    let promise = "one leader at most, whatever the network does, with 3 members of which 1 may fail";
    assert_eq!(first["promise"], promise);
    // What is summed up is what was told.
    assert_eq!(last["kills"], count(told, "killed"));
    let gained: BTreeSet<u64> = told
        .iter()
        .filter(|line| line["event"] == "gained")
        .map(|line| line["term"].as_u64().unwrap())
        .collect();
    let elections = last["elections"].as_u64().unwrap();
    assert!((4..=gained.len() as u64).contains(&elections), "{elections} of {gained:?}");
    let changes = &last["leader_changes"];
    let changes = changes["provoked"].as_u64().unwrap() + changes["unprovoked"].as_u64().unwrap();
    assert!((2..elections).contains(&changes), "{changes} of {elections}"); // some elect the same leader again
    let took = |key: &str| last["failovers"][key].as_f64().unwrap();
    assert!(took("count") >= 2.0 && took("p50_ms") <= took("p99_ms") && took("p99_ms") <= took("max_ms"));
    assert_eq!((&last["most_leaders_at_once"], &last["tokens_grew"]), (&1.into(), &true.into()));
}

#[test]
fn everything_dies_with_it_even_if_it_is_killed() {
    let mut up = Up::start("--members 3");
    up.read_until(|told| count(told, "gained") == 1);
    let processes = descendants(up.pid());
    assert_eq!(processes.len(), 6, "{processes:?}");
    up.signal(Signal::KILL);
    up.child.wait().unwrap();
    assert_gone(&processes);
}

#[test]
fn everything_ends_when_its_terminal_hangs_up() {
    let mut up = Up::start("--members 3");
    up.read_until(|told| count(told, "started") == 3 && count(told, "gained") > 0);
    up.end_by(Signal::HUP, 6); // three members, each with a supervisor
}

#[test]
fn everything_ends_when_nobody_reads_any_more() {
    let mut up = Up::start("--members 3 --kill-leader-every 100ms");
    up.read_until(|told| count(told, "gained") == 1);
    let processes = descendants(up.pid());
    up.lines = None;
    assert_eq!(up.child.wait().unwrap().code(), Some(0));
    assert_gone(&processes);
    assert_empty(up.temporary.path());
}

#[test]
fn a_member_that_others_kill_is_missed() {
    let mut up = Up::start("--members 3");
    up.read_until(|told| count(told, "gained") == 1);
    let leader = up.told.iter().find(|line| line["event"] == "gained").unwrap()["member"].as_u64().unwrap();
    let pid = pid_of(&up.told, leader);
    assert!(descendants(up.pid()).iter().any(|process| process.0 == pid.as_raw_nonzero().get()));
    kill_process(pid, Signal::KILL).unwrap();
    up.read_until(|told| count(told, "ended") == 1 && count(told, "gained") >= 2);
    up.signal(Signal::INT);
    up.read_to_the_end();
    assert_eq!(up.child.wait().unwrap().code(), Some(0));
    let last = up.told.last().unwrap();
    assert_eq!((&last["most_leaders_at_once"], &last["kills"]), (&1.into(), &0.into()));
    assert!(
        last["leader_changes"]["provoked"].as_u64().unwrap() >= 1,
        "the death of a leader explains the next: {last}"
    );
}

#[test]
fn a_run_of_a_given_length_ends_by_itself_and_tells_it_in_words() {
    let text = run_well("up --members 3 --for 500ms --profile fast --seed 7").stdout;
    for words in [
        "3 members run quorum-lease:renewals=5, fast",
        "of which 1 may fail",
        "LEADS",
        "most leaders at once: 1",
    ] {
        assert!(text.contains(words), "no '{words}' in\n{text}");
    }
}

#[test]
fn run_names_the_algorithm_with_the_parameters_that_its_members_have() {
    for (algorithm, shown) in
        [("quorum-lease", "quorum-lease:renewals=5"), ("quorum-lease:renewals=3", "quorum-lease")]
    {
        let data = tempfile::tempdir().unwrap();
        let options = "up --members 1 --for 100ms --profile fast --format json --data .";
        let told = run_in(data.path(), &format!("{options} --algorithm {algorithm}")).stdout;
        let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for event in ["up", "summary"] {
            let line = lines.iter().find(|line| line["event"] == event).unwrap();
            assert_eq!(line["algorithm"], shown, "{line}");
        }
        let settings = fs::read(data.path().join("member-1/settings.json")).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        assert_eq!(settings["algorithm"], algorithm, "the profile must not change what is given");
    }
}

#[test]
fn clusters_of_one_and_two_say_what_they_can_promise() {
    for (members, words) in [(1, "nobody takes over"), (2, "both of which are needed")] {
        let text = run_well(&format!("up --members {members} --for 100ms")).stdout;
        assert!(text.contains(words) && text.contains("LEADS"), "{text}");
    }
}

#[test]
fn the_leader_of_one_or_two_is_killed_too_and_comes_back() {
    for members in [1, 2] {
        let mut up = Up::start(&format!("--members {members} --kill-leader-every 100ms"));
        up.read_until(|told| count(told, "killed") == 2 && count(told, "restarted") == 2);
        up.read_until(|told| {
            let killed = told.iter().rposition(|line| line["event"] == "killed").unwrap();
            count(&told[killed..], "gained") > 0
        });
        up.signal(Signal::TERM);
        up.read_to_the_end();
        assert_eq!(up.child.wait().unwrap().code(), Some(0), "{members}");
    }
}

#[test]
fn other_algorithms_run_too_and_it_is_said_what_is_lost() {
    let text = run_well("up --algorithm bully --members 3 --for 100ms").stdout;
    assert!(text.contains("a partition can have two leaders") && text.contains("LEADS"), "{text}");
    let ended = run_well("up --algorithm raft-vote/pre-vote --members 3 --for 100ms");
    let text = ended.stdout;
    assert!(text.contains("one leader a term at most") && text.contains("LEADS"), "{text}");
    assert_eq!(ended.stderr, "", "members do not say again what has been said");
}

/// The pid that a member has said.
fn pid_of(told: &[Value], member: u64) -> Pid {
    let started = told.iter().find(|line| line["event"] == "started" && line["member"] == member).unwrap();
    Pid::from_raw(i32::try_from(started["pid"].as_i64().unwrap()).unwrap()).unwrap()
}

/// Of one that is frozen, the first detector says that it has failed, the second for a long time only that it may have.
#[test]
fn the_detector_that_is_chosen_watches_and_is_named() {
    for (detector, verdict) in [("heartbeat:D=500", "failed"), ("three-valued:D1=500,D2=60000", "suspected")]
    {
        let mut up = Up::start(&format!("--members 3 --algorithm bully --detector {detector}"));
        up.read_until(|told| count(told, "started") == 3 && count(told, "gained") > 0);
        assert_eq!(up.told[0]["detector"], detector);
        kill_process(pid_of(&up.told, 1), Signal::STOP).unwrap();
        let is_doubt = |line: &Value| {
            line["event"] == "judged" && line["peer"] == 1 && line["verdict"].as_str() != Some("working")
        };
        up.read_until(|told| told.iter().any(is_doubt));
        assert_eq!(up.told.iter().find(|line| is_doubt(line)).unwrap()["verdict"], verdict, "{detector}");
    }
    let text = run_well("up --algorithm bully --members 3 --for 100ms").stdout;
    assert!(text.contains("3 members run bully with the detector heartbeat:T=60,D=240, steady"), "{text}");
    let text = run_well("up --members 1 --for 100ms --format json").stdout;
    assert!(text.lines().next().unwrap().contains("\"detector\":null"), "{text}");
}

/// They come back before a detector as slow as this one has missed them: who was certified to be dead works again.
#[test]
fn whoever_is_back_before_it_was_missed_takes_part_again() {
    let slow = "--algorithm chang-roberts/detector --detector heartbeat:T=50000,D=50000";
    let mut up = Up::start(&format!("--members 3 {slow} --kill-leader-every 100ms"));
    up.read_until(|told| count(told, "killed") == 4);
}

/// In this algorithm, lots alone decide who leads.
#[test]
fn members_that_draw_from_the_same_seed_elect_the_same() {
    let leader = |seed: u64| {
        let mut up = Up::start(&format!("--members 3 --algorithm itai-rodeh --seed {seed}"));
        up.read_until(|told| count(told, "gained") == 1);
        up.told.last().unwrap()["member"].as_u64().unwrap()
    };
    let first = [1, 2, 3, 4].map(leader);
    assert_eq!([1, 2, 3, 4].map(leader), first);
    assert!(first.iter().any(|it| *it != first[0]), "it is the seed that decides: {first:?}");
}

#[test]
fn what_is_kept_can_be_gone_on_with_but_not_twice_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().display();
    let mut up = Up::start(&format!("--members 3 --data {data}"));
    up.read_until(|told| count(told, "gained") == 1);
    let second = run(&format!("up --members 3 --for 1s --data {data}"));
    assert_eq!(second.code, 2, "{}", second.stdout);
    assert!(second.stderr.contains("another cluster runs in"), "{}", second.stderr);
    up.signal(Signal::TERM);
    up.read_to_the_end();
    let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
    for (name, wanted) in
        [("lock", 0o600), ("member-1", 0o700), ("member-1/settings.json", 0o600), ("member-1/votes", 0o700)]
    {
        assert_eq!(mode(name), wanted, "{name} is for nobody else");
    }
    let last = up.told.iter().filter_map(|line| line["term"].as_u64()).max().unwrap();

    let again = run_well(&format!("up --members 3 --for 100ms --format json --data {data}")).stdout;
    let again: Vec<Value> = again.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let gained = again.iter().find(|line| line["event"] == "gained").unwrap();
    assert!(gained["term"].as_u64().unwrap() > last, "{gained} after {last}");
    let started = again.iter().filter(|line| line["event"] == "started");
    assert!(started.clone().count() == 3 && started.clone().all(|line| line["boot"] == 2));
}

#[test]
fn members_that_cannot_start_say_why() {
    let dir = tempfile::tempdir().unwrap();
    // A directory where the member's state should be.
    fs::create_dir_all(dir.path().join("data/member-1/votes/state")).unwrap();
    let ended = run_in(dir.path(), "up --members 1 --data data");
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stderr.contains("member 1: error: ") && ended.stderr.contains("no member could start"),
        "{}",
        ended.stderr
    );
}

/// Each has peers to tell of its death, and none of them is there.
#[test]
fn if_none_of_many_can_start_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let up = |args: &str| run_in(dir.path(), &format!("up --members 3 --data data --for 100ms {args}"));
    assert_eq!(up("").code, 0);
    let ended = up("--algorithm bully");
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("no member could start"), "{}", ended.stderr);
    for id in 1..=3 {
        let (dead, why) = (format!("member {id} is dead"), format!("member {id}: error: "));
        assert!(ended.stdout.contains(&dead) && ended.stderr.contains(&why), "{}", ended.stdout);
    }
}

/// By its environment a process can be asked to die with its parent. The wish is inherited by those for whom it is not meant.
#[test]
fn who_is_to_die_with_somebody_goes_on_only_below_that_one() {
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let (us, stranger_pid) = (std::process::id(), stranger.id());
    let program = env!("CARGO_BIN_EXE_bellwether");
    for (asks, is_below_a_shell, goes_on) in
        [(us, false, true), (us, true, true), (stranger_pid, false, false), (stranger_pid, true, false)]
    {
        for role in ["member", "supervise"] {
            let start = format!("'{program}' {role} none.json");
            // A shell that has something left to do does not become the program.
            let script = if is_below_a_shell { format!("{start}; exit $?") } else { format!("exec {start}") };
            let mut shell = Command::new("sh");
            let ended = shell.args(["-c", &script]).env(SUPERVISOR, asks.to_string()).output().unwrap();
            let said = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(said.contains("cannot read the settings"), goes_on, "{said}");
            assert_eq!(said.contains("is not this process's parent any more"), !goes_on, "{said}");
        }
    }
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn it_ends_when_it_is_told_to_though_nobody_reads() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let room = fcntl_setpipe_size(&reader, 4_096).unwrap();
    // Enough is left for the first line, and not for what else is said of three members: it cannot get to its end.
    writer.write_all(&vec![b' '; room - 600]).unwrap();
    let mut up = Up::with(command("up --format json --members 3").stdout(writer));
    let limit = Instant::now() + LIMIT;
    let wait = |what: &str| {
        assert!(Instant::now() < limit, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    };
    while descendants(up.pid()).len() < 6 {
        wait("members do not start");
    }
    let processes = descendants(up.pid());
    up.signal(Signal::TERM);
    let ended = loop {
        if let Some(status) = up.child.try_wait().unwrap() {
            break status;
        }
        wait("it waits for a reader");
    };
    assert_eq!(ended.code(), Some(1));
    assert_gone(&processes);
    drop(reader); // as long as there is a reader, there is somebody to wait for
}
