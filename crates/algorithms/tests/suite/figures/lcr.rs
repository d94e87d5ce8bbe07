//! LCR's figures, against sums and formulas that the tests compute themselves.

use bellwether_core::{HOP, Role, Status, Time};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::{Observer, Report, RoundMode, simulate_observed};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, assert_claims, assert_elected, run, sent};
use bellwether_testkit::dice::Dice;

const MOST: usize = 64;
/// The size on the wire of a candidate's rank and of a leader's id, with the mark of the message kind.
const CANDIDATE_BYTES: u64 = 1 + 16;
const LEADER_BYTES: u64 = 1 + 8;

fn at_hop(hops: usize) -> Time {
    Time::ZERO + HOP * hops as u64
}

/// Only the leader learns the outcome, in round n + 1, after this many messages.
fn check_leader_only(cast: &Cast, messages: u64) -> Report {
    let (n, best) = (cast.n(), cast.best());
    let context = format!("{cast:?}");
    let report = run("lcr", "leader-only", &cast.ring());
    assert_elected(&report, cast.id(best), n == 1, &context);
    assert_eq!(report.messages.payload, messages, "{context}");
    assert_eq!((report.messages.total, report.messages.control), (messages, 0), "{context}");
    assert_eq!((sent(&report, "id"), sent(&report, "leader")), (messages, 0), "{context}");
    assert_eq!(report.bytes, messages * CANDIDATE_BYTES, "{context}");
    let after_turn = n as u64 + 1;
    assert_eq!((report.rounds, report.leader_round), (Some(after_turn), Some(after_turn)), "{context}");
    assert_eq!(report.time, at_hop(n), "{context}");
    for member in 0..n {
        let knew_at = if member == best { at_hop(n) } else { Time::NEVER };
        assert_eq!(report.knew_at[member], knew_at, "{context}");
    }
    let figures =
        [("messages", messages), ("leader_round", after_turn), ("rounds", after_turn), ("time", n as u64)];
    assert_claims(&report, &figures, &context);
    report
}

/// The last status that each member published.
struct Last(Vec<Status>);

impl Observer for Last {
    fn published(&mut self, _: Time, member: u32, status: Status) {
        self.0[member as usize] = status;
    }
}

/// With the same messages in the same rounds each member learns whether it leads, and only the leader knows which one
/// does.
fn check_deciding(cast: &Cast, messages: u64) {
    let (n, best) = (cast.n(), cast.best());
    let context = format!("{cast:?}");
    let entry = ALGORITHMS.find("lcr", Some("deciding")).expect("the algorithm is registered");
    let mut last = Last(vec![Status::UNDECIDED; n]);
    let report = simulate_observed(&ALGORITHMS.entries[entry], &cast.ring(), RoundMode::Auto, &mut last);
    let leader_only = run("lcr", "leader-only", &cast.ring());
    assert_eq!(leader_only.messages.payload, messages, "{context}");
    assert_eq!(report, leader_only, "{context}");
    for (member, status) in last.0.into_iter().enumerate() {
        let (role, leader) =
            if member == best { (Role::Leader, Some(cast.id(best))) } else { (Role::Follower, None) };
        assert_eq!(status, Status { role, leader, ..Status::UNDECIDED }, "{context}");
    }
}

/// All members learn the leader and halt: n more messages and n more rounds.
fn check_halting(cast: &Cast, messages: u64) {
    let (n, best) = (cast.n(), cast.best());
    let context = format!("{cast:?}");
    let report = run("lcr", "halting", &cast.ring());
    assert_elected(&report, cast.id(best), true, &context);
    assert_eq!(report.messages.payload, messages + n as u64, "{context}");
    assert_eq!((sent(&report, "id"), sent(&report, "leader")), (messages, n as u64), "{context}");
    assert_eq!(report.bytes, messages * CANDIDATE_BYTES + n as u64 * LEADER_BYTES, "{context}");
    let rounds = 2 * n as u64 + 1;
    assert_eq!((report.rounds, report.leader_round), (Some(rounds), Some(n as u64 + 1)), "{context}");
    assert_eq!(report.time, at_hop(2 * n), "{context}");
    for hops in 0..n {
        assert_eq!(report.knew_at[(best + hops) % n], at_hop(n + hops), "{context}");
    }
    let figures = [
        ("messages", messages + n as u64),
        ("leader_round", n as u64 + 1),
        ("rounds", rounds),
        ("time", 2 * n as u64),
    ];
    assert_claims(&report, &figures, &context);
}

#[test]
fn best_order_takes_2n_minus_1_messages() {
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            let cast = Cast::in_best_order(elect, n);
            check_leader_only(&cast, 2 * n as u64 - 1);
            check_deciding(&cast, 2 * n as u64 - 1);
            check_halting(&cast, 2 * n as u64 - 1);
        }
    }
}

#[test]
fn worst_order_takes_n_times_n_plus_1_halves_messages() {
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            let cast = Cast::in_worst_order(elect, n);
            check_leader_only(&cast, (n * (n + 1) / 2) as u64);
            check_deciding(&cast, (n * (n + 1) / 2) as u64);
            check_halting(&cast, (n * (n + 1) / 2) as u64);
        }
    }
}

#[test]
fn any_order_takes_the_sum_of_distances_to_the_next_higher() {
    let mut dice = Dice(1);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for _ in 0..3 {
                let cast = Cast::shuffled(elect, n, &mut dice);
                check_leader_only(&cast, cast.total_distance());
                check_deciding(&cast, cast.total_distance());
                check_halting(&cast, cast.total_distance());
            }
        }
    }
}

#[test]
fn attributes_decide_and_ids_break_ties() {
    let mut dice = Dice(2);
    for n in 1..=MOST {
        for elect in BOTH_WAYS {
            for _ in 0..2 {
                let cast = Cast::with_ties(elect, n, &mut dice);
                check_leader_only(&cast, cast.total_distance());
                check_deciding(&cast, cast.total_distance());
                check_halting(&cast, cast.total_distance());
            }
        }
    }
}

#[test]
fn rotation_of_the_ring_does_not_matter() {
    let mut dice = Dice(3);
    let mut cast = Cast::shuffled(bellwether_core::Elect::Best, 17, &mut dice);
    let messages = check_leader_only(&cast, cast.total_distance()).messages;
    for _ in 0..17 {
        cast.members.rotate_left(1);
        assert_eq!(check_leader_only(&cast, cast.total_distance()).messages, messages);
    }
}
