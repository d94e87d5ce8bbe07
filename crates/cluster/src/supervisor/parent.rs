//! What a process knows of the supervisor above it.

use super::{COMMITMENT, SUPERVISOR};
use crate::supervisor::death_certificate::{Commitment, InvalidCommitment};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use std::env::VarError;
use std::io;

/// What the supervisor above this process has committed itself to, if there is one. Processes that this one starts inherit
/// it, and rightly so: the supervisor reveals nothing before they are dead too.
pub(crate) fn commitment_of_supervisor() -> Result<Option<Commitment>, InvalidCommitment> {
    match std::env::var(COMMITMENT) {
        Ok(text) => text.parse().map(Some),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(InvalidCommitment),
    }
}

/// Whether this process was started by a supervisor: by its parent, not by a process above that.
#[must_use]
pub fn is_supervised() -> bool {
    std::env::var_os(COMMITMENT).is_some() && matches!(parent_to_die_with(), Ok(Some(_)))
}

/// The pid of this process's parent, if it asks by [`SUPERVISOR`] that this process die with it.
///
/// The variable is inherited: if it names a process further up, it was meant for a process in between. (The number of a parent
/// that has died cannot come to mean another one above this process: a process that loses its parent is given to one that was
/// above it before.)
///
/// # Errors
/// If it names no process above this one. Then the parent that asked has died, or its number means nothing here.
pub fn parent_to_die_with() -> io::Result<Option<u32>> {
    let Some(asks) = std::env::var_os(SUPERVISOR) else { return Ok(None) };
    let pid = asks.to_str().and_then(|pid| pid.parse().ok());
    let pid = pid.ok_or_else(|| io::Error::other(format!("{SUPERVISOR} must be a pid")))?;
    let parent = parent();
    if pid == parent {
        Ok(Some(pid))
    } else if std::iter::successors(Some(parent), |&it| parent_of(it).ok()).any(|it| it == pid) {
        Ok(None)
    } else {
        Err(lost(pid))
    }
}

/// Lets the calling process die when its supervisor does, even by kill -9: a member without its supervisor must
/// not run on unseen. (No death certificate follows: voters wait for the lease to end.)
///
/// Without a supervisor, the same with the process that started this one.
///
/// # Errors
/// If the kernel refuses, or the supervisor is no longer there.
pub fn die_with_parent() -> io::Result<()> {
    let expected = parent_to_die_with()?.unwrap_or_else(parent);
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have died before it could be asked for its death's signal.
    if parent() == expected { Ok(()) } else { Err(lost(expected)) }
}

fn lost(parent: u32) -> io::Error {
    io::Error::other(format!("the supervisor (pid {parent}) is not this process's parent any more"))
}

/// The parent's pid; 0 in a namespace that cannot see it.
fn parent() -> u32 {
    getppid().map_or(0, |pid| pid.as_raw_pid().unsigned_abs())
}

/// The pid of the process that started a process, or inherited it.
///
/// # Errors
/// If there is no such process, or it cannot be seen.
pub fn parent_of(pid: u32) -> io::Result<u32> {
    relations_of(pid).map(|relations| relations.parent)
}

/// The parent, group and session of a process, as pids: 0 for those that this process cannot see.
pub(super) struct Relations {
    pub parent: u32,
    pub group: u32,
    pub session: u32,
}

pub(super) fn relations_of(pid: u32) -> io::Result<Relations> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // After the program's name, which may have anything in it, comes the state.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut numbers = fields.split_whitespace().skip(1).map_while(|field| field.parse().ok());
    let mut next = || numbers.next().ok_or(io::ErrorKind::InvalidData);
    Ok(Relations { parent: next()?, group: next()?, session: next()? })
}
