//! The processes of one member: its supervisor, which is our child, and the member below it.

use bellwether::Id;
use bellwether::process::{Report, SUPERVISOR, parent_of};
use ratatui::crossterm::event::Event as TerminalEvent;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread;

/// What other threads tell the main loop.
pub enum Notice {
    /// A line that a member has printed, and since which start of it.
    Reported(MemberStart, Report),
    /// A line that a member has printed to standard error.
    Complained(Id, String),
    /// A member's process is dead.
    Dead(MemberStart),
    /// A member and its supervisor print nothing more.
    Gone(MemberStart),
    /// Something happened at the terminal.
    Terminal(TerminalEvent),
    /// Look whether we are to end.
    End,
}

/// One start of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberStart {
    /// Which member.
    pub id: Id,
    /// Counts the starts of all members, from 1.
    pub number: u64,
}

/// The processes of one member, since one start. Dropping it ends them.
pub struct ChildProcess {
    /// Which member, and which start of it.
    pub start: MemberStart,
    supervisor: Child,
    orders: Option<ChildStdin>,
    /// Known once the member has said its pid.
    member: Option<Arc<OwnedFd>>,
    notices: SyncSender<Notice>,
}

/// How long a killed process may take to be gone. The kernel takes microseconds, if its disk does not hold it.
const DEATH_THROES: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

impl ChildProcess {
    /// Starts a supervisor, which starts its member. Must be called from the main thread: when the thread that started
    /// a process ends, the kernel ends the process too, if it has asked for that.
    pub fn start(
        start: MemberStart,
        settings: &Path,
        notices: &SyncSender<Notice>,
    ) -> io::Result<ChildProcess> {
        let mut supervisor = Command::new(std::env::current_exe()?)
            .args(["supervise", "--quiet"]) // what is promised has been said
            .arg(settings)
            .env(SUPERVISOR, std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0) // Ctrl-C is for us: we stop the members in good order
            .spawn()?;
        let orders = supervisor.stdin.take();
        let (lines, complaints) = (supervisor.stdout.take(), supervisor.stderr.take());
        // From here on, dropping it ends the process.
        let child = ChildProcess { start, supervisor, orders, member: None, notices: notices.clone() };
        if let (Some(lines), Some(complaints)) = (lines, complaints) {
            let to = notices.clone();
            thread::Builder::new().spawn(move || {
                for text in BufReader::new(complaints).lines().map_while(Result::ok) {
                    let _ = to.send(Notice::Complained(start.id, text));
                }
            })?;
            let to = notices.clone();
            thread::Builder::new().spawn(move || {
                for text in BufReader::new(lines).lines().map_while(Result::ok) {
                    let notice = match serde_json::from_str(&text) {
                        Ok(line) => Notice::Reported(start, line),
                        Err(_) => Notice::Complained(start.id, text),
                    };
                    let _ = to.send(notice);
                }
                let _ = to.send(Notice::Gone(start));
            })?;
        }
        Ok(child)
    }

    /// The member has said its pid: from now on it is held by a pidfd, which is never another process. What it says is
    /// not trusted: only a child of its supervisor can be the member, and nobody else is ever signalled.
    pub fn hold(&mut self, pid: u32) -> io::Result<()> {
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
        let member = Arc::new(pidfd_open(raw, PidfdFlags::empty())?);
        // If this is already about the next process with that number, the one that is held is dead.
        if parent_of(pid)? != self.supervisor.id() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.member = Some(member.clone());
        let (start, to) = (self.start, self.notices.clone());
        thread::Builder::new().spawn(move || {
            await_death(&member, None);
            let _ = to.send(Notice::Dead(start));
        })?;
        Ok(())
    }

    /// Gives the member an order, if it can still take one.
    pub fn order(&mut self, order: &str) {
        if let Some(orders) = &mut self.orders {
            // If it is dead, we hear of that on another way.
            let _ = orders.write_all(format!("{order}\n").as_bytes());
        }
    }

    /// Sends the member a signal. Returns whether there was a process to send it to.
    pub fn signal(&self, signal: Signal) -> bool {
        self.member.as_ref().is_some_and(|member| pidfd_send_signal(member, signal).is_ok())
    }

    /// Whether the member's process is known to be dead.
    pub fn is_dead(&self) -> bool {
        self.member.as_ref().is_some_and(|member| await_death(member, Some(&Timespec::default())))
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        // Our child has not been waited for, so the pid is its own. A member whose pid we never heard ends with it.
        let _ = self.supervisor.kill();
        let _ = self.supervisor.wait();
        if let Some(member) = &self.member {
            await_death(member, Some(&DEATH_THROES));
        }
    }
}

/// Waits for a process to be dead; whether it is.
fn await_death(process: &OwnedFd, limit: Option<&Timespec>) -> bool {
    let mut watched = [PollFd::new(process, PollFlags::IN)];
    loop {
        match poll(&mut watched, limit) {
            Err(rustix::io::Errno::INTR) => {}
            waited => return waited.is_ok_and(|ready| ready > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn only_a_child_of_the_supervisor_is_taken_for_the_member() {
        let mut supervisor = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(supervisor.stdout.take().unwrap());
        let mut child_pid = String::new();
        said.read_line(&mut child_pid).unwrap();
        let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
        let (notices, heard) = std::sync::mpsc::sync_channel(8);
        let start = MemberStart { id: Id::new(1).unwrap(), number: 1 };
        let mut child = ChildProcess { start, supervisor, orders: None, member: None, notices };
        for pid in [stranger.id(), std::process::id(), child.supervisor.id(), 1, 0, u32::MAX] {
            assert!(child.hold(pid).is_err(), "{pid}");
            assert!(!child.signal(Signal::TERM), "nobody is signalled");
        }
        child.hold(child_pid.trim().parse().unwrap()).unwrap();
        assert!(child.signal(Signal::KILL));
        assert!(matches!(heard.recv(), Ok(Notice::Dead(dead)) if dead == start));
        drop(child);
        assert_eq!(said.read(&mut [0]).unwrap(), 0, "both are gone");
        assert!(stranger.try_wait().unwrap().is_none(), "it was never signalled");
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
