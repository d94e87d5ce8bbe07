//! What each rule of the quorum lease prevents: without it, two members lead. The sound algorithm passes the same
//! runs.

use crate::flawed::{Flaw, Flawed};
use crate::lease_flaws::*;
use crate::support::*;
use bellwether_algorithms::quorum_lease::QuorumLease;
use bellwether_core::*;
use bellwether_sim::Plan;

/// Whether two leases were valid at once, or two members led in one term, in any of these runs.
fn is_broken<A: Algorithm>(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| {
        let (report, _) = run::<A>(plan);
        report.stability.most_leaders > 1 || report.stability.shared_terms > 0
    })
}

fn assert_needed<F: Flaw<Sound = QuorumLease>>(plans: &[Plan]) {
    assert!(is_broken::<Flawed<F>>(plans), "{} must fail", F::NAME);
    assert!(!is_broken::<Flawed<Sound>>(plans), "the sound algorithm must pass: {}", F::NAME);
    assert!(!is_broken::<QuorumLease>(plans), "the algorithm without wrapper must pass: {}", F::NAME);
}

/// Both followers restart while they receive nothing from the leader: they have voted in its term.
#[test]
fn votes_are_durable() {
    let restarts = [0, 1]
        .into_iter()
        .flat_map(|member| [at(50, FaultEvent::Crash, member), at(51, FaultEvent::Recover, member)]);
    let plan = and(and(complete(3), partition(&[2], &[0, 1], 50, 300)), restarts);
    assert_needed::<VoteNotDurable>(&[plan]);
}

/// One follower no longer receives the leader's messages, and asks the other.
#[test]
fn promises_are_kept() {
    let plan = and(complete(3), partition(&[2], &[1], 50, 300));
    assert_needed::<VotesDuringPromise>(&[plan]);
}

/// One member boots late, when the leader is dead and promises are over: it knows no term yet.
#[test]
fn votes_in_old_terms_are_refused() {
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
fn leases_are_shorter_by_the_drift_bound() {
    assert!(is_broken::<QuorumLease>(&drifting(0)), "with a drift bound of 0");
    assert!(!is_broken::<QuorumLease>(&drifting(100_000)), "with a drift bound of a tenth");
}

fn ask(hop: u64, member: u32, request: Request) -> bellwether_sim::Happening {
    at(hop, FaultEvent::Request(request), member)
}

#[test]
fn leader_steps_down_before_it_hands_over() {
    // Between two renewals: with the next one it learns of the later term.
    let plan = and(complete(3), [ask(52, 2, Request::Transfer(id(1)))]);
    assert_needed::<LeadsOn>(&[plan]);
}

/// Voters are 3, 4 and 5; 1 and 2 are admitted while 3 receives nothing, and 4 only the first change. Then 5 hands
/// over to 3, whose answers it does not receive.
#[test]
fn leader_hands_over_only_to_a_member_that_has_kept_up() {
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
        // From now on their messages to the others are lost, and soon also those of the others to them.
        one_way(&they, &others, 147, FaultEvent::Cut),
        one_way(&others, &they, 149, FaultEvent::Cut),
        vec![at(600, FaultEvent::Heal, 0)],
    ];
    assert_needed::<NotCaughtUp>(&[and(and(plan, asked), cuts.concat())]);
}
