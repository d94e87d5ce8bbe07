//! Election from consensus.

use crate::flawed::{Flaw, Flawed};
use crate::play::*;
use crate::support::{and, at, complete, id, in_trouble, others, partition, run, run_for};
use bellwether_algorithms::paxos::{Msg, Paxos, Payload, Saved};
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::{LinkOrder, Outcome};
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, assert_claims, assert_claims_hold, assert_elected, set_delay,
};
use bellwether_testkit::dice::Dice;

#[test]
fn election_without_faults_has_the_claimed_cost() {
    let mut dice = Dice(8);
    for n in 1..=9 {
        for elect in BOTH_WAYS {
            let cast = Cast::with_ties(elect, n, &mut dice);
            for dead in 0..n.div_ceil(2) {
                let mut dying: Vec<usize> = (0..n).collect();
                dice.shuffle(&mut dying);
                dying.truncate(dead);
                let script = dying.iter().map(|&member| at(0, FaultEvent::Crash, member as u32));
                let report = run_safely::<Paxos>(&and(network(&cast), script));
                let context = format!("{cast:?} without {dying:?}");
                let best = cast.best_of((0..n).filter(|member| !dying.contains(member)));
                assert_elected(&report, cast.id(best), true, &context);
                let (asked, answering) = (n as u64 - 1, (n - dead - 1) as u64);
                let mut expected = vec![
                    ("messages", 3 * asked + 2 * answering),
                    ("prepare", asked),
                    ("promise", answering),
                    ("accept", asked),
                    ("accepted", answering),
                    ("decided", asked),
                ];
                // Two hops of waiting, six for each higher-ranked member, and five hops of messages.
                let better = (0..n).filter(|&other| cast.beats(other, best)).count() as u64;
                let hops = 2 + 6 * better + if n == 1 { 0 } else { 5 };
                assert_eq!(all_know_at(&report), hops, "{context}");
                expected.extend((dead == 0).then_some(("time", hops)));
                assert_claims(&report, &expected, &context);
            }
        }
    }
}

#[test]
fn any_delays_elect_the_highest_and_keep_the_bounds() {
    let mut dice = Dice(9);
    for seed in 0..200 {
        let cast = Cast::with_ties(BOTH_WAYS[seed % 2], 1 + dice.below(9), &mut dice);
        let mut plan = network(&cast);
        set_delay(&mut plan, ["uniform:0.1..1.0", "uniform:1..3", "uniform:0.1..2.0"][seed % 3]);
        plan.links = if dice.coin() { LinkOrder::Reordering } else { LinkOrder::Fifo };
        plan.seed = seed as u64;
        let report = run_safely::<Paxos>(&plan);
        assert_elected(&report, cast.id(cast.best()), true, &format!("seed {seed}"));
        assert_claims_hold(&report, &format!("seed {seed}"));
        assert!(!report.claims.is_empty());
    }
}

#[test]
fn next_instance_elects_the_next_highest_when_the_leader_crashes() {
    for n in 3..=7 {
        let (report, reigns) = run::<Paxos>(&and(complete(n), [at(20, FaultEvent::Crash, n - 1)]));
        assert_elected(&report, id(u64::from(n) - 1), true, &format!("{n} members"));
        assert_eq!(led(&reigns), [(1, n - 1), (2, n - 2)]);
        // A last beat at 18 arrives at 19; ten hops are silence; two, and six for the dead leader, are the
        // next-highest's turn; a ballot takes five.
        assert_eq!(all_know_at(&report), 19 + 10 + 2 + 6 + 5);
    }
}

#[test]
fn crashed_proposer_is_replaced_by_another_ballot() {
    // The highest-ranked member crashes at every point of its ballot, which lasts from 2 to 7.
    for hop in 2..=7 {
        let report = run_safely::<Paxos>(&and(complete(5), [at(hop, FaultEvent::Crash, 4)]));
        assert_elected(&report, id(4), true, &format!("after {hop}"));
    }
}

#[test]
fn members_decide_again_after_a_full_restart() {
    let (report, reigns) = run::<Paxos>(&and(complete(5), restart(0..5, 30)));
    assert_elected(&report, id(5), true, "restart");
    assert_eq!(led(&reigns), [(1, 4), (2, 4)]);
}

#[test]
fn returning_member_follows_the_leader() {
    let script = [at(20, FaultEvent::Crash, 4), at(90, FaultEvent::Recover, 4)];
    let report = run_safely::<Paxos>(&and(complete(5), script));
    assert_elected(&report, id(4), true, "rejoining");
    assert_eq!(report.stability.changes, 1);
}

#[test]
fn minority_has_no_leader_and_does_not_disturb_the_majority_when_the_partition_heals() {
    let (few, most) = ([0, 4], others(5, &[0, 4]));
    let (apart, reigns) = run_for::<Paxos>(&and(complete(5), partition(&few, &most, 20, 1_000)), 300);
    assert_eq!(led(&reigns), [(1, 4), (2, 3)]);
    let names: Vec<bool> = apart.knew_at.iter().map(|&at| at != Time::NEVER).collect();
    assert_eq!((apart.ruling.leader, names), (Some(id(4)), vec![false, true, true, true, false]));
    let (healed, reigns) = run::<Paxos>(&and(complete(5), partition(&few, &most, 20, 150)));
    assert_elected(&healed, id(4), true, "healed");
    assert_eq!(led(&reigns), [(1, 4), (2, 3)]);
}

