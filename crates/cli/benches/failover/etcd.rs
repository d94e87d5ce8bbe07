//! A rival in the same run: three etcd servers, if they are installed (Debian's etcd-server), with their defaults.

use crate::Line;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SERVERS: usize = 3;
const LIMIT: Duration = Duration::from_secs(60);

pub fn run(trials: usize) -> Vec<Line> {
    let is_there = Command::new("etcd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        eprintln!("etcd is not installed, so it does not run beside: Debian has it as etcd-server");
        return Vec::new();
    }
    let settings: [(&str, &[&str]); 2] = [
        ("etcd, default 100/1000: kill -9", &[]),
        ("etcd, 5/25: kill -9", &["--heartbeat-interval", "5", "--election-timeout", "25"]),
    ];
    settings.iter().map(|(name, flags)| kill_leaders(name, flags, trials)).collect()
}

struct Etcd {
    directory: TempDir,
    host: String,
    servers: Vec<Option<Child>>,
}

fn kill_leaders(name: &str, flags: &[&str], trials: usize) -> Line {
    let directory = TempDir::new().expect("there is room for a directory");
    let host = format!("127.77.{}.{}", std::process::id() % 250, 1 + flags.len());
    let mut etcd = Etcd { directory, host, servers: (0..SERVERS).map(|_| None).collect() };
    (0..SERVERS).for_each(|at| etcd.start(at, flags));
    let mut line = Line { name: name.to_owned(), times: Vec::new(), unprovoked: 0 };
    for _ in 0..trials {
        let leader = etcd.wait_for_agreement(None);
        std::thread::sleep(Duration::from_millis(500));
        let struck = Instant::now();
        if let Some(mut server) = etcd.servers[leader.0].take() {
            server.kill().expect("it lives");
            etcd.wait_for_agreement(Some(leader.1));
            line.times.push(struck.elapsed());
            let _ = server.wait();
        }
        etcd.start(leader.0, flags);
    }
    line
}

impl Etcd {
    fn start(&mut self, at: usize, flags: &[&str]) {
        let (host, name) = (&self.host, |at: usize| format!("s{at}"));
        let peers: Vec<String> =
            (0..SERVERS).map(|at| format!("{}=http://{host}:{}", name(at), 7600 + at)).collect();
        let client = format!("http://{host}:{}", 7500 + at);
        let peer = format!("http://{host}:{}", 7600 + at);
        let spawned = Command::new("etcd")
            .args(["--name", &name(at), "--initial-cluster-state", "new"])
            .args(["--initial-cluster", &peers.join(",")])
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .arg("--data-dir")
            .arg(self.directory.path().join(name(at)))
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.servers[at] = Some(spawned.expect("etcd starts"));
    }

    /// Waits until all live servers name the same leader, another than `not`: which server, and its name.
    fn wait_for_agreement(&self, not: Option<u64>) -> (usize, u64) {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            let live = (0..SERVERS).filter(|&at| self.servers[at].is_some());
            let statuses: Vec<_> = live.map(|at| (at, self.status(at))).collect();
            let leader = statuses.first().and_then(|(_, status)| *status).map(|(_, leader)| leader);
            if let Some(leader) = leader.filter(|leader| *leader != 0 && Some(*leader) != not)
                && statuses.iter().all(|(_, status)| status.is_some_and(|(_, named)| named == leader))
                && let Some((at, _)) =
                    statuses.iter().find(|(_, status)| status.is_some_and(|(id, _)| id == leader))
            {
                return (*at, leader);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("etcd does not agree on a leader within {LIMIT:?}");
    }

    /// The server's own name, and that of the leader which it follows.
    fn status(&self, at: usize) -> Option<(u64, u64)> {
        let mut stream = TcpStream::connect((self.host.as_str(), 7500 + at as u16)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
        let request = "POST /v3/maintenance/status HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}";
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let body: serde_json::Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
        let number = |value: &serde_json::Value| value.as_str().and_then(|text| text.parse().ok());
        Some((number(&body["header"]["member_id"])?, number(&body["leader"]).unwrap_or(0)))
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        for server in self.servers.iter_mut().flatten() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
