//! ZooKeeper's election.

use crate::flawed::{Flaw, Flawed};
use crate::play::*;
use crate::support::{and, at, complete, id, in_trouble, others, partition, run, run_for};
use bellwether_algorithms::zookeeper::{Epochs, Zookeeper};
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::{LinkOrder, Outcome};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, assert_claims, assert_claims_hold, assert_elected, set_delay,
};
use bellwether_testkit::dice::Dice;

/// The number of notifications, in plain numbers: all send to all others, and again at each better vote; votes arrive
/// in the order in which members are listed.
fn notifications(cast: &Cast, dead: &[usize]) -> u64 {
    let alive: Vec<usize> = (0..cast.n()).filter(|member| !dead.contains(member)).collect();
    let told = |member: usize| {
        let mut times = 1;
        let mut vote = member;
        for &other in &alive {
            if cast.beats(other, vote) {
                (vote, times) = (other, times + 1);
            }
        }
        times
    };
    alive.iter().map(|&member| told(member)).sum::<u64>() * (cast.n() as u64 - 1)
}

#[test]
fn election_without_faults_has_the_claimed_cost() {
    let mut dice = Dice(6);
    for n in 1..=9 {
        for elect in BOTH_WAYS {
            let casts = [
                Cast::in_best_order(elect, n),
                Cast::in_worst_order(elect, n),
                Cast::with_ties(elect, n, &mut dice),
            ];
            for cast in casts {
                for dead in 0..n.div_ceil(2) {
                    let mut dying: Vec<usize> = (0..n).collect();
                    dice.shuffle(&mut dying);
                    dying.truncate(dead);
                    let script = dying.iter().map(|&member| at(0, FaultEvent::Crash, member as u32));
                    let report = run_safely::<Zookeeper>(&and(network(&cast), script));
                    let context = format!("{cast:?} without {dying:?}");
                    let survivors = (0..n).filter(|member| !dying.contains(member));
                    assert_elected(&report, cast.id(cast.best_of(survivors)), true, &context);
                    let told = notifications(&cast, &dying);
                    let hops = match n {
                        1 => 2,
                        2 | 3 => 7,
                        _ => 8,
                    };
                    assert_eq!(all_know_at(&report), hops, "{context}");
                    let messages = told + 3 * (n - dead - 1) as u64;
                    let mut expected = vec![("notification", told), ("messages", messages)];
                    expected.extend((dead == 0).then_some(("time", hops)));
                    assert_claims(&report, &expected, &context);
                }
            }
        }
    }
}

#[test]
fn votes_change_at_every_better_vote_in_rising_order_and_once_in_falling_order() {
    for n in 2..=9_usize {
        let sent = |cast: Cast| run_safely::<Zookeeper>(&network(&cast)).messages.by_kind["notification"];
        let (others, pairs) = (n as u64 - 1, (n * (n - 1) / 2) as u64);
        // Rising: each member adopts every better vote. Falling: the best arrives first.
        assert_eq!(sent(Cast::in_best_order(Elect::Best, n)), others * (n as u64 + pairs));
        assert_eq!(sent(Cast::in_worst_order(Elect::Best, n)), others * (n as u64 + others));
    }
}

#[test]
fn any_delays_elect_the_highest_and_keep_the_bounds() {
    let mut dice = Dice(7);
    for seed in 0..200 {
        let cast = Cast::with_ties(BOTH_WAYS[seed % 2], 1 + dice.below(9), &mut dice);
        let mut plan = network(&cast);
        set_delay(&mut plan, ["uniform:0.1..1.0", "uniform:1..3", "uniform:0.1..2.0"][seed % 3]);
        plan.links = if dice.coin() { LinkOrder::Reordering } else { LinkOrder::Fifo };
        plan.seed = seed as u64;
        let report = run_safely::<Zookeeper>(&plan);
        assert_elected(&report, cast.id(cast.best()), true, &format!("seed {seed}"));
        assert_claims_hold(&report, &format!("seed {seed}"));
        assert!(cast.n() == 1 || !report.claims.is_empty());
    }
}

#[test]
fn next_highest_leads_when_the_leader_crashes() {
    for n in 3..=7 {
        let report = run_safely::<Zookeeper>(&and(complete(n), [at(20, FaultEvent::Crash, n - 1)]));
        assert_elected(&report, id(u64::from(n) - 1), true, &format!("{n} members"));
        // The last ping may have arrived at 20. Ten hops are silence, one more until all have detected it, eight an
        // election.
        assert!(all_know_at(&report) <= 20 + 10 + 1 + 8, "{n} members: {:?}", report.knew_at);
    }
}

#[test]
fn full_restart_elects_in_a_later_epoch() {
    let (report, reigns) = run::<Zookeeper>(&and(complete(5), restart(0..5, 30)));
    assert_elected(&report, id(5), true, "restart");
    assert_eq!(led(&reigns), [(1, 4), (2, 4)]);
}

#[test]
fn returning_member_joins_the_working_leader() {
    // The highest-ranked member crashes, and is back when another leads: it follows.
    let script = [at(20, FaultEvent::Crash, 4), at(60, FaultEvent::Recover, 4)];
    let report = run_safely::<Zookeeper>(&and(complete(5), script));
    assert_elected(&report, id(4), true, "rejoining");
    assert_eq!(report.stability.changes, 1);
    // A higher-ranked member that boots late does not disturb a leader either.
    let late = run_safely::<Zookeeper>(&and(complete(5), [at(40, FaultEvent::Start, 4)]));
    assert_elected(&late, id(4), true, "late");
    assert_eq!(late.stability.changes, 0);
}

