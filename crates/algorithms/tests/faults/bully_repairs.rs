//! The bully algorithm when members return, messages are lost, and networks are partitioned: the default, and the
//! variant in which a working leader stays.

use crate::detectors::{heartbeat, perfect};
use crate::ring_repairs::random_recoveries;
use crate::{at, run, with_script};
use bellwether_algorithms::bully::{AtOnce, Broadcast, Stable, Waiting};
use bellwether_core::{Algorithm, DetectorChoice, Elect, Fate, FaultEvent, Leadership};
use bellwether_sim::faults::Chosen;
use bellwether_sim::{Happening, Outcome, Plan, Report};
use bellwether_testkit::casts::disturbed::{best_survivor, random_deaths};
use bellwether_testkit::casts::{Cast, assert_claims, assert_elected, called_by, sent};
use bellwether_testkit::dice::Dice;

fn lose(kind: &str, from: Option<u32>, to: Option<u32>, nth: Option<u64>) -> Chosen {
    Chosen { from, to, kind: Some(kind.to_owned()), nth, fate: Fate::Lost }
}

/// The highest-ranked member (the last) is dead at first, then returns and crashes again `times` times.
fn comings_and_goings(n: usize, times: u64) -> Plan {
    let cast = Cast::in_best_order(Elect::Best, n);
    let mut script = vec![at(0, FaultEvent::Crash, n - 1)];
    for time in 1..=times {
        script.push(at(100 * time, FaultEvent::Recover, n - 1));
        script.push(at(100 * time + 50, FaultEvent::Crash, n - 1));
    }
    let mut plan = with_script(&called_by(cast.complete(), &[n as u32 - 2]), script);
    plan.detector = Some(perfect());
    plan
}

#[test]
fn returning_higher_member_takes_over_unless_the_variant_is_stable() {
    for (n, times) in (3..8).flat_map(|n| [1, 5].map(|times| (n, times))) {
        let messages = |report: &Report| report.messages.total;
        let plan = comings_and_goings(n as usize, times);
        let without = comings_and_goings(n as usize, 0);
        // It announces itself to all (n - 1), and the old leader, whose detector reports it as back, asks it and is
        // answered. When it crashes, the others start an election: each asks all higher-ranked members, the dead one
        // too, except the second-highest, which announces itself to n - 2 at once.
        let (asked, answered) = (n * (n - 1) / 2 - 1, (n - 1) * (n - 2) / 2);
        let (report, base) = (run::<AtOnce>(&plan), run::<AtOnce>(&without));
        assert_eq!(report.stability.changes, 2 * times, "{n} {times}");
        let a_time = (n - 1) + 2 + asked + answered + (n - 2);
        assert_eq!(messages(&report), messages(&base) + times * a_time, "{n} {times}");
        // It asks all members, and the leader replies, besides its announcement when the detector reported it back.
        // Its crash has no effect.
        let (report, base) = (run::<Stable>(&plan), run::<Stable>(&without));
        assert_eq!(report.stability.changes, 0, "{n} {times}");
        assert_eq!(messages(&report), messages(&base) + times * (n + 1), "{n} {times}");
    }
}

#[test]
fn stable_variant_has_a_lower_leader_and_asks_first() {
    let mut plan = comings_and_goings(5, 1);
    plan.script.pop();
    let best = run::<AtOnce>(&plan);
    let incumbent = run::<Stable>(&plan);
    assert_eq!(best.ruling.leader, bellwether_core::Id::new(5).ok());
    assert_eq!(incumbent.ruling.leader, bellwether_core::Id::new(4).ok());
    for report in [&best, &incumbent] {
        assert_eq!((report.ruling.unsafe_because.as_ref(), report.ruling.agreed), (None, true));
    }
    // The first election: one hop if the second-highest knows that it is the highest alive, otherwise three hops of
    // waiting.
    let first = comings_and_goings(5, 0);
    let hops = |report: Report| report.known_between().map(|(_, last)| last.hops());
    assert_eq!((hops(run::<AtOnce>(&first)), hops(run::<Stable>(&first))), (Some(1.0), Some(4.0)));
}

