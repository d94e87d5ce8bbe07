//! A tiny parent of a member's process, which knows for certain when it is dead, and tells the peers.
//!
//! It holds the member by a pidfd, so it learns of its death from the kernel at once. It is a *child subreaper*:
//! whatever the member started, and whatever that started, becomes its child when the parents die, however well it hid.
//! So it can end all of it, and know that it has: the kernel says when there are no children left. Only then does it
//! reveal the token ([`crate::obituary`]). If it cannot be sure, it says nothing, and voters wait for the lease to end.
//!
//! What the member asked others to start (a container, a unit of the service manager) is not its descendant, and
//! nothing here ends it.

mod burial;

use crate::obituary::{Obituary, Token, announce};
use crate::{Peer, Settings, moves};
use bellwether_core::Id;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, getppid, kill_process_group,
    pidfd_open, pidfd_send_signal, set_child_subreaper, set_parent_process_death_signal, waitid,
};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The environment variable that tells a member its supervisor's commitment, in hexadecimal.
pub const COMMITMENT: &str = "BELLWETHER_COMMITMENT";
/// The environment variable that tells a member its supervisor's pid.
pub const SUPERVISOR: &str = "BELLWETHER_SUPERVISOR";

/// Signals that are meant for the member.
const FORWARDED: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

/// Runs one member's process and tells its peers when it is dead. The calling process should do nothing else: all its
/// children end with the member, and signals that would end it are passed on.
#[derive(Clone, Debug)]
pub struct Supervisor {
    cluster: String,
    me: Id,
    peers: Vec<Peer>,
    data: PathBuf,
    patience: Duration,
}

/// How a supervised member ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; 128 and the signal's number if a signal ended it. What the supervisor should end with.
    pub code: i32,
    /// Who has taken note of the death; nothing if it was not announced, because something that the member had started
    /// could not be ended.
    pub told: Option<Vec<Id>>,
}

/// Why a member could not be started or watched. Nothing was announced.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// The machine gives no random numbers.
    #[error("the machine gives no random numbers to draw a token from")]
    Randomness,
    /// There is no process.
    #[error("cannot start {program}: {error}")]
    Start {
        /// What should have been started.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// The operating system refused what a supervisor needs.
    #[error("cannot supervise a process here: {0}")]
    System(#[from] io::Error),
}

impl Supervisor {
    /// How long peers are told again and again, if they do not take note.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// A supervisor of the member that these settings describe. Peers that move meanwhile it finds if the member, an
    /// [`crate::Elector`], is told of it, and if the directory of its votes is the same to both processes.
    #[must_use]
    pub fn new(settings: &Settings) -> Supervisor {
        let peers = settings.members.iter().filter(|peer| peer.id != settings.me).cloned().collect();
        Supervisor {
            cluster: settings.cluster.clone(),
            me: settings.me,
            peers,
            data: settings.data.clone(),
            patience: Supervisor::PATIENCE,
        }
    }

    /// For how long peers that do not answer are told again.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Supervisor {
        self.patience = patience;
        self
    }

    /// Starts the member and returns when it, and all that it had started, has ended and its peers know.
    ///
    /// The thread that calls this must last as long as the process: to the kernel it is the thread that is the parent
    /// ([`die_with_parent`]).
    ///
    /// # Errors
    /// [`SupervisorError`]; nothing was announced then. If the member had been started, it lives on until this process
    /// ends.
    pub fn run(&self, mut command: Command) -> Result<Ended, SupervisorError> {
        set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
        let mut signals = Signals::new()?;
        let token = Token::draw().ok_or(SupervisorError::Randomness)?;
        moves::forget(&self.data);
        command
            .env(COMMITMENT, token.commitment().to_string())
            .env(SUPERVISOR, std::process::id().to_string())
            .process_group(0);
        let child = command.spawn().map_err(|error| SupervisorError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            error,
        })?;
        crate::member::go_before_others(); // after the start, so that it is not the member's to inherit
        // Nobody else waits for our children, so until we do, the pid is the child's, dead or alive.
        let pid = Pid::from_child(&child);
        let member = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from)?;
        signals.pass_on_until_the_end_of(&member, pid)?;
        // The whole group at once, as long as the dead member still keeps the number from being used again.
        let _ = kill_process_group(pid, Signal::KILL); // there may be nobody left
        let status = waitid(WaitId::PidFd(member.as_fd()), WaitIdOptions::EXITED).map_err(io::Error::from)?;
        let code = status.as_ref().map_or(1, exit_code);
        if !burial::end_all_children() {
            return Ok(Ended { code, told: None });
        }
        signals.end_this_process_from_now_on();
        let obituary = Obituary::new(&self.cluster, self.me, token);
        let peers = moves::follow(self.peers.clone(), &self.data);
        Ok(Ended { code, told: Some(announce(&obituary, &peers, self.patience)) })
    }
}

