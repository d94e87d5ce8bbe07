//! Who a member is: it may move, but not lose its disk or be there twice.

use crate::cluster::{Cluster, calm, places};
use bellwether::Event;
use bellwether::process::ReportKind;
use bellwether_cluster::COMMITMENT;
use bellwether_testkit::skipped::skipped;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::Path;
use std::process::Command;

#[test]
fn all_members_start_again_elsewhere_and_are_who_they_were() {
    let (mut cluster, _, term) = Cluster::at_work(3, |_| ());
    let all = cluster.ids();
    for &me in &all {
        cluster.kill(me);
    }
    let moved: Vec<String> = places().take(3).collect();
    cluster.change_all(|settings| {
        settings.members.iter_mut().zip(&moved).for_each(|(peer, place)| peer.address.clone_from(place));
    });
    let (_, again) = cluster.start_all();
    assert!(again > term, "terms go on where they were: {term}, then {again}");
    for &me in &all {
        cluster.until_said("its second life", |at, event| {
            at == me && matches!(event, Event::Started { boot: 2, address, .. } if moved.contains(&address.to_string()))
        });
    }
    cluster.finish(&all);
}

/// The name of a member's host, which leads where the file `hosts` says.
const NAME: &str = "two.bellwether.test";

/// What starts a member that finds hosts by this file, if this user may have a member see another one than others do.
fn with_hosts(hosts: &Path) -> Option<[&str; 7]> {
    let script = "mount --bind \"$1\" /etc/hosts && shift && exec \"$@\"";
    let command = ["unshare", "--mount", "sh", "-c", script, "sh", hosts.to_str().unwrap()];
    let found = Command::new(command[0]).args(&command[1..]).args(["getent", "hosts", NAME]).output();
    let may = found.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains(NAME));
    if !may {
        skipped(
            "a host name that leads elsewhere",
            "only root can give a member a file of hosts of its own, with 'unshare' of util-linux",
        );
    }
    may.then_some(command)
}

/// The second member moves, and its name with it. It does not know where the first is, so the first must find it.
#[test]
fn a_member_whose_host_name_leads_elsewhere_is_found_there() {
    let mut cluster = Cluster::of(2, |_| ());
    let hosts = cluster.directory().join("hosts");
    let leads_to = |place: SocketAddrV4| std::fs::write(&hosts, format!("{} {NAME}\n", place.ip())).unwrap();
    let first: SocketAddrV4 = cluster.settings(2).members[1].address.parse().unwrap();
    let [net, a, b, c] = first.ip().octets();
    let second = SocketAddrV4::new(Ipv4Addr::new(net, a | 0x80, b, c), first.port()); // no pid is so great: nobody's
    leads_to(first);
    let Some(command) = with_hosts(&hosts) else { return };
    cluster.start_through(1, &command, 0);
    cluster.settings(1).members[1].address = format!("{NAME}:{}", first.port());
    cluster.settings(2).members[0].address = places().next().unwrap();
    let (_, term) = cluster.start_all();
    cluster.kill(2);
    leads_to(second);
    cluster.settings(2).listen = Some(second.to_string());
    cluster.start(2);
    cluster.leader_of(&[1, 2], term); // it takes both
    cluster.finish(&[1, 2]);
}

/// However often it is started again: nobody hears it.
#[test]
fn a_member_that_has_lost_its_disk_may_not_vote_again_however_often_it_starts() {
    let (mut cluster, leader, _) = Cluster::at_work(3, |_| ());
    let follower = cluster.others(leader)[0];
    cluster.kill(follower);
    std::fs::remove_dir_all(&cluster.settings(follower).data).unwrap();
    let empty = cluster.settings(follower).clone();
    for _ in 0..4 {
        let errors = cluster.errors_of(&empty);
        assert!(errors.contains(&format!("member {follower} has ended")), "{errors}");
        assert!(
            errors.contains("voted from another store") && errors.contains("exit code Some(1)"),
            "{errors}"
        );
        assert!(errors.contains("`dismiss` it at the leader"), "{errors}");
    }
    let rest = cluster.others(follower);
    cluster.until_said("its peers say so", |me, event| {
        me != follower && matches!(event, Event::Refused { why, .. } if why.contains("its votes are lost"))
    });
    cluster.finish(&rest);
}

/// As the manual says: dismissed, started with an empty directory, admitted.
#[test]
fn a_member_that_has_lost_its_disk_is_readmitted_by_order() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let [first, second] = cluster.others(leader)[..] else { panic!("there are three") };
    cluster.kill(first);
    std::fs::remove_dir_all(&cluster.settings(first).data).unwrap();
    cluster.process(leader).order(&format!("dismiss {first}"));
    // If it starts before both have heard of the dismissal, it ends, and is started again.
    loop {
        let heard = cluster.record().change(|recording| recording.lines.len());
        cluster.start(first);
        let follows = cluster.until("it follows the leader or ends", |recording| {
            let lines = recording.lines[heard..].iter().filter(|line| line.member.value() == first);
            let mut events =
                lines.filter_map(|line| if let ReportKind::Event(it) = &line.what { Some(it) } else { None });
            // Of this start, not of the one before.
            let at = |event: &&Event| matches!(event, Event::NewStore | Event::Stopped { .. });
            match events.find(at)? {
                Event::NewStore => events.any(|it| matches!(it, Event::Elected { .. })).then_some(true),
                _ => Some(false),
            }
        });
        if follows {
            break;
        }
        cluster.take(first).errors();
    }
    cluster.process(leader).order(&format!("admit {first}"));
    cluster.leader_of(&[first, second, leader], 0);
    // Without the second, the leader needs the first: it leads on for longer than its lease lasts.
    cluster.kill(second);
    cluster.until_led_for(&[leader, first], std::time::Duration::from_secs(3));
    assert!(cluster.leader_of(&[first, leader], 0).1 >= term);
    cluster.finish(&[first, leader]);
}

