//! Supervisors of real processes: this program again, as a supervisor or as a member.

mod limits;
mod stage;

use crate::stage::*;
use bellwether_cluster::death_certificate::{ACKNOWLEDGED, Commitment, LENGTH};
use bellwether_cluster::{Peer, Security, Settings, Supervisor, die_with_parent, parent_to_die_with};
use bellwether_core::Id;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithRawSiginfo;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Not a test by itself: what this program does when a test below has started it once more.
#[test]
fn as_another_process() {
    match std::env::var(ROLE).as_deref() {
        Ok("supervisor") => supervise(),
        Ok("supervisor-on-a-terminal") => {
            rustix::process::setsid().unwrap();
            rustix::process::ioctl_tiocsctty(std::io::stdin()).unwrap();
            supervise();
        }
        Ok("nested") => {
            assert_eq!(parent_to_die_with().unwrap(), None);
            let mut member = Command::new("sh");
            member.args(["-c", "exit 5"]);
            std::process::exit(Supervisor::new(&settings()).run(member).unwrap().code);
        }
        Ok("member") => {
            die_with_parent().unwrap();
            fs::write("ready", std::process::id().to_string()).unwrap();
            std::thread::sleep(Duration::from_secs(600));
        }
        Ok("reader") => read_the_terminal(),
        _ => {}
    }
}

fn supervise() {
    let ended = Supervisor::new(&settings()).patience(Duration::from_secs(60)).run(command());
    std::process::exit(ended.map_or(99, |ended| ended.code));
}

/// Writes down a line, and then the code of each SIGINT and SIGHUP, until it is told to end.
fn read_the_terminal() {
    let mut signals = SignalsInfo::<WithRawSiginfo>::new([SIGINT, SIGHUP, SIGTERM]).unwrap();
    let (mut line, mut interrupts) = (String::new(), String::new());
    std::io::stdin().read_line(&mut line).unwrap();
    write_whole("said", &line);
    for signal in &mut signals {
        if signal.si_signo == SIGTERM {
            std::process::exit(7);
        }
        interrupts += &format!("{} ", signal.si_code);
        write_whole("interrupts", &interrupts);
    }
}

fn write_whole(name: &str, text: &str) {
    fs::write("new", text).unwrap();
    fs::rename("new", name).unwrap();
}

fn settings() -> Settings {
    let id = |value| Id::new(value).unwrap();
    Settings {
        members: vec![Peer::new(id(1), std::env::var(PEER).unwrap()), Peer::new(id(ME), "localhost:1")],
        security: Security::Plaintext,
        stop_timeout_ms: std::env::var(STOP_TIMEOUT_MS).map_or(60_000, |text| text.parse().unwrap()),
        ..Settings::new("orders", id(ME))
    }
}

fn command() -> Command {
    match std::env::var(SCRIPT).unwrap().as_str() {
        "" => this_program("member"),
        "reader" => this_program("reader"),
        "none" => Command::new("./there-is-no-such-program"),
        script => {
            let mut shell = Command::new("sh");
            shell.args(["-c", script]);
            shell
        }
    }
}

/// A member that starts a child, one in a session of its own, and one whose parents are gone.
const FAMILY: &str = r#"
    sleep 600 & echo $! >> family
    setsid sh -c 'echo $$ >> family; sleep 600 & echo $! >> family; wait' &
    (setsid sh -c '(sleep 600 & echo $! >> family) & wait' &)
    while [ "$(wc -l < family)" -lt 4 ]; do sleep 0.01; done
    echo $BELLWETHER_COMMITMENT > commitment
    echo $$ >> family; mv family ready; wait"#;

#[test]
fn a_death_is_announced_when_all_descendants_are_dead() {
    let stage = Stage::set(FAMILY);
    let pids = stage.pids("ready");
    let commitment: Commitment = stage.read("commitment").trim().parse().unwrap();
    assert_eq!(pids.len(), 5);
    assert!(pids.iter().all(|&pid| lives(pid)));
    signal(pids[4], rustix::process::Signal::KILL);
    let (stream, certificate) = stage.heard();
    assert!(!pids.iter().any(|&pid| exists(pid)), "announced while a process was left");
    assert!(certificate.proves_death_of(&commitment));
    assert_eq!(stage.acknowledge(stream).code(), Some(128 + 9));
}

