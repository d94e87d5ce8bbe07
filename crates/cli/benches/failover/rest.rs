//! What a cluster costs while nothing happens, and whether it stays as it is.

use crate::cluster::{Cluster, Reign};
use crate::namespace::Namespace;
use crate::stalls::{self, Stall};
use bellwether::Profile;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Prints one line: processor time, memory, bytes on the wire, and changes of leader.
pub fn measure(name: &str, is_fast: bool, busy_loops: usize, span: Duration) {
    let namespace = Namespace::new("ip link set lo up");
    let has_namespace = namespace.is_some();
    let mut cluster = Cluster::within(3, is_fast, namespace);
    let busy: Vec<BusyLoop> = (0..busy_loops).map(|_| BusyLoop::new()).collect();
    let stalls = stalls::watch(span);
    let pids = cluster.pids();
    let (changes, bytes, time) = (cluster.changes(), wire_bytes(&pids), processor_time(&pids));
    let reigns = cluster.reigns.len();
    let begun = Instant::now();
    cluster.listen_for(span);
    let seconds = begun.elapsed().as_secs_f64();
    let members = pids.len() as f64;
    let share = (processor_time(&pids) - time).as_secs_f64() / seconds / members * 100.0;
    let most = |memory: fn(&(i32, i32)) -> u64| pids.iter().map(memory).max().unwrap_or(0) as f64 / 1024.0;
    let (of_member, of_supervisor) = (most(|pids| resident(pids.0)), most(|pids| resident(pids.1)));
    let wire = if has_namespace {
        format!("{:.1}", (wire_bytes(&pids) - bytes) as f64 / seconds / 1e3)
    } else {
        "needs root and 'ip'".to_owned()
    };
    let changes = cluster.changes() - changes;
    let reigns = &cluster.reigns[reigns - 1..];
    let others = reigns.windows(2).filter(|pair| pair[0].leader != pair[1].leader).count();
    let of_machine = match stalls::told(stalls) {
        None => "| needs root, 'taskset' and 'chrt'".to_owned(),
        Some(stalls) => {
            let lease = lease(if is_fast { Profile::FAST } else { Profile::STEADY });
            let alone = beside_no_stall(reigns, &stalls, lease);
            let long = stalls.iter().filter(|stall| stall.length() > Duration::from_millis(25)).count();
            let longest = stalls.iter().map(Stall::length).max().unwrap_or_default();
            format!("{alone} | {}, {long}, {:.1} ms", stalls.len(), longest.as_secs_f64() * 1e3)
        }
    };
    println!(
        "| {name} | {seconds:.0} | {share:.2} | {of_member:.1} + {of_supervisor:.1} | {wire} | {changes} | {others} | {of_machine} |"
    );
    drop((cluster, busy));
}

/// How long a lease lasts: 25 delay bounds.
fn lease(profile: Profile) -> Duration {
    Duration::from_micros(25 * profile.delay_bound.ticks())
}

/// How many changes of leader after the first of these reigns nothing explains: in the two leases before it no core
/// stood still for two thirds of a lease, and it does not give back what such a change took.
fn beside_no_stall(reigns: &[Reign], stalls: &[Stall], lease: Duration) -> usize {
    let is_beside = |reign: &Reign| {
        let reach = 2 * lease.as_micros() as u64;
        let mut long = stalls.iter().filter(|stall| stall.length() > lease * 2 / 3);
        long.any(|stall| (stall.begin..stall.end + reach).contains(&reign.at_us))
    };
    let mut is_explained = false;
    let unexplained = |reign: &&Reign| {
        is_explained = is_beside(reign) || is_explained && reign.leader == reigns[0].leader;
        !is_explained
    };
    reigns[1..].iter().filter(unexplained).count()
}

struct BusyLoop(Child);

impl BusyLoop {
    /// It ends with whoever began it, however that ends.
    fn new() -> BusyLoop {
        let spawned = Command::new("sh").args(["-c", "while kill -0 $PPID; do :; done"]).spawn();
        BusyLoop(spawned.expect("every system has a shell"))
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Bytes that went through the loopback of the members' namespace, headers and all.
fn wire_bytes(pids: &[(i32, i32)]) -> u64 {
    let Some((member, _)) = pids.first() else { return 0 };
    let text = std::fs::read_to_string(format!("/proc/{member}/net/dev")).unwrap_or_default();
    let line = text.lines().find(|line| line.trim_start().starts_with("lo:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// Processor time of members and supervisors.
fn processor_time(pids: &[(i32, i32)]) -> Duration {
    let nanos: u64 = pids
        .iter()
        .flat_map(|&(member, supervisor)| [member, supervisor])
        .flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten())
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .sum();
    Duration::from_nanos(nanos)
}

/// Resident memory, in KiB.
fn resident(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|field| field.parse().ok()).unwrap_or(0)
}
