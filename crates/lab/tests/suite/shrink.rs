//! The shrinker against a dumb twin that tries everything.

use bellwether_core::{Id, Time};
use bellwether_lab::shrink::{shrink, size};
use bellwether_sim::{Callers, Event, Members, Setup};
use bellwether_testkit::toys::id;

const MEMBERS: u64 = 6;

fn at(tenths: u64) -> Time {
    Time::from_ticks(tenths * 100)
}

/// Six members, to each of whom two things happen.
fn large() -> Setup {
    let kinds = [Event::Crash, Event::Recover, Event::Call];
    let mut script = Vec::new();
    for member in 1..=MEMBERS {
        for offset in 0..2 {
            let what = kinds[(member + offset) as usize % kinds.len()];
            script.push((id(member * 10), what, at(member * 7 + offset * 13)));
        }
    }
    let ids: Vec<Id> = (1..=MEMBERS).map(|member| id(member * 10)).collect();
    Setup { members: Some(Members::Ids(ids)), script, ..Setup::default() }
}

fn members(setup: &Setup) -> &[Id] {
    if let Some(Members::Ids(ids)) = &setup.members { ids } else { &[] }
}

fn count(setup: &Setup, what: Event<Id>) -> usize {
    setup.script.iter().filter(|(_, other, _)| *other == what).count()
}

/// Failures whose smallest cases differ in kind. All but the last shrink to the smallest there is; of the
/// last, which one member alone can show, the greedy search may keep two.
const FAILURES: [fn(&Setup) -> bool; 5] = [
    |setup| members(setup).len() >= 3,
    |setup| count(setup, Event::Crash) >= 1,
    |setup| count(setup, Event::Crash) >= 2 && members(setup).len() >= 4,
    |setup| setup.script.len() >= 5,
    |setup| count(setup, Event::Recover) >= 1 && count(setup, Event::Call) >= 1,
];

/// The smallest that fails, among all that is left when any members and any events are taken away.
fn smallest(fails: fn(&Setup) -> bool) -> (usize, usize, usize) {
    let whole = large();
    let all = members(&whole).to_vec();
    let mut best = size(&whole);
    for kept in 1_u32..1 << MEMBERS {
        let keeps = |id: Id| all.iter().position(|other| *other == id).is_some_and(|at| kept >> at & 1 == 1);
        let ids: Vec<Id> = all.iter().copied().filter(|&id| keeps(id)).collect();
        let left: Vec<_> = whole.script.iter().copied().filter(|(id, ..)| keeps(*id)).collect();
        for events in 0_u32..1 << left.len() {
            let script = (0..left.len()).filter(|at| events >> at & 1 == 1).map(|at| left[at]).collect();
            let setup = Setup { members: Some(Members::Ids(ids.clone())), script, ..whole.clone() };
            if fails(&setup) {
                best = best.min(size(&setup));
            }
        }
    }
    best
}

/// Everything that is left when one member, or one event, is taken away.
fn one_less(setup: &Setup) -> Vec<Setup> {
    let without_member = |gone: &Id| Setup {
        members: Some(Members::Ids(members(setup).iter().copied().filter(|id| id != gone).collect())),
        script: setup.script.iter().copied().filter(|(id, ..)| id != gone).collect(),
        ..setup.clone()
    };
    let without_event = |at: usize| {
        let mut less = setup.clone();
        less.script.remove(at);
        less
    };
    let members = members(setup).iter().map(without_member);
    members.chain((0..setup.script.len()).map(without_event)).collect()
}

#[test]
fn nothing_smaller_fails() {
    for (number, fails) in FAILURES.into_iter().enumerate() {
        let whole = large();
        assert!(fails(&whole));
        let shrunk = shrink(&whole, 9, 10_000, |setup, _| fails(setup), |_, _| Vec::new());
        assert!(fails(&shrunk.setup));
        assert!(!one_less(&shrunk.setup).iter().any(fails), "failure {number}: {:?}", shrunk.setup);
        let is_smallest = size(&shrunk.setup) == smallest(fails);
        assert!(is_smallest || number + 1 == FAILURES.len(), "failure {number}: {:?}", shrunk.setup);
        let again = shrink(&shrunk.setup, shrunk.seed, 10_000, |setup, _| fails(setup), |_, _| Vec::new());
        assert_eq!(format!("{:?}", again.setup), format!("{:?}", shrunk.setup));
        // What is left is as plain as can be.
        let k = members(&shrunk.setup).len() as u64;
        let mut ids: Vec<u64> = members(&shrunk.setup).iter().map(|id| id.value()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=k).collect::<Vec<_>>());
        assert!(shrunk.setup.script.iter().all(|(_, _, at)| at.ticks().is_multiple_of(1000)));
        assert!(matches!(&shrunk.setup.callers, Callers::Ids(callers) if callers.len() <= 1));
        assert_eq!(shrunk.seed, 0);
    }
}

#[test]
fn it_gives_up_when_told_and_keeps_what_fails() {
    for most_runs in [0, 1, 2, 5, 20] {
        let mut runs = 0;
        let shrunk = shrink(
            &large(),
            1,
            most_runs,
            |setup, _| {
                runs += 1;
                FAILURES[2](setup)
            },
            |_, _| Vec::new(),
        );
        assert!(runs <= most_runs && shrunk.runs == runs);
        assert!(FAILURES[2](&shrunk.setup) && size(&shrunk.setup) <= size(&large()));
    }
}
