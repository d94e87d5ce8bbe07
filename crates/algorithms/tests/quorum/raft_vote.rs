//! Raft's vote: its figures, its behaviour under faults, and a check that can fail.

use crate::flawed::{Flaw, Flawed};
use crate::support::*;
use bellwether_algorithms::raft_vote::{Ballot, Msg, PRE_VOTE, RaftVote};
use bellwether_check::{CheckResult, Checked};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::{Happening, LinkOrder, Outcome, Plan};

const PLAIN: &MachineType = MachineType::of::<RaftVote>();
const CAUTIOUS: &MachineType = &MachineType::of::<RaftVote>().variant(&PRE_VOTE);

/// Election time-outs and the heartbeat interval, in hops.
const LEAST: u64 = 10;
const MOST: u64 = 20;
const BEAT: u64 = 5;

/// A candidate sends its request to all others: from this the number of candidacies follows.
fn candidacies(plan: &Plan, requests: u64) -> u64 {
    requests / u64::from(plan.n() - 1).max(1)
}

fn check_uncontested(machine: &'static MachineType, questions: u64) {
    let mut uncontested = 0;
    for (n, seed) in (2..=7).flat_map(|n| (0..20).map(move |seed| (n, seed))) {
        let plan = with_seed(complete(n), seed);
        let (report, _) = run_of(machine, &plan);
        let context = format!("n {n} seed {seed}");
        assert_right(&report, &context);
        let others = u64::from(n) - 1;
        if candidacies(&plan, sent(&report, "request-vote")) > 1 || sent(&report, "pre-vote") > others {
            continue; // another member was a candidate as well
        }
        uncontested += 1;
        for kind in ["request-vote", "vote", "heartbeat", "heard"] {
            assert_eq!(sent(&report, kind), others, "{kind} {context}");
        }
        for kind in ["pre-vote", "pre-voted"] {
            assert_eq!(sent(&report, kind), questions * others, "{kind} {context}");
        }
        // The first time-out, one or two round trips, and the announcement.
        let waited = report.time.hops() - (questions * 2 + 3) as f64;
        assert!((LEAST as f64..=MOST as f64).contains(&waited), "{waited} {context}");
    }
    assert!(uncontested >= 20, "of 120 elections only {uncontested} were not contested");
}

#[test]
fn uncontested_election_takes_a_request_and_an_answer_per_member_and_an_announcement() {
    check_uncontested(PLAIN, 0);
    check_uncontested(CAUTIOUS, 1);
}

#[test]
fn single_member_leads_after_a_time_out_without_messages() {
    for seed in 0..20 {
        let (report, reigns) = run_of(CAUTIOUS, &with_seed(complete(1), seed));
        assert_right(&report, "alone");
        assert_eq!((report.messages.total, reigns.0.len()), (0, 1));
        assert!((LEAST as f64..=MOST as f64).contains(&report.time.hops()));
    }
}

#[test]
fn leader_beats_twice_per_shortest_time_out_and_all_answer() {
    for (n, seed) in (2..=6).flat_map(|n| (0..5).map(move |seed| (n, seed))) {
        let plan = with_seed(complete(n), seed);
        let span = 500;
        let (report, reigns) = run_for::<RaftVote>(&plan, span);
        let [(from, _, 1)] = reigns.0[..] else { continue }; // the first election was contested
        let beats = (hops(span) - from).ticks() / (HOP * BEAT).ticks() + 1;
        assert_eq!(sent(&report, "heartbeat"), beats * u64::from(n - 1), "n {n} seed {seed}");
        // The last may still be under way.
        let answered = sent(&report, "heard") / u64::from(n - 1);
        assert!(answered == beats || answered + 1 == beats, "{answered} of {beats}");
    }
}

fn check_leader_dies(machine: &'static MachineType) {
    for (n, seed) in (3..=7).flat_map(|n| (0..20).map(move |seed| (n, seed))) {
        let plan = with_delay(with_seed(complete(n), seed), "uniform:0.1..1.0");
        let leader = leader_after(machine, &plan, 100);
        let (report, reigns) = run_of(machine, &and(plan, [at(100, FaultEvent::Crash, leader)]));
        let context = format!("n {n} seed {seed}");
        assert_right(&report, &context);
        assert_eq!(reigns.shared_term(), None, "{context}");
        let before = reigns.0.iter().filter(|&&(when, ..)| when <= hops(100)).map(|&(.., term)| term).max();
        let (when, heir, term) = reigns.first_after(hops(100)).expect("a member takes over");
        assert!(heir != leader && Some(term) > before, "{context}");
        // There is no leader for at least the shortest time-out, less the time since its last heartbeat.
        assert!(when >= hops(100 + LEAST - BEAT), "{context}");
    }
}

