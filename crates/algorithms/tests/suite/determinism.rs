//! The same plan gives the same run, to the byte, on every machine and on any number of cores.

use bellwether_core::{FaultEvent, Id, Order, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_lab::{Seeds, batch};
use bellwether_runspec::{RunSpec, Script};
use bellwether_sim::simulate_observed;
use bellwether_sim::{JsonTrace, LinkOrder, Plan, Report, RoundMode, TRACE_VERSION, simulate};
use bellwether_testkit::casts::DELAYS;
use bellwether_testkit::memory_trace::MemoryTrace;

fn entry(name: &str, variant: &str) -> usize {
    ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered")
}

fn setup(n: u64, delay: &str) -> RunSpec {
    RunSpec {
        nodes: Some(n),
        order: Some(Order::Random),
        delay: delay.parse().expect("a delay"),
        ..RunSpec::default()
    }
}

fn json_trace(entry: usize, plan: &Plan, mode: RoundMode) -> (Report, Vec<u8>) {
    let header = serde_json::json!({ "trace": TRACE_VERSION, "seed": plan.seed });
    let mut trace = JsonTrace::new(Vec::new(), &plan.topology, &plan.ranks, &header);
    let report = simulate_observed(&ALGORITHMS.entries[entry], plan, mode, &mut trace);
    let bytes = trace.finish(&report.ruling).expect("writing to memory");
    (report, bytes)
}

fn memory_trace(entry: usize, plan: &Plan, mode: RoundMode) -> (Report, MemoryTrace) {
    let mut trace = MemoryTrace::default();
    let report = simulate_observed(&ALGORITHMS.entries[entry], plan, mode, &mut trace);
    (report, trace)
}

#[test]
fn same_plan_gives_same_run() {
    for (index, of) in ALGORITHMS.entries.iter().enumerate() {
        for delay in DELAYS {
            for mode in [RoundMode::Auto, RoundMode::Synchroniser] {
                let setup = setup(9, delay);
                let plan = || setup.plan(of.spec, 5).expect("the plan is valid");
                let (report, json) = json_trace(index, &plan(), mode);
                let (again, json_again) = json_trace(index, &plan(), mode);
                assert!(json == json_again, "{} {delay}", of.spec.name);
                let (in_memory, steps) = memory_trace(index, &plan(), mode);
                let (in_memory_again, steps_again) = memory_trace(index, &plan(), mode);
                assert_eq!(steps, steps_again);
                let unwatched = simulate(&ALGORITHMS.entries[index], &plan(), mode);
                for other in [again, in_memory, in_memory_again, unwatched] {
                    assert_eq!(report, other, "watching changes nothing: {} {delay}", of.spec.name);
                }
            }
        }
    }
}

#[test]
fn other_seed_gives_other_run() {
    let of = entry("chang-roberts", "plain");
    let spec = ALGORITHMS.entries[of].spec;
    for delay in &DELAYS[1..] {
        let with_seed = |seed| {
            let mut plan = setup(9, delay).plan(spec, 1).expect("the plan is valid");
            plan.seed = seed;
            json_trace(of, &plan, RoundMode::Auto).1
        };
        assert!(with_seed(1) != with_seed(2), "{delay}");
    }
    let order = |seed| setup(9, "unit").plan(spec, seed).expect("the plan is valid").ranks;
    assert_ne!(order(1), order(2), "orders are drawn from the seed");
}

#[test]
fn number_of_cores_does_not_matter() {
    for (index, of) in ALGORITHMS.entries.iter().enumerate() {
        let setup = setup(12, "lognormal:0,0.5");
        let many = |threads| {
            let seeds = Seeds { first: 100, count: 40 };
            batch::run_each(&ALGORITHMS.entries[index], &setup, &[], seeds, threads, |plan, report| {
                (plan.seed, plan.ranks.clone(), report)
            })
            .expect("the plan is valid")
        };
        let alone = many(1);
        assert_eq!(alone, many(2), "{}", of.spec.name);
        assert!(alone.iter().map(|(seed, ..)| *seed).eq(100..140), "in the order of seeds");
        for (seed, ranks, report) in &alone {
            let plan = setup.plan(of.spec, *seed).expect("the plan is valid");
            assert_eq!(&plan.ranks, ranks);
            assert_eq!(report, &simulate(&ALGORITHMS.entries[index], &plan, RoundMode::Auto));
        }
    }
}

/// Fowler, Noll and Vo's hash, 1a, of a trace without the reasons: their wording may change.
fn fnv(trace: &[u8]) -> u64 {
    let is_reason = |line: &[u8]| line.windows(16).any(|part| part == br#""event":"reason""#);
    let lines = trace.split_inclusive(|&byte| byte == b'\n').filter(|line| !is_reason(line));
    lines.flatten().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// These hashes are the guarantee of the trace format: a recorded seed gives this run on every machine and in every
/// later version. If one differs, a stream of random numbers, the order of events or the format has changed, and
/// [`TRACE_VERSION`] has to change with it.
const GOLDEN: [(&str, &str, &str, u64); 12] = [
    ("chang-roberts", "plain", "unit", 0x99C7_F43B_F026_BB98),
    ("chang-roberts", "plain", "uniform:1..4", 0x385E_7643_4529_9B42),
    ("chang-roberts", "plain", "uniform:0.1..3.0", 0x1AF2_9E72_0267_FE8D),
    ("chang-roberts", "plain", "exponential:1", 0x6E8C_B0BD_EF40_4607),
    ("chang-roberts", "plain", "lognormal:0,0.5", 0x41E8_769E_80A8_29B2),
    ("chang-roberts", "suppressing", "uniform:0.1..3.0", 0xB031_7C28_F004_15BD),
    ("lcr", "leader-only", "unit", 0x406F_3DA8_CEAB_72A0),
    ("lcr", "halting", "unit", 0xC304_DD9E_5A4F_B265),
    ("lcr", "halting", "exponential:1", 0x891E_65D5_79E5_3C7F),
    ("bully", "at-once", "unit", 0x5240_7FBF_DB82_A401),
    ("bully", "at-once", "uniform:0.1..3.0", 0x511B_0648_8AA9_63B3),
    ("bully", "waiting", "lognormal:0,0.5", 0xBEF3_AF87_0AED_A481),
];

#[test]
fn traces_are_the_same_on_every_machine() {
    let mut differ = Vec::new();
    for (name, variant, delay, promised) in GOLDEN {
        let of = entry(name, variant);
        let plan = setup(10, delay).plan(ALGORITHMS.entries[of].spec, 2024).expect("the plan is valid");
        let hash = fnv(&json_trace(of, &plan, RoundMode::Auto).1);
        if hash != promised {
            differ.push(format!("(\"{name}\", \"{variant}\", \"{delay}\", {hash:#018X})"));
        }
    }
    assert!(differ.is_empty(), "these traces have changed:\n{}", differ.join(",\n"));
}

/// The same guarantee for a run with all kinds of events: crashes, late starts and calls, overtaking.
const GOLDEN_DISTURBED: u64 = 0x1355_C840_4972_910D;

#[test]
fn disturbed_traces_are_the_same_on_every_machine() {
    let id = |value| Id::new(value).expect("small ids");
    let of = entry("bully", "at-once");
    let setup = RunSpec {
        links: LinkOrder::Reordering,
        script: Script::of([
            (id(8), FaultEvent::Crash, Time::ZERO),
            (id(3), FaultEvent::Start, Time::from_ticks(500)),
            (id(7), FaultEvent::Crash, Time::from_ticks(1_234)),
            (id(2), FaultEvent::Call, Time::from_ticks(40_000)),
        ]),
        ..setup(8, "uniform:0.1..3.0")
    };
    let plan = setup.plan(ALGORITHMS.entries[of].spec, 7).expect("the plan is valid");
    let (report, json) = json_trace(of, &plan, RoundMode::Auto);
    assert_eq!(report.ruling.leader, Some(id(6)));
    assert_eq!(fnv(&json), GOLDEN_DISTURBED, "{:#018X}", fnv(&json));
}
