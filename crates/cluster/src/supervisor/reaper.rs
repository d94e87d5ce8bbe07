//! Ends all processes that a dead member has left, and makes sure that they have ended.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, wait, waitpid};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use std::{fs, io};

/// How long it may take. A process that is stuck in the kernel can take for ever; after so long the lease has run out
/// and a death certificate would be of no use.
pub(super) const LIMIT: Duration = Duration::from_secs(10);
/// When to look again though no process has ended: the kernel's list can miss a process while it changes.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How many are waited for at once.
const MOST_HELD: usize = 64;

/// Ends all children of this process, and theirs, which become ours when their parents die. True only if the kernel
/// says that none is left.
pub(super) fn end_all_children() -> bool {
    let until = Instant::now() + LIMIT;
    loop {
        match none_left_after_reaping() {
            Ok(true) => return true,
            Ok(false) => {}
            Err(_) => return false,
        }
        let left = until.saturating_duration_since(Instant::now());
        let Ok(children) = children() else { return false };
        // A listed process has not been reaped, and this process is its parent: its pid cannot have passed to another one.
        for &child in &children {
            let _ = kill_process(child, Signal::KILL); // a process that cannot be killed stays in the list
        }
        if left.is_zero() || wait_for_one(&children, left.min(LOOK_AGAIN)).is_err() {
            return false;
        }
    }
}

/// Reaps children that have ended, but never the member itself: its number must stay its own.
pub(super) fn reap_orphans(member: Pid) {
    for child in children().unwrap_or_default() {
        if child != member {
            let _ = waitpid(Some(child), WaitOptions::NOHANG); // most are alive
        }
    }
}

fn none_left_after_reaping() -> rustix::io::Result<bool> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Ok(false),
            Err(Errno::CHILD) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
}

/// Waits until one of them has ended, for at most so long. Where they are many, one of the first: a process may hold only so
/// many.
fn wait_for_one(children: &[Pid], limit: Duration) -> io::Result<()> {
    let first = children.iter().take(MOST_HELD);
    let held: Vec<OwnedFd> = first.filter_map(|&child| pidfd_open(child, PidfdFlags::empty()).ok()).collect();
    let mut ended: Vec<PollFd<'_>> =
        held.iter().map(|it| PollFd::from_borrowed_fd(it.as_fd(), PollFlags::IN)).collect();
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    match poll(&mut ended, Some(&limit)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Children of all threads of this process, with the dead ones that are not yet reaped. It may miss some: only
/// [`none_left_after_reaping`] says that there are none.
fn children() -> io::Result<Vec<Pid>> {
    let mut pids = Vec::new();
    for thread in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(thread?.path().join("children")).unwrap_or_default(); // threads end
        pids.extend(text.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    Ok(pids)
}