#[test]
fn a_second_process_with_the_same_directory_does_not_start() {
    let (mut cluster, _, _) = Cluster::at_work(3, |_| ());
    let mut twin = cluster.settings(1).clone();
    twin.listen = places().next();
    let pid = cluster.process(1).member();
    let errors = cluster.errors_of(&twin);
    let says = [format!("another process (pid {pid}) uses this directory"), "exit code Some(1)".into()];
    assert!(says.iter().all(|it| errors.contains(it)), "{errors}");
    let all = cluster.ids();
    cluster.finish(&all);
}

/// A new directory under an old identity.
#[test]
fn a_second_process_with_a_directory_of_its_own_ends_and_the_first_stays() {
    let (mut cluster, leader, _) = Cluster::at_work(3, |_| ());
    let follower = cluster.others(leader)[0];
    let mut twin = cluster.settings(follower).clone();
    twin.listen = places().next();
    twin.data = cluster.directory().join("twin");
    let errors = cluster.errors_of(&twin);
    assert!(errors.contains("a second process has this id"), "{errors}");
    let all = cluster.ids();
    cluster.finish(&all);
}

/// A copy of the directory, in which the starts go on to be counted: whoever started later is the member.
#[test]
fn a_second_process_with_a_copy_of_the_directory_takes_the_place_of_the_first() {
    let (mut cluster, leader, _) = Cluster::at_work(3, |_| ());
    let follower = cluster.others(leader)[0];
    let copy = cluster.directory().join("copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(cluster.settings(follower).data.join("state"), copy.join("state")).unwrap();
    let mut first = cluster.take(follower);
    cluster.settings(follower).data = copy;
    cluster.settings(follower).listen = places().next();
    cluster.start(follower);
    let errors = first.errors();
    assert!(errors.contains(&format!("another process is member {follower} of this cluster")), "{errors}");
    assert!(errors.contains("`dismiss` it at the leader"), "the way back: {errors}");
    let is_named = |peer: &u64| errors.contains(&format!("member {peer} says that another process"));
    assert!(cluster.ids().iter().filter(|&&peer| peer != follower).any(is_named), "{errors}");
    let all = cluster.ids();
    cluster.finish(&all);
}

/// The same of the leader: who has its identity and not its disk is turned away, and it leads on.
#[test]
fn a_second_process_with_the_leaders_identity_does_not_disturb_it() {
    let (mut cluster, leader, term) = Cluster::at_work(3, calm);
    let mut twin = cluster.settings(leader).clone();
    twin.listen = places().next();
    twin.data = cluster.directory().join("twin");
    let errors = cluster.errors_of(&twin);
    assert!(errors.contains("a second process has this id"), "{errors}");
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    cluster.finish(&all);
}

/// The judge knows of no death, and sees the leases of both processes: the second cannot lead while the first may.
#[test]
fn a_copy_of_the_leader_takes_its_place_and_never_leads_beside_it() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let copy = cluster.directory().join("copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(cluster.settings(leader).data.join("state"), copy.join("state")).unwrap();
    let mut first = cluster.take(leader);
    cluster.settings(leader).data = copy;
    cluster.settings(leader).listen = places().next();
    cluster.start(leader);
    let errors = first.errors();
    assert!(errors.contains(&format!("another process is member {leader} of this cluster")), "{errors}");
    let all = cluster.ids();
    cluster.leader_of(&all, term);
    cluster.finish(&all);
}

/// A member that its supervisor's word would not be believed about had better not start.
#[test]
fn a_commitment_that_is_none_is_refused() {
    let mut cluster = Cluster::of(1, |_| ());
    let settings = cluster.settings(1).clone();
    for odd in ["", "0123", &"x".repeat(64)] {
        let errors = cluster.errors_with(&settings, |command| _ = command.env(COMMITMENT, odd));
        assert!(errors.contains(COMMITMENT) && errors.contains("64 hexadecimal digits"), "{errors}");
        assert!(errors.contains("exit code Some(1)"), "{errors}");
    }
    cluster.start_all();
    cluster.finish(&[1]);
}

#[test]
fn a_port_that_is_taken_is_said_so() {
    let mut cluster = Cluster::of(3, |_| ());
    let taken = cluster.settings(3).members[2].address.clone();
    let listener = std::net::TcpListener::bind(&taken).unwrap();
    let settings = cluster.settings(3).clone();
    let errors = cluster.errors_of(&settings);
    assert!(errors.contains(&format!("cannot listen at {taken}")), "{errors}");
    assert!(errors.contains("is the port taken") && errors.contains("exit code Some(1)"), "{errors}");
    drop(listener);
    cluster.start_all();
    let all = cluster.ids();
    cluster.finish(&all);
}

/// What a beat may take is part of every time-out. One below the delay bound would run out before a beat can come.
#[test]
fn a_time_out_shorter_than_the_heartbeat_is_refused() {
    let mut cluster = Cluster::of(3, |settings| settings.algorithm = "bully".into());
    for detector in ["heartbeat:T=5,D=0", "heartbeat:T=100,D=11.9", "ping:D=1", "three-valued:D1=1,D2=100"] {
        let mut settings = cluster.settings(1).clone();
        settings.detector = Some(detector.into());
        let errors = cluster.errors_of(&settings);
        assert!(errors.contains("would be taken for dead"), "{detector}: {errors}");
    }
    cluster.change_all(|settings| {
        settings.algorithm = "quorum-lease".into();
        settings.detector = Some("heartbeat:T=5,D=12".into());
    });
    cluster.start_all();
    let all = cluster.ids();
    cluster.finish(&all);
}
