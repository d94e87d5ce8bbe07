//! keepalived: VRRP at its shortest interval. Nobody votes, so a network that is cut in two has two masters.

use super::{Contest, Rival, SERVERS};
use crate::cluster::child_of;
use crate::namespace::Namespace;
use rustix::process::Pid;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "/usr/sbin/keepalived";
/// What the servers share: whoever has it leads.
const ADDRESS: &str = "10.77.0.100";
/// As far apart as can be: with close ones two servers often take the address at once.
const PRIORITIES: [u8; SERVERS] = [250, 128, 1];

struct Keepalived(Option<Network>);

pub fn contests() -> Vec<Contest> {
    let rival = Box::new(Keepalived(None));
    vec![Contest { name: "keepalived VRRP 10 ms (no quorum)", needs: (PROGRAM, "keepalived"), rival }]
}

impl Keepalived {
    fn host(&self, at: usize) -> &Namespace {
        &self.0.as_ref().expect("it is prepared").hosts[at]
    }
}

impl Rival for Keepalived {
    /// A new network, for a server that is killed leaves its address behind.
    fn prepare(&mut self) -> Result<(), &'static str> {
        self.0 = Network::new();
        self.0.as_ref().map(|_| ()).ok_or("it needs root and 'ip' for a network of its own")
    }

    fn server(&self, at: usize, directory: &Path) -> Command {
        // A server that comes back leaves whoever leads alone: its return is no change.
        let settings = format!(
            "global_defs {{\nvrrp_version 3\n}}\nvrrp_instance bench {{\nstate BACKUP\nnopreempt\ninterface lan\n\
             virtual_router_id 77\npriority {}\nadvert_int 0.01\nvirtual_ipaddress {{\n{ADDRESS}/32\n}}\n}}\n",
            PRIORITIES[at]
        );
        let file = directory.join(format!("k{at}.conf"));
        std::fs::write(&file, settings).expect("there is room for a file");
        // It has a child that speaks to the others. In a namespace of processes no death of the parent leaves that
        // one behind, not even while it is stopped.
        let mut command = self.host(at).command("unshare");
        command.args(["--pid", "--fork", "--kill-child"]);
        command.args([PROGRAM, "--dont-fork", "--dont-respawn", "--vrrp", "--no-syslog", "--log-console"]);
        command.arg("--use-file").arg(file);
        command.arg("--pid").arg(directory.join(format!("k{at}.pid")));
        command.arg("--vrrp_pid").arg(directory.join(format!("k{at}-vrrp.pid")));
        command
    }

    /// The child that speaks: if its parent is killed it says good-bye, which no crash does.
    fn speaker(&self, server: Pid) -> Pid {
        let parent = child_of(server.as_raw_pid() as u32);
        let child = parent.and_then(|parent| child_of(parent as u32)).and_then(Pid::from_raw);
        child.expect("a server that leads speaks")
    }

    /// The only one that has the address: while two have it, nobody leads.
    fn leader(&self, live: &[usize]) -> Option<usize> {
        let mut holders = live.iter().copied().filter(|&at| has_address(self.host(at)));
        let first = holders.next();
        first.filter(|_| holders.next().is_none())
    }
}

fn has_address(host: &Namespace) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{}/net/fib_trie", host.pid()));
    text.is_ok_and(|text| text.lines().any(|line| line.trim_start() == format!("|-- {ADDRESS}")))
}

/// A host for each server, and what joins them.
struct Network {
    hosts: Vec<Namespace>,
    _hub: Namespace,
}

impl Network {
    fn new() -> Option<Network> {
        let hub = Namespace::new("ip link add hub type bridge && ip link set hub up")?;
        let host = |at: usize| {
            let hub = hub.pid();
            Namespace::new(&format!(
                "ip link add lan type veth peer name port{at} netns {hub} && \
                 nsenter --target {hub} --net ip link set port{at} master hub up && \
                 ip address add 10.77.0.{}/24 dev lan && ip link set lan up",
                at + 1
            ))
        };
        let hosts: Vec<Namespace> = (0..SERVERS).map_while(host).collect();
        (hosts.len() == SERVERS).then_some(Network { hosts, _hub: hub })
    }
}
