//! ZooKeeper's election.

use crate::play::*;
use crate::support::{BOTH_WAYS, Cast, Dice, assert_claims, assert_claims_hold, assert_elected, set_delay};
use crate::twins::{Flaw, Twin};
use bellwether_algorithms::zookeeper::{Epochs, Msg, Zookeeper};
use bellwether_check::Property;
use bellwether_core::*;
use bellwether_sim::rules::TimeModel;
use bellwether_sim::{Event, Outcome, Plan, Report};
use serde::Serialize;

fn run(plan: &Plan) -> Report {
    let (report, terms) = play::<Zookeeper>(plan);
    assert!(!terms.are_shared(), "{terms:?}");
    report
}

/// How many notifications are sent, in plain numbers: all tell all others, and again at each better vote, which
/// come in the order in which members are listed.
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
fn a_calm_election_costs_what_is_claimed() {
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
                    let script = dying.iter().map(|&member| at(0, Event::Crash, member as u32));
                    let report = run(&with_script(cast.complete(), script));
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
fn in_the_best_order_nobody_votes_more_than_everyone_and_in_the_worst_order_twice() {
    for n in 2..=9_usize {
        let sent = |cast: Cast| run(&cast.complete()).messages.by_kind["notification"];
        let (others, pairs) = (n as u64 - 1, (n * (n - 1) / 2) as u64);
        // Rising: everyone takes over every better vote. Falling: the best comes first.
        assert_eq!(sent(Cast::in_best_order(Elect::Best, n)), others * (n as u64 + pairs));
        assert_eq!(sent(Cast::in_worst_order(Elect::Best, n)), others * (n as u64 + others));
    }
}

#[test]
fn delays_of_any_kind_elect_the_best_and_keep_the_bounds() {
    let mut dice = Dice(7);
    for seed in 0..200 {
        let cast = Cast::with_ties(BOTH_WAYS[seed % 2], 1 + dice.below(9), &mut dice);
        let mut plan = cast.complete();
        set_delay(&mut plan, ["uniform:0.1..1.0", "uniform:1..3", "uniform:0.1..2.0"][seed % 3]);
        plan.links = if dice.coin() { bellwether_sim::LinkOrder::Reordering } else { plan.links };
        plan.seed = seed as u64;
        let report = run(&plan);
        assert_elected(&report, cast.id(cast.best()), true, &format!("seed {seed}"));
        assert_claims_hold(&report, &format!("seed {seed}"));
        assert!(cast.n() == 1 || !report.claims.is_empty());
    }
}

#[test]
fn the_next_best_takes_over_when_the_leader_dies() {
    for n in 3..=7 {
        let last = n as u32 - 1;
        let report = run(&with_script(members(n, 1_000), [at(20, Event::Crash, last)]));
        let context = format!("{n} members");
        let cast = Cast::in_best_order(Elect::Best, n);
        assert_elected(&report, cast.id(n - 2), true, &context);
        // Silence is noticed ten after the last ping, at 20 at the latest; a resending, an election and its wait.
        assert!(all_know_at(&report) <= 20 + 1 + 10 + 12, "{context}: {:?}", report.knew_at);
    }
}

#[test]
fn a_full_restart_elects_in_a_later_epoch() {
    let plan = with_script(members(5, 1_000), restart(0..5, 30));
    let (report, terms) = play::<Zookeeper>(&plan);
    assert_elected(&report, Cast::in_best_order(Elect::Best, 5).id(4), true, "restart");
    assert_eq!(terms.0.keys().copied().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn who_comes_back_joins_the_leader_that_works() {
    // The best dies, and is back when another leads: it follows.
    let script = [at(20, Event::Crash, 4), at(60, Event::Recover, 4)];
    let report = run(&with_script(members(5, 1_000), script));
    let fourth = Cast::in_best_order(Elect::Best, 5).id(3);
    assert_elected(&report, fourth, true, "rejoining");
    assert_eq!(report.stability.changes, 1);
    // Who is better but late does not disturb a leader either.
    let late = run(&with_script(members(5, 1_000), [at(40, Event::Start, 4)]));
    assert_elected(&late, fourth, true, "late");
    assert_eq!(late.stability.changes, 0);
}

#[test]
fn a_minority_has_no_leader_and_joins_when_the_network_heals() {
    let cast = Cast::in_best_order(Elect::Best, 5);
    let apart = with_script(members(5, 300), partition(5, &[0, 4], 20, 1_000));
    let report = run(&apart);
    let leads = |member: usize| report.knew_at[member] != Time::NEVER;
    assert_eq!((0..5).map(leads).collect::<Vec<_>>(), [false, true, true, true, false]);
    assert_eq!((report.ruling.leader, report.ruling.outcome), (Some(cast.id(3)), Outcome::Elected));
    let healed = run(&with_script(members(5, 1_000), partition(5, &[0, 4], 20, 150)));
    assert_elected(&healed, cast.id(3), true, "healed");
}

#[test]
fn without_a_majority_nobody_leads_on() {
    let crashes = [4, 3, 2].map(|member| at(20, Event::Crash, member));
    let report = run(&with_script(members(5, 1_000), crashes));
    assert_eq!(
        (report.ruling.outcome, report.ruling.is_right()),
        (Outcome::None, true),
        "{:?}",
        report.ruling
    );
}

#[test]
fn observers_follow_and_do_not_count_and_witnesses_count_and_do_not_lead() {
    let mut plan = members(5, 500);
    plan.duties = vec![Duty::Full, Duty::Witness, Duty::Full, Duty::Witness, Duty::Observer];
    let cast = Cast::in_best_order(Elect::Best, 5);
    assert_elected(&run(&plan), cast.id(2), true, "all are there");
    // Of four voters three are left, and the observer: enough. Of two, and the observer: not enough.
    let one_dead = run(&with_script(plan.clone(), [at(30, Event::Crash, 2)]));
    assert_elected(&one_dead, cast.id(0), true, "the leader dies");
    let two_dead = run(&with_script(plan, [at(30, Event::Crash, 1), at(30, Event::Crash, 3)]));
    assert_eq!(two_dead.ruling.outcome, Outcome::None, "{:?}", two_dead.ruling);
}

#[test]
fn data_counts_before_ids_and_epochs_before_data() {
    let cast = Cast { elect: Elect::Best, members: vec![(7, 1), (9, 2), (8, 3), (9, 4), (1, 5)] };
    assert_elected(&run(&cast.complete()), cast.id(3), true, "the best data, then the greater id");
    // The best is there only when all others have been in an epoch, and everyone restarts: it has none.
    let script = [vec![at(40, Event::Start, 3)], restart([0, 1, 2, 4], 39)].concat();
    let mut plan = with_script(cast.complete(), script);
    plan.limits = members(5, 1_000).limits;
    assert_elected(&run(&plan), cast.id(1), true, "the best of those that were in the epoch");
}

#[test]
fn swarms_come_right_and_no_two_lead_in_one_epoch() {
    assert_survives::<Zookeeper>(60);
}

/// The epoch that was accepted is forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Forgetful;

impl Flaw for Forgetful {
    type Sound = Zookeeper;

    fn found(_: Epochs) -> Epochs {
        Epochs::default()
    }
}

/// One is counted for two: with four members, half of them are a majority.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct HalfIsEnough;

impl Flaw for HalfIsEnough {
    type Sound = Zookeeper;

    fn heard(&mut self, from: Port, msg: Msg, ports: u32) -> Vec<(Port, Msg)> {
        vec![(from, msg), (Port((from.0 + 1) % ports), msg)]
    }
}

#[test]
fn a_forgotten_epoch_is_led_in_twice() {
    // The leader dies, and all others restart: the next best leads in the first epoch again.
    let script = [vec![at(20, Event::Crash, 2)], restart([0, 1], 21)].concat();
    let plan = with_script(members(3, 300), script);
    assert!(!play::<Zookeeper>(&plan).1.are_shared());
    assert!(play::<Twin<Forgetful>>(&plan).1.are_shared());
}

#[test]
fn half_of_the_voters_are_not_enough() {
    let plan = with_script(members(4, 300), partition(4, &[0, 3], 0, 1_000));
    let (report, terms) = play::<Zookeeper>(&plan);
    assert_eq!((report.ruling.outcome, terms.0.len()), (Outcome::Undecided, 0));
    assert!(play::<Twin<HalfIsEnough>>(&plan).1.are_shared());
}

#[test]
fn exhaustively() {
    let number = |name: &str, other: u64| std::env::var(name).map_or(other, |it| it.parse().unwrap());
    let time = match number("GRAIN", 1) {
        0 => TimeModel::Any,
        grain => TimeModel::Clock { grain: grain as u16, drift: 0 },
    };
    let checked = check::<Zookeeper>(&members(3, 1_000), time, number("STATES", 100_000));
    println!(
        "{:?} {:?} {:?}",
        checked.progress,
        checked.incomplete,
        checked.findings.iter().map(|f| (f.property, f.verdict, f.seen)).collect::<Vec<_>>()
    );
    let _ = Property::OneLeader;
}
