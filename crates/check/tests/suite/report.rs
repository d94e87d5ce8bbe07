//! What a family of checks comes to, and that its counterexamples are replayed once.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_check::{
    CheckOptions, CheckPlan, CheckReport, CheckRequest, CheckResult, Effort, FaultOptions, InitiatorSets,
    PlanError, Property, check,
};
use bellwether_core::machine::{Outputs, Place};
use bellwether_core::{AnyMachine, DynValue, Entry, Id, MachineType, Order};
use bellwether_model::follow::replay;
use bellwether_model::{FaultBudget, TimeModel, Transition};
use bellwether_runspec::RunSpec;
use bellwether_sim::JsonTrace;
use bellwether_testkit::memory_trace::MemoryTrace;
use std::sync::atomic::{AtomicUsize, Ordering};

const EFFORT: Effort =
    Effort { reduction: true, symmetry: true, threads: 1, memory: 1 << 30, states: u64::MAX, time: None };

fn request(algorithm: Entry, n: u64, faults: FaultOptions) -> CheckRequest {
    CheckRequest {
        algorithm,
        run: RunSpec { nodes: Some(n), order: Some(Order::Worst), ..RunSpec::default() },
        all_orders: false,
        initiators: InitiatorSets::All,
        faults,
    }
}

fn run(plan: &CheckPlan) -> CheckReport {
    plan.run(&EFFORT, &|_| ()).expect("every case can be checked")
}

/// How many members have booted.
static BOOTS: AtomicUsize = AtomicUsize::new(0);

fn counted_boot(place: Place<'_>, saved: &dyn DynValue, outputs: &mut Outputs) -> AnyMachine {
    BOOTS.fetch_add(1, Ordering::Relaxed);
    (MachineType::of::<ChangRoberts>().boot)(place, saved, outputs)
}

static COUNTED: MachineType = MachineType { boot: counted_boot, ..*MachineType::of::<ChangRoberts>() };

/// How many members boot while something is done.
fn boots_in<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = BOOTS.load(Ordering::Relaxed);
    let done = work();
    (BOOTS.load(Ordering::Relaxed) - before, done)
}

#[test]
fn a_counterexample_is_replayed_once_and_read_without_replaying() {
    let algorithm = Entry { machine: &COUNTED, ..Entry::events::<ChangRoberts>() };
    let one_crash = FaultOptions::of(FaultBudget { crashes: 1, ..FaultBudget::NONE });
    let plan = CheckPlan::new(request(algorithm, 4, one_crash)).expect("it can be checked");
    let (in_all, report) = boots_in(|| run(&plan));

    // What the search alone boots. It is the same each time, as one thread makes it.
    let case = plan.cases().next().expect("one case").expect("it can be run");
    let Effort { reduction, symmetry, threads, memory, states, time } = EFFORT;
    let liberties = plan.liberties;
    let options =
        CheckOptions { liberties, reduction, symmetry, claims: true, threads, memory, states, time };
    let (in_search, checked) = boots_in(|| check(&COUNTED, &case.plan, &options, &|_| ()));
    let violated = checked.findings.iter().filter(|finding| finding.verdict == CheckResult::Violated).count();
    assert!(violated > 0 && in_search > 0);

    // What one replay of each counterexample boots: each member whose boot is one of its steps.
    let violations: Vec<_> = report.properties.iter().filter_map(|one| one.violation.as_ref()).collect();
    assert_eq!(violations.len(), violated);
    let mut in_replays = 0;
    for violation in &violations {
        let schedule = violation.plan.schedule.as_ref().expect("its steps");
        let (boots, _) = boots_in(|| replay(&algorithm, &violation.plan, schedule));
        let is_boot = |action: &&Transition| action.what.is_boot();
        assert_eq!(boots, violation.run.actions.iter().filter(is_boot).count());
        assert!(boots > 0, "a replay is not counted");
        in_replays += boots;
    }
    assert_eq!(in_all, in_search + in_replays, "each counterexample is replayed once");

    // Everything that is to be known of a counterexample is read without another replay.
    let (in_reading, ()) = boots_in(|| {
        assert_eq!(report.verdict(), CheckResult::Violated);
        let (property, violation) = report.gravest().expect("a violation");
        assert_eq!(property, Property::Eventually);
        assert_eq!(violation.steps().len(), violation.run.actions.len());
        assert_eq!(violation.ids().len(), 4);
        let recording = violation.recording.as_ref().expect("it is short");
        let mut memory = MemoryTrace::default();
        let shown = violation.show(&mut memory);
        assert_eq!(format!("{shown:?}"), format!("{:?}", violation.report));
        assert!(memory.steps().len() >= recording.steps.len());
        let plan = &violation.plan;
        let mut trace = JsonTrace::new(Vec::new(), &plan.topology, &plan.ranks, &"header");
        violation.show(&mut trace);
        let text = String::from_utf8(trace.finish(&"footer").expect("memory is written")).expect("JSON");
        assert!(text.lines().count() > recording.steps.len(), "{text}");
    });
    assert_eq!(in_reading, 0, "reading a report replays nothing");
}

