//! The shrinker against a dumb twin that tries everything.

use bellwether_core::{FaultEvent, Id, Time};
use bellwether_lab::shrink::{shrink, size};
use bellwether_runspec::{Callers, RunSpec, Script};
use bellwether_testkit::toys::id;

const MEMBERS: u64 = 6;

fn at(tenths: u64) -> Time {
    Time::from_ticks(tenths * 100)
}

/// Six members, to each of whom two things happen.
fn large() -> RunSpec {
    let kinds = [FaultEvent::Crash, FaultEvent::Recover, FaultEvent::Call];
    let mut script = Vec::new();
    for member in 1..=MEMBERS {
        for offset in 0..2 {
            let what = kinds[(member + offset) as usize % kinds.len()];
            script.push((id(member * 10), what, at(member * 7 + offset * 13)));
        }
    }
    let ids: Vec<Id> = (1..=MEMBERS).map(|member| id(member * 10)).collect();
    RunSpec { ids, script: Script::of(script), seed: 9, ..RunSpec::default() }
}

fn count(setup: &RunSpec, what: FaultEvent<Id>) -> usize {
    setup.script.events().filter(|(_, other, _)| *other == what).count()
}

/// Failures whose smallest cases differ in kind. All but the last shrink to the smallest there is; of the
/// last, which one member alone can show, the greedy search may keep two.
const FAILURES: [fn(&RunSpec) -> bool; 5] = [
    |setup| setup.ids.len() >= 3,
    |setup| count(setup, FaultEvent::Crash) >= 1,
    |setup| count(setup, FaultEvent::Crash) >= 2 && setup.ids.len() >= 4,
    |setup| setup.script.len() >= 5,
    |setup| count(setup, FaultEvent::Recover) >= 1 && count(setup, FaultEvent::Call) >= 1,
];

/// The smallest that fails, among all that is left when any members and any events are taken away.
fn smallest(fails: fn(&RunSpec) -> bool) -> (usize, usize, usize) {
    let whole = large();
    let all = whole.ids.clone();
    let mut best = size(&whole);
    for kept in 1_u32..1 << MEMBERS {
        let keeps = |id: Id| all.iter().position(|other| *other == id).is_some_and(|at| kept >> at & 1 == 1);
        let ids: Vec<Id> = all.iter().copied().filter(|&id| keeps(id)).collect();
        let left: Vec<_> = whole.script.events().filter(|(id, ..)| keeps(*id)).collect();
        for events in 0_u32..1 << left.len() {
            let script = Script::of((0..left.len()).filter(|at| events >> at & 1 == 1).map(|at| left[at]));
            let setup = RunSpec { ids: ids.clone(), script, ..whole.clone() };
            if fails(&setup) {
                best = best.min(size(&setup));
            }
        }
    }
    best
}

/// Everything that is left when one member, or one event, is taken away.
fn one_less(setup: &RunSpec) -> Vec<RunSpec> {
    let without_member = |gone: &Id| RunSpec {
        ids: setup.ids.iter().copied().filter(|id| id != gone).collect(),
        script: Script::of(setup.script.events().filter(|(id, ..)| id != gone)),
        ..setup.clone()
    };
    let without_event = |at: usize| {
        let others = setup.script.iter().enumerate().filter(|(other, _)| *other != at);
        RunSpec { script: others.map(|(_, line)| line.clone()).collect(), ..setup.clone() }
    };
    let members = setup.ids.iter().map(without_member);
    members.chain((0..setup.script.len()).map(without_event)).collect()
}

#[test]
fn nothing_smaller_fails() {
    for (number, fails) in FAILURES.into_iter().enumerate() {
        let whole = large();
        assert!(fails(&whole));
        let shrunk = shrink(&whole, 10_000, fails, |_| Vec::new());
        assert!(fails(&shrunk.run));
        assert!(!one_less(&shrunk.run).iter().any(fails), "failure {number}: {:?}", shrunk.run);
        let is_smallest = size(&shrunk.run) == smallest(fails);
        assert!(is_smallest || number + 1 == FAILURES.len(), "failure {number}: {:?}", shrunk.run);
        let again = shrink(&shrunk.run, 10_000, fails, |_| Vec::new());
        assert_eq!(again.run, shrunk.run);
        // What is left is as plain as can be.
        let k = shrunk.run.ids.len() as u64;
        let mut ids: Vec<u64> = shrunk.run.ids.iter().map(|id| id.value()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=k).collect::<Vec<_>>());
        assert!(shrunk.run.script.events().all(|(_, _, at)| at.ticks().is_multiple_of(1000)));
        assert!(matches!(&shrunk.run.initiators, Callers::Ids(callers) if callers.len() <= 1));
        assert_eq!(shrunk.run.seed, 0);
    }
}

#[test]
fn it_gives_up_when_told_and_keeps_what_fails() {
    for most_runs in [0, 1, 2, 5, 20] {
        let mut runs = 0;
        let shrunk = shrink(
            &large(),
            most_runs,
            |setup| {
                runs += 1;
                FAILURES[2](setup)
            },
            |_| Vec::new(),
        );
        assert!(runs <= most_runs && shrunk.tried == runs);
        assert!(FAILURES[2](&shrunk.run) && size(&shrunk.run) <= size(&large()));
    }
}
