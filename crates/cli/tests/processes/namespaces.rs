//! A network of our own: a bridge, and each member behind a cable in a namespace of its own.

use crate::cluster::Cluster;
use bellwether::Settings;
use bellwether_cluster::skipped::skipped;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// It is gone when this is.
#[derive(Debug)]
pub struct Cables {
    name: String,
    members: u64,
}

impl Cables {
    /// A network for so many members, if this machine and its user can make one.
    pub fn lay(members: u64, what: &str) -> Option<Cables> {
        for (program, package) in [("ip", "iproute2"), ("nft", "nftables")] {
            if Command::new(program).arg("--version").output().is_err() {
                skipped(what, &format!("there is no '{program}'; the Debian package {package} has it"));
                return None;
            }
        }
        static LAID: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), LAID.fetch_add(1, Ordering::Relaxed));
        let cables = Cables { name: format!("bellwether-{process}-{number}"), members };
        let mut steps = vec![format!("netns add {}", cables.switch())];
        steps.push(format!("-n {} link add name bridge type bridge", cables.switch()));
        steps.push(format!("-n {} link set bridge up", cables.switch()));
        for me in 1..=members {
            let (switch, own) = (cables.switch(), cables.of(me));
            steps.push(format!("netns add {own}"));
            steps.push(format!("-n {own} link set lo up"));
            steps.push(format!("-n {own} link add name cable type veth peer name member{me} netns {switch}"));
            steps.push(format!("-n {own} address add {}/24 dev cable", address(me)));
            steps.push(format!("-n {own} link set cable up"));
            steps.push(format!("-n {switch} link set member{me} master bridge up"));
        }
        for step in steps {
            let output = Command::new("ip").args(step.split(' ')).output().unwrap();
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                skipped(what, &format!("only root can lay cables: 'ip {step}': {why}"));
                return None;
            }
        }
        if let Err(why) = cables.filter(&[]) {
            skipped(what, &format!("nft cannot filter what goes over a bridge here: {why}"));
            return None;
        }
        Some(cables)
    }

    fn switch(&self) -> String {
        format!("{}-switch", self.name)
    }

    fn of(&self, me: u64) -> String {
        format!("{}-{me}", self.name)
    }

    /// Members of a cluster whose only network this is.
    pub fn connect(&self, change: impl Fn(&mut Settings)) -> Cluster {
        let mut cluster = Cluster::of(self.members, |settings| {
            for peer in &mut settings.members {
                peer.address = format!("{}:7400", address(peer.id.value()));
            }
            change(settings);
        });
        for me in 1..=self.members {
            cluster.start_through(me, &["ip", "netns", "exec", &self.of(me)], 0);
        }
        cluster
    }

    /// From now on everything passes but what goes from the first to the second of a pair. Nobody is told.
    pub fn lose(&self, pairs: &[(u64, u64)]) {
        self.filter(pairs).unwrap();
    }

    fn filter(&self, pairs: &[(u64, u64)]) -> Result<(), String> {
        let mut rules = String::from(
            "flush ruleset\nadd table bridge cables\n\
             add chain bridge cables passing { type filter hook forward priority 0; }\n",
        );
        for &(from, to) in pairs {
            let (from, to) = (address(from), address(to));
            rules += &format!("add rule bridge cables passing ip saddr {from} ip daddr {to} drop\n");
        }
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.switch(), "nft", "-f", "-"]);
        let mut nft = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        nft.stdin.take().unwrap().write_all(rules.as_bytes()).unwrap();
        let output = nft.wait_with_output().unwrap();
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

fn address(me: u64) -> String {
    format!("10.74.0.{me}")
}

impl Drop for Cables {
    fn drop(&mut self) {
        let all = (1..=self.members).map(|me| self.of(me)).chain([self.switch()]);
        for name in all {
            let _ = Command::new("ip").args(["netns", "delete", &name]).output(); // it may never have been
        }
    }
}
