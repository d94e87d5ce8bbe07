//! Death certificates and withdrawal: what they are worth to the quorum lease, and what it takes to trust them.

use crate::lease_flaws::*;
use crate::support::*;
use crate::twin::Twin;
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

/// A hop for the certificate, a hop to ask and a hop to vote: no lease is waited for, and nobody is probed.
#[test]
fn the_best_follows_a_certified_death_in_three_hops() {
    for n in [3, 4, 5, 9] {
        let plan = certified(and(complete(n), [at(100, FaultEvent::Crash, n - 1)]));
        let (report, reigns) = run::<Lease>(&plan);
        assert_right(&report, &n.to_string());
        assert!(is_safe(&report), "{n}");
        assert_eq!(reigns.first_after(hops(100)), Some((hops(103), n - 2, 2)), "{n}");
        assert_eq!(sent(&report, "probe"), 0, "{n}");
    }
}

/// Only the best hears of it: its word frees the others. If it is cut off from the certificate, the others take turns.
#[test]
fn one_that_knows_is_enough() {
    let crash = |deaf: &[u32]| {
        let cuts = one_way(&[4], deaf, 99, FaultEvent::Cut);
        certified(and(and(complete(5), cuts), [at(100, FaultEvent::Crash, 4)]))
    };
    let (report, reigns) = run::<Lease>(&crash(&[0, 1, 2]));
    assert_right(&report, "only the best");
    assert_eq!(reigns.first_after(hops(100)), Some((hops(103), 3, 2)));
    let (report, reigns) = run::<Lease>(&crash(&[3]));
    assert_right(&report, "all but the best");
    // The second best waits for the best's turn of three hops, probes, and stands.
    assert_eq!(reigns.first_after(hops(100)), Some((hops(101 + 3 + 4), 2, 2)));
    let (report, reigns) = run::<Lease>(&crash(&[0, 1, 2, 3]));
    assert_right(&report, "nobody");
    assert!(
        reigns.first_after(hops(100)).is_some_and(|(when, ..)| when > hops(115)),
        "a lease is waited for"
    );
}

/// The leader goes on, whoever else dies.
#[test]
fn a_followers_death_changes_nothing() {
    let plan = certified(and(complete(5), [at(100, FaultEvent::Crash, 1), at(110, FaultEvent::Crash, 0)]));
    let (report, reigns) = run::<Lease>(&plan);
    assert_right(&report, "two followers");
    assert_eq!(leaders_of(&reigns), [4]);
}

/// The network falls apart for longer than a detector waits: whoever takes its word for a death elects a second leader.
#[test]
fn a_suspicion_frees_nobody() {
    let mut plan = and(complete(3), partition(&[2], &[0, 1], 100, 300));
    plan.detector =
        Some(DetectorChoice::parse(ALGORITHMS.detectors, "heartbeat:T=2,D=2").expect("one of ours"));
    assert!(!is_safe(&run::<Twin<SuspicionFrees>>(&plan).0));
    assert!(is_safe(&run::<Twin<Sound>>(&plan).0));
    assert!(is_safe(&run::<Lease>(&plan).0));
}

/// A script that has member 0 and 1 told that 2 is dead.
fn told(hop: u64) -> [bellwether_sim::Happening; 2] {
    [0, 1].map(|member| at(hop, FaultEvent::Learn(2), member))
}

#[test]
fn a_certificate_of_one_that_lives_makes_two_leaders() {
    assert!(!is_safe(&run::<Lease>(&and(complete(3), told(100))).0), "between two renewals");
    let plan = certified(and(complete(3), [at(100, FaultEvent::Crash, 2)]));
    assert!(is_safe(&run::<Lease>(&plan).0), "it is dead");
}

/// The best crashes, comes back, and leads again. Its first life's certificate is held up until then: the network layer has
/// to drop it, as the voters have heard the second.
#[test]
fn a_certificate_of_an_earlier_life_makes_two_leaders() {
    let returns = and(complete(3), [at(50, FaultEvent::Crash, 2), at(52, FaultEvent::Recover, 2)]);
    let (report, reigns) = run_for::<Lease>(&returns, 300);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 1, 2], "it leads again by then");
    let is_fooled = |hop| !is_safe(&run_for::<Lease>(&and(returns.clone(), told(hop)), hop + 20).0);
    assert!((300..308).any(is_fooled), "at some time between two renewals");
    // Held up for as long by the simulator's own links, the certificates come to nothing.
    let mut slow = certified(returns);
    slow.link_faults.reordering = 0.5;
    slow.link_faults.held_up = HOP * 400;
    for seed in 0..200 {
        assert!(is_safe(&run_for::<Lease>(&with_seed(slow.clone(), seed), 500).0), "seed {seed}");
    }
}

#[test]
fn who_withdraws_leads_no_longer_and_is_not_handed_over_to() {
    let ask = |hop, member, request| at(hop, FaultEvent::Request(request), member);
    let withdrawn = and(complete(3), [ask(50, 2, Request::Withdraw)]);
    let (report, reigns) = run_for::<Lease>(&withdrawn, 400);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 1], "it is better, and does not come back");
    // Nor if it is asked for; nor when the other dies.
    let asked = and(withdrawn.clone(), [ask(100, 1, Request::Transfer(id(3)))]);
    assert_eq!(leaders_of(&run_for::<Lease>(&asked, 400).1), [2, 1]);
    let dies = certified(and(withdrawn.clone(), [at(100, FaultEvent::Crash, 1)]));
    assert_eq!(leaders_of(&run_for::<Lease>(&dies, 400).1), [2, 1, 0]);
    // It stands again when it is told to, or has booted.
    let again = and(withdrawn.clone(), [ask(200, 2, Request::Stand)]);
    assert_eq!(leaders_of(&run_for::<Lease>(&again, 400).1), [2, 1, 2]);
    let boots = and(withdrawn, [at(200, FaultEvent::Crash, 2), at(210, FaultEvent::Recover, 2)]);
    assert_eq!(leaders_of(&run_for::<Lease>(&boots, 400).1), [2, 1, 2]);
}

/// Everyone has withdrawn: nobody leads until somebody is told to.
#[test]
fn who_is_told_to_stand_waits_for_its_turn() {
    let all = (0..3).map(|member| at(50, FaultEvent::Request(Request::Withdraw), member));
    let all = and(complete(3), all);
    assert_eq!(leaders_of(&run_for::<Lease>(&all, 200).1), [2]);
    let one = and(all, [at(200, FaultEvent::Request(Request::Stand), 0)]);
    let (report, reigns) = run_for::<Lease>(&one, 300);
    assert!(is_safe(&report));
    assert_eq!(leaders_of(&reigns), [2, 0]);
}
