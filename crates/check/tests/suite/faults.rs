//! What may go wrong goes wrong, as far as it may and no further; and time is what it is said to be.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::{Action, BudgetUsed, CrashPoint, FaultBudget, TimeModel, Transition};
use bellwether_sim::Plan;
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// What one step costs.
fn cost(action: Transition) -> BudgetUsed {
    let is = |it: bool| u8::from(it);
    BudgetUsed {
        crashes: is(matches!(action.what, Action::Member(_, FaultEvent::Crash)))
            + is(action.crash_after.is_some()),
        recoveries: is(matches!(action.what, Action::Member(_, FaultEvent::Recover))),
        losses: is(matches!(action.what, Action::Link(_, _, Fate::Lost))),
        duplicates: is(matches!(action.what, Action::Link(_, _, Fate::Twice))),
        pauses: is(matches!(action.what, Action::Member(_, FaultEvent::Pause))),
        requests: is(matches!(action.what, Action::Member(_, FaultEvent::Request(_)))),
        suspicions: is(action.what.is_suspicion()),
        false_alarms: is(action.what.is_false_alarm()),
        restarts: is(matches!(action.what, Action::CallAgain(_))),
        ticks: u16::from(action.what == Action::Tick),
        untold: 0, // nothing is certified here
    }
}

#[test]
fn budgets_are_kept_and_used_up() {
    let liberties = FaultBudget { crashes: 2, recoveries: 1, losses: 1, duplicates: 1, ..NONE };
    let plan = called_by(&[0], ring(&[1, 2]));
    let graph = Explored::new::<ChangRoberts>(&plan, liberties);
    let (mut spent, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for (now, steps) in graph.situations.iter().zip(&graph.steps) {
        spent.insert((now.spent.crashes, now.spent.recoveries, now.spent.losses, now.spent.duplicates));
        for &(action, next) in steps {
            let (before, cost, after) = (now.spent, cost(action), graph.situations[next].spent);
            let sum = BudgetUsed {
                crashes: before.crashes + cost.crashes,
                recoveries: before.recoveries + cost.recoveries,
                losses: before.losses + cost.losses,
                duplicates: before.duplicates + cost.duplicates,
                ..before
            };
            assert_eq!(sum, after, "{action:?}");
            kinds.insert((cost.crashes, cost.recoveries, cost.losses, cost.duplicates));
        }
        let dead = now.seats.iter().filter(|seat| seat.facts(&ChangRoberts::SPEC).is_dead).count() as u8;
        assert_eq!(dead, now.spent.crashes - now.spent.recoveries);
    }
    let within = |&(crashes, recoveries, losses, duplicates): &(u8, u8, u8, u8)| {
        crashes <= 2 && recoveries <= 1 && losses <= 1 && duplicates <= 1
    };
    assert!(spent.iter().all(within), "{spent:?}");
    for most in [(2, 0, 0, 0), (2, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (2, 1, 1, 1)] {
        assert!(spent.contains(&most), "{most:?} is never spent: {spent:?}");
    }
    assert_eq!(kinds.len(), 5, "nothing, or one of each: {kinds:?}");
    let ours = check_in_full::<ChangRoberts>(&plan, liberties).progress;
    assert_eq!((ours.states, ours.transitions), (graph.situations.len() as u64, graph.transitions()));
    assert_eq!(ours.depth, graph.levels());
}

/// In a ring that closes, members past the neighbours of a dead member hear from it, but are not its neighbours.
#[test]
fn certificates_reach_only_the_neighbours_of_a_dead_member() {
    let certified = FaultBudget { crashes: 1, recoveries: 1, certified: true, ..NONE };
    for two_way in [false, true] {
        let ring = if two_way { two_way_ring(&[1, 2, 3, 4]) } else { ring(&[1, 2, 3, 4]) };
        let plan = called_by(&[0], Plan { ring_closes: true, ..ring });
        let graph = Explored::new::<ChangRoberts>(&plan, certified);
        let told: BTreeSet<u8> = (graph.steps.iter().flatten())
            .filter_map(|(action, _)| match action.what {
                Action::Member(member, FaultEvent::Learn(dead)) => Some((4 + member - dead) % 4),
                _ => None,
            })
            .collect();
        assert_eq!(told, if two_way { BTreeSet::from([1, 3]) } else { BTreeSet::from([1]) });
    }
}

/// The first tells the second that it leads, and then the third that the second does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Appointed {
    leads: bool,
    leader: Option<Id>,
}

impl Toy for Appointed {
    type Word = Id;
    type Saved = ();
    const SPEC: Spec = Spec { goal: Goal::EveryoneKnows, leadership: Leadership::Incumbent, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        let second = Id::new(2).expect("a small id");
        if cx.id().value() == 1 {
            cx.send(Port(0), Said(second));
            cx.send(Port(1), Said(second));
            self.leader = Some(second);
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, leader: Id) {
        (self.leads, self.leader) = (leader == cx.id(), Some(leader));
    }

    fn status(&self) -> Status {
        Status { leader: self.leader, ..leads(self.leads) }
    }
}

#[test]
fn whoever_sends_may_crash_half_way() {
    let plan = complete(&[1, 2, 3]);
    assert_eq!(check_in_full::<Played<Appointed>>(&plan, NONE).verdict(), CheckResult::Holds);
    // Only then does one of the others know, and the other never will.
    let checked = check_in_full::<Played<Appointed>>(&plan, FaultBudget { crashes: 1, ..NONE });
    let finding = finding(&checked, Property::AllAgree);
    let run = finding.counterexample.as_ref().expect("it is found");
    assert!(
        run.actions.contains(&Transition {
            what: Action::Member(0, FaultEvent::Start),
            draw: 0,
            crash_after: Some(CrashPoint::Sends(1))
        }),
        "{run:?}"
    );
    assert_eq!(run.actions.len(), 4); // three boot, and one word arrives
}

/// Counts how often it has booted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Returning<const DURABLE: bool> {
    boots: u8,
}

impl<const DURABLE: bool> Toy for Returning<DURABLE> {
    type Word = ();
    type Saved = u8;

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, saved: u8) {
        self.boots = saved + 1;
        if DURABLE {
            cx.persist(self.boots);
        }
    }

    fn status(&self) -> Status {
        leads(self.boots == 3)
    }
}

