//! What goes on besides messages: waiting, and what is due then.

use super::link::Unanswered;
use super::peers::Dialling;
use super::timeouts::Timeouts;
use super::{CloseReason, Connection, FIRST_LINK, LISTENER, Network, Party, Stage, WAKER};
use mio::Token;
use std::io;
use std::time::{Duration, Instant};

/// How long the other side may take to close too.
const LEAVING: Duration = Duration::from_secs(1);

impl Network {
    /// Waits until something comes in, the time is over, or the waker is used, and does what is due: handshakes,
    /// dialling, giving up.
    ///
    /// # Errors
    /// If the system cannot poll.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let before = self.pending.len();
        self.flush();
        self.tend();
        let mut connections = self.connections.iter().flatten();
        let is_more_there = connections.any(|connection| connection.link.waits_for_its_turn());
        let is_news = self.pending.len() > before || is_more_there;
        let timeout = if is_news { Some(Duration::ZERO) } else { self.until_due(timeout) };
        match self.poll.poll(&mut self.ready, timeout) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        for event in &self.ready {
            match event.token() {
                LISTENER => self.accept_at = Some(Instant::now()),
                WAKER => {}
                Token(token) => {
                    if let Some(Some(connection)) = self.connections.get_mut(token - FIRST_LINK)
                        && !self.cut.has(connection.peer)
                    {
                        connection.link.readable |=
                            event.is_readable() || event.is_read_closed() || event.is_error();
                        connection.link.writable |=
                            event.is_writable() || event.is_write_closed() || event.is_error();
                        connection.link.hung_up |= event.is_read_closed() || event.is_error();
                    }
                }
            }
        }
        for at in 0..self.connections.len() {
            self.connections[at].iter_mut().for_each(|connection| connection.link.begin_turn());
            self.advance_within_budget(at);
        }
        self.admit(Instant::now());
        self.tend();
        self.flush();
        Ok(())
    }

    /// Does what is due.
    fn tend(&mut self) {
        let now = Instant::now();
        for at in 0..self.connections.len() {
            let due =
                self.connections[at].as_ref().and_then(|connection| deadline(connection, &self.timeouts));
            if due.is_some_and(|due| due <= now) {
                self.expire(at, now);
            }
        }
        for index in 0..self.members.len() {
            self.dial_if_due(index, now);
        }
        while let Some(resolved) = self.resolver.answer() {
            self.on_resolved(resolved.peer, &resolved.address, resolved.addresses);
        }
        self.accept(now); // knowing where members are
    }

    /// How long nothing is due.
    fn until_due(&self, timeout: Option<Duration>) -> Option<Duration> {
        let connections =
            self.connections.iter().flatten().filter_map(|connection| deadline(connection, &self.timeouts));
        let dials = self.members.iter().filter_map(|member| match member.dialling {
            Dialling::At(at) if !self.is_busy_with(member.id) => Some(at),
            _ => None,
        });
        let due = connections.chain(dials).chain(self.accept_at).chain(self.admission_due()).min();
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        timeout.into_iter().chain(due).min()
    }

    fn expire(&mut self, at: usize, now: Instant) {
        let Some(connection) = &self.connections[at] else { return };
        match connection.stage {
            Stage::Up => {
                if !self.is_alive(at, now) {
                    self.drop_connection(at, CloseReason::Stalled);
                }
            }
            Stage::Connecting => self.dial_beside(at),
            Stage::Greeting | Stage::Hoping if !self.cut.has(connection.peer) => {
                let party = connection.peer.map_or(Party::Address(connection.address), Party::Member);
                self.complain(party, "it did not introduce itself in time".into());
                self.release(at);
            }
            _ => _ = self.release(at),
        }
    }

    /// Whether a connection on which nothing comes is to be kept. There may be nothing to say: so only what the other
    /// system does not acknowledge counts, if that was so half a lease ago and no acknowledgement has come since.
    fn is_alive(&mut self, at: usize, now: Instant) -> bool {
        let Some(connection) = &mut self.connections[at] else { return true };
        if connection.link.stalled_since.is_some_and(|since| since + self.timeouts.longest <= now) {
            return false;
        }
        let Some(unanswered) = connection.link.unanswered else { return true };
        let ends =
            connection.link.stream.local_addr().and_then(|it| Ok((it, connection.link.stream.peer_addr()?)));
        let progress = ends.ok().and_then(|(local, remote)| self.diagnosis.ask(local, remote));
        let Some(progress) = progress.filter(|it| it.is_unacknowledged) else {
            connection.link.unanswered = None;
            return true;
        };
        let is_silent = progress.last_acknowledged >= now - unanswered.since;
        connection.link.unanswered = Some(Unanswered { since: now, is_suspect: true });
        !(unanswered.is_suspect && is_silent)
    }
}

/// When patience with a connection ends.
fn deadline(connection: &Connection, timeouts: &Timeouts) -> Option<Instant> {
    match connection.stage {
        Stage::Up => {
            let stalled = connection.link.stalled_since.map(|since| since + timeouts.longest);
            let unanswered = connection.link.unanswered.map(|it| it.since + timeouts.suspicion);
            stalled.into_iter().chain(unanswered).min()
        }
        Stage::Connecting => Some(connection.since + timeouts.answer),
        Stage::Overdue => Some(connection.since + timeouts.attempt),
        Stage::Leaving => Some(connection.since + LEAVING),
        // While this goes on, the peer is not dialled.
        Stage::Greeting | Stage::Hoping if connection.peer.is_some() => {
            Some(connection.since + timeouts.greeting)
        }
        _ => Some(connection.since + timeouts.longest),
    }
}
