//! All small rings: every order of ranks, every single initiator and all of them together, for every registered
//! algorithm that runs on a ring.

use bellwether_core::{Elect, Expect, Id, Identities, Initiators, Measure, Order, Rank, Spec, Starts, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::RunSpec;
use bellwether_sim::{Plan, Report, RoundMode, Runner, claims, measured, simulate};
use bellwether_testkit::broken::*;
use std::collections::BTreeMap;
use std::thread;

/// All rings of the ids from 1 to n, clockwise from 1: a rotated ring is the same ring.
fn rings(n: u64) -> Vec<Vec<u64>> {
    (2..=n).fold(vec![vec![1]], |smaller, id| {
        let with_id = |ring: &Vec<u64>, at: usize| {
            let mut larger = ring.clone();
            larger.insert(at, id);
            larger
        };
        smaller.iter().flat_map(|ring| (1..=ring.len()).rev().map(move |at| with_id(ring, at))).collect()
    })
}

/// The algorithms that run on a ring.
fn on_rings() -> Vec<usize> {
    let entries = ALGORITHMS.entries;
    (0..entries.len()).filter(|&entry| entries[entry].spec.need.is_ring()).collect()
}

/// Runs an algorithm on every ring of n with every initiator. Returns the first failure, or the means that were
/// compared.
fn examine(entry: &Runner, n: u64, elect: Elect) -> Result<Vec<&'static str>, String> {
    let spec = entry.spec;
    let setup = RunSpec {
        // A random order is drawn from all orders: the means are claimed for it.
        nodes: Some(n),
        order: Some(Order::Random),
        elect,
        until: Some(Time::from_ticks(10_000_000)),
        max_messages: Some(100_000),
        ..RunSpec::default()
    };
    let mut plan = setup.plan(spec, 0).map_err(|error| error.to_string())?;
    let mut initiators = vec![Initiators::All];
    if spec.starts == Starts::Callers {
        initiators.extend((0..n as u32).map(|member| Initiators::Some(vec![member])));
    }
    let mut means = Means::default();
    for (ids, seed) in rings(n).into_iter().zip(0..) {
        let rank = |id: &u64| Rank::new(elect, 0, Id::new(*id).expect("small ids"));
        plan.ranks = ids.iter().map(rank).collect();
        plan.seed = seed;
        for callers in &initiators {
            plan.initiators = callers.clone();
            let report = simulate(entry, &plan, RoundMode::Auto);
            means.note(spec, &plan, &report);
            let best = if elect == Elect::Best { n } else { 1 };
            complaint(spec, &plan, &report, best).map_or(Ok(()), |what| {
                Err(format!("{} {} {ids:?} {elect:?} {callers:?}: {what}", spec.name, spec.variant))
            })?;
        }
    }
    means.compare(spec)
}

/// The failure of a run, if any.
fn complaint(spec: &Spec, plan: &Plan, report: &Report, best: u64) -> Option<String> {
    let ruling = &report.ruling;
    if let Some(why) = ruling.unsafe_because.as_ref().or(ruling.not_live_because.as_ref()) {
        return Some(why.clone());
    }
    let is_right = match (spec.identities, ruling.leader) {
        (Identities::Unique, leader) => leader.map(Id::value) == Some(best),
        (Identities::Anonymous, leader) => leader.is_some(),
    };
    if !is_right || !report.finished {
        return Some(format!("{ruling:?}"));
    }
    if let Some(claim) = report.claims.iter().find(|claim| !claim.holds) {
        return Some(format!("{claim:?}"));
    }
    let counts = |measure| matches!(measure, Measure::Messages | Measure::MessagesOf(_));
    let claims_a_count = claims(spec, &plan.setting(spec, &[])).any(|(claim, _)| counts(claim.measure));
    (!claims_a_count).then(|| "nothing is claimed of messages".into())
}

