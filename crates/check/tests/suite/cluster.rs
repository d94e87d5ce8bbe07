//! What a cluster does that links and crashes alone do not show: members hear suspicions whenever a connection closes, and
//! start an election again that has given no outcome.

use bellwether_algorithms::bully::{AtOnce, Broadcast, Stable};
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::modified_ring::ModifiedRing;
use bellwether_check::{
    CheckOptions, CheckPlan, CheckReport, CheckRequest, CheckResult, Checked, Effort, FaultOptions,
    InitiatorSets, Property, check as check_machine,
};
use bellwether_core::*;
use bellwether_engine::ALGORITHMS;
use bellwether_model::{Action, FaultBudget, Notice, Rules, Situation, TimeModel, Transition, Whole};
use bellwether_runspec::RunSpec;
use bellwether_sim::Plan;
use bellwether_testkit::broken::faulty::{Faulty, Rash};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// The violated properties of an algorithm of the registry, with three members, as far as so many states go.
fn violated_in(entry: &Entry, suspicions: u8) -> (Vec<Property>, Checked) {
    let spec = entry.spec;
    let run = RunSpec { nodes: Some(3), order: Some(Order::Worst), ..RunSpec::default() };
    let plan = run.plan(spec, 0).expect("it can be run");
    let has_clock = spec.timing == Timing::BoundedDelay || spec.lasting == Lasting::GoesOn;
    let goes_on = spec.lasting == Lasting::GoesOn
        || entry.driving == Driving::Rounds && spec.goal != Goal::EveryoneHalts;
    let liberties = FaultBudget {
        suspicions,
        time: if has_clock { CLOCK } else { TimeModel::Any },
        draws: if spec.randomised { 2 } else { u8::MAX },
        stops_at_goal: goes_on,
        ..NONE
    };
    let options = CheckOptions { claims: false, states: 150_000, ..reduced(liberties) };
    let checked = check_machine(entry.machine, &plan, &options, &|_| {});
    (violated(&checked), checked)
}

/// A suspicion is a warning: all that holds without suspicions holds with them, of every algorithm that a cluster can run.
#[test]
fn suspicions_alone_break_nothing() {
    let mut complete = 0;
    for entry in ALGORITHMS.entries {
        let name = format!("{}/{}", entry.spec.name, entry.spec.variant);
        let (without, calm) = violated_in(entry, 0);
        assert_eq!(without, [], "{name}: as it is checked elsewhere");
        let (with, checked) = violated_in(entry, 1);
        assert_eq!(with, [], "{name}");
        let is_seen = checked.incomplete.is_some() || checked.progress.states > calm.progress.states;
        assert!(is_seen, "{name}: there is something to see");
        complete += u32::from(checked.incomplete.is_none());
        let counts_leaders = matches!(entry.spec.reign, Reign::PerTerm | Reign::Leased);
        assert!(!counts_leaders || finding(&checked, Property::OneLeader).seen > 0, "{name}");
    }
    assert!(complete > 15, "{complete} were checked to the end");
}

/// Bully, but a member takes a suspicion for a failure: it announces itself beside the leader that it suspects.
#[test]
fn a_suspicion_that_is_taken_for_a_failure_is_found_out() {
    let plan = called_by(&[1], complete(&[1, 2]));
    let one = FaultBudget { suspicions: 1, time: CLOCK, ..NONE };
    for (suspicions, is_found) in [(0, false), (1, true)] {
        let checked = check::<Faulty<Rash>>(&plan, &reduced(FaultBudget { suspicions, ..one }));
        let finding = finding(&checked, Property::OneLeader);
        assert_eq!(finding.verdict == CheckResult::Violated, is_found, "{suspicions}: {checked:?}");
        if let Some(run) = &finding.counterexample {
            let told = |action: &&Transition| action.what.is_suspicion();
            assert_eq!(run.actions.iter().filter(told).count(), 1, "{run:?}");
            let situations = replay::<Faulty<Rash>>(&plan, one, run);
            assert_eq!(situations.last().map(leaders), Some(2));
        }
    }
    assert_eq!(violated(&check::<AtOnce>(&plan, &reduced(one))), []);
}

