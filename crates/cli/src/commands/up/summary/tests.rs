//! Histories and what is judged of them.

use super::*;
use crate::choice::Choice;
use crate::commands::up::child_process::MemberStart;
use bellwether::Id;
use std::collections::BTreeSet;

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

/// The first process of a member.
fn first(member: u64) -> MemberStart {
    MemberStart { id: id(member), number: 1 }
}

fn summary(history: &History) -> Summary {
    history.summary(3, "quorum-lease".to_owned(), spec())
}

fn spec() -> &'static Spec {
    Choice::find("quorum-lease", None).unwrap().spec
}

/// 3 leads from 10 on, renews, is killed at 50; 2 leads in the next term.
fn failover() -> History {
    let mut history = History::default();
    history.holds(first(3), 1, 10, 40);
    history.holds(first(3), 1, 30, 90);
    history.killed(id(3), Some(1), [1, 2].map(id).into(), 50);
    history.holds(first(2), 2, 60, 120);
    history
}

#[test]
fn a_lease_ends_with_its_holder_or_when_it_says_so() {
    assert_eq!(summary(&failover()).most_leaders_at_once, 1);
    let mut without_death = failover();
    without_death.deaths.clear();
    let seen = summary(&without_death);
    assert_eq!((seen.most_leaders_at_once, seen.verdict(spec())), (2, ExitStatus::Unsafe));
    without_death.ends(id(3), 60);
    assert_eq!(summary(&without_death).most_leaders_at_once, 1);
}

#[test]
fn tokens_must_grow_from_leader_to_leader() {
    let mut history = failover();
    assert_eq!(summary(&history).tokens_grew, Some(true));
    history.ends(id(2), 100);
    history.holds(first(1), 2, 130, 140);
    let seen = summary(&history);
    assert_eq!((seen.tokens_grew, seen.verdict(spec())), (Some(false), ExitStatus::Unsafe));
}

#[test]
fn changes_are_provoked_or_not() {
    let mut history = failover();
    history.ends(id(2), 100);
    history.holds(first(1), 3, 110, 140);
    history.close(150);
    history.holds(first(2), 4, 160, 170);
    let seen = summary(&history);
    assert_eq!(seen.elections, 3);
    assert_eq!(seen.leader_changes, Changes { provoked: 1, unprovoked: 1 });
}

/// 3 leads, is killed and comes back, and leads again; all in term 0.
#[test]
fn elections_without_terms_are_counted_by_who_came_to_lead() {
    let spec = Choice::find("chang-roberts", None).unwrap().spec;
    let mut history = History::default();
    history.holds(first(3), 0, 10, u64::MAX);
    history.killed(id(3), Some(0), [1, 2].map(id).into(), 50);
    history.started(id(3), 70);
    history.holds(first(3), 0, 80, u64::MAX);
    history.ends(id(3), 90);
    history.holds(first(3), 0, 100, u64::MAX); // a returning member has called an election
    let seen = history.summary(3, "chang-roberts".to_owned(), spec);
    assert_eq!((seen.elections, seen.leader_changes), (3, Changes { provoked: 0, unprovoked: 0 }));
}

/// 3 leads, loses leadership and regains it, twice, and something is done in between; then 2 leads, and 3 again.
#[test]
fn leader_that_is_elected_again_is_no_change() {
    for (algorithm, terms) in [("chang-roberts", [0; 5]), ("quorum-lease", [1, 2, 3, 4, 5])] {
        let spec = Choice::find(algorithm, None).unwrap().spec;
        let mut history = History::default();
        for (at, member, term) in [(10, 3, 0), (30, 3, 1), (50, 3, 2), (70, 2, 3), (90, 3, 4)] {
            history.holds(first(member), terms[term], at, u64::MAX);
            history.ends(id(member), at + 10);
        }
        history.disturbed(25);
        let seen = history.summary(3, algorithm.to_owned(), spec);
        assert_eq!(seen.elections, 5, "{algorithm}");
        assert_eq!(seen.leader_changes, Changes { provoked: 1, unprovoked: 1 }, "{algorithm}");
    }
}

