//! What a member says when it starts, before anybody asks.

use crate::cluster::Cluster;
use bellwether::{Event, Security};
use rustix::pipe::fcntl_setpipe_size;
use std::io::Write as _;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

const TWO_LEADERS: &str = "a partition can have two leaders";
const IN_THE_CLEAR: &str = "talks IN THE CLEAR";

/// Once: a supervisor says it for its member.
fn assert_said_once(words: &str, errors: &str) {
    assert_eq!(errors.matches(words).count(), 1, "'{words}' in {errors}");
}

/// What the first member, which is told to stop, and its supervisor have said on stderr.
fn complaints(cluster: &mut Cluster) -> String {
    cluster.ids().into_iter().for_each(|me| cluster.start(me));
    for me in cluster.others(1) {
        // Whoever has not met it takes no note of its end, which its supervisor would tell again and again.
        cluster.until_said("they have met", |at, event| {
            at == me && matches!(event, Event::Connected { peer } if peer.value() == 1)
        });
    }
    let mut process = cluster.take(1);
    process.order("stop");
    process.errors()
}

#[test]
fn who_starts_a_member_is_told_what_is_not_promised_and_that_it_talks_in_the_clear() {
    let mut cluster = Cluster::of(3, |settings| {
        settings.algorithm = "bully".into();
        settings.security = Security::Plaintext;
    });
    let errors = complaints(&mut cluster);
    assert_said_once(TWO_LEADERS, &errors);
    assert_said_once(IN_THE_CLEAR, &errors);
    cluster.until_said("it says so, too", |me, event| me == 1 && *event == Event::InTheClear);

    // The same without a supervisor, of a member that then finds its place taken.
    let settings = cluster.settings(1).clone();
    let _taken = TcpListener::bind(&settings.members[0].address).unwrap();
    let errors = cluster.errors_of(&settings);
    assert_said_once(TWO_LEADERS, &errors);
    assert_said_once(IN_THE_CLEAR, &errors);
}

/// The pipe is full: whatever it says has to wait, and is not worth waiting for.
#[test]
fn a_member_that_nobody_listens_to_stops_when_it_is_told_to() {
    let mut cluster = Cluster::of(1, |_| ());
    let settings = cluster.settings(1).clone();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let room = fcntl_setpipe_size(&reader, 4_096).unwrap();
    writer.write_all(&vec![b' '; room]).unwrap();
    let mut command = cluster.command(&settings, "member");
    let mut member = command.stdin(Stdio::piped()).stdout(writer).spawn().unwrap();
    member.stdin.as_mut().unwrap().write_all(b"show\nshow\nstop\n").unwrap();
    let limit = Instant::now() + Duration::from_secs(60);
    let ended = loop {
        match member.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if Instant::now() > limit => break None,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    member.kill().unwrap();
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
}

#[test]
fn what_is_promised_is_said_and_nobody_is_warned_without_need() {
    let mut cluster = Cluster::of(3, |_| ());
    let errors = complaints(&mut cluster);
    assert_said_once(
        "one leader at most, whatever the network does, with 3 members of which 1 may fail",
        &errors,
    );
    assert!(!errors.contains(IN_THE_CLEAR), "{errors}");
    cluster.until_said("its end", |me, event| me == 1 && matches!(event, Event::Stopped { .. }));
    assert!(!cluster.was_said(|_, event| *event == Event::InTheClear));
}