/// A detector that errs takes its word back: whenever a member takes a living one for failed, it can be told that the other
/// works.
#[test]
fn a_false_alarm_is_raised_once_and_taken_back() {
    let plan = called_by(&[1], complete(&[1, 2]));
    let graph = Explored::new::<AtOnce>(&plan, FaultBudget { detector: true, false_alarms: 1, ..NONE });
    let mut alarms = 0;
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        let told: Vec<u8> =
            (0..2).filter(|&at| now.seats[at as usize].facts(&AtOnce::SPEC).told != 0).collect();
        assert!(told.len() <= now.spent.false_alarms.into() && now.spent.false_alarms <= 1, "{now:?}");
        for member in told {
            let is_end =
                |(action, _): &&(Transition, usize)| action.what == Action::Tell(member, 0, Notice::Working);
            assert_eq!(steps.iter().filter(is_end).count(), 1, "{now:?}");
            alarms += 1;
        }
        let raised = steps.iter().filter(|(action, _)| action.what.is_false_alarm());
        let up = now.seats.iter().filter(|seat| seat.state().is_some()).count();
        let expected = if now.spent.false_alarms == 0 && up == 2 { 2 } else { 0 };
        assert!(raised.count() <= expected, "{now:?}");
    }
    assert!(alarms > 0);
}

fn as_cluster<A: Algorithm>(n: u64, change: impl FnOnce(FaultBudget) -> FaultBudget) -> CheckReport {
    let faults = FaultOptions::of_cluster(&A::SPEC).expect("it can be checked");
    let request = CheckRequest {
        algorithm: Entry::events::<A>(),
        run: RunSpec { nodes: Some(n), order: Some(Order::Worst), ..RunSpec::default() },
        all_orders: false,
        initiators: InitiatorSets::All,
        faults: FaultOptions { budget: change(faults.budget), ..faults },
    };
    let plan = CheckPlan::new(request).expect("it can be checked");
    let effort =
        Effort { reduction: true, symmetry: true, threads: 1, memory: 1 << 30, states: u64::MAX, time: None };
    plan.run(&effort, &|_| ()).expect("it can be run")
}

/// With what a cluster does: bully ends right, and one that takes a suspicion for a failure has two leaders without a crash.
#[test]
fn as_a_cluster_runs_it_a_suspicion_that_is_taken_for_a_failure_is_found_out() {
    let unharmed = |budget| FaultBudget { crashes: 0, false_alarms: 0, restarts: 0, ..budget };
    let rash = as_cluster::<Faulty<Rash>>(2, unharmed);
    assert_eq!(rash.verdict_on(Property::OneLeader), CheckResult::Violated);
    let sound = as_cluster::<AtOnce>(2, unharmed);
    assert_eq!(sound.verdict(), CheckResult::Holds, "{sound:?}");
}

#[test]
fn rings_that_begin_anew_are_not_checked_as_a_cluster_runs_them() {
    let error = FaultOptions::of_cluster(&ChangRoberts::SPEC).expect_err("more happens in a cluster");
    assert!(error.to_string().contains("boots chang-roberts anew for each election"), "{error}");
}

const LOSS: FaultBudget = FaultBudget { losses: 1, time: CLOCK, ..NONE };

/// A lost message leaves a member without a leader, or with the wrong one, for ever: unless that member starts an election
/// again. (Two members still lead for as long as a message takes.)
#[test]
fn what_a_lost_message_spoils_a_restart_makes_good() {
    for caller in [0, 1] {
        let plan = called_by(&[caller], complete(&[1, 2]));
        let spoilt = violated(&check::<Broadcast>(&plan, &reduced(LOSS)));
        let restarts = FaultBudget { restarts: 3, ..LOSS };
        let checked = check::<Broadcast>(&plan, &reduced(restarts));
        assert!(!checked.restarts_cut, "three are enough");
        for property in
            [Property::Eventually, Property::SomeoneLeads, Property::BestLeads, Property::AllAgree]
        {
            assert_eq!(verdict(&checked, property), CheckResult::Holds, "{caller} {property:?}");
        }
        assert!(caller == 0 || spoilt.contains(&Property::Eventually), "{caller}: {spoilt:?}");
        let ring = Plan { topology: Topology::Overlay { n: 2 }, ..plan };
        let spoilt = check::<ModifiedRing>(&ring, &reduced(LOSS));
        assert_eq!(verdict(&spoilt, Property::Eventually), CheckResult::Violated, "{caller}");
        assert_eq!(
            check::<ModifiedRing>(&ring, &reduced(restarts)).verdict(),
            CheckResult::Holds,
            "{caller}"
        );
    }
}

