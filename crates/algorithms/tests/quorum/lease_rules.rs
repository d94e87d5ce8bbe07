//! What each rule of the quorum lease is for: without it, two lead. The sound algorithm goes through the same.

use crate::lease_flaws::*;
use crate::support::*;
use bellwether_algorithms::quorum_lease::{QuorumLease, Ranked};
use bellwether_core::*;
use bellwether_sim::{Event, Plan};

/// Whether two leases were valid at once, or two led in one term, in any of these runs.
fn is_broken<A: Algorithm>(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| {
        let (report, _) = run::<A>(plan);
        report.stability.most_leaders > 1 || report.stability.shared_terms > 0
    })
}

fn assert_needed<F: Flaw>(plans: &[Plan]) {
    assert!(is_broken::<Flawed<F, Ranked>>(plans), "{} is found out", F::NAME);
    assert!(!is_broken::<Flawed<Sound, Ranked>>(plans), "the sound one is not: {}", F::NAME);
    assert!(!is_broken::<QuorumLease<Ranked>>(plans), "nor without a wrapping: {}", F::NAME);
}

/// Both followers restart while they hear nothing of the leader: they have voted in its term.
#[test]
fn votes_are_durable() {
    let restarts =
        [0, 1].into_iter().flat_map(|member| [at(50, Event::Crash, member), at(51, Event::Recover, member)]);
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
        and(complete(3), [at(0, Event::Crash, 1), at(150, Event::Crash, 2), at(hop, Event::Recover, 1)])
    };
    assert_needed::<StaleTermAccepted>(&(200..260).map(late).collect::<Vec<_>>());
}

/// The leader's clock loses a tenth, the others' gain as much.
fn drifting(bound: u32) -> Vec<Plan> {
    let off = |seed| {
        let drifts = [
            at(0, Event::Drift(100_000), 0),
            at(0, Event::Drift(100_000), 1),
            at(0, Event::Drift(-100_000), 2),
        ];
        let plan = with_seed(with_delay(complete(3), "uniform:0.1..1.0"), seed);
        let cut = partition(&[2], &[0, 1], 100 + seed % 8, 300);
        Plan { drift_bound: bound, ..and(and(plan, drifts), cut) }
    };
    (0..200).map(off).collect()
}

#[test]
fn leases_are_shorter_by_what_clocks_can_be_off() {
    assert!(is_broken::<QuorumLease<Ranked>>(&drifting(0)), "they were told that clocks are right");
    assert!(!is_broken::<QuorumLease<Ranked>>(&drifting(100_000)), "they were told how far they can be off");
}
