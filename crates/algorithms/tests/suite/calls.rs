//! When members start elections: the policy against a table made by hand.

use bellwether_algorithms::bully::AtOnce;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::raft_vote::RaftVote;
use bellwether_core::Decision::{Anew, Call, No, Wait};
use bellwether_core::NamedLeader::{Dead, Failed, Nobody, Unnamed, Working};
use bellwether_core::Occasion::*;
use bellwether_core::{
    CallPolicy, Decision, Faults, Goal, Id, NamedLeader, Occasion, Protocol, Role, Span, Spec,
};
use bellwether_core::{Order, Starts, Status, Verdict};
use bellwether_engine::ALGORITHMS;
use bellwether_model::{FaultBudget, Input, Members as Rules, Rules as World};
use bellwether_runspec::RunSpec;

const FIVE: u64 = 5;

/// A ring whose algorithm repairs a crash: every registered one needs a network in which all are neighbours.
const REPAIRED: Spec = Spec { variant: "repaired", survives: Faults::CRASH, ..ChangRoberts::SPEC };

/// What a peer can tell of its election.
const LATER: Occasion = PeerElection { is_later: true, is_over: false };
const LATER_OVER: Occasion = PeerElection { is_later: true, is_over: true };
const OVER: Occasion = PeerElection { is_later: false, is_over: true };
const UNDER_WAY: Occasion = PeerElection { is_later: false, is_over: false };

fn id(value: u64) -> Id {
    Id::new(value).expect("a small id")
}

fn span(ticks: u64) -> Span {
    Span::from_ticks(ticks)
}

/// The delay bound is one tick.
fn in_cluster(spec: &Spec) -> CallPolicy {
    CallPolicy::in_cluster(spec, 3, span(1))
}

type Row = (Occasion, NamedLeader, Decision);

fn assert_decides(name: &str, policy: CallPolicy, rows: &[Row]) {
    for &(occasion, leader, expected) in rows {
        assert_eq!(policy.decide(occasion, leader), expected, "{name}: {occasion:?} with {leader:?}");
    }
}

/// The decisions that all policies share for members that wait to be told; `start` is how a member that names a
/// leader starts an election. Lecture 000: any process can call for an election. Lectures 000, 002 and 003: a process
/// that finds the coordinator failed does. Lecture 004: `suspected` is not `failed`.
fn common(start: Decision) -> Vec<Row> {
    let (five, four) = (id(FIVE), id(4));
    vec![
        (Asked, Nobody, Call),
        (Asked, Working(five), Call),
        (Asked, Failed(five), Call),
        (Asked, Dead(five), Call),
        (Judged(five, Verdict::Failed), Failed(five), start),
        (Judged(five, Verdict::Failed), Dead(five), start),
        (Judged(five, Verdict::Failed), Nobody, No),
        (Judged(five, Verdict::Suspected), Working(five), No),
        (Judged(five, Verdict::Suspected), Dead(five), No),
        (Judged(five, Verdict::Suspected), Nobody, No),
        (Judged(five, Verdict::Working), Working(five), No),
        (Judged(five, Verdict::Working), Nobody, No),
        (Judged(four, Verdict::Failed), Working(five), No),
        (Judged(four, Verdict::Failed), Failed(five), No),
        (Judged(four, Verdict::Failed), Unnamed, No),
        (Died(five), Dead(five), start),
        (Died(five), Nobody, No),
        (Died(four), Working(five), No),
        (Died(four), Dead(five), No),
        (Died(four), Unnamed, No),
        (NamesLeader, Working(five), No),
        (NamesLeader, Dead(five), start),
        (NamesLeader, Nobody, No),
    ]
}

#[test]
fn initiators_and_members_whose_leader_failed_start_elections_as_in_the_lectures() {
    let five = id(FIVE);
    let long = Leaderless(span(u64::MAX));
    for spec in [&AtOnce::SPEC, &ChangRoberts::SPEC, &REPAIRED] {
        let policy = CallPolicy::of_lectures(spec);
        assert_decides(spec.variant, policy, &common(Call));
        let rows = [
            (Started, Nobody, No),
            (Recovered, Nobody, Call),
            (NamesLeader, Failed(five), Call),
            (long, Nobody, No),
            (long, Failed(five), No),
            (long, Dead(five), No),
        ];
        assert_decides(spec.variant, policy, &rows);
    }
}

