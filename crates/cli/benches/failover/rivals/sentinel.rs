//! Redis Sentinel: three servers, and three sentinels that choose which of them is the master.

use super::{Contest, Rival, SERVERS, Then, ask, host};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Debian's sentinel, and under its other name the server itself.
const PROGRAM: &str = "/usr/bin/redis-sentinel";

struct Sentinel(String);

pub fn contests() -> Vec<Contest> {
    let rival = Box::new(Sentinel(host(5)));
    vec![Contest { name: "Redis Sentinel, down after 1 s", needs: (PROGRAM, "redis-sentinel"), rival }]
}

impl Rival for Sentinel {
    fn server(&self, at: usize, directory: &Path) -> Command {
        let Sentinel(host) = self;
        // Its sentinels write the master into this file; one that comes back follows whom it names.
        let file = directory.join(format!("r{at}.conf"));
        if !file.exists() {
            let follows = if at == 0 { String::new() } else { format!("replicaof {host} 7500\n") };
            let settings = format!(
                "port {}\nbind {host}\nreplica-announce-ip {host}\nsave \"\"\ndir {}\n",
                7500 + at,
                directory.display()
            );
            std::fs::write(&file, settings + &follows).expect("there is room for a file");
        }
        // It goes by its name.
        let program = directory.join("redis-server");
        if !program.exists() {
            symlink(PROGRAM, &program).expect("there is room for a link");
        }
        let mut command = Command::new(program);
        command.arg(file);
        command
    }

    fn others(&self, directory: &Path) -> Vec<Command> {
        let Sentinel(host) = self;
        let sentinel = |at: usize| {
            let file = directory.join(format!("s{at}.conf"));
            let settings = format!(
                "port {}\nbind {host}\nsentinel announce-ip {host}\nsentinel monitor it {host} 7500 2\n\
                 sentinel down-after-milliseconds it 1000\nsentinel failover-timeout it 2000\n",
                7600 + at
            );
            std::fs::write(&file, settings).expect("there is room for a file");
            let mut command = Command::new(PROGRAM);
            command.arg(file).arg("--sentinel");
            command
        };
        (0..SERVERS).map(sentinel).collect()
    }

    /// A sentinel looks for new replicas every ten seconds, and chooses none that it does not know.
    fn rest(&self) -> Duration {
        Duration::from_secs(12)
    }

    fn leader(&self, _: &[usize]) -> Option<usize> {
        let master = |at: usize| {
            let words = "SENTINEL get-master-addr-by-name it\r\n";
            let answer = ask(&self.0, 7600 + at as u16, words, Then::HangUp)?;
            answer.lines().nth(4)?.parse::<usize>().ok()?.checked_sub(7500)
        };
        let named: Vec<usize> = (0..SERVERS).map_while(master).collect();
        let first = *named.first()?;
        (named.len() == SERVERS && named.iter().all(|other| *other == first)).then_some(first)
    }
}
