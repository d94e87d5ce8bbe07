//! Helpers that the tests of ZooKeeper's election and of Paxos share.

use crate::support::{Reigns, at, complete, run};
use bellwether_check::{CheckOptions, CheckResult, Checked, Property, check as check_machine};
use bellwether_core::{Algorithm, Entry, FaultEvent, MachineType};
use bellwether_lab::swarm::{Model, Options, draw};
use bellwether_model::{FaultBudget, TimeModel, follow};
use bellwether_sim::schedule::Instruction;
use bellwether_sim::{Happening, Plan, Report, Schedule};
use bellwether_testkit::casts::Cast;
use std::collections::BTreeSet;

/// The leader of each term, in the order of terms.
pub fn led(reigns: &Reigns) -> Vec<(u64, u32)> {
    let led: BTreeSet<(u64, u32)> = reigns.0.iter().map(|&(_, member, term)| (term, member)).collect();
    led.into_iter().collect()
}

/// Runs a plan, and checks that no two members lead in one term.
pub fn run_safely<A: Algorithm>(plan: &Plan) -> Report {
    let (report, reigns) = run::<A>(plan);
    assert_eq!(reigns.shared_term(), None, "{:?}", led(&reigns));
    report
}

/// These members, which know each other; the time limit is long after the expected end.
pub fn network(cast: &Cast) -> Plan {
    Plan { limits: complete(1).limits, ..cast.complete() }
}

/// These members crash, and recover two hops later.
pub fn restart(members: impl IntoIterator<Item = u32>, hop: u64) -> Vec<Happening> {
    let back = |member| [at(hop, FaultEvent::Crash, member), at(hop + 2, FaultEvent::Recover, member)];
    members.into_iter().flat_map(back).collect()
}

/// When the last member began to name the leader that it names at the end, in hops.
pub fn all_know_at(report: &Report) -> u64 {
    report.known_between().expect("they know").1.hops() as u64
}

/// In swarms of five to nine, no two members ever lead in one term; and under the declared faults, every run
/// recovers.
pub fn assert_survives<A: Algorithm>(seeds: u64) {
    let options = Options { nodes: 5..=9, detector: None };
    let models = Model::ALL.into_iter().filter(|model| model.is_survived_by(&A::SPEC));
    for (model, seed) in models.flat_map(|model| (0..seeds).map(move |seed| (model, seed))) {
        let setup = draw(&A::SPEC, model, seed, &options);
        let mut plan = setup.plan(&A::SPEC, seed).expect("the swarm's runs can be run");
        plan.limits.messages = 200_000;
        let report = run_safely::<A>(&plan);
        assert!(report.ruling.is_right(), "{model} seed {seed}: {:?}", report.ruling);
    }
}

/// Plays these steps with the members 1, 2, 3 ..., each of higher rank than those before it: the leader of each term.
pub fn play<A: Algorithm>(n: u32, steps: &[&str]) -> Vec<(u64, u32)> {
    let plan = complete(n);
    let boots = (1..=n).map(|id| format!("boot {id}"));
    let steps = boots.chain(steps.iter().map(|step| (*step).to_owned()));
    let actions: Vec<Instruction> = steps.map(|step| step.parse().expect("a step")).collect();
    let schedule =
        Schedule { liberties: FaultBudget::needed_for(&actions), beginning: 0, actions, loop_from: None };
    let plan = Plan { schedule: Some(schedule.clone()), ..plan };
    follow::check(MachineType::of::<A>(), &plan, &schedule).expect("each step can happen");
    let mut reigns = Reigns::default();
    follow::replay(&Entry::events::<A>(), &plan, &schedule).show(&plan, &mut reigns);
    led(&reigns)
}

/// Every run of n members until there is a leader and all members name one, if messages take at most the bound of the
/// given number of clock steps, and timers expire on time.
pub fn check_on_time<A: Algorithm>(n: u32, grain: u16, liberties: FaultBudget) -> Checked {
    let time = TimeModel::Clock { grain, drift: 0 };
    let options = CheckOptions {
        liberties: FaultBudget { time, stops_at_goal: true, ..liberties },
        reduction: false,
        symmetry: false,
        threads: 0,
        memory: 1 << 30,
        states: 1_000_000,
        time: None,
        claims: false,
    };
    check_machine(MachineType::of::<A>(), &complete(n), &options, &|_| {})
}

/// This holds in every run, and was exercised.
pub fn assert_holds(checked: &Checked, property: Property) {
    let finding = checked.findings.iter().find(|finding| finding.property == property);
    let verdict = finding.map(|finding| finding.verdict);
    assert_eq!(
        verdict,
        Some(CheckResult::Holds),
        "{property:?} {:?} {:?}",
        checked.progress,
        checked.incomplete
    );
}
