//! Floods of connections by strangers: bounded in rate, in time and in how many are open at once.

use crate::namespace::Namespace;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, connect, send, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::VecDeque;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So often a flood looks whether something is to be done.
const TICK: Duration = Duration::from_millis(1);

/// What strangers do, and how much of it.
#[derive(Clone, Debug)]
pub struct Flood {
    /// The member that they come to.
    pub target: SocketAddr,
    /// Connections a second.
    pub rate: u32,
    /// So many of them come at once: 1 if they come evenly.
    pub burst: u32,
    /// What each says when it is connected; nothing if this is empty.
    pub words: Vec<u8>,
    /// How long each stays.
    pub stay: Duration,
    /// How many are open at once at the most.
    pub most_open: usize,
    /// Addresses that they come from, in turn: so many from this one on.
    pub sources: (Ipv4Addr, u32),
    /// The namespace that they come from, as a file; this process's own if there is none.
    pub from: Option<PathBuf>,
    /// Longer it never lasts.
    pub limit: Duration,
}

/// A flood that goes on until this is dropped or its limit is over.
#[derive(Debug)]
pub struct Flooding {
    is_over: Arc<AtomicBool>,
    connections: Arc<AtomicU64>,
    begun: Instant,
    flooder: Option<JoinHandle<Result<(), String>>>,
}

impl Flood {
    /// The file of a namespace.
    pub fn place(namespace: &Namespace) -> PathBuf {
        format!("/proc/{}/ns/net", namespace.pid()).into()
    }

    /// Begins.
    pub fn begin(self) -> Flooding {
        let (is_over, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (over, count) = (is_over.clone(), connections.clone());
        let flooder = std::thread::spawn(move || self.run(&over, &count));
        Flooding { is_over, connections, begun: Instant::now(), flooder: Some(flooder) }
    }

    fn run(&self, is_over: &AtomicBool, connections: &AtomicU64) -> Result<(), String> {
        if let Some(place) = &self.from {
            let place = File::open(place).map_err(|why| why.to_string())?;
            let moved = move_into_link_name_space(place.as_fd(), Some(LinkNameSpaceType::Network));
            moved.map_err(|why| format!("cannot enter the namespace: {why}"))?;
        }
        let begun = Instant::now();
        let mut open: VecDeque<Stranger> = VecDeque::new();
        let mut made = 0;
        while !is_over.load(Ordering::Relaxed) && begun.elapsed() < self.limit {
            // What could not be done in time is not made up for: the rate is the most there is at any moment.
            let burst = u64::from(self.burst.max(1));
            let due = (begun.elapsed().as_secs_f64() * f64::from(self.rate)) as u64 / burst * burst;
            let most = burst.max(u64::from(self.rate) / 100);
            made = made.max(due.saturating_sub(most));
            while made < due {
                made += 1;
                if let Ok(stranger) = self.stranger(made) {
                    connections.fetch_add(1, Ordering::Relaxed);
                    open.push_back(stranger);
                }
            }
            let is_gone = |stranger: &Stranger, open: usize| {
                stranger.since.elapsed() > self.stay || open > self.most_open
            };
            while open.front().is_some_and(|first| is_gone(first, open.len())) {
                open.pop_front();
            }
            open.iter_mut().rev().filter(|it| !it.has_spoken).for_each(|it| it.speak(&self.words));
            std::thread::sleep(TICK);
        }
        Ok(())
    }

    fn stranger(&self, number: u64) -> Result<Stranger, Errno> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        // Nothing is left of it when it is closed: ports would run out.
        set_socket_linger(&socket, Some(Duration::ZERO))?;
        let (first, count) = self.sources;
        let source = u32::from(first) + (number % u64::from(count.max(1))) as u32;
        bind(&socket, &SocketAddr::V4(SocketAddrV4::new(source.into(), 0)))?;
        match connect(&socket, &self.target) {
            Ok(()) | Err(Errno::INPROGRESS) => {
                Ok(Stranger { socket, since: Instant::now(), has_spoken: self.words.is_empty() })
            }
            Err(why) => Err(why),
        }
    }
}

struct Stranger {
    socket: OwnedFd,
    since: Instant,
    has_spoken: bool,
}

impl Stranger {
    /// What does not go out at once is never said: floods say little.
    fn speak(&mut self, words: &[u8]) {
        let sent = send(&self.socket, words, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        self.has_spoken = !matches!(sent, Err(Errno::AGAIN | Errno::NOTCONN | Errno::INPROGRESS));
    }
}

impl Flooding {
    /// Connections so far.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Connections a second so far.
    pub fn rate(&self) -> f64 {
        self.connections() as f64 / self.begun.elapsed().as_secs_f64()
    }
}

impl Drop for Flooding {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(Ok(Err(why))) = self.flooder.take().map(JoinHandle::join) {
            eprintln!("a flood has ended early: {why}");
        }
    }
}
