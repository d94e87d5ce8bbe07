//! Sends a death certificate to all peers at once.

use super::{ACKNOWLEDGED, DeathCertificate, UNKNOWN};
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
/// After so many answers that the peer does not know the dead process, it does not. With the waits above, a Hello
/// that was on its way has had an eighth of a second to arrive.
const DENIALS: u32 = 7;

/// What came of an attempt.
enum Answer {
    /// The peer has accepted the certificate.
    Noted,
    /// The process there has had no connection with the dead one. The same holds if no process is there: a member listens
    /// from its start to its end, so one that listens there later has started since.
    Unknown,
    /// There was no answer.
    Missing,
}

/// Sends the certificate to all these peers, again and again until they acknowledge it, for at most `limit`. Returns the peers
/// that have.
///
/// A peer that does not know the dead process is given up soon: it has promised that process nothing.
///
/// Each is told by a thread of its own: names are resolved by blocking, and one that is slow must not hold up others.
#[must_use]
pub fn announce(certificate: &DeathCertificate, peers: &[Peer], limit: Duration) -> Vec<Id> {
    let until = Instant::now() + limit;
    let (told, all_told) = mpsc::channel();
    for peer in peers {
        let (bytes, peer, told) = (certificate.encode(), peer.clone(), told.clone());
        let tell = move || {
            if tell_until(&bytes, &peer.address, until) {
                let _ = told.send(peer.id); // no receiver is left when the limit is over
            }
        };
        // A machine without room for a thread leaves this peer to the end of the lease, which is safe.
        let _ = thread::Builder::new().name(format!("certificate-{}", peer.id)).spawn(tell);
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
    let (mut wait, mut denials) = (FIRST_WAIT, 0);
    loop {
        match tell(bytes, address, until) {
            Answer::Noted => return true,
            Answer::Unknown => denials += 1,
            Answer::Missing => {}
        }
        if denials == DENIALS || Instant::now() + wait >= until {
            return false;
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

fn tell(bytes: &[u8], address: &str, until: Instant) -> Answer {
    let Ok(addresses) = address.to_socket_addrs() else { return Answer::Missing };
    let mut answer = Answer::Unknown; // unless one of the addresses gives no answer
    for address in addresses {
        // No time at all is an error to the standard library: a millisecond is the least.
        let time = until.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(1), ATTEMPT);
        match TcpStream::connect_timeout(&address, time).and_then(|stream| say(bytes, stream, time)) {
            Ok(ACKNOWLEDGED) => return Answer::Noted,
            Ok(UNKNOWN) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            _ => answer = Answer::Missing,
        }
    }
    answer
}

fn say(bytes: &[u8], mut stream: TcpStream, time: Duration) -> io::Result<u8> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(time))?;
    stream.set_read_timeout(Some(time))?;
    stream.write_all(bytes)?;
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    Ok(answer[0])
}
