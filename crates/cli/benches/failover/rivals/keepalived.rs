//! keepalived (VRRP, no quorum), with an advertisement every 10 ms: three namespaces on one bridge.

use super::{Contest, Rival, SERVERS};
use rustix::process::Pid;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;

const PROGRAM: &str = "/usr/sbin/keepalived";
/// What they are all about.
const ADDRESS: &str = "10.77.0.100";

#[derive(Default)]
struct Keepalived {
    /// Where the servers write their pids.
    directory: OnceLock<PathBuf>,
}

pub fn contests() -> Vec<Contest> {
    let rival = Box::new(Keepalived::default());
    vec![Contest { name: "keepalived, every 10 ms", needs: (PROGRAM, "keepalived"), rival }]
}

/// The namespace of a server, or of the bridge between them.
fn namespace(of: &str) -> String {
    format!("bellwether-vrrp-{}-{of}", std::process::id())
}

fn ip(arguments: &str) -> bool {
    Command::new("ip").args(arguments.split(' ')).status().is_ok_and(|status| status.success())
}

impl Keepalived {
    fn pid_file(&self, at: usize) -> PathBuf {
        self.directory.get().cloned().unwrap_or_default().join(format!("pid-{at}"))
    }

    /// Whether a server's namespace has the address that its master has.
    fn is_master(&self, at: usize) -> bool {
        let pid = std::fs::read_to_string(self.pid_file(at)).unwrap_or_default();
        let addresses = std::fs::read_to_string(format!("/proc/{}/net/fib_trie", pid.trim()));
        addresses.is_ok_and(|addresses| addresses.contains(ADDRESS))
    }
}

impl Rival for Keepalived {
    fn prepare(&self, directory: &Path) -> bool {
        let bridge = namespace("bridge");
        let all = [
            format!("netns add {bridge}"),
            format!("-n {bridge} link add br0 type bridge mcast_snooping 0"),
            format!("-n {bridge} link set br0 up"),
        ];
        let each = |at: usize| {
            let server = namespace(&at.to_string());
            [
                format!("netns add {server}"),
                format!("-n {bridge} link add v{at} type veth peer name e0 netns {server}"),
                format!("-n {bridge} link set v{at} master br0 up"),
                format!("-n {server} addr add 10.77.0.{}/24 dev e0", at + 1),
                format!("-n {server} link set e0 up"),
            ]
        };
        let _ = self.directory.set(directory.to_owned());
        all.into_iter().chain((0..SERVERS).flat_map(each)).all(|step| ip(&step))
    }

    fn server(&self, at: usize, directory: &Path) -> Command {
        let settings = format!(
            "global_defs {{\n script_user root\n vrrp_version 3\n}}\nvrrp_instance it {{\n state BACKUP\n \
             interface e0\n virtual_router_id 77\n priority {}\n advert_int 0.01\n \
             virtual_ipaddress {{ {ADDRESS}/24 dev e0 }}\n}}\n",
            100 + 50 * at
        );
        let file = directory.join(format!("k{at}.conf"));
        std::fs::write(&file, settings).expect("there is room for a file");
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &namespace(&at.to_string()), PROGRAM, "-n", "-l", "-P", "-f"])
            .arg(file);
        command.arg("-p").arg(self.pid_file(at)).arg("-r").arg(directory.join(format!("r{at}")));
        command
    }

    /// It has a child, which does the work.
    fn processes(&self, server: &Child) -> Vec<Pid> {
        let id = server.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?));
        [Pid::from_child(server)].into_iter().chain(children).collect()
    }

    fn leader(&self, live: &[usize]) -> Option<usize> {
        let mut masters = live.iter().filter(|at| self.is_master(**at));
        masters.next().copied().filter(|_| masters.next().is_none())
    }
}

impl Drop for Keepalived {
    fn drop(&mut self) {
        if self.directory.get().is_some() {
            let servers = (0..SERVERS).map(|at| namespace(&at.to_string()));
            for name in servers.chain([namespace("bridge")]) {
                ip(&format!("netns delete {name}"));
            }
        }
    }
}