fn exit_code(status: &WaitIdStatus) -> i32 {
    let by_signal = status.terminating_signal().map(|signal| 128 + signal);
    status.exit_status().or(by_signal).unwrap_or(1)
}

/// Lets the calling process die when its supervisor does, even by kill -9: a member that nobody watches any more must
/// not live on unseen. (No obituary follows: voters wait for the lease to end.)
///
/// Without a supervisor, the same with whoever started the process.
///
/// # Errors
/// If the kernel refuses, or the supervisor is no longer there.
pub fn die_with_parent() -> io::Result<()> {
    let parent = || getppid().map_or(0, Pid::as_raw_pid); // none: in a namespace that cannot see it
    let expected = match std::env::var(SUPERVISOR) {
        Ok(pid) => pid.parse().map_err(|_| io::Error::other(format!("{SUPERVISOR} must be a pid")))?,
        Err(_) => parent(),
    };
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have died before it could be asked for its death's signal.
    if parent() == expected {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "the supervisor (pid {expected}) is not this process's parent any more"
        )))
    }
}

/// Signals to this process, as something that can be waited for together with a pidfd.
struct Signals {
    forwarded: [UnixStream; FORWARDED.len()],
    a_child_ended: UnixStream,
    ending: Arc<AtomicBool>,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        let ending = Arc::new(AtomicBool::new(false));
        let mut forwarded = Vec::with_capacity(FORWARDED.len());
        for signal in FORWARDED {
            let number = signal.as_raw();
            signal_hook::flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&ending))?;
            forwarded.push(receive(signal)?);
        }
        let forwarded = forwarded.try_into().map_err(|_| io::Error::other("as many as there are"))?;
        Ok(Signals { forwarded, a_child_ended: receive(Signal::CHILD)?, ending })
    }

    /// Waits, without polling, and meanwhile reaps orphans that others of the member's descendants have left.
    fn pass_on_until_the_end_of(&mut self, member: &OwnedFd, pid: Pid) -> io::Result<()> {
        loop {
            let watched = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
            let [term, int, hup] = &self.forwarded;
            let mut ready =
                [member.as_fd(), self.a_child_ended.as_fd(), term.as_fd(), int.as_fd(), hup.as_fd()]
                    .map(watched);
            match poll(&mut ready, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [ended, a_child_ended, signals @ ..] = ready.map(|it| !it.revents().is_empty());
            if ended {
                return Ok(());
            }
            if a_child_ended {
                drain(&mut self.a_child_ended)?;
                burial::reap_orphans(pid);
            }
            for ((stream, signal), came) in self.forwarded.iter_mut().zip(FORWARDED).zip(signals) {
                if came {
                    drain(stream)?;
                    let _ = pidfd_send_signal(member, signal); // it may have just ended
                }
            }
        }
    }

    /// There is no member any more to pass signals on to: who asks for an end now means the telling.
    fn end_this_process_from_now_on(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }
}

/// A stream that can be read when the signal has come.
fn receive(signal: Signal) -> io::Result<UnixStream> {
    let (receiver, sender) = UnixStream::pair()?;
    receiver.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal.as_raw(), sender)?;
    Ok(receiver)
}

fn drain(stream: &mut UnixStream) -> io::Result<()> {
    let mut bytes = [0; 64];
    loop {
        match stream.read(&mut bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
