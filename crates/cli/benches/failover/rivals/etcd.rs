//! etcd, with its default time-outs and with short ones.

use super::{Contest, Rival, SERVERS, fetch, host};
use std::path::Path;
use std::process::Command;

struct Etcd {
    host: String,
    flags: &'static [&'static str],
}

pub fn contests() -> Vec<Contest> {
    let contest = |name, last, flags| Contest {
        name,
        needs: ("/usr/bin/etcd", "etcd-server"),
        rival: Box::new(Etcd { host: host(last), flags }),
    };
    vec![
        contest("etcd, default 100/1000", 1, &[]),
        contest("etcd, 5/25", 2, &["--heartbeat-interval", "5", "--election-timeout", "25"]),
    ]
}

impl Etcd {
    /// The server's own name, and that of the leader which it follows.
    fn status(&self, at: usize) -> Option<(u64, u64)> {
        let request = "POST /v3/maintenance/status HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}";
        let body = fetch(&self.host, 7500 + at as u16, request)?;
        let number = |value: &serde_json::Value| value.as_str().and_then(|text| text.parse().ok());
        Some((number(&body["header"]["member_id"])?, number(&body["leader"])?))
    }
}

impl Rival for Etcd {
    fn server(&self, at: usize, directory: &Path) -> Command {
        let (host, name) = (&self.host, |at: usize| format!("s{at}"));
        let peers: Vec<String> =
            (0..SERVERS).map(|at| format!("{}=http://{host}:{}", name(at), 7600 + at)).collect();
        let client = format!("http://{host}:{}", 7500 + at);
        let peer = format!("http://{host}:{}", 7600 + at);
        let mut command = Command::new("/usr/bin/etcd");
        command
            .args(["--name", &name(at), "--initial-cluster-state", "new"])
            .args(["--initial-cluster", &peers.join(",")])
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .arg("--data-dir")
            .arg(directory.join(name(at)))
            .args(self.flags);
        command
    }

    fn leader(&self, live: &[usize]) -> Option<usize> {
        let statuses: Vec<(u64, u64)> = live.iter().map_while(|&at| self.status(at)).collect();
        let &(_, leader) = statuses.first().filter(|_| statuses.len() == live.len())?;
        let all_agree = statuses.iter().all(|(_, named)| *named == leader);
        let at = statuses.iter().position(|(own, _)| *own == leader)?;
        all_agree.then_some(live[at])
    }
}