#[test]
fn what_is_durable_is_there_after_a_crash_and_the_rest_is_not() {
    let comes_back = |recoveries| FaultBudget { crashes: recoveries, recoveries, ..NONE };
    let leads_at_times = |checked: &bellwether_check::Checked| finding(checked, Property::OneLeader).seen > 0;
    let one = ring(&[1]);
    assert!(!leads_at_times(&check_in_full::<Played<Returning<true>>>(&one, comes_back(1))));
    assert!(leads_at_times(&check_in_full::<Played<Returning<true>>>(&one, comes_back(2))));
    assert!(!leads_at_times(&check_in_full::<Played<Returning<false>>>(&one, comes_back(2))));
}

/// Everyone says something when it boots, and notes when it hears something and when its timer runs out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Punctual {
    heard_at: Option<u64>,
    reminded_at: Option<u64>,
}

const PATIENCE: u64 = 3 * BOUND;

impl Toy for Punctual {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { knows: Knowledge::CLOCK, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.send(NEXT, Said(()));
        cx.set_timer(0, Span::from_ticks(PATIENCE));
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, (): ()) {
        self.heard_at = Some(cx.now().ticks());
    }

    fn is_reminded(&mut self, cx: &mut ToyCx<'_, Self>, _: u8) {
        self.reminded_at = Some(cx.now().ticks());
    }

    fn status(&self) -> Status {
        leads(false)
    }
}

#[test]
fn messages_are_never_late_and_timers_always_on_time() {
    for grain in [1, 2, 4] {
        let liberties = FaultBudget { time: TimeModel::Clock { grain, drift: 0 }, ..NONE };
        let graph = Explored::new::<Played<Punctual>>(&ring(&[1, 2]), liberties);
        let (mut heard, mut reminded) = (BTreeSet::new(), BTreeSet::new());
        for situation in &graph.situations {
            for state in situation.seats.iter().filter_map(|seat| seat.state()) {
                let Played(state) = state.downcast_ref::<Played<Punctual>>().expect("it is one");
                heard.extend(state.heard_at);
                reminded.extend(state.reminded_at);
            }
        }
        let step = BOUND / u64::from(grain);
        let any_time: BTreeSet<u64> = (0..=u64::from(grain)).map(|steps| steps * step).collect();
        assert_eq!(heard, any_time, "any time up to the bound, and none after it");
        assert_eq!(reminded, BTreeSet::from([PATIENCE]));
    }
    // Where time is anything, timers run out at once, and messages never hurry.
    let graph = Explored::new::<Played<Punctual>>(&ring(&[1, 2]), NONE);
    let first = |what: &Action| matches!(what, Action::TimeOut(..));
    assert!(graph.steps.iter().flatten().any(|(action, _)| first(&action.what)));
}

/// The first holds a lease for a while on its clock; the second waits for a little longer on its own, and
/// takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Lease {
    holds: bool,
}

/// How long the lease is, and how much longer the second waits: in steps of the clock.
const TERM: u64 = 10;
const MARGIN: u64 = 2;

impl Toy for Lease {
    type Word = ();
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.holds = cx.id().value() == 1;
        let steps = if self.holds { TERM } else { TERM + MARGIN };
        cx.set_timer(0, Span::from_ticks(steps * BOUND));
    }

    fn is_reminded(&mut self, _: &mut ToyCx<'_, Self>, _: u8) {
        self.holds = !self.holds;
    }

    fn status(&self) -> Status {
        leads(self.holds)
    }
}

#[test]
fn a_lease_is_safe_within_its_margin_of_drift_and_not_beyond() {
    let mut outcomes = BTreeSet::new();
    for drift in [0, 10, 50, 80, 90, 100, 200] {
        // The first gives up late if its clock is slow, and the second takes over early if its clock is fast.
        let rate = |gains: i64| BOUND * (1_000 + gains) as u64 / 1_000;
        let given_up = (TERM * BOUND).div_ceil(rate(-i64::from(drift)));
        let taken = ((TERM + MARGIN) * BOUND).div_ceil(rate(drift.into()));
        let is_safe = given_up < taken;
        let liberties = FaultBudget { time: TimeModel::Clock { grain: 1, drift }, ..NONE };
        let checked = check_in_full::<Played<Lease>>(&ring(&[1, 2]), liberties);
        let expected = if is_safe { CheckResult::Holds } else { CheckResult::Violated };
        assert_eq!(verdict(&checked, Property::OneLeader), expected, "drift {drift}");
        outcomes.insert((is_safe, drift == 0));
        if let Some(run) = &finding(&checked, Property::OneLeader).counterexample {
            let situations = replay::<Played<Lease>>(&ring(&[1, 2]), liberties, run);
            assert_eq!(situations.last().map(leaders), Some(2));
        }
    }
    assert_eq!(outcomes.len(), 3, "safe without drift, safe with some, unsafe with more");
}
