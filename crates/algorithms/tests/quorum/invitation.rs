//! The invitation algorithm: its figures, groups that split and merge, and a check that can fail.

use crate::flawed::{Flaw, Flawed};
use crate::support::*;
use bellwether_algorithms::invitation::Invitation;
use bellwether_check::CheckResult;
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::LinkOrder;

#[test]
fn without_faults_the_highest_member_invites_all_others() {
    for (n, delay) in (1..=8).flat_map(|n| ["unit", "uniform:0.1..1.0", "uniform:1..3"].map(|it| (n, it))) {
        let (report, reigns) = run::<Invitation>(&with_delay(complete(n), delay));
        assert_right(&report, delay);
        assert_eq!(report.ruling.leader, Some(id(n.into())));
        let (n, others) = (u64::from(n), u64::from(n) - 1);
        for (kind, figure) in [
            ("are-you-coordinator", n * others),
            ("coordinator", n * others),
            ("invitation", others),
            ("accept", others),
            ("ready", others),
            ("are-you-there", 0),
            ("here", 0),
        ] {
            assert_eq!(sent(&report, kind), figure, "{kind} n {n} {delay}");
        }
        // Each member at first, and then the highest-ranked in its second group.
        assert_eq!(reigns.0.len() as u64, if n == 1 { 1 } else { n + 1 });
        assert_eq!(reigns.shared_term(), None);
        if delay == "unit" && n > 1 {
            // Three for answers, four for acceptances, and one for `ready`.
            assert_eq!(report.time, hops(3 + 4 + 1));
        }
    }
}

#[test]
fn members_check_their_coordinator_and_it_looks_for_other_groups() {
    for n in 2..=6 {
        let (report, _) = run_for::<Invitation>(&complete(n), 1_000);
        let others = u64::from(n) - 1;
        // Ready at 8, asked five later, answered two after that, and so on.
        let asked = (1..).take_while(|k| 8 + 5 + (k - 1) * 7 <= 1_000).count() as u64;
        assert_eq!(sent(&report, "are-you-there"), others * asked, "n {n}");
        // The group is complete at 7, the coordinator looks ten later, ends the search three after that, and so on.
        let looked = (1..).take_while(|k| 7 + 10 + (k - 1) * 13 <= 1_000).count() as u64;
        assert_eq!(sent(&report, "are-you-coordinator"), (u64::from(n) + looked) * others, "n {n}");
    }
}

#[test]
fn remaining_members_form_a_group_when_the_coordinator_crashes() {
    for (n, hop) in (2..=7).flat_map(|n| (30..50).map(move |hop| (n, hop))) {
        let (report, reigns) = run::<Invitation>(&and(complete(n), [at(hop, FaultEvent::Crash, n - 1)]));
        assert_right(&report, &format!("n {n} at {hop}"));
        assert_eq!(report.ruling.leader, Some(id(u64::from(n) - 1)));
        assert_eq!(reigns.shared_term(), None);
    }
}

#[test]
fn each_part_of_a_partition_has_a_leader_and_parts_merge_when_it_heals() {
    for (n, best) in (3..=7).flat_map(|n| [true, false].map(|best| (n, best))) {
        let minority = if best { [0, n - 1] } else { [0, 1] };
        let majority = others(n, &minority);
        let plan = and(complete(n), partition(&minority, &majority, 50, 150));
        let (apart, _) = run_for::<Invitation>(&plan, 149);
        assert_eq!(apart.ruling.leaders, 2, "each part has its own leader");
        let (healed, reigns) = run::<Invitation>(&plan);
        assert_right(&healed, &format!("n {n}"));
        assert_eq!(reigns.shared_term(), None);
    }
}

#[test]
fn returning_member_joins_a_group_with_a_new_number() {
    for (n, hop) in (2..=6).flat_map(|n| (100..120).map(move |hop| (n, hop))) {
        for member in 0..n {
            let script = [at(50, FaultEvent::Crash, member), at(hop, FaultEvent::Recover, member)];
            let (report, reigns) = run::<Invitation>(&and(complete(n), script));
            assert_right(&report, &format!("n {n} member {member} at {hop}"));
            assert_eq!(reigns.shared_term(), None);
            let mut numbers: Vec<u64> = reigns.0.iter().map(|&(.., number)| number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert!(numbers.len() > n as usize + 1, "new groups have new numbers");
        }
    }
}

#[test]
fn under_all_faults_one_leader_per_number_and_one_in_the_end() {
    for (context, report, reigns) in in_trouble::<Invitation>(300) {
        assert_eq!(reigns.shared_term(), None, "{context}");
        assert!(report.ruling.is_right(), "{:?} {context}", report.ruling);
    }
}

/// Groups are only counted, so two coordinators give their groups the same number. (Three members.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NumberNotUnique;

impl Flaw for NumberNotUnique {
    type Sound = Invitation;
    const NAME: &'static str = "number-not-unique";

    fn shows(status: Status) -> Status {
        Status { term: status.term / 3, ..status }
    }
}

#[test]
fn checker_and_runs_find_group_numbers_that_are_not_unique() {
    let mut plan = complete(3);
    plan.links = LinkOrder::Reordering;
    let liberties = FaultBudget { crashes: 1, recoveries: 1, losses: 1, ..FaultBudget::default() };
    assert_eq!(check_terms::<Flawed<NumberNotUnique>>(&plan, liberties, 20_000).0, CheckResult::Violated);
    assert!(run::<Flawed<NumberNotUnique>>(&plan).1.shared_term().is_some());
    let (verdict, checked) = check_terms::<Invitation>(&plan, liberties, 70_000);
    assert_eq!(verdict, CheckResult::Incomplete, "group numbers are unbounded");
    assert!(checked.findings[0].seen > 0, "a member leads");
}
