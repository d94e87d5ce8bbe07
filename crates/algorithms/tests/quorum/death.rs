//! Death certificates and withdrawal: their effect on the quorum lease, and what breaks if they are wrong.

use crate::flawed::Flawed;
use crate::lease_flaws::*;
use crate::support::*;
use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_core::*;
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{Plan, Report};

type Lease = QuorumLease;

fn certified(plan: Plan) -> Plan {
    Plan { certified_crashes: true, ..plan }
}

fn is_safe(report: &Report) -> bool {
    report.stability.most_leaders <= 1 && report.stability.shared_terms == 0
}

fn leaders_of(reigns: &Reigns) -> Vec<u32> {
    reigns.0.iter().map(|&(_, member, _)| member).collect()
}

/// A hop for the certificate, a hop to ask and a hop to vote: no wait for the lease, and no probe.
#[test]
fn highest_member_leads_three_hops_after_a_death_certificate() {
    for n in [3, 4, 5, 9] {
        let plan = certified(and(complete(n), [at(100, FaultEvent::Crash, n - 1)]));
        let (report, reigns) = run::<Lease>(&plan);
        assert_right(&report, &n.to_string());
        assert!(is_safe(&report), "{n}");
        assert_eq!(reigns.first_after(hops(100)), Some((hops(103), n - 2, 2)), "{n}");
        assert_eq!(sent(&report, "probe"), 0, "{n}");
    }
}

/// Only the highest-ranked member receives the certificate: its requests release the others. If only the others
/// receive it, they take turns.
#[test]
fn one_member_with_the_certificate_is_enough() {
    let crash = |deaf: &[u32]| {
        let cuts = one_way(&[4], deaf, 99, FaultEvent::Cut);
        certified(and(and(complete(5), cuts), [at(100, FaultEvent::Crash, 4)]))
    };
    let (report, reigns) = run::<Lease>(&crash(&[0, 1, 2]));
    assert_right(&report, "only the highest");
    assert_eq!(reigns.first_after(hops(100)), Some((hops(103), 3, 2)));
    let (report, reigns) = run::<Lease>(&crash(&[3]));
    assert_right(&report, "all but the highest");
    // The second-highest waits for the highest's turn of three hops, probes, and becomes a candidate.
    assert_eq!(reigns.first_after(hops(100)), Some((hops(101 + 3 + 4), 2, 2)));
    let (report, reigns) = run::<Lease>(&crash(&[0, 1, 2, 3]));
    assert_right(&report, "no certificate");
    assert!(
        reigns.first_after(hops(100)).is_some_and(|(when, ..)| when > hops(115)),
        "the lease was waited for"
    );
}

/// The leader stays, whichever other member dies.
#[test]
fn death_of_a_follower_changes_nothing() {
    let plan = certified(and(complete(5), [at(100, FaultEvent::Crash, 1), at(110, FaultEvent::Crash, 0)]));
    let (report, reigns) = run::<Lease>(&plan);
    assert_right(&report, "two followers");
    assert_eq!(leaders_of(&reigns), [4]);
}

/// A partition that lasts longer than the detector's limit: a member that treats a suspicion as a death certificate
/// elects a second leader.
#[test]
fn suspicion_releases_no_promise() {
    let mut plan = and(complete(3), partition(&[2], &[0, 1], 100, 300));
    plan.detector =
        Some(DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=2,D=2").expect("one of ours"));
    assert!(!is_safe(&run::<Flawed<SuspicionFrees>>(&plan).0));
    assert!(is_safe(&run::<Flawed<Sound>>(&plan).0));
    assert!(is_safe(&run::<Lease>(&plan).0));
}

/// A script in which members 0 and 1 receive a certificate for member 2.
fn told(hop: u64) -> [bellwether_sim::Happening; 2] {
    [0, 1].map(|member| at(hop, FaultEvent::Learn(2), member))
}

#[test]
fn certificate_for_a_live_member_makes_two_leaders() {
    assert!(!is_safe(&run::<Lease>(&and(complete(3), told(100))).0), "between two renewals");
    let plan = certified(and(complete(3), [at(100, FaultEvent::Crash, 2)]));
    assert!(is_safe(&run::<Lease>(&plan).0), "it is dead");
}

/// The highest-ranked member crashes, recovers, and leads again. The certificate for its first incarnation is delayed
/// until then: the network layer has to drop it, because the voters have heard the second incarnation.
#[test]
fn certificate_for_an_earlier_incarnation_makes_two_leaders() {
    let returns = and(complete(3), [at(50, FaultEvent::Crash, 2), at(52, FaultEvent::Recover, 2)]);
    let (report, reigns) = run_for::<Lease>(&returns, 300);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 1, 2], "the recovered member leads again by then");
    let is_fooled = |hop| !is_safe(&run_for::<Lease>(&and(returns.clone(), told(hop)), hop + 20).0);
    assert!((300..308).any(is_fooled), "at some time between two renewals");
    // Delayed as long by the simulator's own links, the certificates have no effect.
    let mut slow = certified(returns);
    slow.link_faults.reordering = 0.5;
    slow.link_faults.held_up = HOP * 400;
    for seed in 0..200 {
        assert!(is_safe(&run_for::<Lease>(&with_seed(slow.clone(), seed), 500).0), "seed {seed}");
    }
}

#[test]
fn withdrawn_member_steps_down_and_gets_no_hand_over() {
    let ask = |hop, member, request| at(hop, FaultEvent::Request(request), member);
    let withdrawn = and(complete(3), [ask(50, 2, Request::Withdraw)]);
    let (report, reigns) = run_for::<Lease>(&withdrawn, 400);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 1], "it has a higher rank, and does not lead again");
    // Nor if it is named as the successor; nor when the other dies.
    let asked = and(withdrawn.clone(), [ask(100, 1, Request::Transfer(id(3)))]);
    assert_eq!(leaders_of(&run_for::<Lease>(&asked, 400).1), [2, 1]);
    let dies = certified(and(withdrawn.clone(), [at(100, FaultEvent::Crash, 1)]));
    assert_eq!(leaders_of(&run_for::<Lease>(&dies, 400).1), [2, 1, 0]);
    // It is a candidate again when it is told to stand, or has booted.
    let again = and(withdrawn.clone(), [ask(200, 2, Request::Stand)]);
    assert_eq!(leaders_of(&run_for::<Lease>(&again, 400).1), [2, 1, 2]);
    let boots = and(withdrawn, [at(200, FaultEvent::Crash, 2), at(210, FaultEvent::Recover, 2)]);
    assert_eq!(leaders_of(&run_for::<Lease>(&boots, 400).1), [2, 1, 2]);
}

/// All members have withdrawn: no member leads until one is told to stand.
#[test]
fn member_told_to_stand_waits_for_its_turn() {
    let all = (0..3).map(|member| at(50, FaultEvent::Request(Request::Withdraw), member));
    let all = and(complete(3), all);
    assert_eq!(leaders_of(&run_for::<Lease>(&all, 200).1), [2]);
    let one = and(all, [at(200, FaultEvent::Request(Request::Stand), 0)]);
    let (report, reigns) = run_for::<Lease>(&one, 300);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 0]);
}
