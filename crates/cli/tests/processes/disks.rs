//! Disks that are full, and disks that do not answer.

use crate::cluster::Cluster;
use bellwether::Event;
use bellwether_testkit::disk_stall::DiskStall;
use bellwether_testkit::process::LIMIT;
use bellwether_testkit::skipped::skipped;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Puts the member's directory on a tiny disk, which only it can see, if this user may; `filled` or not.
fn on_a_tiny_disk(cluster: &mut Cluster, me: u64, filled: bool) -> Option<PathBuf> {
    let disk = cluster.directory().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = ["unshare", "--mount", "sh", "-c"];
    let script = "mount -t tmpfs -o size=128k none \"$1\" || exit 1; \
                  [ -z \"$2\" ] || cat /dev/zero > \"$1/filler\" 2> /dev/null; shift 2; exec \"$@\"";
    let place = disk.to_str().unwrap();
    let command = [&mount[..], &[script, "sh", place, if filled { "filled" } else { "" }]].concat();
    let may = Command::new(command[0]).args(&command[1..]).arg("true").output();
    if !may.is_ok_and(|it| it.status.success()) {
        skipped("a full disk", "only root can make a tiny disk to fill, with 'unshare' of util-linux");
        return None;
    }
    cluster.start_through(me, &command, 0);
    cluster.settings(me).data = disk.join("data");
    Some(disk)
}

#[test]
fn a_member_does_not_start_on_a_full_disk_and_says_why() {
    let mut cluster = Cluster::of(3, |_| ());
    if on_a_tiny_disk(&mut cluster, 1, true).is_some() {
        let settings = cluster.settings(1).clone();
        let errors = cluster.errors_of(&settings);
        assert!(errors.contains("make room on the disk") && errors.contains("exit code Some(1)"), "{errors}");
    }
    cluster.start(2);
    cluster.start(3);
    cluster.finish(&[2, 3]);
}

/// Everything it will ever write has its place on the disk from the beginning.
#[test]
fn a_disk_that_is_full_later_stops_no_vote() {
    let mut cluster = Cluster::of(3, |_| ());
    let Some(disk) = on_a_tiny_disk(&mut cluster, 1, false) else { return };
    let (leader, term) = cluster.start_all();
    assert_ne!(leader, 1, "it is the worst");
    // Through the member's eyes: nobody else sees its disk.
    let root = PathBuf::from(format!("/proc/{}/root", cluster.process(1).member()));
    let mut filler = File::create(root.join(disk.strip_prefix("/").unwrap()).join("filler")).unwrap();
    let full = (0..1_000).find_map(|_| filler.write_all(&[0xff; 4_096]).err()).unwrap();
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    cluster.kill(leader);
    let rest = cluster.others(leader); // none of them can be missed: all must vote
    cluster.leader_of(&rest, term);
    cluster.finish(&rest);
}

/// Holds up a member's disk, if this user may.
fn stall(member: i32) -> Option<DiskStall> {
    DiskStall::begin(member, LIMIT).map_err(|why| skipped("a disk that stalls", &why)).ok()
}

#[test]
fn a_leader_whose_disk_stalls_gives_up_and_takes_part_again_when_it_answers() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let member = cluster.process(leader).member();
    let Some(stalled) = stall(member) else { return };
    let rest = cluster.others(leader);
    cluster.until_said("it notices", |me, event| me == leader && *event == Event::DiskStalled);
    cluster.until_said("it gives up", |me, event| {
        me == leader && matches!(event, Event::Lost { term: lost, .. } if *lost == term)
    });
    let (_, next) = cluster.leader_of(&rest, term);
    drop(stalled);
    cluster.until_said("its disk is back", |me, event| me == leader && *event == Event::DiskBack);
    let all = cluster.ids();
    cluster.leader_of(&all, next - 1);
    cluster.finish(&all);
}

/// One whose disk does not answer cannot vote, and the others do not need it; without them nobody leads.
#[test]
fn a_voter_whose_disk_stalls_does_not_vote() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let voters = cluster.others(leader);
    let member = cluster.process(voters[0]).member();
    let Some(stalled) = stall(member) else { return };
    cluster.kill(leader);
    cluster.until_said("the leader is dead", |_, event| matches!(event, Event::Died { .. }));
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(2) {
        let is_led =
            cluster.was_said(|_, event| matches!(event, Event::Gained { term: later } if *later > term));
        assert!(!is_led, "a vote was counted that cannot have been written");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(stalled);
    cluster.leader_of(&voters, term);
    cluster.finish(&voters);
}
