//! Rivals in the same run, each if it is installed: three servers, the leader struck again and again.

mod etcd;
mod keepalived;
mod nats;
mod sentinel;
mod zookeeper;

use crate::Line;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SERVERS: usize = 3;
/// Longer than any of them takes.
const LIMIT: Duration = Duration::from_secs(120);

/// Something else that elects a leader.
trait Rival {
    /// Makes what its servers need on this machine, or says what is missing.
    fn prepare(&mut self) -> Result<(), &'static str> {
        Ok(())
    }
    /// How one of its servers is started; its files go into the directory.
    fn server(&self, at: usize, directory: &Path) -> Command;
    /// Which process of a server the others hear.
    fn speaker(&self, server: Pid) -> Pid {
        server
    }
    /// Who leads, if all these say the same.
    fn leader(&self, live: &[usize]) -> Option<usize>;
    /// What runs beside the servers.
    fn others(&self, _directory: &Path) -> Vec<Command> {
        Vec::new()
    }
    /// How long nothing is done to it after an election.
    fn rest(&self) -> Duration {
        Duration::from_millis(500)
    }
}

/// A rival with one of its settings.
struct Contest {
    name: &'static str,
    /// What must be there for it to run, and which of Debian's packages has it.
    needs: (&'static str, &'static str),
    rival: Box<dyn Rival>,
}

/// Strikes the leaders of those that are installed and whose name has the word, and prints a line for each blow.
pub fn run(trials: usize, only: &str, print: impl Fn(&Line)) {
    let contests =
        [etcd::contests, zookeeper::contests, sentinel::contests, nats::contests, keepalived::contests];
    let contests = contests.iter().flat_map(|contests| contests());
    for Contest { name, needs: (file, package), mut rival } in contests {
        let blows = [("kill -9", Signal::KILL), ("SIGSTOP", Signal::STOP)];
        let blows = blows.map(|(blow, signal)| (format!("{name}: {blow}"), signal));
        let mut blows = blows.into_iter().filter(|(name, _)| name.contains(only)).peekable();
        if blows.peek().is_none() {
            continue;
        }
        if !Path::new(file).exists() {
            eprintln!("{name}: there is no {file}, so it does not run beside (Debian has it in {package})");
        } else {
            blows.for_each(|(name, signal)| match rival.prepare() {
                Ok(()) => print(&Servers::of(&*rival).suffer(name, signal, trials)),
                Err(missing) => eprintln!("{name}: {missing}, so it does not run beside"),
            });
        }
    }
}

/// A rival's servers.
struct Servers<'a> {
    rival: &'a dyn Rival,
    directory: TempDir,
    servers: Vec<Option<Child>>,
    others: Vec<Child>,
}

impl<'a> Servers<'a> {
    fn of(rival: &'a dyn Rival) -> Servers<'a> {
        let directory = TempDir::new().expect("there is room for a directory");
        let servers = (0..SERVERS).map(|at| Some(begin(&rival.server(at, directory.path()))));
        let servers = servers.collect();
        let others = rival.others(directory.path()).iter().map(begin).collect();
        Servers { rival, directory, servers, others }
    }

    fn suffer(&mut self, name: String, signal: Signal, trials: usize) -> Line {
        let mut line = Line { name, times: Vec::new(), unprovoked: 0 };
        let all: Vec<usize> = (0..SERVERS).collect();
        for _ in 0..trials {
            let Some(mut leader) = self.agreed(&all, None) else { return line };
            let rested = Instant::now() + self.rival.rest();
            while Instant::now() < rested {
                std::thread::sleep(Duration::from_millis(20));
                if let Some(other) = self.rival.leader(&all).filter(|other| *other != leader) {
                    (leader, line.unprovoked) = (other, line.unprovoked + 1);
                }
            }
            let Some(mut server) = self.servers[leader].take() else { continue };
            let process = self.rival.speaker(Pid::from_child(&server));
            let survivors: Vec<usize> = all.iter().copied().filter(|at| *at != leader).collect();
            let struck = Instant::now();
            kill_process(process, signal).expect("it lives");
            let next = self.agreed(&survivors, Some(leader));
            line.times.extend(next.map(|_| struck.elapsed()));
            self.servers[leader] = Some(if signal == Signal::STOP {
                let _ = kill_process(process, Signal::CONT);
                server
            } else {
                let _ = server.wait();
                begin(&self.rival.server(leader, self.directory.path()))
            });
        }
        line
    }

    /// Waits until all these name the same leader, another than `not`. If they never do, that is said.
    fn agreed(&self, live: &[usize], not: Option<usize>) -> Option<usize> {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(leader) = self.rival.leader(live).filter(|leader| Some(*leader) != not) {
                return Some(leader);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        eprintln!("no agreement on a leader within {LIMIT:?}: fewer trials count");
        None
    }
}

impl Drop for Servers<'_> {
    fn drop(&mut self) {
        for child in self.servers.iter_mut().flatten().chain(&mut self.others) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Begins a server that dies with this process, however that ends.
fn begin(command: &Command) -> Child {
    let mut mortal = Command::new("setpriv");
    mortal.args(["--pdeathsig", "KILL", "--"]).arg(command.get_program()).args(command.get_args());
    let spawned = mortal.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    spawned.expect("it is installed, and so is setpriv (Debian has it in util-linux)")
}

/// An address that nobody else uses: all of 127/8 is this machine's.
fn host(last: u8) -> String {
    format!("127.77.{}.{last}", 1 + std::process::id() % 250)
}

/// How a question ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The server hangs up when it has answered.
    Listen,
    /// It goes on until the other side hangs up.
    HangUp,
}

/// What a server answers to a few words. Nothing if it does not, in time to ask again.
fn ask(host: &str, port: u16, words: &str, then: Then) -> Option<String> {
    let address = SocketAddr::new(host.parse().ok()?, port);
    let limit = Duration::from_millis(200);
    let mut stream = TcpStream::connect_timeout(&address, limit).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.write_all(words.as_bytes()).ok()?;
    if then == Then::HangUp {
        stream.shutdown(Shutdown::Write).ok()?;
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The body of what it answers to a request in HTTP.
fn fetch(host: &str, port: u16, request: &str) -> Option<serde_json::Value> {
    let answer = ask(host, port, request, Then::Listen)?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}