/// A certified crash, a suspicion and restarts, at any time: whatever comes of them together, the best live member leads in
/// the end (or the one that led, where it may stay), and all know it.
#[test]
fn certificates_suspicions_and_restarts_together_break_nothing() {
    let together =
        FaultBudget { crashes: 1, certified: true, detector: true, suspicions: 1, restarts: 2, ..LOSS };
    let together = FaultBudget { losses: 0, ..together };
    for caller in [0, 1] {
        for ids in orders(2) {
            let plan = called_by(&[caller], complete(&ids));
            for checked in
                [check::<AtOnce>(&plan, &reduced(together)), check::<Stable>(&plan, &reduced(together))]
            {
                assert_eq!(violated(&checked), [], "{ids:?} {caller}");
                assert!(!checked.restarts_cut && checked.incomplete.is_none(), "{ids:?} {caller}");
                assert_eq!(verdict(&checked, Property::Eventually), CheckResult::Holds, "{ids:?} {caller}");
            }
        }
    }
}

/// Where elections would be started again more often than they may, the end of runs stays open.
#[test]
fn restarts_that_are_left_out_leave_the_end_open() {
    let plan = called_by(&[0], complete(&[1, 2]));
    let checked = check::<Hopeless>(&plan, &reduced(FaultBudget { restarts: 2, time: CLOCK, ..NONE }));
    assert!(checked.restarts_cut);
    assert_eq!(verdict(&checked, Property::Eventually), CheckResult::Incomplete);
    assert_eq!(verdict(&checked, Property::SomeoneLeads), CheckResult::Incomplete);
    let without = check::<Hopeless>(&plan, &reduced(FaultBudget { time: CLOCK, ..NONE }));
    assert!(!without.restarts_cut);
    assert_eq!(verdict(&without, Property::SomeoneLeads), CheckResult::Violated);
}

/// A member that is called and says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Silent;

impl Toy for Silent {
    type Word = ();
    type Saved = ();
    const SPEC: Spec =
        Spec { starts: Starts::Callers, goal: Goal::EveryoneKnows, need: Need::Complete, ..TOY };

    fn status(&self) -> Status {
        Status::UNDECIDED
    }
}

type Hopeless = Played<Silent>;

/// The only run of one silent member: after how many steps of the clock it calls, each time.
fn waits(liberties: FaultBudget) -> Vec<u64> {
    let plan = called_by(&[0], plan(Topology::Complete { n: 1 }, &[1]));
    let rules = Rules::new(&plan, liberties);
    let mut whole = Whole::new(MachineType::of::<Hopeless>(), &plan, liberties);
    let mut now = rules.beginnings(MachineType::of::<Hopeless>()).swap_remove(0);
    let (mut waits, mut ticks) = (Vec::new(), 0);
    loop {
        let enabled = whole.enabled(&rules, &now);
        assert!(enabled.len() <= 1, "one thing after the other: {enabled:?}");
        let Some(&action) = enabled.first() else { return waits };
        match action.what {
            Action::Tick => ticks += 1,
            Action::Member(0, FaultEvent::Call) | Action::CallAgain(0) => {
                waits.push(std::mem::take(&mut ticks));
            }
            _ => assert_eq!(action.what, Action::Member(0, FaultEvent::Start)),
        }
        now = whole.apply(&rules, &now, action).expect("what can happen happens");
    }
}

