//! Clocks that go wrong, within what members were told and far beyond, and clocks that are days apart.

use crate::cluster::Cluster;
use bellwether::{Event, Span};
use bellwether_testkit::skipped::skipped;
use rustix::process::Signal;
use std::process::Command;

/// So many millionths of drift are allowed for; these stay just below.
const NEARLY: i32 = 9_900;

#[test]
fn clocks_that_drift_within_the_bound_never_let_two_lead() {
    for gains in [[NEARLY, NEARLY, -NEARLY], [-NEARLY, NEARLY, NEARLY], [NEARLY, 0, -NEARLY]] {
        let (mut cluster, leader, term) = Cluster::at_work(3, |settings| {
            settings.clock_gains = gains[settings.me.value() as usize - 1];
        });
        let rest = cluster.others(leader);
        cluster.process(leader).signal(Signal::STOP);
        cluster.leader_of(&rest, term);
        cluster.process(leader).signal(Signal::CONT);
        let all = cluster.ids();
        cluster.finish(&all);
    }
}

/// The twin: voters whose clocks are twice as fast forget their promise in half the time.
#[test]
fn clocks_that_drift_far_beyond_the_bound_are_caught_by_the_judge() {
    let (mut cluster, mut leader, mut term) = Cluster::at_work(3, |settings| {
        settings.profile.delay_bound = Span::from_ticks(40_000); // a lease of a second
        settings.clock_gains = if settings.me.value() == 3 { 0 } else { 1_000_000 };
    });
    for _ in 0..10 {
        while leader != 3 {
            (leader, term) = cluster.leader_of(&[1, 2, 3], term);
        }
        cluster.process(3).signal(Signal::STOP);
        cluster.leader_of(&[1, 2], term);
        if cluster.judge().is_err_and(|why| why.contains("two leases at once")) {
            return;
        }
        cluster.process(3).signal(Signal::CONT);
        leader = 0;
    }
    panic!("two leases at once were to be expected");
}

#[test]
fn members_whose_clocks_are_days_apart_elect_and_keep_a_leader() {
    const DAY: u64 = 24 * 60 * 60;
    let mut cluster = Cluster::of(3, |_| ());
    for (me, ahead) in cluster.ids().into_iter().zip([0, 3 * DAY, 40 * DAY]) {
        let seconds = ahead.to_string();
        let command = ["unshare", "--time", "--boottime", &seconds, "--monotonic", &seconds];
        if !is_ahead(&command, ahead) {
            skipped(
                "clocks that are days apart",
                "it takes root, Linux 6.3, and 'unshare' of util-linux 2.36",
            );
            return;
        }
        cluster.start_through(me, &command, ahead * 1_000_000);
    }
    let (leader, term) = cluster.start_all();
    let rest = cluster.others(leader);
    cluster.kill(leader);
    cluster.leader_of(&rest, term);
    assert!(cluster.was_said(|_, event| matches!(event, Event::Died { .. })));
    cluster.start(leader);
    let all = cluster.ids();
    cluster.finish(&all);
}

/// Whether a program that is started so sees the machine as having run for at least so many seconds.
fn is_ahead(command: &[&str], seconds: u64) -> bool {
    let output = Command::new(command[0]).args(&command[1..]).args(["cat", "/proc/uptime"]).output();
    let text = output.map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default();
    let uptime = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    uptime.is_some_and(|uptime| uptime >= seconds as f64)
}
