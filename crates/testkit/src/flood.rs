//! Floods of connections by strangers: bounded in rate, in time and in how many are open at once.

use crate::namespace::Namespace;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_linger, socket_error};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, connect, send, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::VecDeque;
use std::fmt;
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

/// Less than this share of the wanted rate is another flood.
const LEAST_SHARE: f64 = 0.9;

/// What a flood came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Strength {
    /// Connections a second that were established.
    pub rate: f64,
    /// Connections a second that were wanted.
    pub wanted: u32,
    /// Why it ended before it was told to, if it did.
    pub ended_early: Option<String>,
}

/// A flood that goes on until this is dropped or its limit is over.
#[derive(Debug)]
pub struct Flooding {
    is_over: Arc<AtomicBool>,
    connections: Arc<AtomicU64>,
    begun: Instant,
    wanted: u32,
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
        let wanted = self.rate;
        let flooder = std::thread::spawn(move || self.run(&over, &count));
        Flooding { is_over, connections, begun: Instant::now(), wanted, flooder: Some(flooder) }
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
        while !is_over.load(Ordering::Relaxed) {
            if begun.elapsed() >= self.limit {
                return Err(format!("its limit of {:?} was over", self.limit));
            }
            // What could not be done in time is not made up for: the rate is the most there is at any moment.
            let burst = u64::from(self.burst.max(1));
            let due = (begun.elapsed().as_secs_f64() * f64::from(self.rate)) as u64 / burst * burst;
            let most = burst.max(u64::from(self.rate) / 100);
            made = made.max(due.saturating_sub(most));
            while made < due {
                made += 1;
                if let Ok(stranger) = self.stranger(made) {
                    open.push_back(stranger);
                }
            }
            connections.fetch_add(take_up(&mut open), Ordering::Relaxed);
            let is_gone = |stranger: &Stranger, open: usize| {
                stranger.since.elapsed() > self.stay || open > self.most_open
            };
            while open.front().is_some_and(|first| is_gone(first, open.len())) {
                open.pop_front();
            }
            let quiet = open.iter_mut().rev().filter(|it| it.is_established && !it.has_spoken);
            quiet.for_each(|it| it.speak(&self.words));
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
                let has_spoken = self.words.is_empty();
                Ok(Stranger { socket, since: Instant::now(), is_established: false, has_spoken })
            }
            Err(why) => Err(why),
        }
    }
}

struct Stranger {
    socket: OwnedFd,
    since: Instant,
    /// The other system has answered.
    is_established: bool,
    has_spoken: bool,
}

/// Finds out which attempts to connect are over, and forgets those that failed. Gives how many succeeded.
fn take_up(open: &mut VecDeque<Stranger>) -> u64 {
    let waiting = open.iter().filter(|it| !it.is_established);
    let mut polled: Vec<PollFd<'_>> = waiting.map(|it| PollFd::new(&it.socket, PollFlags::OUT)).collect();
    if poll(&mut polled, Some(&Timespec::default())).unwrap_or(0) == 0 {
        return 0;
    }
    let mut answered = polled.iter().map(|it| !it.revents().is_empty()).collect::<Vec<_>>().into_iter();
    let mut established = 0;
    open.retain_mut(|it| {
        if it.is_established || !answered.next().unwrap_or(false) {
            return true;
        }
        // One that was established may have been reset since.
        it.is_established = matches!(socket_error(&it.socket), Ok(Ok(()) | Err(Errno::CONNRESET)));
        established += u64::from(it.is_established);
        it.is_established
    });
    established
}

impl Stranger {
    /// What does not go out at once is never said: floods say little.
    fn speak(&mut self, words: &[u8]) {
        let sent = send(&self.socket, words, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        self.has_spoken = !matches!(sent, Err(Errno::AGAIN | Errno::NOTCONN | Errno::INPROGRESS));
    }
}

impl Flooding {
    /// Connections that were established so far.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Ends it: what it came to.
    pub fn end(mut self) -> Strength {
        let rate = self.connections() as f64 / self.begun.elapsed().as_secs_f64();
        Strength { rate, wanted: self.wanted, ended_early: self.stop() }
    }

    /// Why it has ended before, if it has.
    fn stop(&mut self) -> Option<String> {
        self.is_over.store(true, Ordering::Relaxed);
        match self.flooder.take()?.join() {
            Ok(ended) => ended.err(),
            Err(_) => Some("it panicked".to_owned()),
        }
    }
}

impl Drop for Flooding {
    fn drop(&mut self) {
        if let Some(why) = self.stop() {
            eprintln!("a flood has ended early: {why}");
        }
    }
}

impl Strength {
    /// Whether it was the flood that was wanted.
    pub fn is_enough(&self) -> bool {
        self.ended_early.is_none() && self.rate >= LEAST_SHARE * f64::from(self.wanted)
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} of {} connections/s", self.rate, self.wanted)?;
        match &self.ended_early {
            Some(why) => write!(f, ", ended early: {why}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn flood(target: SocketAddr) -> Flood {
        Flood {
            target,
            rate: 200,
            burst: 1,
            words: Vec::new(),
            stay: Duration::from_secs(60),
            most_open: 1_000,
            sources: (Ipv4Addr::LOCALHOST, 1),
            from: None,
            limit: Duration::from_secs(60),
        }
    }

    #[test]
    fn flood_is_enough_from_nine_tenths_of_its_rate_if_it_did_not_end() {
        let strength = |rate, ended_early: Option<&str>| Strength {
            rate,
            wanted: 1_000,
            ended_early: ended_early.map(str::to_owned),
        };
        assert!(strength(900.0, None).is_enough());
        assert!(!strength(899.0, None).is_enough());
        assert!(!strength(1_000.0, Some("why")).is_enough());
        assert!(Strength { rate: 0.0, wanted: 0, ended_early: None }.is_enough(), "no flood was wanted");
    }

    #[test]
    fn only_established_connections_are_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap();
        let flooding = flood(place).begin();
        for _ in 0..10 {
            drop(listener.accept().unwrap()); // and reset or closed at once
        }
        while flooding.connections() < 10 {
            std::thread::sleep(TICK);
        }
        assert_eq!(flooding.end().ended_early, None);
        drop(listener);
        let refused = flood(place).begin();
        std::thread::sleep(Duration::from_millis(100)); // twenty attempts
        assert_eq!(refused.end().rate, 0.0);
    }

    #[test]
    fn flood_says_that_it_has_ended_early() {
        let place = SocketAddr::from(([127, 0, 0, 1], 1));
        let nowhere = Flood { from: Some("/nonexistent".into()), ..flood(place) };
        let short = Flood { limit: Duration::ZERO, ..flood(place) };
        for flood in [nowhere, short] {
            let flooding = flood.begin();
            while !flooding.flooder.as_ref().unwrap().is_finished() {
                std::thread::sleep(TICK);
            }
            assert!(flooding.end().ended_early.is_some());
        }
    }
}
