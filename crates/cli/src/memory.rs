//! How much memory a run may take.

use crate::args::values::Bytes;
use crate::error::Failure;

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

/// What the system could give us without swapping, where it says so.
fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