/// By claim: the claimed mean, the sum of the measurements, and their number.
#[derive(Default)]
struct Means(BTreeMap<&'static str, (f64, f64, f64)>);

impl Means {
    /// Only if all members start, and the algorithm draws no random numbers.
    fn note(&mut self, spec: &'static Spec, plan: &Plan, report: &Report) {
        if spec.randomised || plan.initiators != Initiators::All {
            return;
        }
        for (claim, expect) in claims(spec, &plan.setting(spec, &[])) {
            if let (Expect::OnAverage(figure), Some(measured)) = (expect, measured(report, claim.measure)) {
                let (_, sum, runs) = self.0.entry(claim.name).or_insert((figure, 0.0, 0.0));
                *sum += measured;
                *runs += 1.0;
            }
        }
    }

    /// Over all orders, a mean is exact.
    fn compare(self, spec: &Spec) -> Result<Vec<&'static str>, String> {
        let is_met = |&(figure, sum, runs): &(f64, f64, f64)| (sum / runs - figure).abs() <= 1e-9 * figure;
        match self.0.iter().find(|(_, mean)| !is_met(mean)) {
            Some((name, mean)) => Err(format!("{} {}: {name} {mean:?}", spec.name, spec.variant)),
            None => Ok(self.0.into_keys().collect()),
        }
    }
}

/// Examines all ring algorithms, each on its own thread.
fn assert_all(n: u64, elect: Elect) {
    let found: Vec<String> = thread::scope(|scope| {
        let examiners: Vec<_> = on_rings()
            .into_iter()
            .map(|entry| scope.spawn(move || examine(&ALGORITHMS.entries[entry], n, elect)))
            .collect();
        examiners.into_iter().filter_map(|one| one.join().expect("it does not panic").err()).collect()
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn up_to_six_members() {
    for n in 1..=6 {
        for elect in [Elect::Best, Elect::Worst] {
            assert_all(n, elect);
        }
    }
}

#[test]
fn seven_members() {
    assert_all(7, Elect::Best);
}

#[test]
fn eight_members() {
    assert_all(8, Elect::Best);
}

#[test]
fn rings_are_complete_and_distinct() {
    for (n, factorial) in (1..).zip([1, 1, 2, 6, 24, 120, 720, 5_040]) {
        let mut rings = rings(n);
        assert!(rings.iter().all(|ring| ring[0] == 1 && ring.len() == n as usize));
        assert!(rings.iter().all(|ring| (1..=n).all(|id| ring.contains(&id))));
        rings.sort_unstable();
        rings.dedup();
        assert_eq!(rings.len(), factorial, "{n}");
    }
}

#[test]
fn rings_and_means_are_examined() {
    let entries = on_rings();
    for (name, variant, means) in [
        ("lcr", "leader-only", true),
        ("lcr", "deciding", true),
        ("lcr", "halting", true),
        ("chang-roberts", "plain", true),
        ("chang-roberts", "suppressing", false),
        ("modified-ring", "plain", true),
        ("ring-skipping", "plain", false),
        ("hirschberg-sinclair", "plain", true),
        ("peterson", "basic", false),
        ("dolev-klawe-rodeh", "algorithm-a", false),
        ("franklin", "plain", false),
    ] {
        let entry = ALGORITHMS.find(name, Some(variant)).expect("the algorithm is registered");
        assert!(entries.contains(&entry));
        let compared = examine(&ALGORITHMS.entries[entry], 5, Elect::Best).expect("nothing is wrong");
        assert_eq!(compared.contains(&"mean_messages"), means, "{name} {variant}");
    }
    assert!(!entries.contains(&ALGORITHMS.find("bully", None).expect("the algorithm is registered")));
}

bellwether_core::registry! {
    /// Faulty algorithms, each with a different failure for the suite to find.
    static WRONG: Runner = {
        events Ring<SOUND>, Ring<UNDISCERNING>, Ring<WRONG_WAY>, Ring<NO_FLAG>, Ring<SILENT>, Ring<FOR_EVER>;
        events Ring<WRONG_CLAIM>, Ring<WRONG_MEAN>, Ring<NARROW_CLAIM>;
    }
}

#[test]
fn every_fault_is_found() {
    let found =
        |entry: usize| examine(&WRONG.entries[entry], 6, Elect::Best).expect_err("something is wrong");
    assert_eq!(examine(&WRONG.entries[0], 6, Elect::Best), Ok(vec!["mean_messages"]));
    assert!(found(1).contains("but the best live member is 6"), "{}", found(1));
    assert!(found(2).contains("but the best live member is 6"), "{}", found(2));
    assert!(found(3).contains("holds: false"), "{}", found(3));
    assert!(found(4).contains("no live member leads"), "{}", found(4));
    assert!(found(5).contains("the run was stopped"), "{}", found(5));
    assert!(found(6).contains("n + 1"), "{}", found(6));
    assert!(found(7).contains("mean_messages"), "{}", found(7));
    // Of 120 rings only one is the worst, the last, and only if all start.
    assert!(found(8).contains("[1, 6, 5, 4, 3, 2] Best All"), "{}", found(8));
}
