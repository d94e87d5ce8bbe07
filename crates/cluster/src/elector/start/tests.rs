//! What has been tried when the first byte is written.

use super::*;
use crate::{PeerRecord, StoreId, Stores};
use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_core::{Id, MachineType, Params};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// A disk that takes everything.
struct Idle;

impl Keep for Idle {
    fn write(&mut self, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn write_again(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn remember(&mut self, _: PeerRecord) -> Result<(), StoreError> {
        Ok(())
    }

    fn retire(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

fn prepared(settings: Settings) -> PreparedMember<Idle> {
    let stores = Stores { own: StoreId::new([1; 16]), is_new: true, peers: Vec::new() };
    let saved = Saved { boot: 1, durable: None, stores, wait: Span::default() };
    let machine = ByteMachine::new(MachineType::of::<QuorumLease>(), Params::default());
    PreparedMember::new(settings, None, machine, saved).unwrap()
}

/// A member with an id that no other test's member has: its thread is called by it.
fn settings(me: u64, address: String) -> Settings {
    let me = Id::new(me).unwrap();
    let security = Security::Plaintext;
    Settings { members: vec![Peer::new(me, address)], security, ..Settings::new("test", me) }
}

/// Whether this process comes to have a thread of this name, or to have none.
fn comes_to_be(name: &str, wanted: bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(30) {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        if names.into_iter().any(|it| it.trim_end() == name) == wanted {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// A system without room for a thread lets no start fail that has counted itself and fixed its configuration.
#[test]
fn threads_are_there_before_anything_is_written() {
    let member = prepared(settings(701, "127.0.0.1:0".into()));
    assert!(comes_to_be("disk", true) && comes_to_be("bellwether-701", true), "a thread is missing");
    member.start(Idle);
}

#[test]
fn start_that_cannot_write_leaves_no_thread_and_frees_its_port() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    drop(prepared(settings(702, port.to_string())));
    assert!(TcpListener::bind(port).is_ok(), "the port is free at once");
    assert!(comes_to_be("bellwether-702", false), "its thread goes on");
}
