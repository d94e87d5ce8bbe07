//! The cost of the repaired Chang-Roberts variants without failures.

use crate::run;
use bellwether_algorithms::{chang_roberts_detector::WithDetector, chang_roberts_timeout::NeighbourTimeout};
use bellwether_core::{Algorithm, HOP, Time};
use bellwether_sim::Plan;
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, assert_claims, assert_elected, called_by, clockwise, sent, set_delay,
};
use bellwether_testkit::dice::Dice;

/// The hops of the highest initiator's run, and of the other runs until a higher initiator discards them.
fn hops(cast: &Cast, initiators: &[usize]) -> (u64, u64) {
    let n = cast.n();
    let best = cast.best_of(initiators.iter().copied());
    let stopped = initiators.iter().filter_map(|&one| {
        let better = initiators.iter().filter(|&&other| cast.beats(other, one));
        better.map(|&other| clockwise(n, one, other)).min()
    });
    let stopped: usize = stopped.sum();
    ((clockwise(n, best, cast.best()) + 2 * n) as u64, stopped as u64)
}

fn check<A: Algorithm>(cast: &Cast, network: fn(&Cast) -> Plan, initiators: &[usize]) {
    let callers: Vec<u32> = initiators.iter().map(|&member| member as u32).collect();
    let (completed, stopped) = hops(cast, initiators);
    // A single member of a complete network sends nothing.
    let is_silent = network(cast).topology.links() == 0;
    let [completed, stopped, n] =
        [completed, stopped, cast.n() as u64].map(|figure| if is_silent { 0 } else { figure });
    for (delay, seeds) in [("unit", 1), ("uniform:0.1..2.0", 2)] {
        for seed in 0..seeds {
            let mut plan = called_by(network(cast), &callers);
            set_delay(&mut plan, delay);
            plan.seed = seed;
            let report = run::<A>(&plan);
            let context = format!("{} {cast:?} {initiators:?} {delay} {seed}", A::SPEC.variant);
            assert_elected(&report, cast.id(cast.best()), true, &context);
            assert_eq!(report.messages.total, completed + stopped, "{context}");
            assert_eq!(sent(&report, "elected"), n, "{context}");
            let mut figures = vec![("messages", completed + stopped), ("elected", n)];
            if delay == "unit" {
                assert_eq!(report.time, Time::ZERO + HOP * completed, "{context}");
                figures.push(("time", completed));
            }
            assert_claims(&report, &figures, &context);
        }
    }
}

#[test]
fn only_the_highest_initiators_run_completes_at_the_cost_of_plain() {
    let mut dice = Dice(1);
    for (n, elect) in (1..=6).flat_map(|n| BOTH_WAYS.map(|elect| (n, elect))) {
        for cast in [Cast::in_worst_order(elect, n), Cast::with_ties(elect, n, &mut dice)] {
            for set in 1_u32..1 << n {
                let initiators: Vec<usize> = (0..n).filter(|member| set >> member & 1 == 1).collect();
                check::<NeighbourTimeout>(&cast, Cast::ring, &initiators);
                check::<WithDetector>(&cast, Cast::overlay, &initiators);
            }
        }
    }
}
