//! One member's processes, and what is recorded of all of them.

use crate::judge::Recording;
use crate::stop;
use bellwether::process::{Report, ReportKind, parent_of};
use bellwether::{Clock, Id};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far more than anything takes: it only turns a test that would hang into one that fails.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The id of this value.
///
/// # Panics
/// If there is none.
pub fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

/// Microseconds since the machine booted.
pub fn now_us() -> u64 {
    let clock = Clock::new();
    clock.boot_micros(clock.now())
}

/// What all members say, as it comes.
#[derive(Debug, Default)]
pub struct Record {
    recording: Mutex<Recording>,
    news: Condvar,
}

impl Record {
    /// Changes or reads what was recorded.
    pub fn change<T>(&self, change: impl FnOnce(&mut Recording) -> T) -> T {
        let changed = change(&mut self.recording.lock().unwrap_or_else(PoisonError::into_inner));
        self.news.notify_all();
        changed
    }

    /// Waits until something can be found in what was recorded.
    ///
    /// # Panics
    /// If it is not found within [`LIMIT`].
    pub fn until<T>(&self, what: &str, find: impl FnMut(&Recording) -> Option<T>) -> T {
        let found = self.within(LIMIT, find);
        found.unwrap_or_else(|| {
            panic!("waited in vain: {what}; the last first:\n{}", self.last(40).join("\n"))
        })
    }

    /// Waits until something can be found in what was recorded, but not longer than this. Unwinds if the program is told to
    /// stop.
    pub fn within<T>(&self, limit: Duration, mut find: impl FnMut(&Recording) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = find(&recording) {
                return Some(found);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let nap = left.min(Duration::from_millis(100));
            recording = self.news.wait_timeout(recording, nap).unwrap_or_else(PoisonError::into_inner).0;
            stop::unwind_if_requested();
        }
    }

    /// The lines of this time that are no leases, in the order in which they were said.
    pub fn between(&self, from: u64, until: u64) -> Vec<Report> {
        let is_it = |line: &&Report| {
            (from..until).contains(&line.at_us) && !matches!(line.what, ReportKind::Lease { .. })
        };
        let mut lines: Vec<Report> = self.change(|it| it.lines.iter().filter(is_it).cloned().collect());
        lines.sort_by_key(|line| line.at_us);
        lines
    }

    /// The last lines that are no leases, the last first.
    pub fn last(&self, count: usize) -> Vec<String> {
        self.change(|recording| {
            let lines =
                recording.lines.iter().rev().filter(|line| !matches!(line.what, ReportKind::Lease { .. }));
            lines.take(count).map(|line| format!("{line:?}")).collect()
        })
    }
}

/// A supervisor and its member. Both are gone when this is.
#[derive(Debug)]
pub struct Process {
    speaker: u32,
    supervisor: Child,
    orders: Option<ChildStdin>,
    /// The member's own process, once it has started.
    member: Option<OwnedFd>,
    lines: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<String>>,
}

