//! The Omega detector: its figures, and its behaviour under faults.

use crate::support::*;
use bellwether_algorithms::omega::Omega;
use bellwether_core::*;
use bellwether_lab::outage::{Outage, after_crash};
use bellwether_sim::faults::Chosen;

/// How long a candidate may be silent, in hops.
const PATIENCE: u64 = 3;

/// The members by rank, highest first: ids alone decide.
fn ids_down_from(n: u32) -> Vec<u32> {
    (0..n).rev().collect()
}

#[test]
fn without_faults_the_highest_member_leads_after_two_oks() {
    for (n, delay) in (2..=8).flat_map(|n| ["unit", "uniform:0.1..1.0", "uniform:1..3"].map(|it| (n, it))) {
        let plan = with_delay(complete(n), delay);
        let (report, _) = run::<Omega>(&plan);
        assert_right(&report, delay);
        assert_eq!(report.ruling.leader, Some(id(n.into())));
        let others = u64::from(n) - 1;
        assert_eq!(sent(&report, "start"), u64::from(n) * others);
        assert!(report.time <= Time::ZERO + plan.delay_bound * 2, "{}", report.time);
        if delay == "unit" {
            // At 0, 1 and 2, when the second has arrived.
            assert_eq!((report.time, sent(&report, "ok")), (hops(2), 3 * others));
        }
    }
    let (alone, _) = run::<Omega>(&complete(1));
    assert_eq!((alone.time, alone.messages.total, alone.ruling.leader), (hops(1), 0, Some(id(1))));
}

/// A duplicate `ok` counts once: the second is sent one hop after the first, and arrives one hop later.
#[test]
fn duplicate_ok_counts_once() {
    for n in 2..=5 {
        let mut plan = complete(n);
        let kind = Some("ok".to_owned());
        plan.link_faults.chosen = vec![Chosen { from: None, to: None, kind, nth: None, fate: Fate::Twice }];
        let (report, _) = run::<Omega>(&plan);
        assert_right(&report, &format!("n {n}"));
        assert!(report.links.duplicated >= u64::from(n) - 1);
        let followers = &report.knew_at[..n as usize - 1];
        assert!(followers.iter().all(|&known| known == hops(2)), "{followers:?}");
    }
}

#[test]
fn dead_members_have_their_rounds_too() {
    for (n, dead) in (3..=7).flat_map(|n| (1..n).map(move |dead| (n, dead))) {
        let best_first = ids_down_from(n);
        let plan =
            and(complete(n), best_first[..dead as usize].iter().map(|&it| at(0, FaultEvent::Crash, it)));
        let (report, reigns) = run::<Omega>(&plan);
        assert_right(&report, &format!("{dead} of {n} dead"));
        let (alive, others) = (u64::from(n - dead), u64::from(n) - 1);
        assert_eq!(sent(&report, "start"), u64::from(dead + 1) * alive * others, "{dead} of {n} dead");
        // Each dead candidate's silence passes; then the second `ok` is the candidate's own.
        let led_from = hops(u64::from(dead) * PATIENCE + 1);
        assert_eq!(reigns.0, [(led_from, best_first[dead as usize], u64::from(dead))]);
    }
}

#[test]
fn next_in_turn_leads_after_the_leader_crashes() {
    for n in 2..=7 {
        let (report, reigns) = run::<Omega>(&and(complete(n), [at(50, FaultEvent::Crash, n - 1)]));
        assert_right(&report, &format!("n {n}"));
        let (when, heir, round) = reigns.first_after(hops(50)).expect("a member takes over");
        assert_eq!((heir, round), (n - 2, 1));
        // Its last `ok` was sent before 50, at 49, and arrived at 50. (At 50 it crashes before it sends.)
        assert_eq!(when, hops(50 + PATIENCE + 1));
        assert_eq!(report.stability.changes, 1);
    }
}

#[test]
fn time_without_a_leader_after_a_crash_is_measured() {
    let missed = |at, patience| {
        after_crash(MachineType::of::<Omega>(), &complete(4), hops(at), Span::from_hops(patience))
    };
    // As above: three hops of silence after its last `ok`, and one more until the next has sent two.
    assert_eq!(missed(50, 100), Outage::Lasted(Span::from_hops(PATIENCE + 1)));
    assert_eq!(missed(50, PATIENCE), Outage::Unended);
    assert_eq!(missed(0, 100), Outage::NoLeader, "there is no leader yet");
}

#[test]
fn working_leader_stays_while_other_members_come_and_go() {
    for n in 3..=7 {
        let mut script = vec![at(0, FaultEvent::Crash, n - 1)];
        for time in 1..=5 {
            script.push(at(100 * time, FaultEvent::Recover, n - 1));
            script.push(at(100 * time + 40, FaultEvent::Crash, n - 1));
            script.push(at(100 * time + 10, FaultEvent::Crash, 0));
            script.push(at(100 * time + 30, FaultEvent::Recover, 0));
        }
        let (report, reigns) = run::<Omega>(&and(complete(n), script));
        assert_right(&report, &format!("n {n}"));
        assert_eq!(reigns.0.len(), 1, "{reigns:?}");
    }
}

#[test]
fn one_leader_is_left_when_a_partition_heals() {
    for (n, best) in (3..=7).flat_map(|n| [true, false].map(|best| (n, best))) {
        let minority = if best { [0, n - 1] } else { [0, 1] };
        let majority = others(n, &minority);
        let plan = and(complete(n), partition(&minority, &majority, 50, 150));
        let (apart, _) = run_for::<Omega>(&plan, 140);
        assert_eq!(apart.ruling.leaders, 2, "each part has its own leader");
        let (healed, _) = run::<Omega>(&plan);
        assert_right(&healed, &format!("n {n}"));
    }
}

#[test]
fn one_leader_after_all_faults() {
    for (context, report, _) in in_trouble::<Omega>(300) {
        assert!(report.ruling.is_right(), "{:?} {context}", report.ruling);
    }
}
