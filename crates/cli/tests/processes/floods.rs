//! Floods of connections by clients that are no members.

use crate::cluster::{Cluster, calm};
use crate::namespaces::{Cables, STRANGERS};
use bellwether::{Event, process::ReportKind};
use bellwether_testkit::delay::{self, Delay};
use bellwether_testkit::flood::{Flood, Flooding};
use bellwether_testkit::process::LIMIT;
use bellwether_testkit::skipped::skipped;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// Silent clients at each member, at the rate at which a restarted member never came back.
fn flood(cables: &Cables) -> Vec<Flooding> {
    let [a, b] = STRANGERS;
    let at = |me| Flood {
        target: format!("{}:7400", delay::address(me)).parse().unwrap(),
        rate: 3_700,
        burst: 1,
        words: Vec::new(),
        stay: Duration::from_secs(1),
        most_open: 4_000,
        sources: (Ipv4Addr::new(a, b, 0, 1), 1),
        from: Some(Flood::place(cables.router())),
        limit: LIMIT,
    };
    (1..=3).map(|me| at(me).begin()).collect()
}

/// Packets take 10 ms between members: so a handshake takes longer than it takes the flood to fill all places.
#[test]
fn a_restarted_member_rejoins_during_a_flood() {
    let what = "a flood of connections between distant members";
    let Some(cables) = Cables::lay(3, what) else { return };
    let _delay = match Delay::lay(&cables, Duration::from_millis(10)) {
        Ok(delay) => delay,
        Err(why) => return skipped(what, &why),
    };
    let mut cluster = cables.connect_at(delay::address, calm);
    let (leader, _) = cluster.start_all();
    let floods = flood(&cables);
    let restarted = cluster.others(leader)[0];
    cluster.kill(restarted);
    let before = cluster.record().change(|recording| recording.lines.len());
    cluster.start(restarted);
    for other in cluster.others(restarted) {
        cluster.until("the restarted member is connected again", |recording| {
            let new = &recording.lines[before..];
            let is_it =
                |what: &ReportKind| matches!(what, ReportKind::Event(Event::Connected { peer }) if peer.value() == other);
            new.iter().any(|line| line.member.value() == restarted && is_it(&line.what)).then_some(())
        });
    }
    assert!(floods.iter().all(|flood| flood.connections() > 0));
    let all = cluster.ids();
    cluster.finish(&all);
}

fn open_descriptors(process: i32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

/// The limits on a process's descriptors, as the kernel tells them.
fn limits(process: i32) -> Vec<String> {
    let limits = std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    files.split_ascii_whitespace().skip(3).take(2).map(str::to_owned).collect()
}

#[test]
fn clients_leave_a_member_descriptors_for_its_peers_and_its_disk() {
    if !Path::new("/usr/bin/prlimit").exists() {
        return skipped(
            "a limit on descriptors",
            "there is no 'prlimit'; the Debian package util-linux has it",
        );
    }
    let mut cluster = Cluster::of(3, calm);
    cluster.ids().into_iter().for_each(|me| cluster.start_through(me, &["prlimit", "--nofile=48:64"], 0));
    let (leader, term) = cluster.start_all();
    let member = cluster.process(leader).member();
    assert_eq!(limits(member), ["64", "64"], "it has raised its own limit");
    let place = cluster.settings(leader).members[leader as usize - 1].address.clone();
    let clients: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(&place).unwrap()).collect();
    // When the last has been taken up, most of them have been sent away again.
    cluster.view_of(leader);
    let open = open_descriptors(member);
    assert!(open <= 64 - 16, "{open} descriptors are open");
    drop(clients);
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    cluster.finish(&all);
}
