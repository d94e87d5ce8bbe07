//! What goes on besides messages: accepting, dialling, and giving up.

use super::link::Link;
use super::peers::Dialling;
use super::{Ended, FIRST_LINK, LISTENER, Line, Network, Party, Stage, WAKER};
use bellwether_core::Id;
use mio::net::TcpStream;
use mio::{Interest, Token};
use rustix::net::sockopt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long a connection may take to come up.
const HANDSHAKE: Duration = Duration::from_secs(3);
/// How long it may take to be taken up at all.
const TAKING_UP: Duration = Duration::from_secs(1);
/// How long the other side may take to close too.
const LEAVING: Duration = Duration::from_secs(1);
/// How long what is sent may take to get away.
const STALL: Duration = Duration::from_secs(3);
/// After how long without a word from the other side its system is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(5);
/// How long to leave strangers waiting when the system has no room for them.
const NO_ROOM: Duration = Duration::from_millis(100);
/// How many may be at the door at once. The one that is there longest goes.
const AT_THE_DOOR: usize = 64;

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
        let mut lines = self.lines.iter().flatten();
        let is_more_there =
            lines.any(|line| line.stage != Stage::Swallowed && line.link.waits_for_its_turn());
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
                    }
                }
            }
        }
        for at in 0..self.lines.len() {
            self.lines[at].iter_mut().for_each(|line| line.link.begin_turn());
            self.advance(at);
        }
        self.tend();
        self.flush();
        Ok(())
    }

    /// Does what is due.
    fn tend(&mut self) {
        let now = Instant::now();
        self.accept(now);
        for at in 0..self.lines.len() {
            let due = self.lines[at].as_ref().and_then(deadline);
            if due.is_some_and(|due| due <= now) {
                self.expire(at);
            }
        }
        for index in 0..self.members.len() {
            self.dial_if_due(index, now);
        }
        while let Some(resolved) = self.resolver.answer() {
            self.on_resolved(resolved.peer, &resolved.address, resolved.addresses);
        }
    }

    /// How long nothing is due.
    fn until_due(&self, timeout: Option<Duration>) -> Option<Duration> {
        let lines = self.lines.iter().flatten().filter_map(deadline);
        let dials = self.members.iter().filter_map(|member| match member.dialling {
            Dialling::At(at) if !self.is_busy_with(member.id) => Some(at),
            _ => None,
        });
        let due = lines.chain(dials).chain(self.accept_at).min();
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        timeout.into_iter().chain(due).min()
    }

    fn expire(&mut self, at: usize) {
        let Some(line) = &self.lines[at] else { return };
        match line.stage {
            Stage::Up => self.drop_line(at, Ended::Stalled),
            Stage::Greeting | Stage::Hoping if !line.link.frozen => {
                let party = line.peer.map_or(Party::Address(line.address), Party::Member);
                self.complain(party, "it did not introduce itself in time".into());
                self.release(at);
            }
            _ => _ = self.release(at),
        }
    }

    fn accept(&mut self, now: Instant) {
        if self.accept_at.is_none_or(|at| at > now) {
            return;
        }
        // One that comes while others are dealt with is not forgotten: the time is only cleared by an empty queue.
        for _ in 0..AT_THE_DOOR {
            match self.listener.accept() {
                Ok((stream, address)) => {
                    self.make_room_at_the_door();
                    let _ = self.add_line(stream, address, None);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.accept_at = None;
                    return;
                }
                // Whoever it was has gone, or there is no room: see whether there are others, but not for ever.
                Err(_) => self.accept_at = Some(now + NO_ROOM),
            }
        }
    }

    fn make_room_at_the_door(&mut self) {
        let waits = |line: &Line| line.dialled.is_none() && line.stage != Stage::Up;
        let waiting = || self.lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.as_ref()?)));
        let waiting = || waiting().filter(|(_, line)| waits(line));
        if waiting().count() >= AT_THE_DOOR {
            let oldest = waiting().min_by_key(|(_, line)| line.since).map(|(at, _)| at);
            oldest.map(|at| self.release(at));
        }
    }

    fn add_line(&mut self, stream: TcpStream, address: SocketAddr, dialled: Option<Id>) -> io::Result<usize> {
        stream.set_nodelay(true)?;
        sockopt::set_tcp_user_timeout(&stream, STALL.as_millis() as u32)?;
        // Followers say nothing to each other for days: it must show then too that the way between them is gone.
        sockopt::set_tcp_keepidle(&stream, SILENCE)?;
        sockopt::set_tcp_keepintvl(&stream, STALL / 3)?;
        sockopt::set_socket_keepalive(&stream, true)?;
        let tls = match dialled {
            Some(peer) => self.guard.dial(peer).map_err(io::Error::other)?,
            None => None,
        };
        let at = match self.lines.iter().position(Option::is_none) {
            Some(at) => at,
            None => {
                self.lines.push(None);
                self.lines.len() - 1
            }
        };
        let mut link = Link::new(stream, tls);
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut link.stream, Token(FIRST_LINK + at), interest)?;
        let stage = if dialled.is_some() { Stage::Connecting } else { Stage::Arriving };
        let since = Instant::now();
        self.lines[at] = Some(Line { link, stage, since, address, dialled, peer: dialled, greeting: None });
        Ok(at)
    }

    /// Whether there is a connection with this peer, or hope for one.
    fn is_busy_with(&self, peer: Id) -> bool {
        let is_its = |line: &Line| line.peer == Some(peer) && line.stage != Stage::Leaving;
        self.lines.iter().flatten().any(is_its)
    }

    fn dial_if_due(&mut self, index: usize, now: Instant) {
        let member = &mut self.members[index];
        match member.dialling {
            Dialling::At(at) if at <= now => {}
            _ => return,
        }
        if member.is_cut {
            member.back_off(now, &mut self.random);
            return;
        }
        let (peer, address) = (member.id, member.address.clone());
        if !self.is_busy_with(peer) {
            self.members[index].dialling = Dialling::Resolving;
            self.resolver.ask(peer, address);
        }
    }

    fn on_resolved(&mut self, peer: Id, address: &str, addresses: Result<Vec<SocketAddr>, String>) {
        let Some(member) = self.member_mut(peer) else { return };
        if !matches!(member.dialling, Dialling::Resolving) {
            return;
        }
        if let Err(error) = &addresses {
            let why = format!("its address '{address}' leads nowhere: {error}");
            self.complain(Party::Member(peer), why);
        }
        // The last is tried first.
        let addresses = addresses.unwrap_or_default().into_iter().rev().collect();
        if let Some(member) = self.member_mut(peer) {
            member.dialling = Dialling::Trying(addresses);
        }
        self.dial_next(peer);
    }

    /// Tries the next of a peer's addresses; if there is none left, all of them again in a while.
    pub(super) fn dial_next(&mut self, peer: Id) {
        let is_busy = self.is_busy_with(peer);
        while let Some(Dialling::Trying(rest)) = self.member_mut(peer).map(|member| &mut member.dialling) {
            let Some(address) = rest.pop().filter(|_| !is_busy) else {
                let member = self.members.iter_mut().find(|member| member.id == peer);
                member.into_iter().for_each(|member| member.back_off(Instant::now(), &mut self.random));
                return;
            };
            let dialled = TcpStream::connect(address);
            if dialled.and_then(|stream| self.add_line(stream, address, Some(peer))).is_ok() {
                return;
            }
        }
    }
}

/// When patience with a connection ends.
fn deadline(line: &Line) -> Option<Instant> {
    match line.stage {
        Stage::Up => line.link.stalled_since.map(|since| since + STALL),
        Stage::Connecting => Some(line.since + TAKING_UP),
        Stage::Leaving => Some(line.since + LEAVING),
        _ => Some(line.since + HANDSHAKE),
    }
}
