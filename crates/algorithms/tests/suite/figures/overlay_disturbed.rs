//! Rings that skip dead members, when members crash, boot or start elections while an election is under way.

use super::overlay_rings::NAMES;
use bellwether_core::{FaultEvent, HOP, Time};
use bellwether_sim::Plan;
use bellwether_testkit::casts::disturbed::{
    best_survivor, half_hops, happens, random_deaths, random_events, small_runs, watch,
};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, assert_claims_hold, assert_elected, called_by};
use bellwether_testkit::dice::Dice;

/// A leader that crashes after it has announced itself stays elected until a member starts an election. This time is
/// after all other events, however often members had to wait and start again.
const LATE: u64 = 10_000 * HOP.ticks();

/// The members that crash in the script; the result states whether none of them had announced itself. If so the
/// highest survivor leads; in any case it does when a survivor has started once more.
fn check_deaths(name: &str, cast: &Cast, plan: &Plan, victims: &[usize]) -> bool {
    let mut plan = plan.clone();
    plan.limits.messages = 1_000_000;
    let context = || {
        format!(
            "{name} {cast:?} {:?} {:?} {:?} {:?} seed {}",
            plan.initiators, plan.delay, plan.links, plan.script, plan.seed
        )
    };
    let best = best_survivor(cast, victims);
    let (report, announced) = watch(name, "plain", &plan);
    let is_counted = victims.iter().all(|&victim| !announced[victim]);
    // If two crash, no live member may be able to detect the loss.
    let deaths_on_the_way = plan.script.iter().filter(|happening| happening.at > Time::ZERO).count();
    if is_counted && deaths_on_the_way < 2 {
        assert_elected(&report, best, true, &context());
    }
    assert!(report.finished && report.ruling.agreed, "{} {report:?}", context());
    if deaths_on_the_way > 0 {
        assert_eq!(report.claims, [], "nothing is claimed for disturbed runs: {}", context());
    }
    assert_claims_hold(&report, &context());
    let survivor = (0..cast.n()).find(|member| !victims.contains(member)).expect("a member survives");
    let mut again = plan.clone();
    again.script.push(happens(FaultEvent::Call, survivor, LATE));
    assert_elected(&watch(name, "plain", &again).0, best, true, &format!("started again: {}", context()));
    is_counted
}

#[test]
fn highest_survivor_is_elected_whichever_member_crashes_at_any_time() {
    let mut counted = 0;
    for (cast, mut plan) in small_runs(Cast::overlay, |n| vec![vec![0], vec![n - 1], vec![0, 1]]) {
        let n = cast.n();
        let bound = plan.delay_bound.ticks().div_ceil(HOP.ticks());
        for (name, victim) in NAMES.iter().flat_map(|name| (0..n).map(move |member| (name, member))) {
            // The whole run, and some time after it.
            for ticks in half_hops((2 * n as u64 + 3) * bound) {
                plan.script = vec![happens(FaultEvent::Crash, victim, ticks)];
                counted += u32::from(check_deaths(name, &cast, &plan, &[victim]));
            }
        }
    }
    assert!(counted > 10_000, "{counted} runs in which the victim had not announced itself");
}

#[test]
fn another_crash_is_survived_with_a_member_dead_from_the_start() {
    let mut dice = Dice(2);
    for round in 0..40 {
        let n = 3 + round % 4;
        let cast = Cast::with_ties(BOTH_WAYS[round % 2], n, &mut dice);
        let mut members: Vec<usize> = (0..n).collect();
        dice.shuffle(&mut members);
        let (dead, victim) = (members[0], members[1]);
        // Two members start, because one could crash before any other has heard it.
        let mut callers = vec![members[1] as u32, members[2] as u32];
        callers.sort_unstable();
        let mut plan = called_by(cast.overlay(), &callers);
        for ticks in half_hops(2 * n as u64 + 5) {
            plan.script =
                vec![happens(FaultEvent::Crash, dead, 0), happens(FaultEvent::Crash, victim, ticks)];
            for name in NAMES {
                check_deaths(name, &cast, &plan, &[dead, victim]);
            }
        }
    }
}

#[test]
fn ring_elects_the_highest_after_several_crashes_when_told_to_start() {
    let mut dice = Dice(3);
    let mut counted = 0;
    for round in 0..1_500 {
        let (cast, plan, victims) = random_deaths(round, Cast::overlay, 8, &mut dice);
        for name in NAMES {
            counted += u32::from(check_deaths(name, &cast, &plan, &victims));
        }
    }
    assert!(counted > 200, "{counted} runs in which no crashed member had announced itself");
}

#[test]
fn late_boots_and_late_initiators_elect_the_highest() {
    let mut dice = Dice(4);
    for round in 0..1_500 {
        let events = [&[FaultEvent::Start][..], &[FaultEvent::Call], &[FaultEvent::Start, FaultEvent::Call]]
            [round % 3];
        let (cast, mut plan) = random_events(events, round, Cast::overlay, &mut dice);
        plan.limits.messages = 1_000_000;
        for name in NAMES {
            let (report, _) = watch(name, "plain", &plan);
            let context =
                format!("{name} {cast:?} {:?} {:?} {:?} {round}", plan.script, plan.delay, plan.links);
            assert_elected(&report, cast.id(cast.best()), true, &context);
        }
    }
}

#[test]
fn one_late_initiator_is_enough_and_another_is_harmless() {
    for n in 1..=6 {
        let cast = Cast::shuffled(BOTH_WAYS[0], n, &mut Dice(n as u64));
        for (caller, ticks) in (0..n).flat_map(|caller| half_hops(3 * n as u64).map(move |t| (caller, t))) {
            let first = happens(FaultEvent::Call, (caller + n / 2) % n, 700);
            for script in [
                vec![happens(FaultEvent::Call, caller, ticks)],
                vec![first, happens(FaultEvent::Call, caller, 700 + ticks)],
            ] {
                let mut plan = called_by(cast.overlay(), &[]);
                plan.script = script;
                for name in NAMES {
                    let (report, _) = watch(name, "plain", &plan);
                    assert_elected(
                        &report,
                        cast.id(cast.best()),
                        true,
                        &format!("{name} {n} {caller}@{ticks}"),
                    );
                }
            }
        }
    }
}
