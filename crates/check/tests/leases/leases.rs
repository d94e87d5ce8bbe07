//! Leases: at no instant two of them, where clocks drift, members freeze and come back.

use crate::leased::*;
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::{Action, CrashPoint, FaultBudget, Rules, TimeModel, Whole};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::Played;
use bellwether_testkit::checks::vote::Vote;
use bellwether_testkit::checks::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

const ON_TIME: FaultBudget = FaultBudget { time: CLOCK, ticks: 9, ..NONE };
const DRIFTING: FaultBudget = FaultBudget { time: TimeModel::Clock { grain: 1, drift: 100 }, ..ON_TIME };
const PAUSING: FaultBudget = FaultBudget { pauses: 1, ..ON_TIME };
const RETURNING: FaultBudget = FaultBudget { crashes: 1, recoveries: 1, ..ON_TIME };

/// Whether there is never a second leader; if there is, the run shows it.
fn is_safe<const FLAW: u8>(liberties: FaultBudget) -> bool {
    let plan = complete(&[1, 2, 3]);
    let checked = check::<Played<Leased<FLAW>>>(&plan, &reduced(liberties));
    let finding = finding(&checked, Property::OneLeader);
    assert!(finding.seen > 0, "{checked:?}");
    if let Some(run) = &finding.counterexample {
        assert!(run.is_shortest);
        let situations = replay::<Played<Leased<FLAW>>>(&plan, liberties, run);
        let last: Vec<_> = situations
            .last()
            .expect("it has an end")
            .seats
            .iter()
            .map(|seat| seat.facts(&Played::<Leased<FLAW>>::SPEC))
            .collect();
        let at_once = last.iter().filter(|facts| facts.leads).count() > 1;
        let terms: Vec<u64> = last.iter().flat_map(|facts| facts.led.clone()).collect();
        let distinct: BTreeSet<u64> = terms.iter().copied().collect();
        assert!(at_once || distinct.len() < terms.len(), "{last:?}");
    } else {
        assert_eq!(finding.verdict, CheckResult::Holds);
    }
    finding.counterexample.is_none()
}

#[test]
fn a_lease_that_is_shorter_than_the_promises_is_safe() {
    for liberties in
        [ON_TIME, DRIFTING, PAUSING, RETURNING, FaultBudget { losses: 1, requests: 1, ..ON_TIME }]
    {
        assert!(is_safe::<SOUND>(liberties), "{liberties:?}");
    }
}

#[test]
fn a_lease_that_is_not_shorter_is_unsafe_where_clocks_drift() {
    assert!(is_safe::<TOO_LONG>(ON_TIME));
    assert!(is_safe::<TOO_LONG>(PAUSING));
    assert!(!is_safe::<TOO_LONG>(DRIFTING));
}

#[test]
fn a_vote_in_spite_of_a_promise_is_found() {
    assert!(!is_safe::<VOTES_ANYWAY>(ON_TIME));
}

#[test]
fn whoever_freezes_must_look_at_its_lease_when_it_wakes() {
    assert!(is_safe::<FROM_RECEIPT>(ON_TIME));
    assert!(!is_safe::<FROM_RECEIPT>(PAUSING));
    assert!(!is_safe::<NOT_LOOKING>(PAUSING));
}

#[test]
fn whoever_comes_back_must_find_its_vote() {
    let losing = FaultBudget { losses: 1, ticks: 3, ..RETURNING };
    assert!(is_safe::<SOUND>(losing));
    assert!(!is_safe::<FORGETFUL>(losing));
}

#[test]
fn without_a_clock_only_terms_are_compared() {
    // Any timer may run out at any time: of two that lead in different terms nobody can tell whether at once.
    let any = FaultBudget { time: TimeModel::Any, ticks: u16::MAX, ..NONE };
    let plan = complete(&[1, 2, 3]);
    let options = bellwether_check::CheckOptions { states: 20_000, ..in_full(any) };
    let checked = check::<Played<Leased<VOTES_ANYWAY>>>(&plan, &options);
    assert_ne!(verdict(&checked, Property::OneLeader), CheckResult::Violated);
    let returning = FaultBudget { crashes: 1, recoveries: 1, ..any };
    let options = bellwether_check::CheckOptions { states: 200_000, ..in_full(returning) };
    let checked = check::<Played<Leased<FORGETFUL>>>(&plan, &options);
    assert_eq!(verdict(&checked, Property::OneLeader), CheckResult::Violated);
}

