//! What goes on besides messages: waiting, and what is due then.

use super::link::Unanswered;
use super::pace::Pace;
use super::peers::Dialling;
use super::{Ended, FIRST_LINK, LISTENER, Line, Network, Party, Stage, WAKER, is_closed};
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
        let before = self.happened.len();
        self.flush();
        self.tend();
        let is_heard = |line: &&Line| line.stage != Stage::Filtered && !is_closed(&self.filter, line.peer);
        let mut heard = self.lines.iter().flatten().filter(is_heard);
        let is_more_there = heard.any(|line| line.link.waits_for_its_turn());
        let is_news = self.happened.len() > before || is_more_there;
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
                    if let Some(Some(line)) = self.lines.get_mut(token - FIRST_LINK) {
                        line.link.readable |=
                            event.is_readable() || event.is_read_closed() || event.is_error();
                        line.link.writable |=
                            event.is_writable() || event.is_write_closed() || event.is_error();
                        line.link.hung_up |= event.is_read_closed() || event.is_error();
                    }
                }
            }
        }
        for at in 0..self.lines.len() {
            self.lines[at].iter_mut().for_each(|line| line.link.begin_turn());
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
        for at in 0..self.lines.len() {
            let due = self.lines[at].as_ref().and_then(|line| deadline(line, &self.pace));
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
        let lines = self.lines.iter().flatten().filter_map(|line| deadline(line, &self.pace));
        let dials = self.members.iter().filter_map(|member| match member.dialling {
            Dialling::At(at) if !self.is_busy_with(member.id) => Some(at),
            _ => None,
        });
        let due = lines.chain(dials).chain(self.accept_at).chain(self.admission_due()).min();
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        timeout.into_iter().chain(due).min()
    }

    fn expire(&mut self, at: usize, now: Instant) {
        let Some(line) = &self.lines[at] else { return };
        match line.stage {
            Stage::Up => {
                if !self.is_alive(at, now) {
                    self.drop_line(at, Ended::Stalled);
                }
            }
            Stage::Connecting => self.dial_beside(at),
            Stage::Greeting | Stage::Hoping if !is_closed(&self.filter, line.peer) => {
                let party = line.peer.map_or(Party::Address(line.address), Party::Member);
                self.complain(party, "it did not introduce itself in time".into());
                self.release(at);
            }
            _ => _ = self.release(at),
        }
    }

    /// Whether a connection on which nothing comes is to be kept. There may be nothing to say: so only what the other
    /// system does not acknowledge counts, if that was so half a lease ago and no acknowledgement has come since.
    fn is_alive(&mut self, at: usize, now: Instant) -> bool {
        let Some(line) = &mut self.lines[at] else { return true };
        if line.link.stalled_since.is_some_and(|since| since + self.pace.longest <= now) {
            return false;
        }
        let Some(unanswered) = line.link.unanswered else { return true };
        let ends = line.link.stream.local_addr().and_then(|it| Ok((it, line.link.stream.peer_addr()?)));
        let progress = ends.ok().and_then(|(local, remote)| self.diagnosis.ask(local, remote));
        let Some(progress) = progress.filter(|it| it.is_unacknowledged) else {
            line.link.unanswered = None;
            return true;
        };
        let is_silent = progress.last_acknowledged >= now - unanswered.since;
        line.link.unanswered = Some(Unanswered { since: now, is_suspect: true });
        !(unanswered.is_suspect && is_silent)
    }
}

/// When patience with a connection ends.
fn deadline(line: &Line, pace: &Pace) -> Option<Instant> {
    match line.stage {
        Stage::Up => {
            let stalled = line.link.stalled_since.map(|since| since + pace.longest);
            let unanswered = line.link.unanswered.map(|it| it.since + pace.suspicion);
            stalled.into_iter().chain(unanswered).min()
        }
        Stage::Connecting => Some(line.since + pace.answer),
        Stage::Overdue => Some(line.since + pace.attempt),
        Stage::Leaving => Some(line.since + LEAVING),
        // While this goes on, the peer is not dialled.
        Stage::Greeting | Stage::Hoping if line.peer.is_some() => Some(line.since + pace.greeting),
        _ => Some(line.since + pace.longest),
    }
}
