//! How much memory a run may take.

use crate::args::values::Bytes;
use crate::error::Failure;
use std::path::Path;

/// What we allow ourselves where the system does not say how much is left.
const FALLBACK: u64 = 4 << 30;
/// What the record of one run takes, of many: measured figures and claims.
const BYTES_A_RUN: u64 = 512;
/// States take memory in pieces: with less than this, a search would be over before it begins.
const LEAST_FOR_STATES: u64 = 16 << 20;

/// What is to be shared by a command's runs.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    total: u64,
    /// How many runs are under way at the same time.
    at_once: u64,
}

impl Budget {
    /// The memory asked for, or most of what is available, for runs on so many threads (0: as
    /// many as there are cores).
    pub fn new(asked: Option<Bytes>, runs: u64, threads: u16) -> Result<Budget, Failure> {
        let total = asked.map_or_else(|| available().map_or(FALLBACK, |most| most / 10 * 9), |bytes| bytes.0);
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        let threads = if threads == 0 { cores() } else { threads.into() };
        let records = bellwether_sim::Bytes(runs.saturating_mul(BYTES_A_RUN));
        if runs > 1 && records.0 > total {
            let limit = bellwether_sim::Bytes(total);
            return Err(Failure::input(format!(
                "{runs} runs would take about {records} to sum up, and {limit} are allowed: use fewer (or raise --memory)"
            )));
        }
        Ok(Budget { total, at_once: threads.min(runs).max(1) })
    }

    /// What one run may take.
    pub fn for_one_run(self) -> u64 {
        self.total / self.at_once
    }
}

/// What a check may take for its states: what is asked for, or half of what is available.
pub fn for_states(asked: Option<Bytes>) -> Result<u64, Failure> {
    match asked {
        Some(bytes) if bytes.0 < LEAST_FOR_STATES => {
            let (asked, least) = (bellwether_sim::Bytes(bytes.0), bellwether_sim::Bytes(LEAST_FOR_STATES));
            Err(Failure::input(format!("{asked} are too few for a search: give --memory at least {least}")))
        }
        Some(bytes) => Ok(bytes.0),
        None => Ok(available().unwrap_or(FALLBACK) / 2),
    }
}

/// What the system could give us without swapping, and lets us have, where it says so.
fn available() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let allowed = limit_of_groups(Path::new("/sys/fs/cgroup"), &groups);
    unswapped().into_iter().chain(allowed).min()
}

fn unswapped() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The least of the limits of the control groups that we are in (as `/proc/self/cgroup` lists them), and of those that
/// these are in. Whoever takes more is killed, however much the machine has left.
fn limit_of_groups(mounted: &Path, groups: &str) -> Option<u64> {
    let limits = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        let (below, file) = if controllers.is_empty() {
            (mounted.to_owned(), "memory.max") // version 2, which says "max" for none
        } else if controllers.split(',').any(|controller| controller == "memory") {
            (mounted.join("memory"), "memory.limit_in_bytes")
        } else {
            return None;
        };
        let limit = |group: &Path| {
            let text = std::fs::read_to_string(below.join(group).join(file)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        Path::new(group.trim_start_matches('/')).ancestors().filter_map(limit).min()
    };
    groups.lines().filter_map(limits).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// Whatever is nearest to nothing counts: a group's own limit, or that of one around it.
    #[test]
    fn a_control_groups_limit_is_kept_to() {
        let mounted = tempfile::tempdir().expect("a directory");
        let write = |path: &str, text: &str| {
            let path = mounted.path().join(path);
            let folder = path.parent().expect("it is in a folder");
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text)).expect("a file");
        };
        write("memory.max", "max\n");
        write("outer/memory.max", "314572800\n");
        write("outer/inner/memory.max", "max\n");
        write("outer/tight/memory.max", "104857600\n");
        write("memory/old/memory.limit_in_bytes", "209715200\n");
        write("memory/odd/memory.limit_in_bytes", "many\n");
        for (groups, expected) in [
            ("0::/\n", None),
            ("0::/outer/inner\n", Some(300 * MIB)),
            ("0::/outer/tight\n", Some(100 * MIB)),
            ("0::/elsewhere\n", None),
            ("3:cpu,cpuacct:/old\n2:memory:/old\n", Some(200 * MIB)),
            ("2:hugetlb,memory:/old\n0::/outer\n", Some(200 * MIB)),
            ("2:memory:/odd\n", None),
            ("3:cpu:/old\n", None),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(limit_of_groups(mounted.path(), groups), expected, "{groups:?}");
        }
    }
}
