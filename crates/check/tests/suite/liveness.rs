//! Runs that go round for ever: found where they are fair, and only there.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_check::{CheckResult, Counterexample, Property};
use bellwether_core::*;
use bellwether_model::{Action, FaultBudget, Rules, Situation, Transition, Whole};
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// Something that must happen some time if it can happen all the time, told by what does not depend on the
/// moment: with links that keep the order of messages, whatever a wire delivers is the same duty.
fn duty(now: &Situation, what: Action) -> Option<String> {
    match what {
        _ if what.is_fault() => None,
        Action::Deliver(wire, _) => Some(format!("deliver {wire}")),
        Action::TimeOut(member, timer) => {
            Some(format!("time-out {member} {:?}", now.seats[member as usize].timer(timer)))
        }
        Action::Tell(member, port, _) => Some(format!("tell {member} {port}")),
        Action::Member(_, FaultEvent::Start | FaultEvent::Call) | Action::CallAgain(_) | Action::Tick => {
            Some(format!("{what:?}"))
        }
        Action::Member(..) | Action::Link(..) => None, // no pauses here, which would have to end
    }
}

/// A run that goes round for ever really does, fairly, and never comes to have a leader that all know of who
/// should.
fn assert_goes_round<A: Algorithm>(plan: &Plan, liberties: FaultBudget, run: &Counterexample) {
    assert_eq!(plan.links, LinkOrder::Fifo, "duties are told for these");
    let start = run.loop_from.expect("it has a loop") as usize;
    let situations = replay::<A>(plan, liberties, run);
    assert!(start + 1 < situations.len(), "the loop has steps");
    assert_eq!(situations.last(), Some(&situations[start]), "it is back where it was");
    let rules = Rules::new(plan, liberties);
    let mut whole = Whole::new(MachineType::of::<A>(), plan, liberties);
    let (round, steps) = (&situations[start..situations.len() - 1], &run.actions[start..]);
    let mut always: Option<BTreeSet<String>> = None;
    let mut done = BTreeSet::new();
    for (now, Transition { what, .. }) in round.iter().zip(steps) {
        let is_told = |status: &Status| A::SPEC.goal.is_met_by(status);
        let all_know = now.seats.iter().all(|seat| seat.facts(&A::SPEC).is_dead || is_told(&seat.status()));
        assert!(leaders(now) == 0 || !all_know, "the goal is reached");
        let enabled = whole.enabled(&rules, now);
        let due: BTreeSet<String> = enabled.iter().filter_map(|action| duty(now, action.what)).collect();
        always = Some(always.map_or(due.clone(), |always| &always & &due));
        done.extend(duty(now, *what));
    }
    let always = always.unwrap_or_default();
    assert!(always.is_subset(&done), "{always:?} are always due, but only {done:?} are done");
}

/// The run that breaks `eventually`.
fn endless<A: Algorithm>(plan: &Plan, liberties: FaultBudget) -> Counterexample {
    let mut runs = Vec::new();
    for options in [in_full(liberties), reduced(liberties)] {
        let checked = check::<A>(plan, &options);
        let finding = finding(&checked, Property::Eventually);
        assert_eq!(finding.verdict, CheckResult::Violated);
        runs.push(finding.counterexample.clone().expect("it is shown"));
    }
    assert_eq!(runs[0], runs[1]);
    runs.swap_remove(0)
}

fn assert_ends_well<A: Algorithm>(plan: &Plan, liberties: FaultBudget) {
    for options in [in_full(liberties), reduced(liberties)] {
        let checked = check::<A>(plan, &options);
        assert_eq!(verdict(&checked, Property::Eventually), CheckResult::Holds, "{:?}", violated(&checked));
    }
}