#[test]
fn another_member_leads_in_a_later_term_after_the_leader_crashes() {
    check_leader_dies(PLAIN);
    check_leader_dies(CAUTIOUS);
}

fn check_partition(machine: &'static MachineType) {
    for seed in 0..40 {
        let plan = with_seed(complete(5), seed);
        let leader = leader_after(machine, &plan, 100);
        let minority = [leader, (leader + 1) % 5];
        let majority = others(5, &minority);
        let cut = partition(&minority, &majority, 100, 300);
        let (apart, _) = run_of_for(machine, &and(plan.clone(), cut.clone()), 290);
        // The majority has a leader, and the old leader has stepped down.
        assert!(apart.ruling.leader.is_some_and(|it| majority.contains(&(it.value() as u32 - 1))), "{seed}");
        let (healed, reigns) = run_of(machine, &and(plan, cut));
        assert_right(&healed, &format!("seed {seed}"));
        assert_eq!(reigns.shared_term(), None, "seed {seed}");
    }
}

#[test]
fn only_the_majority_has_a_leader_in_a_partition() {
    check_partition(PLAIN);
    check_partition(CAUTIOUS);
}

#[test]
fn no_leader_without_a_majority_counts_as_live() {
    for seed in 0..20 {
        let plan = with_seed(complete(4), seed);
        let leader = leader_after(PLAIN, &plan, 100);
        let dying = others(4, &[leader]);
        let (report, _) = run::<RaftVote>(&and(plan, [0, 1].map(|it| at(100, FaultEvent::Crash, dying[it]))));
        assert_eq!(report.ruling.outcome, Outcome::None, "{:?}", report.ruling);
        assert!(report.is_as_it_should_be(), "{:?}", report.ruling);
    }
}

/// The term 300 hops after a follower was cut off, and 100 hops after it returned.
fn terms_of_a_rejoining_member(machine: &'static MachineType, seed: u64) -> (u64, u64) {
    let plan = with_seed(complete(5), seed);
    let leader = leader_after(machine, &plan, 100);
    let term = |span, plan: &Plan| {
        let (report, reigns) = run_of_for(machine, plan, span);
        assert_eq!(report.ruling.outcome, Outcome::Elected, "seed {seed}");
        reigns.0.last().expect("a member leads").2
    };
    let away = (leader + 1) % 5;
    let healed = and(plan.clone(), partition(&[away], &others(5, &[away]), 100, 400));
    (term(100, &plan), term(600, &healed))
}

#[test]
fn returning_member_deposes_the_leader_unless_it_asks_first() {
    for seed in 0..30 {
        let (before, after) = terms_of_a_rejoining_member(PLAIN, seed);
        // It was a candidate every 10 to 20 hops of 300.
        assert!(after >= before + 300 / MOST - 1, "{before} {after} seed {seed}");
        let (before, after) = terms_of_a_rejoining_member(CAUTIOUS, seed);
        assert_eq!(before, after, "seed {seed}");
    }
}

/// One member receives nothing, but its messages arrive: the number of terms in 1000 hops.
fn terms_with_a_deaf_member(machine: &'static MachineType, seed: u64) -> u64 {
    let plan = with_seed(complete(5), seed);
    let leader = leader_after(machine, &plan, 100);
    let deaf = (leader + 1) % 5;
    let cut = one_way(&others(5, &[deaf]), &[deaf], 100, FaultEvent::Cut);
    let (_, reigns) = run_of_for(machine, &and(plan, cut), 1_100);
    assert_eq!(reigns.shared_term(), None);
    reigns.0.last().expect("a member leads").2
}

#[test]
fn member_that_cannot_receive_makes_terms_grow_unless_it_asks_first() {
    for seed in 0..10 {
        assert!(terms_with_a_deaf_member(PLAIN, seed) > 1_000 / MOST - 5, "seed {seed}");
        assert!(terms_with_a_deaf_member(CAUTIOUS, seed) < 5, "seed {seed}");
    }
}

