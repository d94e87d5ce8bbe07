//! The second thread of a member: it waits for the disk, so that the first never does.

use crate::os::clock::Clock;
use crate::storage::store::{PeerRecord, Store, StoreError};
use bellwether_core::{Span, Time};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};

/// What can keep a member's durable state: a [`Store`], or in tests something worse.
pub(crate) trait Keep: Send + 'static {
    /// Replaces what is kept, and returns when it is safe.
    ///
    /// # Errors
    /// If it is not known to be safe.
    fn write(&mut self, durable: &[u8]) -> Result<(), StoreError>;

    /// Keeps once more what is kept already.
    ///
    /// # Errors
    /// As [`Keep::write`].
    fn write_again(&mut self) -> Result<(), StoreError>;

    /// Keeps besides what is known of a peer.
    ///
    /// # Errors
    /// As [`Keep::write`].
    fn remember(&mut self, peer: PeerRecord) -> Result<(), StoreError>;

    /// Keeps besides that no member starts from this any more.
    ///
    /// # Errors
    /// As [`Keep::write`].
    fn retire(&mut self) -> Result<(), StoreError>;
}

impl Keep for Store {
    fn write(&mut self, durable: &[u8]) -> Result<(), StoreError> {
        Store::write(self, durable)
    }

    fn write_again(&mut self) -> Result<(), StoreError> {
        Store::write_again(self)
    }

    fn remember(&mut self, peer: PeerRecord) -> Result<(), StoreError> {
        Store::remember(self, peer)
    }

    fn retire(&mut self) -> Result<(), StoreError> {
        Store::retire(self)
    }
}

/// Writes in the background, one write at a time, and wakes the member when one has ended.
///
/// The member asks with [`Disk::write`] and takes no further input until [`Disk::take_done`] gives the outcome. At most
/// one write, one probe and one peer's record are under way; buffers go to and fro and are used again.
#[derive(Debug)]
pub(crate) struct Disk {
    jobs: SyncSender<Job>,
    ended: Receiver<FinishedJob>,
    thread: JoinHandle<()>,
    clock: Clock,
    buffer: Vec<u8>,
    writing_since: Option<Time>,
    probing_since: Option<Time>,
    remembering_since: Option<Time>,
}

/// What has been kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// What [`Disk::write`] asked for.
    Written,
    /// What [`Disk::remember`] asked for.
    Remembered(PeerRecord),
}

#[derive(Debug)]
enum Job {
    Write(Vec<u8>),
    Probe,
    Remember(PeerRecord),
    Retire,
}

#[derive(Debug)]
struct FinishedJob {
    job: Job,
    result: Result<(), StoreError>,
}

impl Disk {
    /// Starts the thread, which waits until it is sent what to write to, and ends if it never is. Times are by the member's own
    /// `clock`. It calls `wake` whenever there is something to take.
    ///
    /// # Errors
    /// If the machine has no room for a thread.
    pub(crate) fn prepare<K: Keep>(
        clock: Clock,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<(Disk, SyncSender<K>)> {
        // Room for one of each kind of job each way: no thread ever waits for room.
        let (jobs, to_do) = sync_channel(4);
        let (report, ended) = sync_channel(4);
        let (keeper, kept) = sync_channel(1);
        let work = move || {
            if let Ok(keep) = kept.recv() {
                work(keep, &to_do, &report, wake);
            }
        };
        let thread = thread::Builder::new().name("disk".to_owned()).spawn(work)?;
        let (writing_since, probing_since, remembering_since) = (None, None, None);
        let buffer = Vec::new();
        let disk =
            Disk { jobs, ended, thread, clock, buffer, writing_since, probing_since, remembering_since };
        Ok((disk, keeper))
    }

    /// Asks for this to be kept. The write before must have been taken.
    ///
    /// # Panics
    /// If it has not.
    pub fn write(&mut self, durable: &[u8]) {
        assert!(self.writing_since.is_none(), "one write at a time");
        self.writing_since = Some(self.clock.now());
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend_from_slice(durable);
        let _ = self.jobs.try_send(Job::Write(buffer)); // if the thread has ended, `take_done` says so
    }

    /// Sees whether the disk is alive, by writing the last record again. Does nothing if something is under way,
    /// which shows as well.
    pub fn probe(&mut self) {
        if self.busy_for().is_none() {
            self.probing_since = Some(self.clock.now());
            let _ = self.jobs.try_send(Job::Probe);
        }
    }

    /// Asks for what is known of a peer to be kept. `false` if the one before is still under way: ask again later.
    pub fn remember(&mut self, peer: PeerRecord) -> bool {
        let is_free = self.remembering_since.is_none();
        if is_free {
            self.remembering_since = Some(self.clock.now());
            let _ = self.jobs.try_send(Job::Remember(peer));
        }
        is_free
    }

    /// Lets no member start from this store any more. It is written before the disk is closed.
    pub fn retire(&self) {
        let _ = self.jobs.try_send(Job::Retire);
    }

    /// How something that was asked for has ended, if it has; or how a probe has failed. A probe that went well is only
    /// seen in [`Disk::busy_for`].
    pub fn take_done(&mut self) -> Option<Result<Done, StoreError>> {
        loop {
            let FinishedJob { job, result } = match self.ended.try_recv() {
                Ok(ended) => ended,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    let asked = self.busy_for().is_some();
                    (self.writing_since, self.probing_since, self.remembering_since) = (None, None, None);
                    return asked.then_some(Err(StoreError::Gone));
                }
            };
            match job {
                Job::Write(buffer) => {
                    self.buffer = buffer;
                    self.writing_since = None;
                    return Some(result.map(|()| Done::Written));
                }
                Job::Probe => {
                    self.probing_since = None;
                    if let Err(error) = result {
                        return Some(Err(error));
                    }
                }
                Job::Remember(peer) => {
                    self.remembering_since = None;
                    return Some(result.map(|()| Done::Remembered(peer)));
                }
                Job::Retire => {} // the member ends
            }
        }
    }

    /// For how long the disk has owed an answer; nothing if it owes none. What has been answered counts until it is
    /// taken.
    #[must_use]
    pub fn busy_for(&self) -> Option<Span> {
        self.busy_since().map(|since| self.clock.now() - since)
    }

    pub(crate) fn busy_since(&self) -> Option<Time> {
        [self.writing_since, self.probing_since, self.remembering_since].into_iter().flatten().min()
    }

    /// Waits until everything asked for has ended and the store is closed: then another can open it. But not for ever: a
    /// disk that owes an answer for `patience` is left alone. Says whether it was closed.
    pub fn close(self, patience: Span) -> bool {
        let deadline = self.busy_since().unwrap_or_else(|| self.clock.now()) + patience;
        let Disk { jobs, ended, thread, clock, .. } = self;
        drop(jobs);
        loop {
            match ended.recv_timeout(clock.until(deadline)) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return false,
                // The store was closed before: the thread has nothing more to wait for.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = thread.join(); // its panic was reported when it happened
        true
    }
}

fn work(mut keep: impl Keep, to_do: &Receiver<Job>, report: &SyncSender<FinishedJob>, wake: impl Fn()) {
    crate::os::thread_priority::raise_priority();
    while let Ok(job) = to_do.recv() {
        let result = match &job {
            Job::Write(durable) => keep.write(durable),
            Job::Probe => keep.write_again(),
            Job::Remember(peer) => keep.remember(*peer),
            Job::Retire => keep.retire(),
        };
        let _ = report.send(FinishedJob { job, result }); // the receiver may be gone while the store is being closed
        wake();
    }
}

#[cfg(test)]
mod tests;
