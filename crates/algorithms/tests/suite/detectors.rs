//! Every algorithm runs with every detector; and the lecture's arguments about broken detectors.

use bellwether_algorithms::DETECTORS;
use bellwether_core::{DetectorChoice, Elect, FaultEvent, HOP, Order, Port, Time, Verdict};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::{Chosen, RunSpec};
use bellwether_sim::{Limits, Observer, Plan, Report, RoundMode, simulate_observed};
use bellwether_testkit::casts::disturbed::happens;
use bellwether_testkit::casts::{Cast, set_delay};

/// All runs here end before this.
const LIMITS: Limits = Limits { messages: 100_000, time: Time::from_ticks(20_000_000) };

fn choice(text: &str) -> DetectorChoice {
    DetectorChoice::parse(DETECTORS, text).expect("a detector")
}

/// The reports: receiver, time in ticks, neighbour and verdict.
#[derive(Default)]
struct Told(Vec<(u64, u32, Port, Verdict)>);

impl Observer for Told {
    fn suspected(&mut self, at: Time, member: u32, peer: Port, verdict: Verdict) {
        self.0.push((at.ticks(), member, peer, verdict));
    }
}

fn run(name: &str, plan: &Plan) -> (Report, Told) {
    let mut told = Told::default();
    let entry = ALGORITHMS.find(name, None).expect("the algorithm is registered");
    let report = simulate_observed(&ALGORITHMS.entries[entry], plan, RoundMode::Auto, &mut told);
    (report, told)
}

/// Without faults, an accurate detector changes nothing.
#[test]
fn every_algorithm_elects_with_every_accurate_detector() {
    for (at, entry) in ALGORITHMS.entries.iter().enumerate() {
        for detector in DETECTORS.iter().filter(|detector| detector.name != "inaccurate") {
            for n in [1, 2, 5] {
                let setup = RunSpec {
                    nodes: Some(n),
                    order: Some(Order::Random),
                    detector: Some(detector.name.to_owned()),
                    until: Some(LIMITS.time),
                    max_messages: Some(LIMITS.messages),
                    ..RunSpec::default()
                };
                let chosen = Chosen::of(entry.spec, &setup, DETECTORS).expect("the algorithm is registered");
                let plan = setup.plan(chosen, n).expect("the plan is valid");
                let mut told = Told::default();
                let report = simulate_observed(&ALGORITHMS.entries[at], &plan, RoundMode::Auto, &mut told);
                let context = format!("{} {} {} n {n}", entry.spec.name, entry.spec.variant, detector.name);
                assert!(report.ruling.unsafe_because.is_none(), "{context}: {report:?}");
                assert!(report.ruling.not_live_because.is_none() && report.finished, "{context}: {report:?}");
                assert_eq!(told.0, [], "{context}");
                assert!(report.signals > 0 || detector.is_oracle || n == 1, "{context}");
            }
        }
    }
}

/// Five members, of which the highest-ranked crashes long after its election.
fn leader_dies(detector: &str, delay: &str) -> (Cast, Plan) {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let mut plan = cast.complete();
    set_delay(&mut plan, delay);
    plan.detector = Some(choice(detector));
    plan.script = vec![happens(FaultEvent::Crash, 4, 100 * HOP.ticks())];
    plan.limits = LIMITS;
    (cast, plan)
}

#[test]
fn every_complete_detector_lets_a_dead_leader_be_replaced() {
    for detector in DETECTORS.iter().filter(|detector| !["incomplete", "inaccurate"].contains(&detector.name))
    {
        for delay in ["unit", "uniform:0.1..1.0"] {
            let (cast, plan) = leader_dies(detector.name, delay);
            let (report, told) = run("bully", &plan);
            let context = format!("{} {delay}: {report:?} {:?}", detector.name, told.0);
            assert_eq!(report.ruling.leader, Some(cast.id(3)), "{context}");
            assert!(report.ruling.agreed && report.finished, "{context}");
            // Each member gets one report of the crash, and no other report.
            let failed: Vec<_> = told.0.iter().filter(|(.., verdict)| *verdict == Verdict::Failed).collect();
            assert_eq!(failed.len(), 4, "{context}");
            assert!(failed.iter().all(|(at, ..)| *at >= 100 * HOP.ticks()), "{context}");
            assert!(told.0.iter().all(|(.., verdict)| *verdict != Verdict::Working), "{context}");
        }
    }
}

/// The heartbeat's time is exact: the last beats were sent at 95 and arrived at 96, and T + D later the crash is
/// known. With equal delays D may be 0, because a beat that arrives exactly when due is in time.
#[test]
fn crash_is_reported_at_the_exact_time() {
    for (detector, hops) in [("heartbeat:T=5,D=2", 103), ("heartbeat:T=5,D=0", 101)] {
        let (_, plan) = leader_dies(detector, "unit");
        let (_, told) = run("bully", &plan);
        assert!(told.0.iter().all(|(at, ..)| *at == hops * HOP.ticks()), "{detector}: {:?}", told.0);
        assert_eq!(told.0.len(), 4, "{detector}");
    }
}

#[test]
fn returning_member_is_reported_as_working() {
    for detector in ["heartbeat", "ping", "three-valued", "learned", "bayes", "perfect"] {
        let (cast, mut plan) = leader_dies(detector, "unit");
        plan.script.push(happens(FaultEvent::Recover, 4, 400 * HOP.ticks()));
        let (report, told) = run("bully", &plan);
        assert_eq!(report.ruling.leader, Some(cast.id(4)), "{detector}: {report:?}");
        let working: Vec<_> = told.0.iter().filter(|(.., verdict)| *verdict == Verdict::Working).collect();
        assert_eq!(working.len(), 4, "{detector}: {:?}", told.0);
        assert!(working.iter().all(|(at, ..)| *at >= 400 * HOP.ticks()), "{detector}: {:?}", told.0);
    }
}

/// Lecture 002: incompleteness violates safety, inaccuracy violates liveness.
#[test]
fn broken_detectors_break_elections() {
    let (cast, plan) = leader_dies("incomplete", "unit");
    let (report, told) = run("bully", &plan);
    assert_eq!(told.0, []);
    assert_ne!(report.ruling.leader, Some(cast.id(3)), "no member detected the crash");
    assert!(report.ruling.unsafe_because.is_some() || report.ruling.not_live_because.is_some(), "{report:?}");

    let (_, plan) = leader_dies("inaccurate", "unit");
    let (report, _) = run("bully", &plan);
    assert!(!report.finished && report.ruling.not_live_because.is_some(), "the run must not end: {report:?}");
}

/// Between the two bounds no leader is deposed.
#[test]
fn suspicion_alone_changes_nothing() {
    let (cast, mut plan) = leader_dies("three-valued:T=5,D1=1,D2=50", "unit");
    // It is frozen for longer than T + D1, and for less than T + D2.
    plan.script = vec![happens(FaultEvent::Pause, 4, 100_000), happens(FaultEvent::Resume, 4, 130_000)];
    let (report, told) = run("bully", &plan);
    assert_eq!(report.ruling.leader, Some(cast.id(4)), "{report:?}");
    assert_eq!(report.stability.changes, 0, "{report:?}");
    let suspected = told.0.iter().filter(|(.., verdict)| *verdict == Verdict::Suspected).count();
    assert!(suspected >= 4 && told.0.iter().all(|(.., verdict)| *verdict != Verdict::Failed), "{:?}", told.0);
}
