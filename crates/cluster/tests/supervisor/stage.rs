//! A supervisor, its member and that member's peer.

use bellwether_cluster::death_certificate::{ACKNOWLEDGED, DeathCertificate, LENGTH};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const ROLE: &str = "BELLWETHER_TEST_ROLE";
pub const PEER: &str = "BELLWETHER_TEST_PEER";
pub const SCRIPT: &str = "BELLWETHER_TEST_SCRIPT";
pub const STOP_TIMEOUT_MS: &str = "BELLWETHER_TEST_STOP_TIMEOUT_MS";
pub const ME: u64 = 2;

pub fn this_program(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["as_another_process", "--exact", "--nocapture"]).env(ROLE, role);
    command
}

/// A supervisor with a member, which works in a directory of its own, and the only peer of that member.
pub struct Stage {
    pub directory: TempDir,
    pub peer: TcpListener,
    pub supervisor: Child,
}

impl Stage {
    /// Starts all of it; the member is this shell script, or this program if it is empty.
    pub fn set(script: &str) -> Stage {
        Stage::start(&mut this_program("supervisor"), script)
    }

    /// The same on a terminal, of which this is the other side.
    pub fn on_a_terminal(script: &str) -> (Stage, File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        (Stage::start(this_program("supervisor-on-a-terminal").stdin(theirs), script), ours.into())
    }

    pub fn start(supervisor: &mut Command, script: &str) -> Stage {
        let directory = TempDir::new().unwrap();
        let peer = TcpListener::bind("127.0.0.1:0").unwrap();
        let supervisor = supervisor
            .env(PEER, peer.local_addr().unwrap().to_string())
            .env(SCRIPT, script)
            .current_dir(directory.path())
            .spawn()
            .unwrap();
        Stage { directory, peer, supervisor }
    }

    /// What the member has written into a file, which it moves into place when it is complete.
    pub fn read(&self, name: &str) -> String {
        let path = self.directory.path().join(name);
        let mut text = String::new();
        eventually(|| {
            text = fs::read_to_string(&path).unwrap_or_default();
            !text.is_empty()
        });
        text
    }

    pub fn pids(&self, name: &str) -> Vec<u32> {
        self.read(name).split_ascii_whitespace().map(|pid| pid.parse().unwrap()).collect()
    }

    pub fn heard(&self) -> (TcpStream, DeathCertificate) {
        self.peer.set_nonblocking(true).unwrap();
        let mut caller = None;
        eventually(|| {
            caller = self.peer.accept().ok();
            caller.is_some()
        });
        let (mut stream, _) = caller.unwrap();
        let mut bytes = [0; LENGTH];
        stream.read_exact(&mut bytes).unwrap();
        let certificate = DeathCertificate::decode(&bytes).unwrap();
        assert!(certificate.is_of("orders") && certificate.id.value() == ME);
        (stream, certificate)
    }

    pub fn acknowledge(mut self, mut stream: TcpStream) -> ExitStatus {
        stream.write_all(&[ACKNOWLEDGED]).unwrap();
        self.supervisor.wait().unwrap()
    }

    pub fn assert_nothing_heard(&self) {
        self.peer.set_nonblocking(true).unwrap();
        assert_eq!(self.peer.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

/// A test that fails leaves no process behind.
impl Drop for Stage {
    fn drop(&mut self) {
        if let Ok(None) = self.supervisor.try_wait() {
            let pid = self.supervisor.id();
            signal(pid, rustix::process::Signal::TERM); // so that it ends the member's whole family
            eventually(|| children(pid).is_empty());
            let _ = self.supervisor.kill();
            let _ = self.supervisor.wait();
        }
    }
}

pub fn eventually(mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < until, "waited in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether there is a process of this number, be it only a zombie.
pub fn exists(pid: u32) -> bool {
    PathBuf::from(format!("/proc/{pid}")).exists()
}

/// Whether it could still do something.
pub fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

pub fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).unwrap();
    let texts = threads.map(|it| fs::read_to_string(it.unwrap().path().join("children")).unwrap_or_default());
    let texts: Vec<String> = texts.collect();
    texts.iter().flat_map(|it| it.split_ascii_whitespace()).map(|pid| pid.parse().unwrap()).collect()
}
