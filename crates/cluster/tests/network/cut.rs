//! What becomes of a connection when the network between the two systems drops everything.

use crate::bench::{Heard, Node, id, settings, until};
use bellwether_cluster::net::{CloseReason, Outgoing};
use bellwether_core::Signal;
use bellwether_testkit::cables::{Cables, address};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets the calling thread make its sockets in the namespace of a member.
fn enter(cables: &Cables, me: u64) {
    let holder = cables.members()[me as usize - 1].pid();
    let namespace = File::open(format!("/proc/{holder}/ns/net")).unwrap();
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
}

/// A member in the namespace of the calling thread that knows where the other is.
fn open(me: u64) -> Node {
    let mut settings = settings(me, 2);
    settings.listen = Some(format!("{}:7400", address(me)));
    let mut node = Node::open(&settings, 1);
    let other = 3 - me;
    node.network.set_address(id(other), format!("{}:7400", address(other)));
    node
}

/// Whether a connection to a member's port is waiting for the acknowledgement of its end. The kernel keeps one so that the
/// program gave up, and forgets at once one that the kernel itself gave up.
fn has_closed_connection() -> bool {
    const FIN_WAIT1: &str = "04";
    let connections = std::fs::read_to_string("/proc/thread-self/net/tcp").unwrap();
    connections.lines().skip(1).any(|line| line.split_ascii_whitespace().nth(3) == Some(FIN_WAIT1))
}

/// Cuts a connection on which signals go out all the time. Whether the member gave it up before TCP did.
fn is_given_up_before_tcp_times_out(cables: &Cables, nodes: &mut [Node; 1]) -> bool {
    until(nodes, "a connection", |nodes| nodes[0].network.is_connected(id(2)));
    nodes[0].heard.clear();
    cables.lose(&cables.all_pairs());
    until(nodes, "the end of the connection", |nodes| {
        nodes[0].network.send(id(2), Outgoing::Signal(Signal::Beat(1)));
        nodes[0].heard.iter().any(|heard| matches!(heard, Heard::Down(..)))
    });
    assert!(nodes[0].has(&Heard::Down(2, CloseReason::Stalled)), "{:?}", nodes[0].heard);
    let is_by_the_member = has_closed_connection();
    cables.lose(&[]);
    is_by_the_member
}

/// The kernel's own limit is as long, but counts only after it has sent again, which it does 200 ms after the cut. A busy
/// machine may wake the member later than that: so more than one cut is tried.
#[test]
fn connection_is_given_up_when_nothing_is_acknowledged_for_a_lease() {
    let Some(cables) = Cables::lay(2, "a cut of a member's connection") else { return };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            enter(&cables, 2);
            let mut node = open(2);
            while !is_over.load(Ordering::Relaxed) {
                node.step();
                node.heard.clear();
            }
        });
        // Also when the test fails: or the other thread would go on.
        let _guard = EndsWhenDropped(&is_over);
        enter(&cables, 1);
        let mut nodes = [open(1)];
        let is_once_first = (0..5).any(|_| is_given_up_before_tcp_times_out(&cables, &mut nodes));
        assert!(is_once_first, "TCP timed out first each time");
    });
}

struct EndsWhenDropped<'a>(&'a AtomicBool);

impl Drop for EndsWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