#[test]
fn the_rank_of_a_dead_member_goes_round_for_ever() {
    for ids in [[1, 2, 3], [3, 2, 1]] {
        let plan = Plan { ring_closes: true, ..ring(&ids) };
        let liberties = FaultBudget { crashes: 1, ..NONE };
        let run = endless::<ChangRoberts>(&plan, liberties);
        assert_goes_round::<ChangRoberts>(&plan, liberties, &run);
        // A closed ring of two is left, and one message in it.
        let start = run.loop_from.expect("it has a loop") as usize;
        assert_eq!(run.actions.len() - start, 2);
        assert!(run.actions[start..].iter().all(|action| matches!(action.what, Action::Deliver(..))));
    }
    assert_ends_well::<ChangRoberts>(&Plan { ring_closes: true, ..ring(&[1, 2, 3]) }, NONE);
}

/// Two members send a word to and fro. The third says stop, if it does: then whoever hears it leads, and
/// keeps the word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct ToAndFro<const STOPPED: bool> {
    leads: bool,
}

const STOP: u8 = 0;
const BALL: u8 = 1;

impl<const STOPPED: bool> Toy for ToAndFro<STOPPED> {
    type Word = u8;
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        match cx.id().value() {
            1 => cx.send(Port(0), Said(BALL)),            // to the second
            3 if STOPPED => cx.send(Port(0), Said(STOP)), // to the first
            _ => {}
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, word: u8) {
        if word == STOP {
            self.leads = true;
        } else if !self.leads {
            cx.send(from, Said(BALL));
        }
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

#[test]
fn a_message_that_is_never_delivered_is_unfair() {
    let plan = complete(&[1, 2, 3]);
    assert_ends_well::<Played<ToAndFro<true>>>(&plan, NONE);
    // Nothing stops them: the same loop, and nothing waits.
    let run = endless::<Played<ToAndFro<false>>>(&plan, NONE);
    assert_goes_round::<Played<ToAndFro<false>>>(&plan, NONE, &run);
    // If the word that stops them is lost, too: a fault need not happen, but may.
    let lossy = FaultBudget { losses: 1, ..NONE };
    let run = endless::<Played<ToAndFro<true>>>(&plan, lossy);
    assert_goes_round::<Played<ToAndFro<true>>>(&plan, lossy, &run);
}

/// A member that is reminded again and again, and changes its mind each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Restless<const LEADS_AT_TIMES: bool> {
    odd: bool,
}

impl<const LEADS_AT_TIMES: bool> Toy for Restless<LEADS_AT_TIMES> {
    type Word = ();
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.set_timer(0, HOP);
    }

    fn is_reminded(&mut self, cx: &mut ToyCx<'_, Self>, _: u8) {
        self.odd = !self.odd;
        cx.set_timer(0, HOP);
    }

    fn status(&self) -> Status {
        leads(LEADS_AT_TIMES && self.odd)
    }
}

#[test]
fn timers_alone_can_go_round() {
    for (time, round) in [(bellwether_model::TimeModel::Any, 2), (CLOCK, 4)] {
        let liberties = FaultBudget { time, ..NONE };
        let run = endless::<Played<Restless<false>>>(&ring(&[1]), liberties);
        assert_goes_round::<Played<Restless<false>>>(&ring(&[1]), liberties, &run);
        assert_eq!(run.actions.len() as u32 - run.loop_from.expect("it has a loop"), round);
        assert_ends_well::<Played<Restless<true>>>(&ring(&[1]), liberties);
    }
}

#[test]
fn whoever_leads_now_and_then_does_not_go_round_in_vain() {
    // Each at its own pace, so that there are loops in which nobody ever leads: but only one of the two is
    // still.
    assert_ends_well::<Played<Restless<true>>>(&ring(&[1, 2]), NONE);
}

#[test]
fn a_state_that_leads_to_itself_is_a_loop() {
    let run = endless::<Played<Echoing<1>>>(&ring(&[1]), NONE);
    assert_goes_round::<Played<Echoing<1>>>(&ring(&[1]), NONE, &run);
    assert_eq!((run.loop_from, run.actions.len()), (Some(1), 2));
}
