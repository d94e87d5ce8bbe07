//! A network of our own: a router, and each member behind a cable in a namespace of its own.

use crate::cluster::Cluster;
use crate::namespace::Namespace;
use crate::skipped::skipped;
use bellwether::Settings;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Addresses of this network are the router's: strangers can come from any of them.
pub const STRANGERS: [u8; 2] = [10, 99];

/// It is gone when this is, or when this process is.
pub struct Cables {
    router: Namespace,
    members: Vec<Namespace>,
    /// What does not pass: from the first to the second.
    lost: Mutex<BTreeSet<(u64, u64)>>,
}

impl Cables {
    /// A network for so many members, if this machine and its user can make one.
    pub fn lay(members: u64, what: &str) -> Option<Cables> {
        let laid = Cables::try_lay(members);
        laid.map_err(|why| skipped(what, &why)).ok()
    }

    /// A network for so many members.
    ///
    /// # Errors
    /// Why this machine or its user cannot make one.
    pub fn try_lay(members: u64) -> Result<Cables, String> {
        for (program, package) in [("ip", "iproute2"), ("nsenter", "util-linux")] {
            if Command::new(program).arg("--version").output().is_err() {
                return Err(format!("there is no '{program}'; the Debian package {package} has it"));
            }
        }
        let namespace = |script: &str| {
            Namespace::new(script)
                .ok_or("only root can make network namespaces, with 'unshare' of util-linux")
        };
        let router = namespace("ip link set lo up && echo 1 > /proc/sys/net/ipv4/ip_forward")?;
        let members: Vec<Namespace> =
            (0..members).map(|_| namespace("ip link set lo up")).collect::<Result<_, _>>()?;
        let [a, b] = STRANGERS;
        let mut steps = format!("route add local {a}.{b}.0.0/16 dev lo\n");
        for (me, namespace) in (1..).zip(&members) {
            let (own, gate, pid) = (address(me), gate(me), namespace.pid());
            steps += &format!("link add name member{me} type veth peer name cable netns {pid}\n");
            steps += &format!("address add {gate} peer {own}/32 dev member{me}\nlink set member{me} up\n");
        }
        batch(&router, &steps)?;
        for (me, namespace) in (1..).zip(&members) {
            let (own, gate) = (address(me), gate(me));
            let steps = format!(
                "address add {own} peer {gate}/32 dev cable\nlink set cable up\nroute add default via {gate}\n"
            );
            batch(namespace, &steps)?;
        }
        Ok(Cables { router, members, lost: Mutex::default() })
    }

    /// Where strangers are: it reaches all members.
    pub fn router(&self) -> &Namespace {
        &self.router
    }

    /// Where each member is, in the order of their ids from 1.
    pub fn members(&self) -> &[Namespace] {
        &self.members
    }

    /// Members of a cluster whose only network this is.
    pub fn connect(&self, change: impl Fn(&mut Settings)) -> Cluster {
        self.connect_at(address, change)
    }

    /// The same, where members have other addresses than that of their cable.
    pub fn connect_at(&self, address: impl Fn(u64) -> String, change: impl Fn(&mut Settings)) -> Cluster {
        let mut cluster = Cluster::of(self.members.len() as u64, |settings| {
            for peer in &mut settings.members {
                peer.address = format!("{}:7400", address(peer.id.value()));
            }
            change(settings);
        });
        for (me, namespace) in (1..).zip(&self.members) {
            let pid = namespace.pid().to_string();
            cluster.start_through(me, &["nsenter", "--target", &pid, "--net"], 0);
        }
        cluster
    }

    /// From now on everything passes but what goes from the first to the second of a pair. Neither end is told.
    ///
    /// # Panics
    /// If the router refuses that.
    pub fn lose(&self, pairs: &[(u64, u64)]) {
        let mut lost = self.lost.lock().unwrap();
        let wanted: BTreeSet<(u64, u64)> = pairs.iter().copied().collect();
        let rule = |verb: &str, &(from, to): &(u64, u64)| {
            format!("rule {verb} from {} to {} priority 100 blackhole\n", address(from), address(to))
        };
        let heal = lost.difference(&wanted).map(|pair| rule("del", pair));
        let cut = wanted.difference(&lost).map(|pair| rule("add", pair));
        let steps: String = heal.chain(cut).collect();
        if !steps.is_empty() {
            batch(&self.router, &steps).unwrap();
        }
        *lost = wanted;
    }

    /// Everything that passes between different members.
    pub fn all_pairs(&self) -> Vec<(u64, u64)> {
        let ids = 1..=self.members.len() as u64;
        let pairs = ids.clone().flat_map(|from| ids.clone().map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to).collect()
    }
}

/// The address of a member's cable.
pub fn address(me: u64) -> String {
    format!("10.74.0.{me}")
}

/// The router's end of a member's cable.
fn gate(me: u64) -> String {
    format!("10.74.255.{me}")
}

/// Lets `ip` take these steps, one a line, in a namespace.
///
/// # Errors
/// What it refuses.
pub fn batch(namespace: &Namespace, steps: &str) -> Result<(), String> {
    let mut command = namespace.command("ip");
    command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut ip = command.spawn().map_err(|why| why.to_string())?;
    let written = ip.stdin.take().map(|mut stdin| stdin.write_all(steps.as_bytes()));
    let output = ip.wait_with_output().map_err(|why| why.to_string())?;
    if output.status.success() && written.is_some_and(|it| it.is_ok()) {
        Ok(())
    } else {
        Err(format!("'ip' refuses: {}: {steps}", String::from_utf8_lossy(&output.stderr)))
    }
}
