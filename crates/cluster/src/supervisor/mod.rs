//! A tiny parent of a member's process. It knows for certain when the process is dead, and tells the peers.
//!
//! It holds the member by a pidfd, so it learns of its death from the kernel at once. It is a *child subreaper*:
//! whatever the member started, and whatever that started, becomes its child when the parents die, however well it hid.
//! So it can end all of it, and know that it has: the kernel says when there are no children left. Only then does it
//! reveal the token ([`death_certificate`]). If it cannot be sure, it reveals nothing, and voters wait for the lease to end.
//!
//! What the member asked others to start (a container, a unit of the service manager) is not its descendant, and
//! nothing here ends it.

pub(crate) mod address_overrides;
pub mod death_certificate;
mod parent;
mod reaper;
mod signals;

use crate::supervisor::death_certificate::{DeathCertificate, Token, announce};
use crate::{Peer, Profile, Settings, deny_inspection};
use bellwether_core::Id;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, kill_process_group, pidfd_open,
    set_child_subreaper, waitid,
};
use signals::Signals;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

pub(crate) use parent::commitment_of_supervisor;
pub use parent::{die_with_parent, is_supervised, parent_of, parent_to_die_with};

/// The environment variable that tells a member its supervisor's commitment, in hexadecimal.
pub const COMMITMENT: &str = "BELLWETHER_COMMITMENT";
/// The environment variable that tells a member its supervisor's pid.
pub const SUPERVISOR: &str = "BELLWETHER_SUPERVISOR";

/// For so many delay bounds, which is two leases, the certificate is sent again to a peer that does not answer; but within
/// these limits. It is of use only while the peer waits for its promise to the dead process to run out, and a restart of the
/// member waits for the supervisor to end.
const DELAY_BOUNDS_OF_TELLING: u64 = 50;
const LEAST_TELLING: Duration = Duration::from_secs(1);
const LONGEST_TELLING: Duration = Duration::from_secs(10);

/// Runs one member's process and tells its peers when it is dead. The calling process should do nothing else: all its
/// children end with the member, and signals that ask it to end, SIGUSR1 and SIGUSR2 are passed on. Its memory cannot be read
/// by other processes of its user ([`deny_inspection`]): the token in it would be a false proof of death.
#[derive(Clone, Debug)]
pub struct Supervisor {
    cluster: String,
    me: Id,
    peers: Vec<Peer>,
    data: PathBuf,
    patience: Duration,
    stop_timeout: Duration,
}

/// How a supervised member ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitStatus {
    /// Its exit code; 128 and the signal's number if a signal ended it. What the supervisor should end with.
    pub code: i32,
    /// The peers that acknowledged the death certificate; none if it was not sent, because something that the member had started
    /// could not be ended, or the kernel did not let it die.
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
            patience: patience_with(&settings.profile),
            stop_timeout: Duration::from_millis(settings.stop_timeout_ms),
        }
    }

    /// For how long the certificate is sent again to peers that do not answer: otherwise for two leases, but at least
    /// for a second and at most for ten. Peers that answer that they do not know the dead process, or do not listen, are given up after an
    /// eighth of a second. An hour at most.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Supervisor {
        self.patience = patience.min(Duration::from_secs(3600));
        self
    }

    /// Starts the member and returns when it, and all that it had started, has ended and its peers know. After a SIGTERM the
    /// member has [`Settings::stop_timeout_ms`] to end; then it is killed.
    ///
    /// The thread that calls this must last as long as the process: to the kernel it is the thread that is the parent
    /// ([`die_with_parent`]).
    ///
    /// # Errors
    /// [`SupervisorError`]; nothing was announced then. If the member had been started, it lives on until this process
    /// ends.
    pub fn run(&self, mut command: Command) -> Result<ExitStatus, SupervisorError> {
        deny_inspection()?;
        set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
        let mut signals = Signals::new()?;
        let token = Token::draw().ok_or(SupervisorError::Randomness)?;
        let commitment = token.commitment();
        command.env(COMMITMENT, commitment.to_string()).env(SUPERVISOR, std::process::id().to_string());
        if !has_terminal() {
            command.process_group(0);
        }
        let child = command.spawn().map_err(|error| SupervisorError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            error,
        })?;
        crate::os::thread_priority::raise_priority(); // after the start, so that it is not the member's to inherit
        // Only this process reaps its children, so until it does, the pid is the child's, dead or alive.
        let pid = Pid::from_child(&child);
        let member = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from)?;
        if !signals.pass_on_until_the_end_of(&member, pid, self.stop_timeout)? {
            return Ok(ExitStatus { code: 128 + Signal::KILL.as_raw(), told: None });
        }
        // The whole group at once, as long as the dead member still keeps the number from being used again.
        let _ = kill_process_group(pid, Signal::KILL); // the group may be empty, or gone
        let status = waitid(WaitId::PidFd(member.as_fd()), WaitIdOptions::EXITED).map_err(io::Error::from)?;
        let code = status.as_ref().map_or(1, exit_code);
        if !reaper::end_all_children() {
            return Ok(ExitStatus { code, told: None });
        }
        signals.end_this_process_from_now_on();
        let certificate = DeathCertificate::new(&self.cluster, self.me, token);
        let peers = address_overrides::apply(self.peers.clone(), &self.data, &commitment);
        Ok(ExitStatus { code, told: Some(announce(&certificate, &peers, self.patience)) })
    }
}

/// Whether this process and the member may be controlled from a terminal.
///
/// Then the member must be of our process group: only one group may read from a terminal, and a process of
/// another group that tries is stopped.
/// Without one it has a group of its own, which can be ended at once, and in which it can do as it likes.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok() // a process without a terminal cannot open it
}

fn patience_with(profile: &Profile) -> Duration {
    let promises = profile.delay_bound * DELAY_BOUNDS_OF_TELLING;
    Duration::from_micros(promises.ticks()).clamp(LEAST_TELLING, LONGEST_TELLING)
}

fn exit_code(status: &WaitIdStatus) -> i32 {
    let by_signal = status.terminating_signal().map(|signal| 128 + signal);
    status.exit_status().or(by_signal).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_core::Span;

    #[test]
    fn patience_is_two_leases_within_limits() {
        let milliseconds = |delay_bound| {
            let delay_bound = Span::from_ticks(delay_bound);
            patience_with(&Profile { delay_bound, ..Profile::STEADY }).as_millis()
        };
        assert_eq!([0, 1_200, 12_000, 100_000].map(milliseconds), [1_000, 1_000, 1_000, 5_000]);
        assert_eq!([1_000_000, u64::MAX].map(milliseconds), [10_000; 2]);
    }
}