/// Lecture 000, of bully: "if none received after another timeout, start again".
#[test]
fn election_without_outcome_starts_again_after_the_time_out() {
    let five = id(FIVE);
    for (spec, on_recovery) in
        [(&AtOnce::SPEC, Wait(span(100))), (&ChangRoberts::SPEC, Call), (&REPAIRED, Call)]
    {
        let policy = CallPolicy::with_restarts(spec, span(100));
        assert_decides(spec.variant, policy, &common(Call));
        let rows = [
            (Started, Nobody, Wait(span(100))),
            (Recovered, Nobody, on_recovery),
            (NamesLeader, Failed(five), Wait(span(100))),
            (Leaderless(span(0)), Nobody, Wait(span(100))),
            (Leaderless(span(99)), Nobody, Wait(span(1))),
            (Leaderless(span(100)), Nobody, Call),
            (Leaderless(span(101)), Nobody, Call),
            (Leaderless(span(99)), Failed(five), Wait(span(1))),
            (Leaderless(span(100)), Failed(five), Call),
            (Leaderless(span(100)), Dead(five), Call),
            (Leaderless(span(100)), Working(five), No),
            (Leaderless(span(100)), Unnamed, No),
        ];
        assert_decides(spec.variant, policy, &rows);
    }
}

#[test]
fn members_of_a_cluster_start_elections_at_their_start_and_after_fifty_delay_bounds() {
    let (five, complete, ring) = (id(FIVE), in_cluster(&AtOnce::SPEC), in_cluster(&REPAIRED));
    assert_decides("bully", complete, &common(Call));
    assert_decides("repaired", ring, &common(Call));
    // Except in a ring, the silence of members that have not started yet would look like a crash.
    assert_decides(
        "bully",
        complete,
        &[(Started, Nobody, Wait(span(50))), (Recovered, Nobody, Wait(span(50)))],
    );
    assert_decides("repaired", ring, &[(Started, Nobody, Call), (Recovered, Nobody, Call)]);
    for policy in [complete, ring] {
        let rows = [
            (NamesLeader, Failed(five), Wait(span(50))),
            (LeftOut, Nobody, No),
            (LeftOut, Working(five), No),
            (TakenBack, Nobody, No),
            (TakenBack, Working(five), Call),
            (LATER, Nobody, No),
            (LATER_OVER, Nobody, No),
            (OVER, Nobody, No),
            (Leaderless(span(49)), Nobody, Wait(span(1))),
            (Leaderless(span(50)), Nobody, Call),
            (Leaderless(span(50)), Dead(five), Call),
            (Leaderless(span(50)), Working(five), No),
        ];
        assert_decides("in a cluster", policy, &rows);
        assert!(!policy.begins_anew());
    }
}

/// Algorithms that elect once boot again for each election but the first; an election needs the time of four turns of
/// a ring of three.
#[test]
fn rings_without_repair_boot_anew_for_each_election() {
    let (five, policy) = (id(FIVE), in_cluster(&ChangRoberts::SPEC));
    assert_decides("chang-roberts", policy, &common(Anew));
    let rows = [
        (Started, Nobody, Call),
        (Recovered, Nobody, Call),
        (NamesLeader, Failed(five), Wait(span(62))),
        (LeftOut, Nobody, Anew),
        (LeftOut, Unnamed, No),
        (LeftOut, Working(five), No),
        (LeftOut, Failed(five), No),
        (TakenBack, Nobody, No),
        (TakenBack, Working(five), Anew),
        (LATER, Nobody, Anew),
        (LATER, Working(five), Anew),
        (LATER_OVER, Nobody, Anew),
        (LATER_OVER, Working(five), Anew),
        (OVER, Nobody, Anew),
        (OVER, Unnamed, No),
        (OVER, Working(five), No),
        (OVER, Dead(five), No),
        (UNDER_WAY, Nobody, No),
        (Leaderless(span(61)), Nobody, Wait(span(1))),
        (Leaderless(span(62)), Nobody, Anew),
        (Leaderless(span(62)), Failed(five), Anew),
        (Leaderless(span(62)), Working(five), No),
        (Leaderless(span(62)), Unnamed, No),
    ];
    assert_decides("chang-roberts", policy, &rows);
    assert!(policy.begins_anew());
}

