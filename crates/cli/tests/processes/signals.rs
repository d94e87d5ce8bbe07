//! Members that are killed, and members that are stopped and go on as if nothing had been.

use crate::cluster::Cluster;
use bellwether::process::What;
use bellwether::{Duty, Event, Profile, Role, Verdict};
use rustix::process::Signal;
use std::time::Duration;

#[test]
fn a_leader_that_is_killed_is_certified_to_be_dead_and_replaced_at_once() {
    let (mut cluster, leader, mut term) = Cluster::at_work(5, |settings| settings.profile = Profile::FAST);
    let mut leader = leader;
    for _ in 0..2 {
        cluster.kill(leader);
        let rest = cluster.others(leader);
        let next = cluster.leader_of(&rest, term);
        for me in rest {
            cluster.until_said(&format!("word of the death at {me}"), |at, event| {
                at == me && matches!(event, Event::Died { peer } if peer.value() == leader)
            });
        }
        cluster.start(leader);
        (leader, term) = cluster.leader_of(&cluster.ids(), next.1 - 1); // if it is the best, it soon leads again
    }
    let all = cluster.ids();
    cluster.finish(&all);
}

#[test]
fn a_follower_that_is_killed_is_not_missed_and_comes_back() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let follower = cluster.others(leader)[0];
    cluster.kill(follower);
    let rest = cluster.others(follower);
    cluster.until_said("word of the death", |me, event| {
        me == leader && matches!(event, Event::Died { peer } if peer.value() == follower)
    });
    assert!(cluster.leader_of(&rest, 0).1 >= term);
    cluster.start(follower);
    let all = cluster.ids();
    cluster.finish(&all);
}

/// The judge knows of no death here: were the next leader to come before the lease has run out, he would say so.
#[test]
fn with_the_leaders_supervisor_the_leader_dies_and_its_lease_is_waited_for() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    cluster.kill_supervisor(leader);
    let rest = cluster.others(leader);
    cluster.leader_of(&rest, term);
    assert!(!cluster.was_said(|_, event| matches!(event, Event::Died { .. })), "nobody can know");
    cluster.finish(&rest);
}

#[test]
fn a_witness_votes_and_never_leads_and_is_not_missed_when_it_is_killed() {
    let (mut cluster, leader, term) =
        Cluster::at_work(3, |settings| settings.members[2].duty = Duty::Witness);
    assert_eq!(leader, 2, "member 3 would be the best, were it no witness");
    cluster.kill(2);
    assert_eq!(cluster.leader_of(&[1, 3], term).0, 1, "it has the witness's vote");
    cluster.start(2);
    let (_, term) = cluster.leader_of(&cluster.ids(), 0);
    cluster.kill(3);
    cluster.until_led_for(&[1, 2], Duration::from_secs(1));
    assert!(cluster.leader_of(&[1, 2], 0).1 >= term);
    cluster.finish(&[1, 2]);
}

#[test]
fn an_observer_follows_and_is_not_missed_when_it_is_killed() {
    let (mut cluster, leader, term) =
        Cluster::at_work(4, |settings| settings.members[3].duty = Duty::Observer);
    assert_eq!(leader, 3, "member 4 would be the best, did it not only look on");
    cluster.kill(4);
    for me in [1, 2, 3] {
        cluster.until_said("word of the death", |at, event| {
            at == me && matches!(event, Event::Died { peer } if peer.value() == 4)
        });
    }
    cluster.until_led_for(&[1, 2, 3], Duration::from_secs(1)); // three leases
    assert!(cluster.leader_of(&[1, 2, 3], 0).1 >= term);
    cluster.start(4);
    let all = cluster.ids();
    cluster.leader_of(&all, 0);
    assert!(!cluster.was_said(|me, event| me == 4 && matches!(event, Event::Gained { .. })));
    cluster.finish(&all);
}

/// One voter is dead and one frozen: whoever stands can win only when somebody comes back, and is killed before that.
#[test]
fn a_candidate_that_is_killed_in_mid_election_is_not_missed() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    assert_eq!(leader, 3);
    cluster.process(1).signal(Signal::STOP);
    cluster.kill(3);
    let stands = loop {
        let status = cluster.view_of(2).status;
        if status.term > term {
            break status;
        }
    };
    assert_eq!(
        (stands.role, stands.leader),
        (Role::Undecided, None),
        "it stands, and nobody can vote for it"
    );
    cluster.kill(2);
    cluster.process(1).signal(Signal::CONT);
    cluster.start(3);
    let (_, next) = cluster.leader_of(&[1, 3], term);
    assert!(next > term);
    cluster.start(2);
    let all = cluster.ids();
    cluster.finish(&all);
}

/// Beside the leases there is a detector, of each sort: it notices who is frozen, and who was killed is replaced.
#[test]
fn every_detector_notices_a_member_that_is_frozen_or_killed() {
    for detector in ["heartbeat", "ping", "three-valued", "learned", "bayes"] {
        let (mut cluster, leader, term) =
            Cluster::at_work(3, |settings| settings.detector = Some(detector.into()));
        let follower = cluster.others(leader)[0];
        cluster.process(follower).signal(Signal::STOP);
        cluster.until_said(&format!("{detector} notices"), |me, event| {
            let is_doubt = |verdict: &Verdict| *verdict != Verdict::Working;
            me == leader && matches!(event, Event::Judged { peer, verdict } if peer.value() == follower && is_doubt(verdict))
        });
        cluster.process(follower).signal(Signal::CONT);
        cluster.until_said(&format!("{detector} sees that it lives"), |me, event| {
            me == leader
                && matches!(event, Event::Judged { peer, verdict: Verdict::Working } if peer.value() == follower)
        });
        let (leader, term) = cluster.leader_of(&cluster.ids(), term - 1);
        cluster.kill(leader);
        let rest = cluster.others(leader);
        cluster.leader_of(&rest, term);
        cluster.finish(&rest);
    }
}

#[test]
fn a_leader_that_was_stopped_finds_itself_deposed() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let rest = cluster.others(leader);
    cluster.process(leader).signal(Signal::STOP);
    let (_, next) = cluster.leader_of(&rest, term);
    // The first thing that it does when it wakes is to look whether it leads: nobody has told it yet that it does not.
    cluster.process(leader).order("show");
    cluster.process(leader).signal(Signal::CONT);
    let leads_for = cluster.until("an answer", |recording| {
        recording.lines.iter().find_map(|line| match line.what {
            What::Shown { leads_for_us, .. } => Some(leads_for_us),
            _ => None,
        })
    });
    assert_eq!(leads_for, None, "its guard refuses");
    cluster.until_said("it has lost", |me, event| {
        me == leader && matches!(event, Event::Lost { term: lost, .. } if *lost == term)
    });
    cluster.leader_of(&cluster.ids(), next - 1);
    let all = cluster.ids();
    cluster.finish(&all);
}

#[test]
fn a_follower_that_was_stopped_follows_again() {
    let (mut cluster, leader, term) = Cluster::at_work(3, |_| ());
    let follower = cluster.others(leader)[1];
    cluster.process(follower).signal(Signal::STOP);
    let rest = cluster.others(follower);
    cluster.until_led_for(&rest, Duration::from_secs(1)); // three leases
    assert!(cluster.leader_of(&rest, 0).1 >= term);
    cluster.process(follower).signal(Signal::CONT);
    let all = cluster.ids();
    cluster.finish(&all);
}