#[test]
fn an_election_is_started_again_when_its_time_is_up_and_neither_earlier_nor_later() {
    for (grain, restart_after) in [(1, 4), (2, 4), (5, 50)] {
        let time = TimeModel::Clock { grain, drift: 0 };
        let bound = u64::from(grain) * u64::from(restart_after);
        let liberties = FaultBudget { restarts: 3, restart_after, time, ..NONE };
        assert_eq!(waits(liberties), [0, bound, bound, bound], "{grain} {restart_after}");
    }
    // Where messages take any time, so does that.
    assert_eq!(waits(FaultBudget { restarts: 3, ..NONE }), [0, 0, 0, 0]);
    assert_eq!(waits(FaultBudget { time: CLOCK, ..NONE }), [0], "unless it is said");
}

#[test]
fn budgets_of_suspicions_and_restarts_are_kept_and_used_up() {
    let liberties = FaultBudget { suspicions: 2, restarts: 1, ..NONE };
    let graph = Explored::new::<Hopeless>(&called_by(&[0], complete(&[1, 2])), liberties);
    let mut words = BTreeSet::new();
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        for (action, next) in steps {
            let (before, after) = (now.spent, graph.situations[*next].spent);
            let cost = (action.what.is_suspicion(), matches!(action.what, Action::CallAgain(_)));
            let spent = (after.suspicions - before.suspicions, after.restarts - before.restarts);
            assert_eq!(spent, (cost.0.into(), cost.1.into()), "{action:?}");
            words.extend(if let Action::Tell(member, _, word) = action.what {
                Some((member, word))
            } else {
                None
            });
        }
    }
    let most = |count: fn(&Situation) -> u8| graph.situations.iter().map(count).max();
    assert_eq!((most(|now| now.spent.suspicions), most(|now| now.spent.restarts)), (Some(2), Some(1)));
    let all = [0, 1]
        .into_iter()
        .flat_map(|member| [Notice::Suspected, Notice::Unsuspected].map(|word| (member, word)));
    assert_eq!(words, all.collect());
}

/// The search keeps as many states as one that is plainly right, whatever members know of deaths.
#[test]
fn certificates_are_remembered_as_long_as_they_hold() {
    let plan = called_by(&[0], complete(&[1, 2]));
    let liberties = FaultBudget {
        crashes: 1,
        recoveries: 1,
        certified: true,
        suspicions: 1,
        restarts: 1,
        restart_after: 12,
        time: CLOCK,
        ..NONE
    };
    let (graph, checked) =
        (Explored::new::<AtOnce>(&plan, liberties), check_in_full::<AtOnce>(&plan, liberties));
    assert_eq!(checked.progress.states, graph.situations.len() as u64);
    assert_eq!(checked.progress.transitions, graph.transitions());
    let mut forgotten = 0;
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        let knows = |now: &Situation, member: usize| now.seats[member].facts(&AtOnce::SPEC).known_dead != 0;
        for (action, next) in steps {
            for member in [0, 1] {
                let other = &now.seats[1 - member].facts(&AtOnce::SPEC);
                if knows(now, member) && !knows(&graph.situations[*next], member) {
                    let is_heard =
                        matches!(action.what, Action::Deliver(..) | Action::Tell(.., Notice::Unsuspected));
                    let is_own = matches!(action.what, Action::Member(_, FaultEvent::Crash))
                        || action.crash_after.is_some();
                    assert!(is_own || is_heard && other.is_up, "{action:?}");
                    forgotten += u32::from(is_heard);
                }
            }
        }
    }
    assert!(forgotten > 10, "{forgotten}");
}

/// In a ring that closes, a certificate goes to the neighbours of the dead member, and to no other.
#[test]
fn a_certificate_is_about_a_neighbour() {
    let closing = Plan { ring_closes: true, ..ring(&[1, 2, 3, 4]) };
    let liberties = FaultBudget { crashes: 1, certified: true, ..NONE };
    let graph = Explored::new::<ChangRoberts>(&closing, liberties);
    let mut told = BTreeSet::new();
    for (action, _) in graph.steps.iter().flatten() {
        if let Action::Member(to, FaultEvent::Learn(dead)) = action.what {
            told.insert((u32::from(dead), u32::from(to)));
        }
    }
    let next = |member: u32| (member + 1) % 4;
    assert_eq!(told, (0..4).map(|dead| (dead, next(dead))).collect(), "messages go one way");
}
