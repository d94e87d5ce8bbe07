//! Cables on which packets take a while: each member has a second cable, whose packets this process passes on later.
//!
//! It needs no scheduler of the kernel's that delays packets (netem): many kernels have none.

use crate::cables::{Cables, batch};
use crate::namespace::Namespace;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::ioctl::{Setter, ioctl, opcode};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The kernel's name of the second cable.
const DEVICE: &str = "slow";
/// So many packets can be on their way; more are lost.
const MOST_PACKETS: usize = 10_000;
/// The device is one of IP packets, without a header of its own.
const IFF_TUN: u16 = 0x0001;
const IFF_NO_PI: u16 = 0x1000;

/// The second cables. They are gone when this is.
pub struct Delay {
    is_over: Arc<AtomicBool>,
    carrier: Option<JoinHandle<()>>,
}

impl Delay {
    /// Gives each member a second cable, on which a packet takes so long from member to member. Strangers reach the
    /// address of that cable without delay.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn lay(cables: &Cables, one_way: Duration) -> Result<Delay, String> {
        let mut ends = Vec::new();
        let mut routes = String::new();
        for (me, namespace) in (1..).zip(cables.members()) {
            ends.push(device(namespace).map_err(|why| format!("/dev/net/tun: {why}"))?);
            let own = address(me);
            batch(namespace, &format!("address add {own}/24 dev {DEVICE}\nlink set {DEVICE} up\n"))?;
            routes += &format!("route add {own} via {}\n", crate::cables::address(me));
        }
        batch(cables.router(), &routes)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let carrier = std::thread::spawn(move || carry(&ends, one_way, &over));
        Ok(Delay { is_over, carrier: Some(carrier) })
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.carrier.take().map(JoinHandle::join); // it ends by itself
    }
}

/// The address of a member's second cable.
pub fn address(me: u64) -> String {
    format!("10.75.0.{me}")
}

/// Makes the device in a namespace, and gives the end at which its packets come out.
fn device(namespace: &Namespace) -> io::Result<File> {
    let path = format!("/proc/{}/ns/net", namespace.pid());
    // In a thread of its own, which is then elsewhere.
    let made = std::thread::spawn(move || -> io::Result<OwnedFd> {
        let place = File::open(path)?;
        move_into_link_name_space(place.as_fd(), Some(LinkNameSpaceType::Network))?;
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let device = open("/dev/net/tun", flags, Mode::empty())?;
        let mut request = Request { name: [0; 16], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
        request.name[..DEVICE.len()].copy_from_slice(DEVICE.as_bytes());
        // SAFETY: TUNSETIFF reads a `struct ifreq`, which `Request` is in size and layout, and writes the device's name
        // into it.
        unsafe { ioctl(&device, Setter::<TUNSETIFF, Request>::new(request))? };
        Ok(device)
    });
    made.join().map_err(|_| io::ErrorKind::Other)?.map(File::from)
}

const TUNSETIFF: rustix::ioctl::Opcode = opcode::write::<i32>(b'T', 202);

/// A `struct ifreq` of the kernel's.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// A packet on its way.
struct Packet {
    due: Instant,
    to: usize,
    bytes: Vec<u8>,
}

fn carry(ends: &[File], one_way: Duration, is_over: &AtomicBool) {
    let mut on_way: VecDeque<Packet> = VecDeque::new();
    let mut buffer = [0; 65_536];
    while !is_over.load(Ordering::Relaxed) {
        let nap = on_way
            .front()
            .map_or(Duration::from_millis(50), |packet| packet.due.saturating_duration_since(Instant::now()));
        let mut ready: Vec<PollFd<'_>> = ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
        let nap = Timespec::try_from(nap).unwrap_or_default();
        let _ = poll(&mut ready, Some(&nap)); // interrupted or not
        for mut end in ends {
            while let Ok(length) = end.read(&mut buffer) {
                let bytes = &buffer[..length];
                if let Some(to) = destination(bytes).filter(|&to| to < ends.len())
                    && on_way.len() < MOST_PACKETS
                {
                    on_way.push_back(Packet { due: Instant::now() + one_way, to, bytes: bytes.to_vec() });
                }
            }
        }
        while on_way.front().is_some_and(|packet| packet.due <= Instant::now()) {
            let Some(packet) = on_way.pop_front() else { break };
            let _ = (&ends[packet.to]).write(&packet.bytes); // lost, as packets are
        }
    }
}

/// Which member an IPv4 packet is for, from 0.
fn destination(packet: &[u8]) -> Option<usize> {
    let is_ipv4 = packet.first()? >> 4 == 4;
    let to: [u8; 4] = packet.get(16..20)?.try_into().ok()?;
    let is_ours = is_ipv4 && to[..3] == [10, 75, 0];
    usize::from(to[3]).checked_sub(1).filter(|_| is_ours)
}
