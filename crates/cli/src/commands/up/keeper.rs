//! The processes of one member: its supervisor, which is our child, and the member below it.

use bellwether::Id;
use bellwether::process::{Line, SUPERVISOR, parent_of};
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

/// What the threads that listen tell the one that runs everything.
pub enum Notice {
    /// A member said something, in this life of its.
    Said(Life, Line),
    /// A member complained.
    Complained(Id, String),
    /// A member's process is dead.
    Dead(Life),
    /// Nothing more comes of a member, nor of its supervisor.
    Gone(Life),
    /// Something happened at the terminal.
    Terminal(TerminalEvent),
    /// Look whether we are to end.
    End,
}

/// One life of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Life {
    /// Which member.
    pub id: Id,
    /// Which life, from 1.
    pub number: u64,
}

/// The processes of one member, in one life. Dropping it ends them.
pub struct Keeper {
    /// Whose, and which life.
    pub life: Life,
    supervisor: Child,
    orders: Option<ChildStdin>,
    /// Known once the member has said its pid.
    member: Option<Arc<OwnedFd>>,
    notices: SyncSender<Notice>,
}

/// How long a killed process may take to be gone. The kernel takes microseconds, if its disk does not hold it.
const DEATH_THROES: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

impl Keeper {
    /// Starts a supervisor, which starts its member. Must be called from the main thread: when the thread that started
    /// a process ends, the kernel ends the process too, if it has asked for that.
    pub fn start(life: Life, settings: &Path, notices: &SyncSender<Notice>) -> io::Result<Keeper> {
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
        let keeper = Keeper { life, supervisor, orders, member: None, notices: notices.clone() };
        if let (Some(lines), Some(complaints)) = (lines, complaints) {
            let to = notices.clone();
            thread::Builder::new().spawn(move || {
                for text in BufReader::new(complaints).lines().map_while(Result::ok) {
                    let _ = to.send(Notice::Complained(life.id, text));
                }
            })?;
            let to = notices.clone();
            thread::Builder::new().spawn(move || {
                for text in BufReader::new(lines).lines().map_while(Result::ok) {
                    let notice = match serde_json::from_str(&text) {
                        Ok(line) => Notice::Said(life, line),
                        Err(_) => Notice::Complained(life.id, text),
                    };
                    let _ = to.send(notice);
                }
                let _ = to.send(Notice::Gone(life));
            })?;
        }
        Ok(keeper)
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
        let (life, to) = (self.life, self.notices.clone());
        thread::Builder::new().spawn(move || {
            await_death(&member, None);
            let _ = to.send(Notice::Dead(life));
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

    /// Sends the member a signal; whether there was somebody to send it to.
    pub fn signal(&self, signal: Signal) -> bool {
        self.member.as_ref().is_some_and(|member| pidfd_send_signal(member, signal).is_ok())
    }

    /// Whether the member's process is known to be dead.
    pub fn is_dead(&self) -> bool {
        self.member.as_ref().is_some_and(|member| await_death(member, Some(&Timespec::default())))
    }
}

impl Drop for Keeper {
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
        let mut child = String::new();
        said.read_line(&mut child).unwrap();
        let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
        let (notices, heard) = std::sync::mpsc::sync_channel(8);
        let life = Life { id: Id::new(1).unwrap(), number: 1 };
        let mut keeper = Keeper { life, supervisor, orders: None, member: None, notices };
        for pid in [stranger.id(), std::process::id(), keeper.supervisor.id(), 1, 0, u32::MAX] {
            assert!(keeper.hold(pid).is_err(), "{pid}");
            assert!(!keeper.signal(Signal::TERM), "nobody is signalled");
        }
        keeper.hold(child.trim().parse().unwrap()).unwrap();
        assert!(keeper.signal(Signal::KILL));
        assert!(matches!(heard.recv(), Ok(Notice::Dead(dead)) if dead == life));
        drop(keeper);
        assert_eq!(said.read(&mut [0]).unwrap(), 0, "both are gone");
        assert!(stranger.try_wait().unwrap().is_none(), "it was never signalled");
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
