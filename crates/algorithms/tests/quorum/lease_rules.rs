//! What each rule of the quorum lease is for: without it, two lead. The sound algorithm goes through the same.

use crate::lease_flaws::*;
use crate::support::*;
use crate::twin::{Flaw, Twin};
use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_core::*;
use bellwether_sim::Plan;

/// Whether two leases were valid at once, or two led in one term, in any of these runs.
fn is_broken<A: Algorithm>(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| {
        let (report, _) = run::<A>(plan);
        report.stability.most_leaders > 1 || report.stability.shared_terms > 0
    })
}

fn assert_needed<F: Flaw<Sound = QuorumLease>>(plans: &[Plan]) {
    assert!(is_broken::<Twin<F>>(plans), "{} is found out", F::NAME);
    assert!(!is_broken::<Twin<Sound>>(plans), "the sound one is not: {}", F::NAME);
    assert!(!is_broken::<QuorumLease>(plans), "nor without a wrapping: {}", F::NAME);
}

/// Both followers restart while they hear nothing of the leader: they have voted in its term.
#[test]
fn votes_are_durable() {
    let restarts = [0, 1]
        .into_iter()
        .flat_map(|member| [at(50, FaultEvent::Crash, member), at(51, FaultEvent::Recover, member)]);
    let plan = and(and(complete(3), partition(&[2], &[0, 1], 50, 300)), restarts);
    assert_needed::<VoteNotDurable>(&[plan]);
}

/// One follower no longer hears the leader, and asks the other.
#[test]
fn promises_are_kept() {
    let plan = and(complete(3), partition(&[2], &[1], 50, 300));
    assert_needed::<VotesDuringPromise>(&[plan]);
}

/// One boots late, when the leader is dead and promises are over: it knows of no term yet.
#[test]
fn terms_that_are_over_are_refused() {
    let late = |hop| {
        and(
            complete(3),
            [at(0, FaultEvent::Crash, 1), at(150, FaultEvent::Crash, 2), at(hop, FaultEvent::Recover, 1)],
        )
    };
    assert_needed::<StaleTermAccepted>(&(200..260).map(late).collect::<Vec<_>>());
}

/// The leader's clock loses a tenth, the others' gain as much.
fn drifting(bound: u32) -> Vec<Plan> {
    let off = |seed| {
        let drifts = [
            at(0, FaultEvent::Drift(100_000), 0),
            at(0, FaultEvent::Drift(100_000), 1),
            at(0, FaultEvent::Drift(-100_000), 2),
        ];
        let plan = with_seed(with_delay(complete(3), "uniform:0.1..1.0"), seed);
        let cut = partition(&[2], &[0, 1], 100 + seed % 8, 300);
        Plan { drift_bound: bound, ..and(and(plan, drifts), cut) }
    };
    (0..200).map(off).collect()
}

#[test]
fn leases_are_shorter_by_what_clocks_can_be_off() {
    assert!(is_broken::<QuorumLease>(&drifting(0)), "they were told that clocks are right");
    assert!(!is_broken::<QuorumLease>(&drifting(100_000)), "they were told how far they can be off");
}

fn ask(hop: u64, member: u32, request: Request) -> bellwether_sim::Happening {
    at(hop, FaultEvent::Request(request), member)
}

#[test]
fn a_leader_that_hands_over_stops_first() {
    // Between two renewals: with the next one it hears of the later term.
    let plan = and(complete(3), [ask(52, 2, Request::Transfer(id(1)))]);
    assert_needed::<LeadsOn>(&[plan]);
}

/// Voters are 3, 4 and 5; 1 and 2 come in while 3 hears nothing, and 4 only of the first. Then 5 hands over to 3, which it
/// can tell, but not hear.
#[test]
fn a_leader_hands_over_to_one_that_has_kept_up() {
    use Duty::{Full, Observer};
    let plan = Plan { duties: vec![Observer, Observer, Full, Full, Full], ..complete(5) };
    let asked = [
        ask(110, 4, Request::Admit(id(1))),
        ask(130, 4, Request::Admit(id(2))),
        ask(148, 4, Request::Transfer(id(3))),
    ];
    let (they, others) = ([2, 3], [0, 1, 4]);
    let cuts = [
        partition(&[2], &others, 100, 147),
        partition(&[3], &others, 120, 147),
        // From now on what they say to the others is lost, and soon also what the others say to them.
        one_way(&they, &others, 147, FaultEvent::Cut),
        one_way(&others, &they, 149, FaultEvent::Cut),
        vec![at(600, FaultEvent::Heal, 0)],
    ];
    assert_needed::<NotCaughtUp>(&[and(and(plan, asked), cuts.concat())]);
}
