//! What is counted: bytes, frames, connections, and complaints.

use bellwether_core::Id;
use std::time::Instant;

/// What went over connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes read from sockets.
    pub bytes_in: u64,
    /// Bytes written to sockets.
    pub bytes_out: u64,
    /// Frames received.
    pub frames_in: u64,
    /// Frames sent.
    pub frames_out: u64,
    /// Connections that came up.
    pub connections: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.frames_in += other.frames_in;
        self.frames_out += other.frames_out;
        self.connections += other.connections;
    }
}

/// What went over connections, in all and with each peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// With anyone, strangers too.
    pub total: Tally,
    /// With each peer, in the order of the settings.
    pub peers: Vec<(Id, Tally)>,
}

/// How many more complaints may be made: some at once, and then one a second, so that a flood of garbage is none of
/// complaints.
pub(super) struct Patience {
    left: f64,
    since: Instant,
}

impl Patience {
    const MOST: f64 = 16.0;

    pub(super) fn new(now: Instant) -> Patience {
        Patience { left: Patience::MOST, since: now }
    }

    pub(super) fn allows(&mut self, now: Instant) -> bool {
        self.left = (self.left + now.duration_since(self.since).as_secs_f64()).min(Patience::MOST);
        self.since = now;
        let is_left = self.left >= 1.0;
        self.left -= if is_left { 1.0 } else { 0.0 };
        is_left
    }
}