/// With so many steps of the clock one comes exactly as far as the whole search comes in so many.
#[test]
fn runs_are_followed_for_as_long_as_asked() {
    type Toy = Played<Leased<SOUND>>;
    let plan = called_by(&[], complete(&[2, 3]));
    let whole = Explored::new::<Toy>(&plan, FaultBudget { ticks: 6, ..ON_TIME });
    let mut reached: FxHashSet<(Vec<_>, Vec<_>)> = FxHashSet::default();
    for now in whole.situations.iter().filter(|now| now.spent.ticks <= 4) {
        reached.insert((now.seats.clone(), now.queues.clone()));
    }
    let limited = FaultBudget { ticks: 4, ..ON_TIME };
    let graph = Explored::new::<Toy>(&plan, limited);
    let ours: FxHashSet<_> =
        graph.situations.iter().map(|now| (now.seats.clone(), now.queues.clone())).collect();
    assert!(ours == reached && ours.len() < whole.situations.len());
    let checked = check_in_full::<Toy>(&plan, limited);
    assert_eq!(checked.progress.states, graph.situations.len() as u64);
    assert_eq!(checked.progress.transitions, graph.transitions());
    // Where runs go on nothing is said of their ends.
    assert!(checked.goes_on && !checked.is_cut);
    assert_eq!(
        (checked.verdict(), verdict(&checked, Property::Eventually)),
        (CheckResult::Holds, CheckResult::Incomplete)
    );
    assert_eq!(verdict(&checked, Property::SomeoneLeads), CheckResult::Incomplete);
}

/// What is torn is as it was, and what is written is there; both are tried wherever something is written.
#[test]
fn writes_are_torn_or_not() {
    type Toy = Played<Vote<true>>;
    let plan = called_by(&[0], complete(&[1, 2]));
    let liberties = FaultBudget { crashes: 1, recoveries: 1, ..NONE };
    let (rules, mut whole) =
        (Rules::new(&plan, liberties), Whole::new(MachineType::of::<Toy>(), &plan, liberties));
    let graph = Explored::new::<Toy>(&plan, liberties);
    let (mut torn, mut written) = (0, 0);
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        for &(action, next) in steps.iter().filter(|(action, _)| action.crash_after.is_none()) {
            let next = &graph.situations[next];
            let terms = |at: &bellwether_model::Situation| {
                at.seats.iter().map(|seat| seat.status().term).collect::<Vec<_>>()
            };
            let Some(member) = terms(now).iter().zip(terms(next)).position(|(before, after)| *before < after)
            else {
                continue;
            };
            if matches!(action.what, Action::Member(_, FaultEvent::Recover)) || now.spent.crashes > 0 {
                continue; // it only finds what it had written, or no crash is left
            }
            let found_after = |whole: &mut Whole<'_>, midway| {
                let crash = bellwether_model::Transition { crash_after: Some(midway), ..action };
                assert!(steps.iter().any(|(it, _)| *it == crash), "{crash:?} is not tried");
                let down = whole.apply(&rules, now, crash).expect("it is possible");
                assert!(down.queues.iter().flatten().count() <= now.queues.iter().flatten().count());
                let back = whole
                    .apply(&rules, &down, Action::Member(member as u8, FaultEvent::Recover).into())
                    .expect("so is this");
                back.seats[member].status().term
            };
            assert_eq!(found_after(&mut whole, CrashPoint::TornWrite), now.seats[member].status().term);
            torn += 1;
            assert_eq!(found_after(&mut whole, CrashPoint::Sends(0)), next.seats[member].status().term);
            written += 1;
        }
    }
    let count = |midway| {
        graph.steps.iter().flatten().filter(|(action, _)| action.crash_after == Some(midway)).count()
    };
    assert!(torn > 0);
    assert_eq!((count(CrashPoint::TornWrite), count(CrashPoint::Sends(0)) >= written), (torn, true));
    // If nobody comes back, nobody can tell.
    let graph = Explored::new::<Toy>(&plan, FaultBudget { recoveries: 0, ..liberties });
    assert!(
        graph.steps.iter().flatten().all(|(action, _)| action.crash_after != Some(CrashPoint::TornWrite))
    );
}

#[test]
fn leaders_are_asked_and_nobody_else() {
    type Toy = Played<Leased<SOUND>>;
    let graph = Explored::new::<Toy>(&complete(&[1, 2, 3]), FaultBudget { requests: 1, ticks: 3, ..ON_TIME });
    let mut asked = BTreeSet::new();
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        for &(action, next) in steps {
            let Action::Member(member, FaultEvent::Request(asked_for)) = action.what else { continue };
            assert_eq!(now.seats[member as usize].status().role, Role::Leader);
            assert_eq!((now.spent.requests, graph.situations[next].spent.requests), (0, 1));
            let leads = graph.situations[next].seats[member as usize].facts(&Toy::SPEC).leads;
            assert_eq!(
                leads,
                asked_for != Request::Resign && now.seats[member as usize].facts(&Toy::SPEC).leads
            );
            asked.insert((member, asked_for));
        }
    }
    let expected =
        [Request::Resign, Request::Transfer(Id::new(1).unwrap()), Request::Transfer(Id::new(2).unwrap())]
            .map(|request| (2, request));
    assert_eq!(asked, BTreeSet::from(expected), "the third leads first, and there is time for no other");
}
