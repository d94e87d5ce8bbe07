//! Chang and Roberts' ring when the would-be leader crashes: the plain algorithm and lecture 002's two repairs.

use crate::detectors::{blind, crying_wolf, heartbeat, perfect};
use crate::{at, run, with_script};
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::{chang_roberts_detector::WithDetector, chang_roberts_timeout::NeighbourTimeout};
use bellwether_core::{Algorithm, Elect, FaultEvent, Time};
use bellwether_sim::{Happening, Outcome, Plan};
use bellwether_testkit::casts::disturbed::{best_survivor, random_deaths};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, assert_elected, called_by, clockwise, set_delay};
use bellwether_testkit::dice::Dice;

/// Lecture 002's ring: 80, 32, 5, 12, 6, 3; 3 starts, and 80 crashes after it has sent its rank.
fn lecture() -> (Cast, Plan) {
    let members = [80, 32, 5, 12, 6, 3].map(|id| (0, id)).to_vec();
    let cast = Cast { elect: Elect::Best, members };
    let mut plan = called_by(cast.ring(), &[5]);
    plan.ring_closes = true;
    plan.script = vec![at(8, FaultEvent::Crash, 0)];
    plan.limits.messages = 10_000;
    (cast, plan)
}

/// No member becomes the leader, and messages circulate until the limit.
fn assert_endless<A: Algorithm>(plan: &Plan, context: &str) {
    for limit in [200, 2_000] {
        let mut plan = plan.clone();
        plan.limits.messages = limit;
        let report = run::<A>(&plan);
        assert_eq!((report.finished, report.ruling.outcome), (false, Outcome::Undecided), "{context}");
        assert!(report.messages.total > limit, "{context}");
    }
}

#[test]
fn plain_dead_members_rank_circulates_for_ever() {
    assert_endless::<ChangRoberts>(&lecture().1, "election(80)");
}

#[test]
fn neighbour_timeout_elects_the_next_highest() {
    let (cast, plan) = lecture();
    assert_elected(&run::<NeighbourTimeout>(&plan), cast.id(1), true, "32 is the highest left");
}

#[test]
fn rank_circulates_for_ever_if_the_neighbour_crashes_too() {
    let (_, mut plan) = lecture();
    plan.script.push(at(8, FaultEvent::Crash, 5));
    assert_endless::<NeighbourTimeout>(&plan, "3 crashes too");
}

#[test]
fn neighbour_detects_any_crash_of_the_would_be_leader_after_it_sent_its_rank() {
    let mut dice = Dice(1);
    for (n, elect) in (2..=6).flat_map(|n| BOTH_WAYS.map(|elect| (n, elect))) {
        let cast = Cast::with_ties(elect, n, &mut dice);
        for caller in 0..n {
            let d = clockwise(n, caller, cast.best()) as u64;
            // Until its announcement is on the last hop, back to itself.
            for half_hops in 2 * d + 1..2 * (d + 2 * n as u64 - 1) {
                let mut plan = called_by(cast.ring(), &[caller as u32]);
                plan.ring_closes = true;
                plan.script = vec![at(half_hops, FaultEvent::Crash, cast.best())];
                plan.limits.messages = 1_000;
                let report = run::<NeighbourTimeout>(&plan);
                let context = format!("{cast:?} called by {caller}, dies at {half_hops}/2");
                assert_elected(&report, best_survivor(&cast, &[cast.best()]), true, &context);
            }
        }
    }
}

/// The lecture's ring over a complete network, with a detector.
fn overlaid(detector: bellwether_core::DetectorChoice, script: Vec<Happening>) -> (Cast, Plan) {
    let (cast, _) = lecture();
    let mut plan = called_by(cast.overlay(), &[5]);
    plan.detector = Some(detector);
    plan.script = script;
    plan.limits.messages = 10_000;
    (cast, plan)
}

#[test]
fn accurate_detector_elects_the_next_highest() {
    for detector in [perfect(), heartbeat()] {
        for half_hops in 1..40 {
            let (cast, plan) = overlaid(detector.clone(), vec![at(half_hops, FaultEvent::Crash, 0)]);
            let context = format!("{detector} {half_hops}/2");
            assert_elected(&run::<WithDetector>(&plan), cast.id(1), true, &context);
            let script = vec![at(half_hops, FaultEvent::Crash, 0), at(half_hops, FaultEvent::Crash, 5)];
            let script = [script, vec![at(100, FaultEvent::Call, 2)]].concat();
            let (cast, plan) = overlaid(detector.clone(), script);
            assert_elected(
                &run::<WithDetector>(&plan),
                cast.id(1),
                true,
                &format!("{context}, 3 crashes too"),
            );
        }
    }
}

