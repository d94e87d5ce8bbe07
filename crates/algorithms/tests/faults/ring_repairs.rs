//! Chang and Roberts' ring when the would-be leader dies, as it is and with lecture 002's two repairs.

use crate::detectors::{blind, crying_wolf, heartbeat, perfect};
use crate::{at, run, with_script};
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::{chang_roberts_detector::WithDetector, chang_roberts_timeout::NeighbourTimeout};
use bellwether_core::{Algorithm, Elect, Time};
use bellwether_sim::{Event, Happening, Outcome, Plan};
use bellwether_testkit::casts::disturbed::{best_survivor, random_deaths};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, assert_elected, called_by, clockwise, set_delay};
use bellwether_testkit::dice::Dice;

/// Lecture 002's ring: 80, 32, 5, 12, 6, 3; 3 calls, and 80 dies after its rank has left it.
fn lecture() -> (Cast, Plan) {
    let members = [80, 32, 5, 12, 6, 3].map(|id| (0, id)).to_vec();
    let cast = Cast { elect: Elect::Best, members };
    let mut plan = called_by(cast.ring(), &[5]);
    plan.ring_closes = true;
    plan.script = vec![at(8, Event::Crash, 0)];
    plan.limits.messages = 10_000;
    (cast, plan)
}

/// Nobody comes to lead, and messages go round for as long as they are let.
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
fn as_it_is_the_dead_one_s_rank_goes_round_for_ever() {
    assert_endless::<ChangRoberts>(&lecture().1, "election(80)");
}

#[test]
fn the_neighbour_s_time_out_elects_the_next_best() {
    let (cast, plan) = lecture();
    assert_elected(&run::<NeighbourTimeout>(&plan), cast.id(1), true, "32 is left");
}

#[test]
fn when_the_neighbour_dies_too_it_goes_round_for_ever() {
    let (_, mut plan) = lecture();
    plan.script.push(at(8, Event::Crash, 5));
    assert_endless::<NeighbourTimeout>(&plan, "3 dies too");
}

#[test]
fn the_neighbour_notices_whenever_the_best_dies_after_it_has_put_in_its_rank() {
    let mut dice = Dice(1);
    for (n, elect) in (2..=6).flat_map(|n| BOTH_WAYS.map(|elect| (n, elect))) {
        let cast = Cast::with_ties(elect, n, &mut dice);
        for caller in 0..n {
            let d = clockwise(n, caller, cast.best()) as u64;
            // Until its announcement is on the last hop, back to itself.
            for half_hops in 2 * d + 1..2 * (d + 2 * n as u64 - 1) {
                let mut plan = called_by(cast.ring(), &[caller as u32]);
                plan.ring_closes = true;
                plan.script = vec![at(half_hops, Event::Crash, cast.best())];
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
fn a_good_detector_elects_the_next_best() {
    for detector in [perfect(), heartbeat()] {
        for half_hops in 1..40 {
            let (cast, plan) = overlaid(detector.clone(), vec![at(half_hops, Event::Crash, 0)]);
            let context = format!("{detector} {half_hops}/2");
            assert_elected(&run::<WithDetector>(&plan), cast.id(1), true, &context);
            let script = vec![at(half_hops, Event::Crash, 0), at(half_hops, Event::Crash, 5)];
            let script = [script, vec![at(100, Event::Call, 2)]].concat();
            let (cast, plan) = overlaid(detector.clone(), script);
            assert_elected(&run::<WithDetector>(&plan), cast.id(1), true, &format!("{context}, 3 dies too"));
        }
    }
}

#[test]
fn with_an_inaccurate_detector_new_runs_begin_for_ever() {
    let (cast, mut plan) = overlaid(crying_wolf(), Vec::new());
    for limit in [500, 5_000] {
        plan.limits.messages = limit;
        let report = run::<WithDetector>(&plan);
        assert!(!report.finished && report.messages.total > limit, "{report:?}");
        assert!(report.messages.by_kind["election"] > limit / 2, "{report:?}");
    }
    plan.detector = Some(blind());
    assert_elected(&run::<WithDetector>(&plan), cast.id(0), true, "nobody is suspected, and nobody is dead");
}

#[test]
fn with_an_incomplete_detector_the_dead_one_is_elected_or_nobody_is() {
    // 80 announces itself at 7 and has died when its announcement comes back at 13.
    let (cast, plan) = overlaid(blind(), vec![at(25, Event::Crash, 0)]);
    let report = run::<WithDetector>(&plan);
    assert!(report.finished);
    let wrong = format!("takes {} for the leader", cast.id(0));
    assert!(report.ruling.unsafe_because.is_some_and(|why| why.contains(&wrong)));
    // Before it hears its rank again, nobody notices that the message is gone.
    let (_, plan) = overlaid(blind(), vec![at(8, Event::Crash, 0)]);
    let report = run::<WithDetector>(&plan);
    assert_eq!((report.finished, report.ruling.outcome), (true, Outcome::None));
}

#[test]
fn with_a_good_detector_any_deaths_are_survived() {
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

/// Members die and come back; in the end everyone is up, as whoever is down at the time comes back.
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
            script.push(at(now, Event::Crash, member));
            now += 1 + dice.below(80) as u64;
            script.push(at(now, Event::Recover, member));
        }
    }
    let plan = with_script(&plan, script);
    (cast, plan)
}

#[test]
fn with_a_good_detector_whoever_comes_back_is_taken_in() {
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
fn a_forged_announcement_does_not_last() {
    for (forged, round) in [(5, 0), (99, 1), (12, 2), (32, 3)] {
        let forger = [1, 2, 3, 4][round];
        let lie =
            Event::Lie(bellwether_sim::faults::Lie::Forge(bellwether_core::Id::new(forged).expect("small")));
        let (cast, mut plan) = lecture();
        plan.script = vec![at(60, lie, forger)];
        plan.limits.time = Time::from_ticks(1_000_000);
        let report = run::<NeighbourTimeout>(&plan);
        // Whoever lies is not judged, but goes on taking part.
        assert_elected(&report, cast.id(0), true, &format!("time-out, {forged} forged"));
        let (cast, plan) = overlaid(perfect(), vec![at(60, lie, forger)]);
        let report = run::<WithDetector>(&plan);
        assert_elected(&report, cast.id(0), true, &format!("detector, {forged} forged"));
    }
}