#[test]
fn stable_asks_all_members_without_failures() {
    for n in 1..=6_u64 {
        let cast = Cast::in_best_order(Elect::Best, n as usize);
        for caller in 0..n {
            let report = run::<Stable>(&called_by(cast.complete(), &[caller as u32]));
            let involved = n - caller;
            let (election, answer, coordinator) = (involved * (n - 1), involved * (involved - 1) / 2, n - 1);
            let context = format!("{n} {caller}");
            assert_elected(&report, cast.id(cast.best()), true, &context);
            assert_eq!(sent(&report, "election"), election, "{context}");
            let time = u64::from(involved > 1) + 3 + u64::from(n > 1);
            let messages = election + answer + coordinator;
            let storage = size_of::<Stable>() as u64 + (n - 1) * 16 + 8;
            let figures = [
                ("messages", messages),
                ("election", election),
                ("answer", answer),
                ("coordinator", coordinator),
                ("time", time),
                ("storage", storage),
            ];
            assert_claims(&report, &figures, &context);
        }
    }
}

/// One live leader, which all name; if the highest-ranked must lead, that one.
fn assert_right<A: Algorithm>(report: &Report, best: bellwether_core::Id, context: &str) {
    match A::SPEC.leadership {
        Leadership::Best => assert_elected(report, best, true, context),
        Leadership::Incumbent => {
            let ruling = &report.ruling;
            assert_eq!((ruling.outcome, ruling.agreed), (Outcome::Elected, true), "{context} {ruling:?}");
            assert_eq!((&ruling.unsafe_because, &ruling.not_live_because), (&None, &None), "{context}");
        }
    }
}

fn check_deaths_and_recoveries<A: Algorithm>(detector: &DetectorChoice) {
    let mut dice = Dice(7);
    for round in 0..200 {
        let (cast, mut plan, victims) = random_deaths(round, Cast::complete, 4, &mut dice);
        plan.detector = Some(detector.clone());
        plan.limits.messages = 100_000;
        let context = format!("{} {cast:?} {:?} {:?} {detector}", A::SPEC.variant, plan.script, plan.delay);
        assert_right::<A>(&run::<A>(&plan), best_survivor(&cast, &victims), &context);
        let (cast, mut plan) = random_recoveries(round, Cast::complete, &mut dice);
        plan.detector = Some(detector.clone());
        let context = format!("{} {cast:?} {:?} {:?} {detector}", A::SPEC.variant, plan.script, plan.delay);
        assert_right::<A>(&run::<A>(&plan), cast.id(cast.best()), &context);
    }
}

#[test]
fn crashes_and_recoveries_are_survived() {
    for detector in [perfect(), heartbeat()] {
        check_deaths_and_recoveries::<AtOnce>(&detector);
        check_deaths_and_recoveries::<Waiting>(&detector);
        check_deaths_and_recoveries::<Stable>(&detector);
        check_deaths_and_recoveries::<Broadcast>(&detector);
    }
}

/// Member 5 leads, crashes, and 1 starts an election; this message is lost.
fn with_lost(lost: Chosen) -> (Cast, Plan) {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let mut plan = called_by(cast.complete(), &[0]);
    plan.script = vec![at(0, FaultEvent::Crash, 4)];
    plan.link_faults.chosen = vec![lost];
    plan.limits.messages = 10_000;
    (cast, plan)
}

#[test]
fn lost_election_or_answer_is_repaired_if_other_members_ask_too() {
    for kind in ["election", "answer"] {
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            let (cast, plan) = with_lost(lose(kind, Some(from), Some(to), Some(1)));
            let context = format!("{kind} from {from} to {to}");
            assert_elected(&run::<AtOnce>(&plan), cast.id(3), true, &context);
            assert_elected(&run::<Waiting>(&plan), cast.id(3), true, &context);
            assert_elected(&run::<Broadcast>(&plan), cast.id(3), true, &context);
        }
    }
}

