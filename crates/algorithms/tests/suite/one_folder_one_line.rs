//! A new algorithm is one folder (`support/shout/`) and one line in a registry: commands, tables and tests use it
//! from there.

use crate::support::conformance::assert_conforms;
use crate::support::shout;
use crate::support::subject::Subject;
use bellwether_algorithms::{bully, chang_roberts, lcr};
use bellwether_core::{HOP, Order, Time};
use bellwether_runspec::RunSpec;
use bellwether_sim::{RoundMode, simulate};

bellwether_core::registry! {
    /// The test's own algorithm among others.
    static WITH_SHOUT: Subject = {
        rounds lcr::LeaderOnly, lcr::Halting;
        events chang_roberts::ChangRoberts;
        events shout::Shout;
        events bully::AtOnce;
    }
}

#[test]
fn new_algorithm_conforms_like_all_others() {
    assert_conforms(WITH_SHOUT.entries);
}

#[test]
fn new_algorithm_runs_by_its_name() {
    let entry = WITH_SHOUT.find("shout", None).expect("the algorithm is registered");
    let spec = WITH_SHOUT.entries[entry].spec;
    assert_eq!((spec.name, spec.variant), ("shout", "plain"));
    for n in 1..=40 {
        let setup = RunSpec { nodes: Some(n), order: Some(Order::Random), ..RunSpec::default() };
        let plan = setup.plan(spec, n).expect("the plan is valid");
        let report = simulate(&WITH_SHOUT.entries[entry], &plan, RoundMode::Auto);
        assert!(report.is_as_it_should_be() && report.ruling.agreed, "{report:?}");
        assert_eq!(report.ruling.leader.map(|id| id.value()), Some(n));
        assert_eq!(report.messages.payload, n * (n - 1));
        assert_eq!(report.messages.by_kind["here"], n * (n - 1));
        assert_eq!(report.claims.len(), 1);
        assert_eq!(report.claims[0].expected, (n * (n - 1)) as f64);
        assert_eq!(report.time, Time::ZERO + HOP * u64::from(n > 1));
    }
}