#[test]
fn inaccurate_detector_starts_new_runs_for_ever() {
    let (cast, mut plan) = overlaid(crying_wolf(), Vec::new());
    for limit in [500, 5_000] {
        plan.limits.messages = limit;
        let report = run::<WithDetector>(&plan);
        assert!(!report.finished && report.messages.total > limit, "{report:?}");
        assert!(report.messages.by_kind["election"] > limit / 2, "{report:?}");
    }
    plan.detector = Some(blind());
    assert_elected(&run::<WithDetector>(&plan), cast.id(0), true, "no member is suspected, and none is dead");
}

#[test]
fn incomplete_detector_elects_the_dead_member_or_none() {
    // 80 announces itself at 7 and has crashed when its announcement returns at 13.
    let (cast, plan) = overlaid(blind(), vec![at(25, FaultEvent::Crash, 0)]);
    let report = run::<WithDetector>(&plan);
    assert!(report.finished);
    let wrong = format!("takes {} for the leader", cast.id(0));
    assert!(report.ruling.unsafe_because.is_some_and(|why| why.contains(&wrong)));
    // Before its rank returns, no member detects that the message is gone.
    let (_, plan) = overlaid(blind(), vec![at(8, FaultEvent::Crash, 0)]);
    let report = run::<WithDetector>(&plan);
    assert_eq!((report.finished, report.ruling.outcome), (true, Outcome::None));
}

#[test]
fn accurate_detector_survives_any_crashes() {
    let mut dice = Dice(2);
    for round in 0..400 {
        let (cast, mut plan, victims) = random_deaths(round, Cast::overlay, 6, &mut dice);
        plan.links = bellwether_sim::LinkOrder::Fifo;
        plan.limits.messages = 100_000;
        for detector in [perfect(), heartbeat()] {
            plan.detector = Some(detector);
            let context = format!("{cast:?} {:?} {:?} {:?}", plan.script, plan.delay, plan.detector);
            assert_elected(&run::<WithDetector>(&plan), best_survivor(&cast, &victims), true, &context);
        }
    }
}

/// Members crash and return; in the end all are up, because each crashed member recovers.
pub fn random_recoveries(round: usize, network: fn(&Cast) -> Plan, dice: &mut Dice) -> (Cast, Plan) {
    let n = 2 + dice.below(6);
    let cast = Cast::with_ties(BOTH_WAYS[round % 2], n, dice);
    let mut plan = network(&cast);
    set_delay(&mut plan, ["unit", "uniform:0.1..1.0", "uniform:1..3"][dice.below(3)]);
    plan.seed = round as u64;
    plan.limits.messages = 100_000;
    let mut script = Vec::new();
    for member in 0..n {
        let mut now = 0;
        for _ in 0..dice.below(3) {
            now += 1 + dice.below(80) as u64;
            script.push(at(now, FaultEvent::Crash, member));
            now += 1 + dice.below(80) as u64;
            script.push(at(now, FaultEvent::Recover, member));
        }
    }
    let plan = with_script(&plan, script);
    (cast, plan)
}

#[test]
fn accurate_detector_includes_every_returning_member() {
    let mut dice = Dice(3);
    for round in 0..400 {
        let (cast, mut plan) = random_recoveries(round, Cast::overlay, &mut dice);
        for detector in [perfect(), heartbeat()] {
            plan.detector = Some(detector);
            let context = format!("{cast:?} {:?} {:?} {:?}", plan.script, plan.delay, plan.detector);
            assert_elected(&run::<WithDetector>(&plan), cast.id(cast.best()), true, &context);
        }
    }
}

#[test]
fn forged_announcement_does_not_last() {
    for (forged, round) in [(5, 0), (99, 1), (12, 2), (32, 3)] {
        let forger = [1, 2, 3, 4][round];
        let lie =
            FaultEvent::Lie(bellwether_core::Lie::Forge(bellwether_core::Id::new(forged).expect("small")));
        let (cast, mut plan) = lecture();
        plan.script = vec![at(60, lie, forger)];
        plan.limits.time = Time::from_ticks(1_000_000);
        let report = run::<NeighbourTimeout>(&plan);
        // A lying member is not judged, but stays in the ring.
        assert_elected(&report, cast.id(0), true, &format!("time-out, {forged} forged"));
        let (cast, plan) = overlaid(perfect(), vec![at(60, lie, forger)]);
        let report = run::<WithDetector>(&plan);
        assert_elected(&report, cast.id(0), true, &format!("detector, {forged} forged"));
    }
}