/// More of them than the supervisor may hold at once.
#[test]
fn many_descendants_are_reaped() {
    let mut narrow = Command::new("sh");
    let program = this_program("supervisor");
    narrow
        .args(["-c", "ulimit -n 24; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args());
    narrow.env(ROLE, "supervisor");
    let script = "for i in $(seq 60); do sleep 600 & echo $! >> family; done; echo $$ >> family; mv family ready; wait";
    let stage = Stage::start(&mut narrow, script);
    let pids = stage.pids("ready");
    assert_eq!(pids.len(), 61);
    signal(pids[60], rustix::process::Signal::KILL);
    let (stream, _) = stage.heard();
    assert!(!pids.iter().any(|&pid| exists(pid)), "announced while a process was left");
    assert_eq!(stage.acknowledge(stream).code(), Some(128 + 9));
}

/// But addresses of an earlier incarnation do not count any more.
#[test]
fn peers_that_have_moved_are_told_where_they_are() {
    let script = r#"mkdir -p bellwether-data
        printf '["%s",[[1,"%s"]]]' "$BELLWETHER_COMMITMENT" $PLACE > bellwether-data/moved"#;
    for is_of_this_life in [true, false] {
        let directory = TempDir::new().unwrap();
        let (before, after) =
            (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let place = |peer: &TcpListener| peer.local_addr().unwrap().to_string();
        let mut shell = Command::new("sh");
        let in_another_life = shell.args(["-c", script]).env("PLACE", place(&after));
        assert!(in_another_life.current_dir(directory.path()).status().unwrap().success());
        let supervisor = this_program("supervisor")
            .env(PEER, place(&before))
            .env(SCRIPT, if is_of_this_life { script } else { "true" })
            .env("PLACE", place(&after))
            .current_dir(directory.path())
            .spawn()
            .unwrap();
        let peer = if is_of_this_life { after } else { before };
        let stage = Stage { directory, peer, supervisor };
        let (stream, _) = stage.heard();
        assert_eq!(stage.acknowledge(stream).code(), Some(0));
    }
}

#[test]
fn with_its_supervisor_the_member_dies_and_nothing_is_announced() {
    let mut stage = Stage::set("");
    let member = stage.pids("ready")[0];
    assert!(lives(member));
    stage.supervisor.kill().unwrap();
    assert_eq!(stage.supervisor.wait().unwrap().signal(), Some(9));
    eventually(|| !lives(member));
    stage.assert_nothing_heard();
}

#[test]
fn signals_are_passed_on_and_orphans_reaped() {
    use rustix::process::Signal;
    for (name, number) in [
        ("TERM", Signal::TERM),
        ("HUP", Signal::HUP),
        ("QUIT", Signal::QUIT),
        ("USR1", Signal::USR1),
        ("USR2", Signal::USR2),
    ] {
        let script = "(true &); (true &); trap 'exit 7' NAME; echo $$ > new; mv new ready; while :; do sleep 0.01; done";
        let stage = Stage::set(&script.replace("NAME", name));
        let member = stage.pids("ready")[0];
        let supervisor = stage.supervisor.id();
        eventually(|| children(supervisor) == [member]);
        signal(supervisor, number);
        let (stream, _) = stage.heard();
        assert_eq!(stage.acknowledge(stream).code(), Some(7));
    }
}

#[test]
fn the_exit_code_is_kept_and_the_token_never_shown() {
    let stage = Stage::set("cat /proc/self/environ > new; mv new environment; exit 3");
    let environment = stage.read("environment");
    let (stream, certificate) = stage.heard();
    let token = &certificate.encode()[LENGTH - 32..];
    let digits = format!("{:x}", base16ct::HexDisplay(token));
    let shown = |bytes: &[u8]| environment.as_bytes().windows(bytes.len()).any(|it| it == bytes);
    assert!(!shown(token) && !shown(digits.as_bytes()));
    assert!(shown(b"BELLWETHER_COMMITMENT="), "the search can find something");
    assert_eq!(stage.acknowledge(stream).code(), Some(3));
}

/// A signal of the terminal to both processes reaches the member once, and so does one to its supervisor. The codes are those of
/// `<asm-generic/siginfo.h>`: sent by the kernel, sent by a process.
#[test]
fn a_member_reads_the_terminal_and_hears_every_signal_once() {
    const CTRL_C: u8 = 3;
    enum Says {
        Typed,
        Sent,
        /// The line is gone. The terminal says so to the first process of its session alone, which is the supervisor.
        HungUp,
    }
    for (says, code) in [(Says::Typed, "128 "), (Says::Sent, "0 "), (Says::HungUp, "0 ")] {
        let (stage, mut terminal) = Stage::on_a_terminal("reader");
        terminal.write_all(b"good morning\n").unwrap();
        assert_eq!(stage.read("said"), "good morning\n");
        match says {
            Says::Typed => terminal.write_all(&[CTRL_C]).unwrap(),
            Says::Sent => signal(stage.supervisor.id(), rustix::process::Signal::INT),
            Says::HungUp => drop(terminal),
        }
        assert_eq!(stage.read("interrupts"), code);
        // Were it passed on once more, that would happen before this is.
        signal(stage.supervisor.id(), rustix::process::Signal::TERM);
        let (stream, _) = stage.heard();
        assert_eq!(stage.read("interrupts"), code);
        assert_eq!(stage.acknowledge(stream).code(), Some(7));
    }
}

#[test]
fn the_terminal_ends_a_member_with_all_that_it_started_and_that_is_announced() {
    let script = "sleep 600 & setsid sleep 600 & echo $! > new; mv new ready; read line";
    let (stage, mut terminal) = Stage::on_a_terminal(script);
    let hidden = stage.pids("ready")[0];
    terminal.write_all(&[3]).unwrap();
    let (stream, _) = stage.heard();
    assert!(!exists(hidden));
    assert_eq!(stage.acknowledge(stream).code(), Some(128 + 2));
}

/// A member, which is a shell, starts a program that has a supervisor of its own: each tells of its own death.
#[test]
fn supervised_programs_nest() {
    let program = std::env::current_exe().unwrap();
    let role = format!("{ROLE}=nested '{}' as_another_process --exact --nocapture", program.display());
    let stage = Stage::set(&format!("{role}; exit $(($? + 1))"));
    let (mut stream, inner) = stage.heard();
    stream.write_all(&[ACKNOWLEDGED]).unwrap();
    let (stream, outer) = stage.heard();
    assert_ne!(inner, outer);
    assert_eq!(stage.acknowledge(stream).code(), Some(6));
}

#[test]
fn process_that_never_started_is_not_announced() {
    let mut stage = Stage::set("none");
    assert_eq!(stage.supervisor.wait().unwrap().code(), Some(99));
    stage.assert_nothing_heard();
}