impl Process {
    /// Starts the member `me`, and waits until it says that it has started. `skew_us` is by how much the clock that it
    /// sees is ahead of ours.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(command: Command, me: Id, record: &Arc<Record>, skew_us: u64) -> Process {
        let before = record.change(|recording| recording.starts(me));
        let mut process = Process::spawn(command, record, skew_us);
        record.until(&format!("member {me} starts"), |recording| {
            let has_ended = process.has_ended();
            assert!(!has_ended, "member {me} has ended: {}", process.errors());
            (recording.starts(me) > before).then_some(())
        });
        assert!(process.hold(), "member {me} has ended: {}", process.errors());
        process
    }

    /// Starts a process, and records what it says.
    ///
    /// # Panics
    /// If there is no such program.
    pub fn spawn(mut command: Command, record: &Arc<Record>, skew_us: u64) -> Process {
        static SPEAKERS: AtomicU32 = AtomicU32::new(0);
        let speaker = SPEAKERS.fetch_add(1, Ordering::Relaxed);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut supervisor = command.spawn().unwrap_or_else(|why| panic!("{command:?}: {why}"));
        let (orders, lines) = (supervisor.stdin.take(), supervisor.stdout.take().unwrap());
        let mut complaints = supervisor.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = complaints.read_to_end(&mut bytes); // what was read counts
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let record = record.clone();
        let lines = std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                record.change(|recording| match read(&line, skew_us) {
                    Ok(line) => recording.hear(speaker, line),
                    Err(why) => recording.mishear(&line, &why),
                });
            }
        });
        Process { speaker, supervisor, orders, member: None, lines: Some(lines), errors: Some(errors) }
    }

    /// Holds the member's own process, if there is one yet; whether it does.
    pub fn hold(&mut self) -> bool {
        let supervisor = self.supervisor.id();
        if self.member.is_none()
            && let Some(child) = only_child(supervisor)
            && let Ok(member) = pidfd_open(child, PidfdFlags::empty())
            // If the number is already another process's, the one that is held is dead.
            && parent_of(child.as_raw_nonzero().get().unsigned_abs()).is_ok_and(|parent| parent == supervisor)
        {
            self.member = Some(member);
        }
        self.member.is_some()
    }

    /// By which the record knows what it says.
    pub fn speaker(&self) -> u32 {
        self.speaker
    }

    /// Whether the supervisor has ended.
    pub fn has_ended(&mut self) -> bool {
        self.supervisor.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Gives the member an order, if it can still take one.
    pub fn order(&mut self, order: &str) {
        if let Some(mut orders) = self.orders.as_ref() {
            let _ = writeln!(orders, "{order}"); // it may have ended
        }
    }

    /// Signals the member's own process, if there is one.
    pub fn signal(&self, signal: Signal) {
        if let Some(member) = &self.member {
            let _ = pidfd_send_signal(member, signal); // it may have ended
        }
    }

    /// kill -9 of the supervisor.
    pub fn kill_supervisor(&mut self) {
        let _ = self.supervisor.kill(); // it may have ended
        let _ = self.supervisor.wait();
    }

    /// The number of the member's own process.
    ///
    /// # Panics
    /// If there is none.
    pub fn member(&self) -> i32 {
        self.find_member().expect("a supervisor has one child")
    }

    /// The number of the member's own process, if there is one.
    pub fn find_member(&self) -> Option<i32> {
        only_child(self.supervisor.id()).map(|child| child.as_raw_nonzero().get())
    }

    /// Waits until the member's own process is no more.
    ///
    /// # Panics
    /// If it does not end within [`LIMIT`].
    pub fn wait_for_end(&self) {
        let Some(member) = &self.member else { return };
        let mut ended = [PollFd::from_borrowed_fd(member.as_fd(), PollFlags::IN)];
        let limit = Timespec::try_from(LIMIT).unwrap();
        assert_eq!(poll(&mut ended, Some(&limit)), Ok(1), "the member does not end");
    }

    /// Waits for all to end, and gives what was complained of.
    ///
    /// # Panics
    /// If they do not end within [`LIMIT`].
    pub fn errors(&mut self) -> String {
        self.wait_for_end();
        let code = wait(&mut self.supervisor);
        let text = self.errors.take().map(|errors| errors.join().unwrap()).unwrap_or_default();
        format!("{text}(exit code {code:?})")
    }
}

/// Waits for a process to end, but not for ever.
fn wait(process: &mut Child) -> Option<i32> {
    let limit = Instant::now() + LIMIT;
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status.code();
        }
        assert!(Instant::now() < limit, "a process does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.supervisor.kill(); // both may have ended; a member dies with its supervisor
        self.signal(Signal::KILL);
        let _ = self.supervisor.wait();
        if !std::thread::panicking() {
            self.wait_for_end();
            let _ = self.lines.take().map(JoinHandle::join); // all that it said is recorded
        }
    }
}

/// What a line says, on our clock.
fn read(line: &str, skew_us: u64) -> Result<Report, String> {
    let mut line: Report = serde_json::from_str(line).map_err(|why| why.to_string())?;
    line.at_us = line.at_us.saturating_sub(skew_us);
    if let ReportKind::Lease { until_us, .. } = &mut line.what {
        *until_us = until_us.saturating_sub(skew_us);
    }
    Ok(line)
}

fn only_child(pid: u32) -> Option<Pid> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut children = children.split_ascii_whitespace();
    let (Some(child), None) = (children.next(), children.next()) else { return None };
    Pid::from_raw(child.parse().ok()?)
}
