//! The bully algorithm when members crash, boot or start elections while an election is under way.

use bellwether_core::{FaultEvent, HOP};
use bellwether_sim::{Plan, Report};
use bellwether_testkit::casts::disturbed::{
    self, best_survivor, half_hops, happens, random_deaths, random_events, small_runs,
};
use bellwether_testkit::casts::{Cast, assert_elected, called_by};
use bellwether_testkit::dice::Dice;

const VARIANTS: [&str; 3] = ["at-once", "waiting", "broadcast"];

fn watch(variant: &str, plan: &Plan) -> (Report, Vec<bool>) {
    disturbed::watch("bully", variant, plan)
}

/// One member that crashes at one time; the result states whether it crashed before it announced itself, so that the
/// run counts.
fn check_one_crash(variant: &str, cast: &Cast, plan: &Plan, victim: usize, ticks: u64) -> bool {
    let mut plan = plan.clone();
    plan.script = vec![happens(FaultEvent::Crash, victim, ticks)];
    let (report, announced) = watch(variant, &plan);
    if announced[victim] {
        return false;
    }
    let context = format!(
        "{variant} {cast:?} {:?} {:?} seed {} {victim}@{ticks}",
        plan.initiators, plan.delay, plan.seed
    );
    assert_elected(&report, best_survivor(cast, &[victim]), true, &context);
    let claimed: Vec<_> = report.claims.iter().map(|claim| (claim.name, claim.holds)).collect();
    assert_eq!(claimed, [("storage", true)], "nothing else is claimed for disturbed runs: {context}");
    true
}

#[test]
fn crash_before_the_announcement_does_no_harm() {
    let mut counted = 0;
    for (cast, plan) in small_runs(Cast::complete, |n| vec![vec![0], vec![n - 2]]) {
        for (variant, victim) in VARIANTS.iter().flat_map(|v| (0..cast.n()).map(move |m| (*v, m))) {
            for ticks in half_hops(12) {
                counted += u32::from(check_one_crash(variant, &cast, &plan, victim, ticks));
            }
        }
    }
    assert!(counted > 10_000, "{counted} runs in which the victim had not announced itself");
}

#[test]
fn others_start_again_when_the_would_be_leader_crashes_after_its_answer() {
    // Lecture 002: 4 is dead, 1 detects it; 3 answers and crashes too; 2 is left.
    let cast = Cast::in_best_order(bellwether_core::Elect::Best, 4);
    let mut plan = called_by(cast.complete(), &[0]);
    plan.script = vec![happens(FaultEvent::Crash, 3, 0), happens(FaultEvent::Crash, 2, 2 * HOP.ticks())];
    for variant in VARIANTS {
        let (report, announced) = watch(variant, &plan);
        assert_eq!(announced, [false, true, false, false]);
        assert_elected(&report, cast.id(1), true, variant);
    }
}

#[test]
fn several_crashes_before_the_announcement_do_no_harm() {
    let mut dice = Dice(2);
    let mut counted = 0;
    for round in 0..3_000 {
        let (cast, plan, victims) = random_deaths(round, Cast::complete, 3, &mut dice);
        for variant in VARIANTS {
            let (report, announced) = watch(variant, &plan);
            if victims.iter().all(|&victim| !announced[victim]) {
                counted += 1;
                let context =
                    format!("{variant} {cast:?} {:?} {:?} {:?}", plan.script, plan.delay, plan.links);
                assert_elected(&report, best_survivor(&cast, &victims), true, &context);
            }
        }
    }
    assert!(counted > 500, "{counted} runs in which no crashed member had announced itself");
}

/// A run in which all start at the beginning, with these events at random times.
fn check_with_late(what: &[FaultEvent], rounds: usize, dice: &mut Dice) {
    for round in 0..rounds {
        let (cast, plan) = random_events(what, round, Cast::complete, dice);
        for variant in VARIANTS {
            let (report, _) = watch(variant, &plan);
            let context = format!("{variant} {cast:?} {:?} {:?} {:?}", plan.script, plan.delay, plan.links);
            assert_elected(&report, cast.id(cast.best()), true, &context);
        }
    }
}

#[test]
fn late_initiators_elect_the_highest() {
    check_with_late(&[FaultEvent::Call], 3_000, &mut Dice(3));
}

#[test]
fn members_that_boot_late_elect_the_highest() {
    check_with_late(&[FaultEvent::Start], 3_000, &mut Dice(4));
}

#[test]
fn late_boots_and_late_initiators_elect_the_highest() {
    check_with_late(&[FaultEvent::Start, FaultEvent::Call], 3_000, &mut Dice(5));
}

#[test]
fn one_late_initiator_is_enough() {
    for n in 1..=8 {
        let cast = Cast::shuffled(bellwether_core::Elect::Best, n, &mut Dice(n as u64));
        for caller in 0..n {
            let mut plan = called_by(cast.complete(), &[]);
            plan.script = vec![happens(FaultEvent::Call, caller, 7 * HOP.ticks() + 1)];
            for variant in VARIANTS {
                let (report, _) = watch(variant, &plan);
                assert_elected(&report, cast.id(cast.best()), true, &format!("{variant} {n} {caller}"));
            }
        }
    }
}

#[test]
fn highest_member_that_boots_late_takes_over() {
    for n in 2..=6 {
        let cast = Cast::in_best_order(bellwether_core::Elect::Best, n);
        for ticks in half_hops(14) {
            let mut plan = cast.complete();
            plan.script = vec![happens(FaultEvent::Start, n - 1, ticks)];
            for variant in VARIANTS {
                let (report, _) = watch(variant, &plan);
                assert_elected(&report, cast.id(n - 1), true, &format!("{variant} {n} {ticks}"));
            }
        }
    }
}

#[test]
fn starting_again_during_or_after_an_election_changes_nothing() {
    let cast = Cast::shuffled(bellwether_core::Elect::Worst, 5, &mut Dice(9));
    for caller in 0..5 {
        for ticks in half_hops(20) {
            let mut plan = cast.complete();
            plan.script = vec![happens(FaultEvent::Call, caller, ticks)];
            for variant in VARIANTS {
                let (report, _) = watch(variant, &plan);
                assert_elected(&report, cast.id(cast.best()), true, &format!("{variant} {caller}@{ticks}"));
            }
        }
    }
}
