//! Cables that are cut both ways or one way. Nobody is told: packets are lost.

use crate::cluster::{Cluster, calm};
use crate::namespaces::Cables;
use bellwether::Event;
use std::time::Duration;

/// Cuts what it is told to, of the leader and the others; waits for the others' leader; heals.
fn cut(what: &str, pairs: impl Fn(u64, u64) -> Vec<(u64, u64)>) {
    let Some(cables) = Cables::lay(3, what) else { return };
    let mut cluster: Cluster = cables.connect(|_| ());
    let (leader, term) = cluster.start_all();
    let rest = cluster.others(leader);
    let lost: Vec<(u64, u64)> = rest.iter().flat_map(|&other| pairs(leader, other)).collect();
    cables.lose(&lost);
    let (_, next) = cluster.leader_of(&rest, term);
    cluster.until_said("the former leader gives up", |me, event| {
        me == leader && matches!(event, Event::Lost { term: lost, .. } if *lost == term)
    });
    cables.lose(&[]);
    let all = cluster.ids();
    cluster.leader_of(&all, next - 1);
    cluster.finish(&all);
}

#[test]
fn a_leader_that_is_cut_off_stops_before_the_majority_has_another() {
    cut("a partition", |leader, other| vec![(leader, other), (other, leader)]);
}

#[test]
fn a_leader_whom_nobody_hears_is_replaced() {
    cut("a link from the leader that is one-way", |leader, other| vec![(leader, other)]);
}

#[test]
fn a_leader_who_hears_nobody_stops_and_is_replaced() {
    cut("a link to the leader that is one-way", |leader, other| vec![(other, leader)]);
}

#[test]
fn of_five_in_two_parts_the_greater_elects_and_nobody_leads_in_the_smaller() {
    let Some(cables) = Cables::lay(5, "a partition of five members") else { return };
    let mut cluster = cables.connect(|_| ());
    let (leader, term) = cluster.start_all();
    let (greater, smaller) = ([1, 2, 3], [4, 5]);
    assert!(smaller.contains(&leader), "the best leads");
    let both_ways = |from: u64, to: u64| [(from, to), (to, from)];
    let between = greater.iter().flat_map(|&one| smaller.iter().flat_map(move |&two| both_ways(one, two)));
    cables.lose(&between.collect::<Vec<_>>());
    let (_, next) = cluster.leader_of(&greater, term);
    cluster.until_led_for(&greater, Duration::from_secs(1)); // three leases, in which the others could stand
    let gains_later = |me: u64, event: &Event| {
        smaller.contains(&me) && matches!(event, Event::Gained { term: gained } if *gained > term)
    };
    assert!(!cluster.was_said(gains_later), "two of five are no majority");
    cluster.until_said("the former leader gives up", |me, event| {
        me == leader && matches!(event, Event::Lost { term: lost, .. } if *lost == term)
    });
    cables.lose(&[]);
    let all = cluster.ids();
    cluster.leader_of(&all, next - 1);
    cluster.finish(&all);
}

/// The others can talk to the leader, and not to each other: that is no reason to have another one.
#[test]
fn followers_that_cannot_talk_to_each_other_follow() {
    let what = "a link between followers that is cut";
    let Some(cables) = Cables::lay(3, what) else { return };
    let mut cluster = cables.connect(calm);
    let (leader, term) = cluster.start_all();
    let rest = cluster.others(leader);
    cables.lose(&[(rest[0], rest[1]), (rest[1], rest[0])]);
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    cluster.finish(&all);
}

#[test]
fn a_way_between_followers_that_dies_in_silence_is_noticed_before_it_is_needed() {
    let Some(cables) = Cables::lay(3, "a way between followers that dies") else { return };
    let mut cluster = cables.connect(calm);
    let (leader, _) = cluster.start_all();
    let [one, two] = cluster.others(leader)[..] else { panic!("there are three members") };
    let all = cluster.ids();
    cluster.until_led_for(&all, Duration::from_secs(1)); // what they had to say to each other has been said
    cables.lose(&[(one, two), (two, one)]);
    for (me, other) in [(one, two), (two, one)] {
        cluster.until_said("a follower finds the way to the other gone", |who, event| {
            who == me && matches!(event, Event::Disconnected { peer, .. } if peer.value() == other)
        });
    }
    cluster.finish(&all);
}