#[test]
fn what_cannot_be_checked_is_refused_before_a_search() {
    let chang_roberts = || Entry::events::<ChangRoberts>();
    let none = FaultOptions::default();
    let refused = |request| CheckPlan::new(request).expect_err("it cannot be checked");
    assert!(matches!(refused(request(chang_roberts(), 33, none)), PlanError::TooManyMembers { n: 33 }));
    let recoveries = FaultOptions::of(FaultBudget { recoveries: 1, ..FaultBudget::NONE });
    assert!(matches!(refused(request(chang_roberts(), 2, recoveries)), PlanError::NothingToRecover));
    let crashes = FaultOptions::of(FaultBudget { crashes: 3, ..FaultBudget::NONE });
    let error = refused(request(chang_roberts(), 2, crashes));
    assert!(matches!(error, PlanError::TooManyCrashes { crashes: 3, most: 2 }), "{error}");
    let clock = |grain, drift| {
        FaultOptions::of(FaultBudget { time: TimeModel::Clock { grain, drift }, ..FaultBudget::NONE })
    };
    let drift = clock(1, 10);
    assert!(matches!(refused(request(chang_roberts(), 2, drift)), PlanError::NoClock { field: "drift" }));
    let unnoticed = FaultOptions { has_clock: Some(true), ..clock(2, 1) };
    let error = refused(request(chang_roberts(), 2, unnoticed));
    assert!(matches!(error, PlanError::DriftUnnoticed { drift: 1 }), "{error}");
    let false_alarms = FaultOptions::of(FaultBudget { false_alarms: 1, ..FaultBudget::NONE });
    assert!(matches!(refused(request(chang_roberts(), 2, false_alarms)), PlanError::NoDetector));
    let any = CheckRequest { initiators: InitiatorSets::Any, ..request(chang_roberts(), 32, none) };
    assert!(matches!(refused(any), PlanError::TooManyCases { n: 32, .. }));
    let stranger = InitiatorSets::Ids(vec![Id::new(9).expect("an id")]);
    let stranger = CheckRequest { initiators: stranger, ..request(chang_roberts(), 2, none) };
    assert!(matches!(refused(stranger), PlanError::Setup(_)));
}

/// All sets of initiators in all orders of three members: 2 turns of the ring, and 7 sets for each.
#[test]
fn a_family_is_its_cases_one_after_the_other() {
    let family = CheckRequest {
        all_orders: true,
        initiators: InitiatorSets::Any,
        ..request(Entry::events::<ChangRoberts>(), 3, FaultOptions::default())
    };
    let plan = CheckPlan::new(family).expect("it can be checked");
    let cases: Vec<_> = plan.cases().map(|case| case.expect("it can be run")).collect();
    assert_eq!((plan.size, cases.len()), (2 * 7, 2 * 7));
    let options = CheckOptions {
        liberties: FaultBudget { draws: u8::MAX, ..FaultBudget::NONE },
        reduction: true,
        symmetry: true,
        claims: true,
        threads: 1,
        memory: 1 << 30,
        states: u64::MAX,
        time: None,
    };
    let machine = plan.algorithm.machine;
    let each = cases.iter().map(|case| check(machine, &case.plan, &options, &|_| ()).progress.states);
    let report = run(&plan);
    assert_eq!((report.verdict(), report.checked, report.states), (CheckResult::Holds, 14, each.sum()));
    assert!(report.gravest().is_none());
}