#[test]
fn leader_without_a_majority_steps_down() {
    let crashes = [4, 3, 2].map(|member| at(20, FaultEvent::Crash, member));
    let ruling = run_safely::<Paxos>(&and(complete(5), crashes)).ruling;
    assert_eq!((ruling.outcome, ruling.is_right()), (Outcome::None, true), "{ruling:?}");
}

#[test]
fn swarms_recover_and_no_decision_has_two_leaders() {
    assert_survives::<Paxos>(60);
    for (context, report, reigns) in in_trouble::<Paxos>(300) {
        assert_eq!(reigns.shared_term(), None, "{context}");
        assert!(report.ruling.is_right(), "{context}: {:?}", report.ruling);
    }
}

/// A restart loses the promise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PromiseNotDurable;

impl Flaw for PromiseNotDurable {
    type Sound = Paxos;
    const NAME: &'static str = "promise-not-durable";

    fn finds(saved: Saved) -> Saved {
        Saved { promised: None, ..saved }
    }
}

/// The proposer ignores what others have accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AcceptedIgnored;

impl Flaw for AcceptedIgnored {
    type Sound = Paxos;
    const NAME: &'static str = "accepted-ignored";

    fn takes_for(_: Status, mut msg: Msg) -> Msg {
        if let Payload::Promise(_, accepted) = &mut msg.word {
            *accepted = None;
        }
        msg
    }
}

/// Refuses the very ballot that it has promised, as if it were a smaller one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OnlyGreater;

impl Flaw for OnlyGreater {
    type Sound = Paxos;
    const NAME: &'static str = "only-greater";

    fn takes_for(_: Status, mut msg: Msg) -> Msg {
        if let Payload::Accept(accepted) = &mut msg.word {
            accepted.ballot.round = accepted.ballot.round.saturating_sub(1);
        }
        msg
    }
}

/// Member 1 promises 2's ballot, then 3's, which is greater; and restarts. It may not accept 2's any more.
const FORGOTTEN_PROMISE: [&str; 12] = [
    "time-out 2",
    "time-out 3",
    "deliver 2 -> 1", // prepare
    "deliver 1 -> 2", // promise: 2 proposes itself
    "deliver 3 -> 1",
    "deliver 1 -> 3", // promise: 3 proposes itself
    "crash 1",
    "recover 1",
    "deliver 2 -> 1", // accept
    "deliver 1 -> 2", // accepted, or refused
    "deliver 3 -> 1",
    "deliver 1 -> 3",
];

#[test]
fn lost_promise_lets_two_members_lead() {
    assert_eq!(play::<Paxos>(3, &FORGOTTEN_PROMISE), [(1, 2)]);
    assert_eq!(play::<Flawed<PromiseNotDurable>>(3, &FORGOTTEN_PROMISE), [(1, 1), (1, 2)]);
}

/// Member 3 is decided with 1's acceptance, but only 3 knows. Then 2 has a ballot, and 1 reports what it has
/// accepted.
const DECIDED_UNHEARD: [&str; 13] = [
    "time-out 3",
    "deliver 3 -> 1", // prepare
    "deliver 1 -> 3", // promise
    "deliver 3 -> 1", // accept
    "deliver 1 -> 3", // accepted: decided
    "time-out 2",     // its first ballot is smaller than the one that 1 has promised
    "deliver 2 -> 1",
    "deliver 1 -> 2", // refused
    "time-out 2",
    "deliver 2 -> 1",
    "deliver 1 -> 2", // promise
    "deliver 2 -> 1", // accept
    "deliver 1 -> 2", // accepted
];

#[test]
fn proposer_adopts_a_value_that_may_be_decided_already() {
    assert_eq!(play::<Paxos>(3, &DECIDED_UNHEARD), [(1, 2)]);
    assert_eq!(play::<Flawed<AcceptedIgnored>>(3, &DECIDED_UNHEARD), [(1, 1), (1, 2)]);
}

#[test]
fn member_accepts_the_ballot_that_it_promised() {
    assert_eq!(run::<Paxos>(&complete(3)).0.ruling.outcome, Outcome::Elected);
    assert_eq!(run::<Flawed<OnlyGreater>>(&complete(3)).0.ruling.outcome, Outcome::Undecided);
}

#[test]
fn every_timely_run_has_one_leader_per_decision() {
    let crash = FaultBudget { crashes: 1, ..FaultBudget::default() };
    for grain in [1, 2] {
        let checked = check_on_time::<Paxos>(3, grain, crash);
        assert_eq!(checked.verdict(), CheckResult::Holds, "{:?}", checked.findings);
    }
    // If members recover, some may name an earlier leader for a moment, which no longer leads.
    let checked = check_on_time::<Paxos>(3, 1, FaultBudget { recoveries: 1, ..crash });
    assert_holds(&checked, Property::OneLeader);
    assert_holds(&checked, Property::Eventually);
}
