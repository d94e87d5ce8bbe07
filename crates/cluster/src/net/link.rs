//! One connection: a socket, TLS if any, and the bytes on their way in and out.

use super::Tally;
use super::wire::{self, Frame, HEADER, MAX_BODY, Malformed};
use bellwether_core::Signal;
use mio::net::TcpStream;
use rustls::Connection;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::ops::Range;
use std::time::Instant;

/// How many bytes may wait for a slow peer before it is given up.
pub const QUEUE: usize = 256 * 1024;
/// How many bytes one connection may have read before all others have had their turn, and how many one that is being
/// closed may still send.
const TURN: usize = 64 * 1024;
/// What buffers start with, and shrink to when a burst is over.
const SMALL: usize = 2 * 1024;

/// Why a connection cannot go on.
#[derive(Debug)]
pub enum Trouble {
    /// It was closed, or broke.
    Closed,
    /// The other side's system does not acknowledge what was sent.
    Silent,
    /// TLS failed.
    Tls(rustls::Error),
    /// What it sent is no frame.
    Malformed(Malformed),
}

impl From<Malformed> for Trouble {
    fn from(malformed: Malformed) -> Self {
        Trouble::Malformed(malformed)
    }
}

/// One connection.
pub struct Link {
    pub stream: TcpStream,
    tls: Option<Box<Connection>>,
    /// What was received and not yet taken lies at `taken..filled`.
    input: Vec<u8>,
    taken: usize,
    filled: usize,
    /// What was queued and not yet given to TLS or the socket.
    output: Vec<u8>,
    /// There may be something to take. Falls only when the socket has nothing more and no whole frame is left.
    pub readable: bool,
    pub writable: bool,
    /// The other side sends nothing more than what is there.
    pub hung_up: bool,
    /// How many more bytes may be read in this turn.
    left: usize,
    /// How many were thrown away since it was closed.
    discarded: usize,
    /// Since when what is queued does not get away.
    pub stalled_since: Option<Instant>,
    /// Since when nothing has come after something was sent.
    pub unanswered: Option<Unanswered>,
    pub tally: Tally,
}

/// Nothing has come since then, although something was sent.
#[derive(Clone, Copy, Debug)]
pub struct Unanswered {
    pub since: Instant,
    /// At that time the kernel said that something was not acknowledged.
    pub is_suspect: bool,
}

impl Link {
    pub fn new(stream: TcpStream, tls: Option<Connection>) -> Link {
        Link {
            stream,
            tls: tls.map(Box::new),
            input: Vec::new(), // most that come say nothing
            taken: 0,
            filled: 0,
            output: Vec::new(),
            readable: false,
            writable: false,
            hung_up: false,
            left: TURN,
            discarded: 0,
            stalled_since: None,
            unanswered: None,
            tally: Tally::default(),
        }
    }

    /// From here on it is TLS.
    pub fn secure(&mut self, tls: Option<Connection>) {
        self.tls = tls.map(Box::new);
    }

    /// Our side of TLS, if there is one.
    pub fn tls(&self) -> Option<&Connection> {
        self.tls.as_deref()
    }

    /// All others have had their turn.
    pub fn begin_turn(&mut self) {
        self.left = TURN;
    }

    /// Whether there may be more than could be read in this turn.
    pub fn waits_for_its_turn(&self) -> bool {
        self.left == 0 && self.readable
    }

    /// The next frame, if a whole one has come. A message lies where [`Link::bytes`] finds it, until the next is taken.
    pub fn take(&mut self) -> Result<Option<Frame<Range<usize>>>, Trouble> {
        while self.readable {
            if let Some((frame, length)) = wire::decode(&self.input[self.taken..self.filled])? {
                let body = self.taken + HEADER..self.taken + length;
                let frame = frame.map(|_| body);
                self.taken += length;
                self.tally.frames_in += 1;
                return Ok(Some(frame));
            }
            if self.left == 0 {
                return Ok(None);
            }
            self.fill()?;
        }
        Ok(None)
    }

    /// The next frame, if it is a signal. Any other frame, and trouble, is left for [`Link::take`].
    pub fn take_signal(&mut self) -> Option<Signal> {
        while self.readable {
            match wire::decode(&self.input[self.taken..self.filled]).ok()? {
                Some((Frame::Signal(signal), length)) => {
                    self.taken += length;
                    self.tally.frames_in += 1;
                    return Some(signal);
                }
                Some(_) => return None,
                None if self.left == 0 => return None,
                None => self.fill().ok()?,
            }
        }
        None
    }

    /// So many bytes that are no frame, once they have come.
    pub fn take_bytes<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Trouble> {
        while self.readable {
            let bytes = &self.input[self.taken..self.filled];
            if let Some(bytes) = bytes.first_chunk() {
                self.taken += N;
                return Ok(Some(*bytes));
            }
            if self.left == 0 {
                return Ok(None);
            }
            self.fill()?;
        }
        Ok(None)
    }

