//! One member's processes, and what is recorded of all of them.

use crate::judge::Recording;
use bellwether::process::{Line, What};
use bellwether::{Clock, Event, Id};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far more than anything takes: it only turns a test that would hang into one that fails.
pub const LIMIT: Duration = Duration::from_secs(60);

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
    pub fn change<T>(&self, change: impl FnOnce(&mut Recording) -> T) -> T {
        let changed = change(&mut self.recording.lock().unwrap_or_else(PoisonError::into_inner));
        self.news.notify_all();
        changed
    }

    /// Waits until something can be found in what was recorded.
    pub fn until<T>(&self, what: &str, mut find: impl FnMut(&Recording) -> Option<T>) -> T {
        let limit = Instant::now() + LIMIT;
        let mut recording = self.recording.lock().unwrap();
        loop {
            if let Some(found) = find(&recording) {
                return found;
            }
            if Instant::now() > limit {
                let lines =
                    recording.lines.iter().rev().filter(|line| !matches!(line.what, What::Lease { .. }));
                let last: Vec<String> = lines.take(40).map(|line| format!("{line:?}")).collect();
                drop(recording);
                panic!("waited in vain: {what}; the last first:\n{}", last.join("\n"));
            }
            recording = self.news.wait_timeout(recording, Duration::from_millis(100)).unwrap().0;
        }
    }
}

/// A supervisor and its member. Both are gone when this is.
#[derive(Debug)]
pub struct Process {
    supervisor: Child,
    orders: Option<ChildStdin>,
    /// The member's own process, once it has started.
    member: Option<OwnedFd>,
    errors: Option<JoinHandle<String>>,
}

impl Process {
    /// Starts the member `me`, and waits until it says that it has started. `skew_us` is by how much the clock that it
    /// sees is ahead of ours.
    pub fn start(command: Command, me: Id, record: &Arc<Record>, skew_us: u64) -> Process {
        let starts = |recording: &Recording| {
            let is_start = |what: &What| matches!(what, What::Event(Event::Started { .. }));
            recording.lines.iter().filter(|line| line.member == me && is_start(&line.what)).count()
        };
        let before = record.change(|recording| starts(recording));
        let mut process = Process::spawn(command, record, skew_us);
        record.until(&format!("member {me} starts"), |recording| {
            let has_ended = process.supervisor.try_wait().unwrap().is_some();
            assert!(!has_ended, "member {me} has ended: {}", process.errors());
            (starts(recording) > before).then_some(())
        });
        let member = only_child(process.supervisor.id());
        process.member = Some(pidfd_open(member, PidfdFlags::empty()).unwrap());
        process
    }

    /// Starts a process, and records what it says.
    pub fn spawn(mut command: Command, record: &Arc<Record>, skew_us: u64) -> Process {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut supervisor = command.spawn().unwrap();
        let (orders, lines) = (supervisor.stdin.take(), supervisor.stdout.take().unwrap());
        let mut complaints = supervisor.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            complaints.read_to_string(&mut text).unwrap();
            text
        });
        let (record, speaker) = (record.clone(), supervisor.id());
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let mut line: Line = serde_json::from_str(&line).unwrap();
                line.at_us = line.at_us.saturating_sub(skew_us);
                if let What::Lease { until_us, .. } = &mut line.what {
                    *until_us = until_us.saturating_sub(skew_us);
                }
                record.change(|recording| recording.hear(speaker, line));
            }
        });
        Process { supervisor, orders, member: None, errors: Some(errors) }
    }

    /// By which the record knows what it says.
    pub fn speaker(&self) -> u32 {
        self.supervisor.id()
    }

    pub fn order(&mut self, order: &str) {
        writeln!(self.orders.as_ref().unwrap(), "{order}").unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        if let Some(member) = &self.member {
            let _ = pidfd_send_signal(member, signal); // it may have ended
        }
    }

    pub fn kill_supervisor(&mut self) {
        self.supervisor.kill().unwrap();
        self.supervisor.wait().unwrap();
    }

    /// The number of the member's own process.
    pub fn member(&self) -> i32 {
        only_child(self.supervisor.id()).as_raw_nonzero().get()
    }

    /// Waits until the member's own process is no more.
    pub fn wait_for_end(&self) {
        let Some(member) = &self.member else { return };
        let mut ended = [PollFd::from_borrowed_fd(member.as_fd(), PollFlags::IN)];
        let limit = Timespec::try_from(LIMIT).unwrap();
        assert_eq!(poll(&mut ended, Some(&limit)), Ok(1), "the member does not end");
    }

    /// Waits for all to end, and gives what was complained of.
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
        }
    }
}

fn only_child(pid: u32) -> Pid {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let mut children = children.split_ascii_whitespace();
    let (Some(child), None) = (children.next(), children.next()) else { panic!("{pid} has not one child") };
    Pid::from_raw(child.parse().unwrap()).unwrap()
}
