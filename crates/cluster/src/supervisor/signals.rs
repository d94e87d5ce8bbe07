//! Signals to a supervisor, which are meant for its member.

use super::parent::relations_of;
use super::reaper;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, pidfd_send_signal};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::WithRawSiginfo;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals that ask for an end.
const ENDING: [Signal; 4] = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
/// Signals whose meaning the member defines.
const OWN: [Signal; 2] = [Signal::USR1, Signal::USR2];

/// The code of a signal that no process has sent: a terminal's Ctrl-C.
const SI_KERNEL: i32 = 0x80;

/// Signals to this process, as something that can be waited for together with a pidfd.
pub(super) struct Signals {
    arrived: SignalDelivery<UnixStream, WithRawSiginfo>,
    ending: Arc<AtomicBool>,
}

impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        let ending = Arc::new(AtomicBool::new(false));
        for signal in ENDING {
            let number = signal.as_raw();
            signal_hook::flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&ending))?;
        }
        let heard = ENDING.into_iter().chain(OWN).chain([Signal::CHILD]).map(Signal::as_raw);
        let (receiver, sender) = UnixStream::pair()?;
        Ok(Signals { arrived: SignalDelivery::with_pipe(receiver, sender, WithRawSiginfo, heard)?, ending })
    }

    /// Waits, without polling, and meanwhile reaps orphans that others of the member's descendants have left.
    ///
    /// A signal that a terminal sends to its whole group reaches a member of that group anyway: it is not passed on.
    ///
    /// A member that has not ended so long after the first SIGTERM is killed: it may be frozen. Other signals may mean
    /// something else to it, so no limit follows them. `false` if the kernel does not let it die even then.
    pub(super) fn pass_on_until_the_end_of(
        &mut self,
        member: &OwnedFd,
        pid: Pid,
        stop_timeout: Duration,
    ) -> io::Result<bool> {
        let (mut deadline, mut is_killed) = (None, false);
        loop {
            let mut ready = [member.as_fd(), self.arrived.get_read().as_fd()]
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
            let left = deadline.map(|at: Instant| at.saturating_duration_since(Instant::now()));
            let left = left.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
            match poll(&mut ready, left.as_ref()) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [ended, _] = ready.map(|it| !it.revents().is_empty());
            if ended {
                return Ok(true);
            }
            if deadline.is_some_and(|at| Instant::now() >= at) {
                if is_killed {
                    return Ok(false);
                }
                let _ = pidfd_send_signal(member, Signal::KILL); // it may have just ended
                (deadline, is_killed) = (Instant::now().checked_add(reaper::LIMIT), true);
            }
            for arrived in self.arrived.pending() {
                let Some(signal) = Signal::from_named_raw(arrived.si_signo) else { continue };
                let is_heard_there = arrived.si_code == SI_KERNEL && is_heard_by(pid, signal);
                if signal == Signal::CHILD {
                    reaper::reap_orphans(pid);
                } else if !is_heard_there {
                    let _ = pidfd_send_signal(member, signal); // it may have just ended
                }
                if signal == Signal::TERM {
                    deadline = deadline.or_else(|| Instant::now().checked_add(stop_timeout));
                }
            }
        }
    }

    /// The member has ended, so signals cannot be passed on: a request to end now ends the announcement.
    pub(super) fn end_this_process_from_now_on(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }
}

/// Whether the terminal sent this signal to the whole group, and so to the member too. Only the first process of the session
/// is told that the terminal has hung up.
fn is_heard_by(member: Pid, signal: Signal) -> bool {
    let me = std::process::id();
    let (Ok(ours), Ok(its)) = (relations_of(me), relations_of(member.as_raw_pid().unsigned_abs())) else {
        return false;
    };
    ours.group == its.group && (signal != Signal::HUP || ours.session != me)
}
