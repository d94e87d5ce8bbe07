//! Telling all peers at once.

use super::{ACKNOWLEDGED, Obituary};
use crate::Peer;
use bellwether_core::Id;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before the second attempt; it doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(2);
const LONGEST_WAIT: Duration = Duration::from_millis(250);
/// How long one attempt may take: a peer that is there answers at once.
const ATTEMPT: Duration = Duration::from_secs(1);

/// Tells all these peers, again and again until they have taken note, for at most `limit`. Returns who has.
///
/// Each is told by a thread of its own: names are resolved by blocking, and one that is slow must not hold up others.
#[must_use]
pub fn announce(obituary: &Obituary, peers: &[Peer], limit: Duration) -> Vec<Id> {
    let until = Instant::now() + limit;
    let (told, all_told) = mpsc::channel();
    for peer in peers {
        let (bytes, peer, told) = (obituary.encode(), peer.clone(), told.clone());
        let tell = move || {
            if tell_until(&bytes, &peer.address, until) {
                let _ = told.send(peer.id); // nobody hears it when the limit is over
            }
        };
        // A machine without room for a thread leaves this peer to the end of the lease, which is safe.
        let _ = thread::Builder::new().name(format!("obituary-{}", peer.id)).spawn(tell);
    }
    drop(told);
    let mut acknowledged = Vec::new();
    // A resolver can block for longer than the limit: its thread is left behind.
    while let Ok(id) = all_told.recv_timeout(until.saturating_duration_since(Instant::now())) {
        acknowledged.push(id);
    }
    acknowledged
}

fn tell_until(bytes: &[u8], address: &str, until: Instant) -> bool {
    let mut wait = FIRST_WAIT;
    loop {
        if tell(bytes, address, until).is_ok() {
            return true;
        }
        if Instant::now() + wait >= until {
            return false;
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

fn tell(bytes: &[u8], address: &str, until: Instant) -> io::Result<()> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        // No time at all is an error to the standard library: a millisecond is the least.
        let time = until.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(1), ATTEMPT);
        match TcpStream::connect_timeout(&address, time).and_then(|stream| say(bytes, stream, time)) {
            Ok(()) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn say(bytes: &[u8], mut stream: TcpStream, time: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(time))?;
    stream.set_read_timeout(Some(time))?;
    stream.write_all(bytes)?;
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    if answer[0] == ACKNOWLEDGED { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}