    /// What lies there.
    pub fn bytes(&self, place: Range<usize>) -> &[u8] {
        &self.input[place]
    }

    /// Gets more bytes, or finds out that there are none.
    fn fill(&mut self) -> Result<(), Trouble> {
        self.make_room();
        let room = &mut self.input[self.filled..];
        let Some(tls) = &mut self.tls else {
            let got = counted(self.stream.read(room), &mut self.readable)?;
            self.has_read(got);
            self.filled += got;
            return Ok(());
        };
        match tls.reader().read(room) {
            Ok(0) => return Err(Trouble::Closed),
            Ok(got) => {
                self.filled += got;
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return Err(Trouble::Closed),
        }
        let got = counted(tls.read_tls(&mut self.stream), &mut self.readable)?;
        let processed = tls.process_new_packets();
        self.has_read(got);
        // An answer of TLS's own: its part of the handshake, or an alert that says what is wrong.
        let written = self.push();
        processed.map_err(Trouble::Tls)?;
        written
    }

    fn has_read(&mut self, bytes: usize) {
        if bytes > 0 {
            self.unanswered = None;
        }
        self.tally.bytes_in += bytes as u64;
        self.left = self.left.saturating_sub(bytes);
    }

    /// Makes sure that something can be read after what is there: an incomplete frame, at most.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.input.copy_within(self.taken..self.filled, 0);
            self.filled -= self.taken;
            self.taken = 0;
        }
        if self.filled == 0 && self.input.len() > SMALL {
            self.input.truncate(SMALL);
            self.input.shrink_to_fit();
        }
        if self.filled == self.input.len() {
            self.input.resize((2 * self.filled).clamp(SMALL, HEADER + MAX_BODY), 0);
        }
    }

    /// Queues a frame; `false` if it is too long.
    pub fn queue(&mut self, frame: &Frame<&[u8]>) -> bool {
        let is_queued = wire::encode(frame, &mut self.output);
        self.tally.frames_out += u64::from(is_queued);
        is_queued
    }

    /// Queues bytes that are no frame.
    pub fn queue_bytes(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    /// Whether more waits than the peer may keep waiting.
    pub fn is_full(&self) -> bool {
        self.output.len() > QUEUE
    }

    /// Whether something waits to get out.
    pub fn is_waiting(&self) -> bool {
        !self.output.is_empty() || self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// Writes what is queued, as far as the socket takes it.
    pub fn flush(&mut self, now: Instant) -> Result<(), Trouble> {
        let before = self.tally.bytes_out;
        self.push()?;
        if self.tally.bytes_out > before {
            self.unanswered.get_or_insert(Unanswered { since: now, is_suspect: false });
            self.stalled_since = None;
        }
        self.stalled_since = self.stalled_since.or(Some(now)).filter(|_| self.is_waiting());
        Ok(())
    }

    fn push(&mut self) -> Result<(), Trouble> {
        loop {
            let mut taken = 0;
            if let Some(tls) = &mut self.tls {
                // TLS makes one record of all that is queued, and takes no more than it may hold back.
                let given = tls.writer().write(&self.output);
                while tls.wants_write() && self.writable {
                    let put = counted(tls.write_tls(&mut self.stream), &mut self.writable)?;
                    self.tally.bytes_out += put as u64;
                }
                // If TLS has failed it takes nothing more; but its alert has gone out.
                taken = given.map_err(|_| Trouble::Closed)?;
            } else if self.writable && !self.output.is_empty() {
                taken = counted(self.stream.write(&self.output), &mut self.writable)?;
                self.tally.bytes_out += taken as u64;
            }
            self.output.drain(..taken);
            if self.output.is_empty() {
                self.output.shrink_to(SMALL);
            }
            if taken == 0 || self.output.is_empty() {
                return Ok(());
            }
        }
    }

    /// Sends the rest of the queue. What still comes in is to be read, or the socket would break off and the last frames
    /// could be lost.
    pub fn close(&mut self) {
        let _ = self.push();
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            let _ = self.push();
        }
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Throws away what comes in. Whether nothing more can, or it has been enough.
    pub fn discard(&mut self) -> bool {
        self.input.resize(self.input.len().max(SMALL), 0);
        while self.readable && self.discarded < TURN {
            match counted(self.stream.read(&mut self.input), &mut self.readable) {
                Ok(got) => self.discarded += got,
                Err(_) => return true,
            }
        }
        self.discarded >= TURN
    }
}

/// How many bytes went through. None, and the flag falls, if the socket is not ready.
fn counted(result: std::io::Result<usize>, ready: &mut bool) -> Result<usize, Trouble> {
    match result {
        Ok(0) => Err(Trouble::Closed),
        Ok(count) => Ok(count),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(0),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            *ready = false;
            Ok(0)
        }
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(Trouble::Silent),
        Err(_) => Err(Trouble::Closed),
    }
}
