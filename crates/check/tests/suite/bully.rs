//! What a lost message does to the bully algorithm, with and without a broadcast of the outcome.

use bellwether_algorithms::bully::{AtOnce, Broadcast};
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_testkit::broken::faulty::{Faulty, Unobjecting};
use bellwether_testkit::checks::*;
use std::collections::BTreeSet;

const LOSS: FaultBudget = FaultBudget { losses: 1, time: CLOCK, ..NONE };

/// Every set of members but the empty one, by index.
fn sets(n: u32) -> impl Iterator<Item = Vec<u32>> {
    (1..1_u32 << n).map(move |bits| (0..n).filter(|member| bits >> member & 1 != 0).collect())
}

/// The sets of callers for which a property is violated when this may happen.
fn callers_that_break<A: Algorithm>(
    n: u64,
    liberties: FaultBudget,
    property: Property,
) -> BTreeSet<Vec<u32>> {
    let ids: Vec<u64> = (1..=n).collect();
    let is_broken = |callers: &Vec<u32>| {
        let checked = check::<A>(&called_by(callers, complete(&ids)), &reduced(liberties));
        assert_eq!(checked.incomplete, None, "{callers:?}");
        assert!(finding(&checked, property).seen > 0, "{callers:?}");
        verdict(&checked, property) == CheckResult::Violated
    };
    sets(n as u32).filter(is_broken).collect()
}

#[test]
fn one_lost_message_never_leaves_the_wrong_leader_if_the_outcome_is_broadcast() {
    for n in 2..=3 {
        assert_eq!(callers_that_break::<Broadcast>(n, LOSS, Property::BestLeads), [].into());
    }
}

/// Without the broadcast, or if a better member does not object, the wrong member leads wherever the best is asked by
/// one member only: it does not call itself, and of the others only the second best asks it.
#[test]
fn one_lost_message_leaves_the_wrong_leader_otherwise() {
    for n in 2..=3 {
        let second_best_alone: BTreeSet<Vec<u32>> = [vec![n as u32 - 2]].into();
        assert_eq!(callers_that_break::<AtOnce>(n, LOSS, Property::BestLeads), second_best_alone);
        assert_eq!(
            callers_that_break::<Faulty<Unobjecting>>(n, LOSS, Property::BestLeads),
            second_best_alone
        );
    }
}

/// With two losses the announcement may be lost too.
#[test]
fn two_lost_messages_may_leave_the_wrong_leader() {
    let two = FaultBudget { losses: 2, ..LOSS };
    assert!(!callers_that_break::<Broadcast>(2, two, Property::BestLeads).is_empty());
}

/// The wrong leader leads until it hears the right one.
#[test]
fn two_may_lead_for_a_while_after_a_lost_message() {
    assert_eq!(callers_that_break::<Broadcast>(2, LOSS, Property::OneLeader), [vec![0]].into());
}

#[test]
fn one_lost_message_and_one_crash_never_leave_the_wrong_leader_if_the_outcome_is_broadcast() {
    let both = FaultBudget { crashes: 1, detector: true, ..LOSS };
    assert_eq!(callers_that_break::<Broadcast>(2, both, Property::BestLeads), [].into());
}

#[test]
fn without_losses_the_broadcast_changes_nothing_but_its_messages() {
    let ids = [1, 2, 3];
    for callers in sets(3) {
        let plan = called_by(&callers, complete(&ids));
        let checked = check::<Broadcast>(&plan, &reduced(FaultBudget { time: CLOCK, ..NONE }));
        assert_eq!(checked.verdict(), CheckResult::Holds, "{callers:?}: {:?}", violated(&checked));
        assert_eq!(verdict(&checked, Property::AsClaimed), CheckResult::Holds, "{callers:?}");
        assert_eq!(cost(&checked, "coordinator"), (2, 2), "{callers:?}");
    }
}
