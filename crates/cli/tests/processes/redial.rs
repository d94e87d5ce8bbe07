//! After a cut, members do not wait for TCP.

use crate::cluster::Cluster;
use crate::namespaces::{Cables, address};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// A connection like any other, from member 1's machine to member 2's.
fn connection(cables: &Cables) -> (TcpStream, TcpStream) {
    let [one, two] = [0, 1].map(|at| &cables.members()[at]);
    let listener = two.run(|| TcpListener::bind((address(2), 7_500))).unwrap();
    let stream = one.run(|| TcpStream::connect((address(2), 7_500))).unwrap();
    stream.set_nodelay(true).unwrap();
    let (other, _) = listener.accept().unwrap();
    other.set_nonblocking(true).unwrap();
    (stream, other)
}

/// Cuts all links for two seconds. Whether the members have a leader again before a byte comes that was sent when the cut
/// began. TCP sends it again 1.4 to 1.7 s after that, which is in vain, and then 3 to 3.4 s after it.
fn are_faster_than_tcp(cables: &Cables, cluster: &Cluster, after: u64) -> bool {
    let (mut stream, mut other) = connection(cables);
    cables.lose(&cables.all_pairs());
    stream.write_all(b"x").unwrap();
    std::thread::sleep(Duration::from_secs(2));
    cables.lose(&[]);
    cluster.leader_of(&cluster.ids(), after);
    other.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// The machine may be busy once.
#[test]
fn members_have_a_leader_before_tcp_sends_again_what_was_lost() {
    let Some(cables) = Cables::lay(3, "a cut of all links") else { return };
    let mut cluster = cables.connect(|_| ());
    cluster.start_all();
    let all = cluster.ids();
    let is_faster = || {
        let (_, term) = cluster.leader_of(&all, 0);
        are_faster_than_tcp(&cables, &cluster, term)
    };
    let faster = (0..5).filter(|_| is_faster()).count();
    assert!(faster >= 4, "{faster} of 5");
    cluster.finish(&all);
}