/// Members 1 to n; 1 to k are alive and only `caller` starts; its message to the highest live one is lost.
fn with_lost_question(n: usize, dead: usize, caller: usize) -> (Cast, Plan) {
    let cast = Cast::in_best_order(Elect::Best, n);
    let best = n - dead - 1;
    let mut plan = called_by(cast.complete(), &[caller as u32]);
    plan.script = (best + 1..n).map(|member| at(0, FaultEvent::Crash, member)).collect();
    plan.link_faults.chosen = vec![lose("election", Some(caller as u32), Some(best as u32), Some(1))];
    plan.limits.messages = 10_000;
    (cast, plan)
}

#[test]
fn lost_election_that_no_other_repeats_elects_the_wrong_leader_except_with_broadcast() {
    for (n, dead) in (2..8).flat_map(|n| (0..n - 1).map(move |dead| (n, dead))) {
        let best = n - dead - 1;
        for caller in 0..best {
            let (cast, plan) = with_lost_question(n, dead, caller);
            let context = format!("{n} {dead} {caller}");
            // Members between the initiator and the highest send the same message.
            let is_repeated = caller + 1 < best;
            let outcome = run::<AtOnce>(&plan);
            if is_repeated {
                assert_elected(&outcome, cast.id(best), true, &context);
            } else {
                assert_eq!(outcome.ruling.leader, Some(cast.id(caller)), "{context}");
                assert!(outcome.ruling.unsafe_because.is_some(), "{context}");
            }
            let outcome = run::<Broadcast>(&plan);
            assert_elected(&outcome, cast.id(best), true, &context);
            // Until the wrong leader hears of the right one, both lead: for as long as a message takes.
            let several = if is_repeated { 0.0 } else { 1.0 };
            assert_eq!(outcome.stability.with_several.hops(), several, "{context}");
        }
    }
}

#[test]
fn lost_announcement_is_repaired_if_a_member_waits_for_it() {
    for to in 0..3 {
        let (cast, plan) = with_lost(lose("coordinator", Some(3), Some(to), Some(1)));
        assert_elected(&run::<AtOnce>(&plan), cast.id(3), true, &format!("to {to}"));
    }
    // If only the second-highest starts, no member waits, and no member detects the loss.
    let (_, plan) = with_lost(lose("coordinator", Some(3), Some(1), Some(1)));
    let report = run::<AtOnce>(&called_by(plan, &[3]));
    assert_eq!(report.ruling.not_live_because.as_deref(), Some("member 2 does not know the outcome"));
}

/// Cuts all links between the two groups, or repairs them.
fn between(groups: [&[usize]; 2], half_hops: u64, what: fn(u32) -> FaultEvent) -> Vec<Happening> {
    let pairs = groups[0].iter().flat_map(|&one| groups[1].iter().map(move |&other| (one, other)));
    let both_ways = pairs.flat_map(|(one, other)| [(one, other), (other, one)]);
    both_ways.map(|(from, to)| at(half_hops, what(to as u32), from)).collect()
}

fn check_partition<A: Algorithm>(minority_has_best: bool) {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let groups: [&[usize]; 2] = if minority_has_best { [&[0, 4], &[1, 2, 3]] } else { [&[0, 1], &[2, 3, 4]] };
    let mut plan = cast.complete();
    plan.detector = Some(heartbeat());
    plan.limits.messages = 10_000;
    let cut = between(groups, 40, FaultEvent::Cut);
    let apart = run::<A>(&with_script(&plan, cut.clone()));
    assert_eq!(apart.ruling.outcome, Outcome::Split, "each part has its own leader");
    let healed = run::<A>(&with_script(&plan, [cut, between(groups, 200, FaultEvent::Mend)].concat()));
    assert_elected(&healed, cast.id(4), true, A::SPEC.variant);
    assert_eq!(healed.stability.most_leaders, 2);
}

#[test]
fn one_leader_is_left_when_a_partition_heals() {
    for minority_has_best in [true, false] {
        check_partition::<AtOnce>(minority_has_best);
        check_partition::<Waiting>(minority_has_best);
        check_partition::<Stable>(minority_has_best);
        check_partition::<Broadcast>(minority_has_best);
    }
}
