//! The quorum lease in every run of three members, up to a limit of its clock.

use crate::flawed::{Flaw, Flawed};
use crate::lease_flaws::*;
use crate::support::*;
use bellwether_algorithms::quorum_lease::{QuorumLease, TIGHT};
use bellwether_check::{CheckOptions, CheckResult, Checked, Property, check as check_machine};
use bellwether_core::*;
use bellwether_model::{FaultBudget, TimeModel};
use bellwether_sim::Plan;

/// Each step of the clock is as long as the longest message; clocks may be off by a tenth.
const DRIFTING: FaultBudget =
    FaultBudget { time: TimeModel::Clock { grain: 1, drift: 100 }, ..FaultBudget::NONE };
const ON_TIME: FaultBudget =
    FaultBudget { time: TimeModel::Clock { grain: 1, drift: 0 }, ..FaultBudget::NONE };

fn checked<A: Algorithm>(plan: &Plan, liberties: FaultBudget, states: u64) -> Checked {
    let options = CheckOptions {
        liberties,
        reduction: true,
        symmetry: false,
        claims: false,
        threads: 0,
        memory: 2 << 30,
        states,
        time: None,
    };
    check_machine(variant::<A>(&TIGHT), plan, &options, &|_| ())
}

/// The verdict on: never two valid leases at once, and never two leaders of a term.
fn one_leader(checked: &Checked) -> CheckResult {
    let finding = checked.findings.iter().find(|finding| finding.property == Property::OneLeader);
    finding.expect("the property is checked").verdict
}

fn members_told(drift_bound: u32) -> Plan {
    Plan { drift_bound, ..complete(3) }
}

#[test]
fn no_run_has_two_valid_leases_at_once() {
    for (liberties, why) in [
        (FaultBudget { crashes: 1, ticks: 20, ..DRIFTING }, "a crash, and clocks that drift"),
        (FaultBudget { losses: 1, ticks: 15, ..DRIFTING }, "a lost message, and clocks that drift"),
        (
            FaultBudget { crashes: 1, recoveries: 1, ticks: 7, ..ON_TIME },
            "a crash, torn writes, and a return",
        ),
        (
            FaultBudget { crashes: 1, recoveries: 1, losses: 2, ticks: 4, ..ON_TIME },
            "the same, and lost messages",
        ),
        (FaultBudget { pauses: 1, ticks: 6, ..ON_TIME }, "a pause"),
        (FaultBudget { pauses: 1, ticks: 4, ..DRIFTING }, "a pause, and clocks that drift"),
        (FaultBudget { requests: 1, ticks: 13, ..ON_TIME }, "a resignation or a hand-over, and a fail-back"),
        (FaultBudget { requests: 1, crashes: 1, ticks: 7, ..ON_TIME }, "the same, and a crash"),
        (FaultBudget { duplicates: 1, ticks: 8, ..ON_TIME }, "a message that comes twice"),
        (FaultBudget { suspicions: 1, ticks: 8, ..ON_TIME }, "a connection that closes"),
        (FaultBudget { suspicions: 2, ticks: 4, ..ON_TIME }, "two that close"),
        (FaultBudget { suspicions: 1, crashes: 1, ticks: 5, ..ON_TIME }, "one that closes, and a crash"),
    ] {
        let found = checked::<QuorumLease>(&members_told(100_000), liberties, 2_000_000);
        assert_eq!(one_leader(&found), CheckResult::Holds, "{why}: {:?}", found.incomplete);
    }
}

/// A member crashes, or its write is torn, at any point; the others receive the certificate whenever they have not
/// heard its next incarnation.
#[test]
fn no_genuine_certificate_makes_two_valid_leases() {
    let crash = FaultBudget { crashes: 1, certified: true, ..ON_TIME };
    for (liberties, why) in [
        (FaultBudget { ticks: 10, ..crash }, "a certified crash"),
        (FaultBudget { recoveries: 1, ticks: 5, ..crash }, "a certified crash, and a return"),
        (FaultBudget { losses: 1, ticks: 5, ..crash }, "a certified crash, and a lost message"),
        (FaultBudget { suspicions: 1, ticks: 4, ..crash }, "a certified crash, and a connection that closes"),
        (FaultBudget { crashes: 2, recoveries: 1, ticks: 3, ..crash }, "two, and a return"),
    ] {
        let found = checked::<QuorumLease>(&members_told(100_000), liberties, 3_000_000);
        assert_eq!(one_leader(&found), CheckResult::Holds, "{why}: {:?}", found.incomplete);
    }
}

fn assert_found_out<F: Flaw>(liberties: FaultBudget, states: u64) {
    let found = checked::<Flawed<F>>(&members_told(100_000), liberties, states);
    assert_eq!(one_leader(&found), CheckResult::Violated, "{}", F::NAME);
    let sound = checked::<Flawed<Sound>>(&members_told(100_000), liberties, states / 2);
    assert_ne!(one_leader(&sound), CheckResult::Violated, "{}", F::NAME);
}

#[test]
fn checker_finds_a_broken_rule() {
    let (returns, twice) = (
        FaultBudget { crashes: 1, recoveries: 1, ..ON_TIME },
        FaultBudget { crashes: 2, recoveries: 1, ..ON_TIME },
    );
    assert_found_out::<VoteNotDurable>(FaultBudget { losses: 3, ticks: 5, ..returns }, 400_000);
    assert_found_out::<VotesDuringPromise>(FaultBudget { pauses: 1, ticks: 8, ..ON_TIME }, 400_000);
    assert_found_out::<StaleTermAccepted>(FaultBudget { ticks: 9, ..twice }, 400_000);
    assert_found_out::<LeadsOn>(FaultBudget { requests: 1, ticks: 5, ..ON_TIME }, 200_000);
    // Both of the others must forget the leader.
    assert_found_out::<SuspicionFrees>(FaultBudget { suspicions: 2, ticks: 4, ..ON_TIME }, 400_000);
    assert_found_out::<LeadsOnWhenAble>(FaultBudget { requests: 1, ticks: 6, ..ON_TIME }, 400_000);
}

#[test]
fn checker_finds_a_lease_that_is_not_shortened_by_the_drift() {
    let liberties = FaultBudget { losses: 4, ticks: 6, ..DRIFTING };
    let found = checked::<QuorumLease>(&members_told(0), liberties, 2_500_000);
    assert_eq!(one_leader(&found), CheckResult::Violated, "members were told that clocks are right");
    let found = checked::<QuorumLease>(&members_told(100_000), liberties, 300_000);
    assert_ne!(one_leader(&found), CheckResult::Violated);
}