#[test]
fn minority_has_no_leader_and_joins_when_the_partition_heals() {
    let (few, most) = ([0, 4], others(5, &[0, 4]));
    let (apart, reigns) = run_for::<Zookeeper>(&and(complete(5), partition(&few, &most, 20, 1_000)), 300);
    assert_eq!(led(&reigns), [(1, 4), (2, 3)]);
    let names: Vec<bool> = apart.knew_at.iter().map(|&at| at != Time::NEVER).collect();
    assert_eq!((apart.ruling.leader, names), (Some(id(4)), vec![false, true, true, true, false]));
    let healed = run_safely::<Zookeeper>(&and(complete(5), partition(&few, &most, 20, 150)));
    assert_elected(&healed, id(4), true, "healed");
}

#[test]
fn leader_without_a_majority_steps_down() {
    let crashes = [4, 3, 2].map(|member| at(20, FaultEvent::Crash, member));
    let ruling = run_safely::<Zookeeper>(&and(complete(5), crashes)).ruling;
    assert_eq!((ruling.outcome, ruling.is_right()), (Outcome::None, true), "{ruling:?}");
}

#[test]
fn observers_do_not_count_and_witnesses_count_but_do_not_lead() {
    let mut plan = complete(5);
    plan.duties = vec![Duty::Full, Duty::Witness, Duty::Full, Duty::Witness, Duty::Observer];
    assert_eq!(run_safely::<Zookeeper>(&plan).ruling.leader, Some(id(3)));
    // Of four voters three are left, and the observer: enough. Of two, and the observer: not enough.
    let one_dead = run_safely::<Zookeeper>(&and(plan.clone(), [at(30, FaultEvent::Crash, 2)]));
    assert_elected(&one_dead, id(1), true, "the leader crashes");
    let two_dead = and(plan, [at(30, FaultEvent::Crash, 1), at(30, FaultEvent::Crash, 3)]);
    assert_eq!(run_safely::<Zookeeper>(&two_dead).ruling.outcome, Outcome::None);
}

#[test]
fn data_counts_before_ids_and_epochs_before_data() {
    let cast = Cast { elect: Elect::Best, members: vec![(7, 1), (9, 2), (8, 3), (9, 4), (1, 5)] };
    let report = run_safely::<Zookeeper>(&network(&cast));
    assert_elected(&report, id(4), true, "the latest data, then the highest id");
    // The highest boots when all others have been in an epoch, and restart: it has been in none.
    let script = [vec![at(40, FaultEvent::Start, 3)], restart([0, 1, 2, 4], 39)].concat();
    let report = run_safely::<Zookeeper>(&and(network(&cast), script));
    assert_elected(&report, id(2), true, "the highest of those that were in the epoch");
}

#[test]
fn swarms_recover_and_no_epoch_has_two_leaders() {
    assert_survives::<Zookeeper>(60);
    for (context, report, reigns) in in_trouble::<Zookeeper>(300) {
        assert_eq!(reigns.shared_term(), None, "{context}");
        assert!(report.ruling.is_right(), "{context}: {:?}", report.ruling);
    }
}

/// A restart loses the accepted epoch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Forgetful;

impl Flaw for Forgetful {
    type Sound = Zookeeper;
    const NAME: &'static str = "forgetful";

    fn finds(_: Epochs) -> Epochs {
        Epochs::default()
    }
}

/// One voter is counted twice: with four members, half of them are a majority.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct HalfIsEnough;

impl Flaw for HalfIsEnough {
    type Sound = Zookeeper;
    const NAME: &'static str = "half-is-enough";

    fn also_from(from: Port, neighbours: u32) -> Option<Port> {
        Some(Port((from.0 + 1) % neighbours))
    }
}

#[test]
fn lost_epoch_gets_two_leaders() {
    // The leader crashes, and all others restart: the next-highest leads in the first epoch again.
    let plan = and(complete(3), [vec![at(20, FaultEvent::Crash, 2)], restart([0, 1], 21)].concat());
    assert_eq!(run::<Zookeeper>(&plan).1.shared_term(), None);
    assert_eq!(run::<Flawed<Forgetful>>(&plan).1.shared_term(), Some(1));
}

#[test]
fn half_of_the_voters_are_not_enough() {
    let plan = and(complete(4), partition(&[0, 3], &[1, 2], 0, 1_000));
    assert_eq!(led(&run_for::<Zookeeper>(&plan, 300).1), []);
    assert_eq!(run_for::<Flawed<HalfIsEnough>>(&plan, 300).1.shared_term(), Some(1));
}

#[test]
fn every_timely_run_has_one_leader_per_epoch() {
    let crash = FaultBudget { crashes: 1, ..FaultBudget::default() };
    for grain in [1, 2] {
        let checked = check_on_time::<Zookeeper>(3, grain, crash);
        assert_eq!(checked.verdict(), CheckResult::Holds, "{:?}", checked.findings);
    }
    // With three recoveries there is more than a test can search. (Of two members, one alone elects none.)
    let checked = check_on_time::<Zookeeper>(2, 1, FaultBudget { recoveries: 1, ..crash });
    assert_holds(&checked, Property::OneLeader);
}
