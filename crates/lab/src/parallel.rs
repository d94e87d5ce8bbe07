//! Work on all cores.

use bellwether_sim::SetupError;
use rayon::prelude::*;

/// Calls `each` with every number below `count`, on `threads` cores (0: all of them). The results are in the order of the
/// numbers.
///
/// # Errors
/// The first [`SetupError`], or [`SetupError::Threads`].
pub fn in_parallel<T: Send>(
    threads: usize,
    count: u64,
    each: impl Fn(u64) -> Result<T, SetupError> + Sync,
) -> Result<Vec<T>, SetupError> {
    let all = || (0..count).into_par_iter().map(&each).collect();
    if cfg!(target_family = "wasm") {
        return all(); // threads cannot be started: rayon's own pool runs everything in this one
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| SetupError::Threads(error.to_string()))?.install(all)
}
