//! Members that are killed, and members that are stopped and go on as if nothing had been.

use crate::cluster::{Cluster, calm};
use bellwether::process::ReportKind;
use bellwether::{Duty, Event, Role, Span, Verdict};
use rustix::process::Signal;

/// Its voters have promised not to vote for another for longer than this test takes: only the certificate frees them.
#[test]
fn a_leader_that_is_killed_is_certified_to_be_dead_and_replaced_while_its_lease_lasts() {
    let (mut cluster, leader, term) = Cluster::at_work(5, |settings| {
        settings.profile.delay_bound = Span::from_ticks(3_000_000); // a lease of 75 seconds
    });
    cluster.kill(leader);
    let rest = cluster.others(leader);
    let (_, next) = cluster.leader_of(&rest, term);
    for &me in &rest {
        cluster.until_said(&format!("word of the death at {me}"), |at, event| {
            at == me && matches!(event, Event::Died { peer } if peer.value() == leader)
        });
    }
    let leases_in = |wanted: u64| {
        cluster.until(&format!("leases in term {wanted}"), |recording| {
            let leases = recording.lines.iter().filter_map(|line| match line.what {
                ReportKind::Lease { leads_in, until_us } if leads_in == wanted => {
                    Some((line.at_us, until_us))
                }
                _ => None,
            });
            leases.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
        })
    };
    let ((_, promised_until), (next_from, _)) = (leases_in(term), leases_in(next));
    assert!(
        next_from < promised_until,
        "term {next} began at {next_from}, {term} was promised until {promised_until}"
    );
    cluster.finish(&rest);
}

#[test]
fn a_follower_that_is_killed_is_not_missed_and_comes_back() {
    let (mut cluster, leader, term) = Cluster::at_work(3, calm);
    let follower = cluster.others(leader)[0];
    cluster.kill(follower);
    let rest = cluster.others(follower);
    cluster.until_said("word of the death", |me, event| {
        me == leader && matches!(event, Event::Died { peer } if peer.value() == follower)
    });
    cluster.assert_keep(&rest, (leader, term));
    cluster.start(follower);
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
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
    let (mut cluster, leader, term) = Cluster::at_work(3, |settings| {
        calm(settings);
        settings.members[2].duty = Duty::Witness;
    });
    assert_eq!(leader, 2, "member 3 would be the best, were it no witness");
    cluster.kill(3);
    cluster.assert_keep(&[1, 2], (leader, term));
    cluster.start(3);
    cluster.assert_keep(&[1, 2, 3], (leader, term));
    cluster.kill(2);
    assert_eq!(cluster.leader_of(&[1, 3], term).0, 1, "it has the witness's vote");
    cluster.finish(&[1, 3]);
}

#[test]
fn an_observer_follows_and_is_not_missed_when_it_is_killed() {
    let (mut cluster, leader, term) = Cluster::at_work(4, |settings| {
        calm(settings);
        settings.members[3].duty = Duty::Observer;
    });
    assert_eq!(leader, 3, "member 4 would be the best, did it not only look on");
    cluster.kill(4);
    for me in [1, 2, 3] {
        cluster.until_said("word of the death", |at, event| {
            at == me && matches!(event, Event::Died { peer } if peer.value() == 4)
        });
    }
    cluster.assert_keep(&[1, 2, 3], (leader, term));
    cluster.start(4);
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
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
    cluster.leader_of(&[1, 3], term);
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
            ReportKind::Shown { leads_for_us, .. } => Some(leads_for_us),
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
    let (mut cluster, leader, term) = Cluster::at_work(3, calm);
    let follower = cluster.others(leader)[1];
    cluster.process(follower).signal(Signal::STOP);
    let rest = cluster.others(follower);
    cluster.assert_keep(&rest, (leader, term));
    cluster.process(follower).signal(Signal::CONT);
    let all = cluster.ids();
    cluster.assert_keep(&all, (leader, term));
    cluster.finish(&all);
}
