//! The bully algorithm when members come back, messages are lost, and networks fall apart: as it is, and
//! in the variant that leaves a working leader alone.

use crate::detectors::{heartbeat, perfect};
use crate::ring_repairs::random_recoveries;
use crate::{at, run, with_script};
use bellwether_algorithms::bully::{AtOnce, Broadcast, Stable, Waiting};
use bellwether_core::{Algorithm, DetectorChoice, Elect, Leadership};
use bellwether_sim::faults::{Chosen, Fate};
use bellwether_sim::{Event, Happening, Outcome, Plan, Report};
use bellwether_testkit::casts::disturbed::{best_survivor, random_deaths};
use bellwether_testkit::casts::{Cast, assert_claims, assert_elected, called_by, sent};
use bellwether_testkit::dice::Dice;

fn lose(kind: &str, from: Option<u32>, to: Option<u32>, nth: Option<u64>) -> Chosen {
    Chosen { from, to, kind: Some(kind.to_owned()), nth, fate: Fate::Lost }
}

/// The best member (the last) is dead at first, then comes back and dies again `times` times.
fn comings_and_goings(n: usize, times: u64) -> Plan {
    let cast = Cast::in_best_order(Elect::Best, n);
    let mut script = vec![at(0, Event::Crash, n - 1)];
    for time in 1..=times {
        script.push(at(100 * time, Event::Recover, n - 1));
        script.push(at(100 * time + 50, Event::Crash, n - 1));
    }
    let mut plan = with_script(&called_by(cast.complete(), &[n as u32 - 2]), script);
    plan.detector = Some(perfect());
    plan
}

#[test]
fn a_better_member_that_comes_back_takes_over_or_leaves_a_working_leader_alone() {
    for (n, times) in (3..8).flat_map(|n| [1, 5].map(|times| (n, times))) {
        let messages = |report: &Report| report.messages.total;
        let plan = comings_and_goings(n as usize, times);
        let without = comings_and_goings(n as usize, 0);
        // It announces itself to everyone (n - 1), and the old leader, who hears that it is back, asks it
        // and is answered. When it dies, the others call: each asks everyone
        // better, the dead one too, but for the second best, who announces itself to n - 2 at once.
        let (asked, answered) = (n * (n - 1) / 2 - 1, (n - 1) * (n - 2) / 2);
        let (report, base) = (run::<AtOnce>(&plan), run::<AtOnce>(&without));
        assert_eq!(report.stability.changes, 2 * times, "{n} {times}");
        let a_time = (n - 1) + 2 + asked + answered + (n - 2);
        assert_eq!(messages(&report), messages(&base) + times * a_time, "{n} {times}");
        // It asks everyone, and whoever leads says so, besides having greeted it. When it dies, nobody
        // minds.
        let (report, base) = (run::<Stable>(&plan), run::<Stable>(&without));
        assert_eq!(report.stability.changes, 0, "{n} {times}");
        assert_eq!(messages(&report), messages(&base) + times * (n + 1), "{n} {times}");
    }
}

#[test]
fn leaving_a_leader_alone_costs_a_leader_that_is_not_the_best_and_asking_first() {
    let mut plan = comings_and_goings(5, 1);
    plan.script.pop();
    let best = run::<AtOnce>(&plan);
    let incumbent = run::<Stable>(&plan);
    assert_eq!(best.ruling.leader, bellwether_core::Id::new(5).ok());
    assert_eq!(incumbent.ruling.leader, bellwether_core::Id::new(4).ok());
    for report in [&best, &incumbent] {
        assert_eq!((report.ruling.unsafe_because.as_ref(), report.ruling.agreed), (None, true));
    }
    // The first election: one hop where the second best knows that it is best, else three of waiting.
    let first = comings_and_goings(5, 0);
    let hops = |report: Report| report.known_between().map(|(_, last)| last.hops());
    assert_eq!((hops(run::<AtOnce>(&first)), hops(run::<Stable>(&first))), (Some(1.0), Some(4.0)));
}

