//! How many files and connections a process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises this process's limit on open files to the most that it may set itself. A member keeps fewer connections of unknown
/// clients where the limit is low. A program that embeds a member sets its limit itself: programs that use `select` cannot
/// have more than 1024 descriptors.
pub fn raise_descriptor_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }); // what there is will do
}
