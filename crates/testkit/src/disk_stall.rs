//! A disk that does not answer: the thread that waits for it is held up.

use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::sys::{ptrace, wait};
use nix::unistd::Pid;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The disk of one member does not answer until this is dropped, the time is over, or the member is dead.
#[derive(Debug)]
pub struct DiskStall {
    end: Option<Sender<()>>,
    holder: Option<JoinHandle<()>>,
}

impl DiskStall {
    /// Holds up the disk of the member whose process this is, but not longer than that.
    ///
    /// # Errors
    /// Why it cannot be held up: there is no such process, or this user may not.
    pub fn begin(member: i32, limit: Duration) -> Result<DiskStall, String> {
        let disk =
            disk_thread(member).ok_or_else(|| format!("process {member} has no thread for its disk"))?;
        let (end, ended) = channel();
        let (began, beginning) = channel();
        // Only the thread that holds another can let it go.
        let holder = std::thread::spawn(move || {
            let held = hold(disk).map_err(|why| format!("this user may not hold up threads: {why}"));
            let is_held = held.is_ok();
            let _ = began.send(held);
            let until = Instant::now() + limit;
            while is_held && Instant::now() < until {
                // A dead thread stays, and its process with it, until the one that holds it has looked.
                let is_dead = !matches!(
                    waitpid(disk, Some(WaitPidFlag::__WALL | WaitPidFlag::WNOHANG)),
                    Ok(WaitStatus::StillAlive)
                );
                let told = ended.recv_timeout(Duration::from_millis(2));
                if is_dead || told != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            if is_held {
                let _ = ptrace::detach(disk, None); // it may be dead
            }
        });
        let stall = DiskStall { end: Some(end), holder: Some(holder) };
        beginning.recv().map_err(|why| why.to_string())??;
        Ok(stall)
    }
}

impl Drop for DiskStall {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.holder.take().map(JoinHandle::join); // it ends by itself
    }
}

fn disk_thread(member: i32) -> Option<Pid> {
    let threads = fs::read_dir(format!("/proc/{member}/task")).ok()?.flatten().map(|thread| thread.path());
    let is_disk =
        |path: &PathBuf| fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "disk");
    let disk = threads.into_iter().find(is_disk)?;
    Some(Pid::from_raw(disk.file_name()?.to_str()?.parse().ok()?))
}

fn hold(thread: Pid) -> nix::Result<()> {
    ptrace::seize(thread, ptrace::Options::empty())?;
    ptrace::interrupt(thread)?;
    wait::waitpid(thread, Some(WaitPidFlag::__WALL)).map(|_| ())
}
