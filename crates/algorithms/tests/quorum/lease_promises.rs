//! Promises of the quorum lease with different lengths: none becomes shorter while a leader relies on it.

use crate::flawed::Flawed;
use crate::lease_flaws::{PromiseShortened, Sound};
use crate::support::*;
use bellwether_algorithms::quorum_lease::{ADAPTIVE, QuorumLease};
use bellwether_core::*;
use bellwether_sim::Plan;

/// Delays that differ much, so that leases do, with renewals and requests for votes that arrive late, twice or never.
fn late_and_twice(seed: u64) -> Plan {
    let mut plan = with_seed(with_delay(complete(3), "lognormal:-2,1.5"), seed);
    plan.delay_bound = HOP;
    let faults = &mut plan.link_faults;
    (faults.loss, faults.duplication, faults.reordering, faults.held_up) = (0.2, 0.3, 0.4, HOP * 20);
    plan
}

/// In how many of these runs two leases were valid at once, or two members led in one term.
fn unsafe_runs<A: Algorithm>(seeds: std::ops::Range<u64>) -> Vec<u64> {
    let machine = variant::<A>(&ADAPTIVE);
    let is_unsafe = |&seed: &u64| {
        let (report, reigns) = run_of_for(machine, &late_and_twice(seed), 600);
        report.stability.most_leaders > 1 || reigns.shared_term().is_some()
    };
    seeds.filter(is_unsafe).collect()
}

#[test]
fn promise_never_becomes_shorter() {
    assert_eq!(unsafe_runs::<QuorumLease>(0..5_000), [0; 0]);
    assert_eq!(unsafe_runs::<Flawed<Sound>>(0..1_000), [0; 0]);
    assert_ne!(unsafe_runs::<Flawed<PromiseShortened>>(0..1_000), [0; 0]);
}
