//! The quorum lease itself, as fast as it goes.

use bellwether_algorithms::quorum_lease::{QuorumLease, TIGHT};
use bellwether_check::{CheckResult, Checked, Property, check};
use bellwether_core::MachineType;
use bellwether_model::FaultBudget;
use bellwether_testkit::checks::{CLOCK, NONE, complete, reduced, verdict};

fn checked(liberties: FaultBudget) -> Checked {
    let machine = const { &MachineType::of::<QuorumLease>().variant(&TIGHT) };
    check(machine, &complete(&[1, 2, 3]), &reduced(liberties), &|_| {})
}

/// A run that goes on for ever is over when all is right, and not before somebody can be elected.
#[test]
fn its_runs_come_to_their_goal() {
    let liberties = FaultBudget { time: CLOCK, stops_at_goal: true, ..NONE };
    let checked = checked(liberties);
    assert_eq!(checked.verdict(), CheckResult::Holds);
    // What is claimed is claimed of runs that go to their end.
    for finding in checked.findings.iter().filter(|finding| finding.property != Property::AsClaimed) {
        assert_eq!(finding.verdict, CheckResult::Holds, "{finding:?}");
    }
}

/// Past the goal, too, nobody leads beside another.
#[test]
fn it_has_one_leader_for_as_long_as_it_is_followed() {
    let liberties = FaultBudget { time: CLOCK, ticks: 5, ..NONE };
    let checked = checked(liberties);
    assert_eq!((checked.verdict(), checked.goes_on), (CheckResult::Holds, true));
    assert_eq!(verdict(&checked, Property::OneLeader), CheckResult::Holds);
}