#[test]
fn failover_ends_when_survivors_name_the_restarted_leader() {
    let mut history = History::default();
    history.holds(first(3), 0, 10, u64::MAX);
    history.killed(id(3), Some(0), [1, 2].map(id).into(), 50);
    history.named(id(1), id(3), 0, 60); // of its life before
    history.started(id(3), 70);
    history.named(id(1), id(3), 0, 80);
    assert!(history.is_failing_over());
    history.named(id(2), id(3), 0, 90);
    assert!(!history.is_failing_over());
}

#[test]
fn a_failover_is_over_when_every_survivor_names_the_same() {
    let mut history = failover();
    history.named(id(1), id(3), 1, 55); // late word of the dead
    history.named(id(2), id(2), 2, 60);
    history.named(id(1), id(1), 3, 61);
    assert!(history.is_failing_over());
    history.named(id(2), id(1), 3, 1_050);
    assert!(!history.is_failing_over());
    let seen = summary(&history).failovers;
    assert_eq!((seen.count, seen.p50_ms, seen.max_ms), (1, Some(1.0), Some(1.0)));
}

/// Two lead at once, in terms 1 and 2; nobody led in a term of another's.
fn two_at_once() -> History {
    let mut history = History::default();
    history.holds(first(3), 1, 10, 90);
    history.holds(first(2), 2, 20, 90);
    history
}

/// The verdict is on what was promised before the run began, and on nothing else.
#[test]
fn two_leaders_are_a_fault_only_where_one_was_promised() {
    let verdict = |history: &History, name: &str| {
        let spec = Choice::find(name, None).unwrap().spec;
        history.summary(3, name.to_owned(), spec).verdict(spec)
    };
    for (name, expected) in [
        ("quorum-lease", ExitStatus::Unsafe),
        ("raft-vote", ExitStatus::Fine), // a leader of an earlier term may not have heard
        ("bully", ExitStatus::Fine),
        ("chang-roberts", ExitStatus::Fine),
        ("omega", ExitStatus::Fine),
        ("invitation", ExitStatus::Fine),
    ] {
        assert_eq!(verdict(&two_at_once(), name), expected, "{name}");
    }
    // Even if the earlier term's leader hears of its votes after the later one's has begun.
    let mut late = History::default();
    late.holds(first(2), 2, 10, 90);
    late.holds(first(3), 1, 20, 90);
    assert_eq!(verdict(&late, "raft-vote"), ExitStatus::Fine);
    let mut one_term = History::default();
    one_term.holds(first(3), 1, 10, 20);
    one_term.holds(first(2), 1, 30, 40);
    for (name, expected) in
        [("quorum-lease", ExitStatus::Unsafe), ("raft-vote", ExitStatus::Unsafe), ("bully", ExitStatus::Fine)]
    {
        assert_eq!(verdict(&one_term, name), expected, "{name}");
    }
}

/// A leader that is killed ten times a second for six hours. What looks at every pair would take the day.
#[test]
fn a_very_long_run_is_summed_up() {
    let mut history = History::default();
    let kills = 200_000;
    for term in 1..=kills {
        let (leader, at) = (id(1 + term % 3), term * 100);
        history.ends(leader, at); // it starts again
        history.holds(MemberStart { id: leader, number: term }, term, at, at + 1_000);
        history.killed(leader, Some(term), BTreeSet::new(), at + 90);
    }
    let seen = summary(&history);
    assert_eq!((seen.elections, seen.kills, seen.most_leaders_at_once), (kills, kills, 1));
    assert_eq!(seen.leader_changes, Changes { provoked: kills - 1, unprovoked: 0 });
    assert_eq!(seen.verdict(spec()), ExitStatus::Fine);
}

#[test]
fn verdict_is_incomplete_when_events_were_dropped() {
    let mut history = failover();
    assert_eq!(summary(&history).verdict(spec()), ExitStatus::Fine);
    history.missed(3);
    assert_eq!((summary(&history).missed, summary(&history).verdict(spec())), (3, ExitStatus::Incomplete));
}