#[test]
fn stable_asks_everyone_when_nothing_fails() {
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

/// One leader, alive, whom everyone names; where the best is to lead, the best.
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
fn deaths_and_recoveries_are_survived() {
    for detector in [perfect(), heartbeat()] {
        check_deaths_and_recoveries::<AtOnce>(&detector);
        check_deaths_and_recoveries::<Waiting>(&detector);
        check_deaths_and_recoveries::<Stable>(&detector);
        check_deaths_and_recoveries::<Broadcast>(&detector);
    }
}

/// 5 leads, dies, and 1 calls; this is lost.
fn with_lost(lost: Chosen) -> (Cast, Plan) {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let mut plan = called_by(cast.complete(), &[0]);
    plan.script = vec![at(0, Event::Crash, 4)];
    plan.link_faults.chosen = vec![lost];
    plan.limits.messages = 10_000;
    (cast, plan)
}

#[test]
fn lost_questions_and_answers_are_made_good_if_others_ask_too() {
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

/// Members 1 to n, of whom 1 to k live and only `caller` calls; its question to the best live one is lost.
fn with_lost_question(n: usize, dead: usize, caller: usize) -> (Cast, Plan) {
    let cast = Cast::in_best_order(Elect::Best, n);
    let best = n - dead - 1;
    let mut plan = called_by(cast.complete(), &[caller as u32]);
    plan.script = (best + 1..n).map(|member| at(0, Event::Crash, member)).collect();
    plan.link_faults.chosen = vec![lose("election", Some(caller as u32), Some(best as u32), Some(1))];
    plan.limits.messages = 10_000;
    (cast, plan)
}

#[test]
fn a_lost_question_that_nobody_repeats_leaves_the_wrong_leader_unless_the_outcome_is_broadcast() {
    for (n, dead) in (2..8).flat_map(|n| (0..n - 1).map(move |dead| (n, dead))) {
        let best = n - dead - 1;
        for caller in 0..best {
            let (cast, plan) = with_lost_question(n, dead, caller);
            let context = format!("{n} {dead} {caller}");
            // Others between the caller and the best repeat the question.
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
fn a_lost_announcement_is_made_good_where_somebody_waits_for_it() {
    for to in 0..3 {
        let (cast, plan) = with_lost(lose("coordinator", Some(3), Some(to), Some(1)));
        assert_elected(&run::<AtOnce>(&plan), cast.id(3), true, &format!("to {to}"));
    }
    // Only the second best calls, and nobody waits: then nobody misses anything.
    let (_, plan) = with_lost(lose("coordinator", Some(3), Some(1), Some(1)));
    let report = run::<AtOnce>(&called_by(plan, &[3]));
    assert_eq!(report.ruling.not_live_because.as_deref(), Some("member 2 does not know the outcome"));
}

/// Cuts all links between the two groups, or mends them.
fn between(groups: [&[usize]; 2], half_hops: u64, what: fn(u32) -> Event) -> Vec<Happening> {
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
    let cut = between(groups, 40, Event::Cut);
    let apart = run::<A>(&with_script(&plan, cut.clone()));
    assert_eq!(apart.ruling.outcome, Outcome::Split, "each part has a leader of its own");
    let healed = run::<A>(&with_script(&plan, [cut, between(groups, 200, Event::Mend)].concat()));
    assert_elected(&healed, cast.id(4), true, A::SPEC.variant);
    assert_eq!(healed.stability.most_leaders, 2);
}

#[test]
fn when_a_partition_heals_one_leader_is_left() {
    for minority_has_best in [true, false] {
        check_partition::<AtOnce>(minority_has_best);
        check_partition::<Waiting>(minority_has_best);
        check_partition::<Stable>(minority_has_best);
        check_partition::<Broadcast>(minority_has_best);
    }
}