#[test]
fn members_that_start_by_themselves_are_never_told_to_start() {
    let (five, spec) = (id(FIVE), &RaftVote::SPEC);
    let policies =
        [CallPolicy::of_lectures(spec), CallPolicy::with_restarts(spec, span(100)), in_cluster(spec)];
    let occasions = [
        Started,
        Recovered,
        Judged(five, Verdict::Failed),
        Died(five),
        NamesLeader,
        LeftOut,
        TakenBack,
        LATER,
        LATER_OVER,
        OVER,
        Leaderless(span(u64::MAX)),
    ];
    for policy in policies {
        for occasion in occasions {
            for leader in [Nobody, Unnamed, Working(five), Failed(five), Dead(five)] {
                assert_eq!(policy.decide(occasion, leader), No, "{occasion:?} with {leader:?}");
            }
        }
        assert_eq!(policy.restart_after(), None);
    }
}

#[test]
fn member_waits_for_a_leader_only_if_its_algorithm_names_one() {
    let named = |goal, role, leader| {
        let spec = Spec { goal, ..ChangRoberts::SPEC };
        let status = Status { role, leader, ..Status::UNDECIDED };
        NamedLeader::new(&spec, &status, |id| id.value() == 3, |id| id.value() == 2)
    };
    assert_eq!(named(Goal::EveryoneKnows, Role::Undecided, None), Nobody);
    assert_eq!(named(Goal::EveryoneKnows, Role::Follower, None), Nobody);
    assert_eq!(named(Goal::EveryoneKnows, Role::Follower, Some(id(4))), Working(id(4)));
    assert_eq!(named(Goal::EveryoneKnows, Role::Follower, Some(id(3))), Failed(id(3)));
    assert_eq!(named(Goal::EveryoneKnows, Role::Follower, Some(id(2))), Dead(id(2)));
    assert_eq!(named(Goal::EveryoneDecides, Role::Undecided, None), Nobody);
    assert_eq!(named(Goal::EveryoneDecides, Role::Follower, None), Unnamed);
    assert_eq!(named(Goal::EveryoneDecides, Role::Leader, None), Unnamed);
}

/// So it makes no difference that the simulator tells them to start at the beginning, and the checker and a cluster
/// do not.
#[test]
fn call_changes_nothing_in_members_that_have_started_by_themselves() {
    let all_members = ALGORITHMS.entries.iter().filter(|entry| entry.spec.starts == Starts::Everyone);
    let mut seen = 0;
    for entry in all_members {
        let run = RunSpec { nodes: Some(3), order: Some(Order::Worst), ..RunSpec::default() };
        let plan = run.plan(entry.spec, 0).expect("it can be run");
        let liberties = FaultBudget { draws: 2, ..FaultBudget::NONE };
        let mut rules = Rules::new(entry.machine, &plan, liberties);
        let beginning = World::new(&plan, liberties).beginnings(entry.machine).swap_remove(0);
        for member in 0..3 {
            let boot = Input::Boot { again: false };
            for booted in rules.outcomes(member, &beginning.seats[member as usize], boot).0 {
                let (called, _) = rules.outcomes(member, &booted.seat, Input::Call { dead: 0 });
                assert_eq!(called.len(), 1, "{}: it draws no random number", entry.spec.name);
                assert_eq!(called[0].seat, booted.seat, "{}", entry.spec.name);
                assert!(called[0].sends.is_empty() && !called[0].writes, "{}", entry.spec.name);
                seen += 1;
            }
        }
    }
    assert!(seen >= 3 * 15, "{seen}");
}
