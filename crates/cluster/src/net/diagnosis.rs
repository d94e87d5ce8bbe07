//! Asks the kernel whether the other system still acknowledges what a connection sends: what `ss -ti` shows
//! (`man 7 sock_diag`). An answer costs some microseconds, and is asked for only if a peer is silent.

use rustix::fd::OwnedFd;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const IPPROTO_TCP: u8 = 6;
const INET_DIAG_INFO: u16 = 2;
/// How long a message's header is, and the fixed part of what follows it in an answer.
const HEADER: usize = 16;
const FIXED: usize = 72;
/// Where in `struct tcp_info` these are: packets that are not acknowledged, and milliseconds since the last
/// acknowledgement.
const UNACKED: usize = 24;
const LAST_ACK: usize = 56;

/// How a connection's data fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Something was sent and is not acknowledged.
    pub is_unacknowledged: bool,
    /// When the last acknowledgement came, before now.
    pub last_acknowledged: Duration,
}

/// Asks the kernel.
#[derive(Debug)]
pub struct Diagnosis {
    socket: Option<OwnedFd>,
    asked: u32,
}

impl Diagnosis {
    /// If the kernel cannot be asked, nothing is ever known.
    pub fn new() -> Diagnosis {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let protocol = Some(netlink::SOCK_DIAG);
        Diagnosis {
            socket: socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, protocol).ok(),
            asked: 0,
        }
    }

    /// How the connection between these fares, if the kernel says so.
    pub fn ask(&mut self, local: SocketAddr, remote: SocketAddr) -> Option<Progress> {
        let socket = self.socket.as_ref()?;
        self.asked = self.asked.wrapping_add(1);
        send(socket, &request(self.asked, local, remote)?, SendFlags::DONTWAIT).ok()?;
        let mut answer = [0; 2048];
        // What was asked before and answered late is passed over.
        for _ in 0..4 {
            let (length, _) = recv(socket, &mut answer[..], RecvFlags::DONTWAIT).ok()?;
            let answer = answer.get(..length)?;
            if u32_at(answer, 8)? == self.asked {
                return progress(answer);
            }
        }
        None
    }
}

/// A `struct nlmsghdr` and a `struct inet_diag_req_v2`.
fn request(number: u32, local: SocketAddr, remote: SocketAddr) -> Option<Vec<u8>> {
    let (family, scope) = match (local, remote) {
        (SocketAddr::V4(_), SocketAddr::V4(_)) => (AddressFamily::INET, 0),
        (SocketAddr::V6(local), SocketAddr::V6(_)) => (AddressFamily::INET6, local.scope_id()),
        _ => return None,
    };
    let mut body = vec![family.as_raw() as u8, IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1), 0];
    body.extend(u32::MAX.to_ne_bytes()); // in any state
    body.extend(local.port().to_be_bytes());
    body.extend(remote.port().to_be_bytes());
    [local, remote].iter().for_each(|it| body.extend(padded(it.ip())));
    body.extend(scope.to_ne_bytes());
    body.extend([u8::MAX; 8]); // whatever its cookie is
    let mut message = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(NLM_F_REQUEST.to_ne_bytes());
    message.extend(number.to_ne_bytes());
    message.extend([0; 4]);
    message.extend(body);
    Some(message)
}

fn padded(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V6(address) => address.octets(),
        IpAddr::V4(address) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&address.octets());
            bytes
        }
    }
}

/// What the attribute `INET_DIAG_INFO` of an answer says. An error has none.
fn progress(answer: &[u8]) -> Option<Progress> {
    if u16_at(answer, 4)? != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let mut rest = answer.get(HEADER + FIXED..)?;
    loop {
        let (length, kind) = (usize::from(u16_at(rest, 0)?), u16_at(rest, 2)?);
        if kind == INET_DIAG_INFO {
            let info = rest.get(4..length)?;
            return Some(Progress {
                is_unacknowledged: u32_at(info, UNACKED)? > 0,
                last_acknowledged: Duration::from_millis(u32_at(info, LAST_ACK)?.into()),
            });
        }
        rest = rest.get(length.max(4).next_multiple_of(4)..)?;
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|it| u16::from_ne_bytes(*it))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|it| u32::from_ne_bytes(*it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_testkit::skipped::skipped;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn kernel_tells_that_what_was_read_is_acknowledged() {
        for place in ["127.0.0.1:0", "[::1]:0", "[::]:0"] {
            let Ok(listener) = TcpListener::bind(place) else {
                skipped("a connection over IPv6", "this machine has none");
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            let target = if place == "[::1]:0" { "::1" } else { "127.0.0.1" };
            let mut stream = TcpStream::connect((target, port)).unwrap();
            let (mut other, _) = listener.accept().unwrap();
            stream.write_all(b"x").unwrap();
            other.read_exact(&mut [0]).unwrap();
            other.write_all(b"y").unwrap(); // with it comes the acknowledgement
            stream.read_exact(&mut [0]).unwrap();
            let mut diagnosis = Diagnosis::new();
            let ends = |it: &TcpStream| (it.local_addr().unwrap(), it.peer_addr().unwrap());
            let (local, remote) = ends(&stream);
            let Some(told) = diagnosis.ask(local, remote) else {
                skipped("what the kernel knows of a connection", "it has no sock_diag");
                return;
            };
            assert!(!told.is_unacknowledged, "{told:?}");
            let (local, remote) = ends(&other);
            assert!(diagnosis.ask(local, remote).is_some(), "the other end, at {place}");
            let unused = SocketAddr::from(([127, 0, 0, 1], 1));
            assert_eq!(diagnosis.ask(unused, unused), None);
            assert!(diagnosis.ask(local, remote).is_some(), "an error leaves nothing behind");
        }
    }

    #[test]
    fn answers_that_are_cut_short_or_senseless_tell_nothing() {
        let mut answer = vec![0; HEADER + FIXED];
        answer[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        assert_eq!(progress(&answer), None);
        answer.extend([0; 64]); // attributes of no length
        assert_eq!(progress(&answer), None);
        answer.truncate(HEADER + FIXED);
        answer.extend(64_u16.to_ne_bytes());
        answer.extend(INET_DIAG_INFO.to_ne_bytes());
        answer.extend([1; 60]);
        let whole = progress(&answer);
        assert_eq!(whole.map(|it| it.is_unacknowledged), Some(true));
        for length in 0..answer.len() {
            assert_eq!(progress(&answer[..length]), None);
        }
    }
}