#[test]
fn only_a_member_with_a_log_as_up_to_date_as_a_majoritys_leads() {
    for (elect, seed) in [Elect::Best, Elect::Worst].into_iter().flat_map(|it| (0..40).map(move |s| (it, s)))
    {
        let attributes = [30, 10, 50, 20, 40];
        let (report, reigns) = run::<RaftVote>(&with_seed(with_attributes(elect, &attributes), seed));
        assert_right(&report, &format!("{elect:?} seed {seed}"));
        for (_, member, _) in reigns.0 {
            let own = attributes[member as usize];
            let no_fresher = match elect {
                Elect::Best => attributes.iter().filter(|&&it| it <= own).count(),
                Elect::Worst => attributes.iter().filter(|&&it| it >= own).count(),
            };
            assert!(no_fresher >= 3, "{own} {elect:?} seed {seed}");
        }
    }
}

fn check_trouble(machine: &'static MachineType) {
    for (context, report, reigns) in in_trouble_of(machine, 300) {
        assert_eq!(reigns.shared_term(), None, "{context}");
        assert!(report.ruling.is_right(), "{:?} {context}", report.ruling);
    }
}

#[test]
fn under_all_faults_one_leader_per_term_and_one_in_the_end() {
    check_trouble(PLAIN);
    check_trouble(CAUTIOUS);
}

/// The vote is not on disk when it is sent, nor later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct VoteNotDurable;

impl Flaw for VoteNotDurable {
    type Sound = RaftVote;
    const NAME: &'static str = "vote-not-durable";

    fn finds(saved: Ballot) -> Ballot {
        Ballot { voted_for: None, ..saved }
    }
}

/// How often two members lead in one term, in 2000 runs in which one of three crashes while votes are given, and
/// recovers at once. Election time-outs hardly differ, so that votes are requested at about the same time.
fn shared_terms<A: Algorithm>() -> usize {
    let mut dice = Dice(1);
    let runs = (0..2_000).map(|seed| {
        let plan = with_delay(with_seed(complete(3), seed), "uniform:0.1..1.0");
        let plan = Plan { params: given::<RaftVote>("timeout=100..115"), ..plan };
        let (member, tenths) = (dice.below(3) as u32, 100 + dice.below(30));
        let happens =
            |tenths, what| Happening { at: Time::from_ticks(tenths * HOP.ticks() / 10), what, member };
        let script = [happens(tenths, FaultEvent::Crash), happens(tenths + 1, FaultEvent::Recover)];
        run::<A>(&and(plan, script)).1.shared_term()
    });
    runs.flatten().count()
}

#[test]
fn lost_votes_make_two_leaders_in_one_term() {
    assert!(shared_terms::<Flawed<VoteNotDurable>>() > 0);
    assert_eq!(shared_terms::<RaftVote>(), 0);
}

/// It counts votes of any term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StaleTermAccepted;

impl Flaw for StaleTermAccepted {
    type Sound = RaftVote;
    const NAME: &'static str = "stale-term-accepted";

    fn takes_for(status: Status, msg: Msg) -> Msg {
        match msg {
            Msg::Vote(_, is_yes) => Msg::Vote(status.term, is_yes),
            _ => msg,
        }
    }
}

/// This many states contain every run of about the first ten steps.
const STATES: u64 = 70_000;

#[test]
fn checker_finds_a_count_of_votes_of_old_terms() {
    let verdict = |checked: (CheckResult, Checked)| checked.0;
    let peace = FaultBudget::default();
    assert_eq!(
        verdict(check_terms::<Flawed<StaleTermAccepted>>(&complete(3), peace, STATES)),
        CheckResult::Violated
    );
    // Terms are unbounded, so the search is, too.
    assert_eq!(verdict(check_terms::<RaftVote>(&complete(3), peace, STATES)), CheckResult::Incomplete);
}

#[test]
fn checker_finds_no_violation_within_its_limit() {
    let mut plan = complete(3);
    plan.links = LinkOrder::Reordering;
    let liberties =
        FaultBudget { crashes: 1, recoveries: 1, losses: 1, duplicates: 1, ..FaultBudget::default() };
    for (verdict, checked) in [
        check_terms::<RaftVote>(&plan, liberties, STATES),
        check_terms_of(CAUTIOUS, &plan, liberties, STATES),
    ] {
        assert_eq!(verdict, CheckResult::Incomplete, "terms are unbounded");
        assert!(checked.progress.states >= STATES);
    }
}
