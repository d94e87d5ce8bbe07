//! What other processes can see of this one.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::io;

/// Keeps other processes of the same user from reading this one's memory, its environment and its open files: it becomes
/// *non-dumpable*. Only processes with `CAP_SYS_PTRACE` can do so from now on. The kernel writes no core dump of it either.
///
/// A [`crate::Supervisor`] does this to its process, and so does `bellwether member`. An [`crate::Elector`] does not: the
/// process is its application's, which may call this first in `main`. What the process starts is dumpable again.
///
/// # Errors
/// If the kernel refuses.
pub fn deny_inspection() -> io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(io::Error::from)
}
