//! An election is required as soon as a live member has taken part in one, and not before.

use bellwether_algorithms::bully::{AtOnce, Broadcast, Stable, Waiting};
use bellwether_algorithms::chang_roberts_detector::WithDetector;
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::Plan;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;

/// One crash, and members are told of it.
const CRASH: FaultBudget = FaultBudget { crashes: 1, detector: true, time: CLOCK, ..NONE };

fn assert_holds_with_one_caller<A: Algorithm>(n: u64) {
    for ids in orders(n) {
        for caller in 0..n as u32 {
            let checked = check::<A>(&called_by(&[caller], complete(&ids)), &reduced(CRASH));
            let variant = A::SPEC.variant;
            assert_eq!(
                checked.verdict(),
                CheckResult::Holds,
                "{variant} {ids:?} {caller}: {:?}",
                violated(&checked)
            );
            for property in [Property::Eventually, Property::SomeoneLeads, Property::BestLeads] {
                assert_eq!(verdict(&checked, property), CheckResult::Holds, "{variant} {ids:?} {caller}");
            }
        }
    }
}

#[test]
fn a_sole_caller_of_bully_may_crash_before_it_calls() {
    for n in 2..=3 {
        assert_holds_with_one_caller::<AtOnce>(n);
        assert_holds_with_one_caller::<Waiting>(n);
        assert_holds_with_one_caller::<Stable>(n);
        assert_holds_with_one_caller::<Broadcast>(n);
    }
}

/// The member to which the leader sends the outcome may be dead, and the leader not know it yet.
#[test]
fn a_ring_with_a_detector_passes_its_outcome_round_the_dead() {
    let liberties = FaultBudget { crashes: 1, detector: true, ..NONE };
    for ids in (2..=3).flat_map(rings) {
        for caller in 0..ids.len() as u32 {
            let topology = Topology::Overlay { n: ids.len() as u32 };
            let plan = called_by(&[caller], Plan { topology, ..complete(&ids) });
            let checked = check::<WithDetector>(&plan, &reduced(liberties));
            assert_eq!(checked.verdict(), CheckResult::Holds, "{ids:?} {caller}: {:?}", violated(&checked));
        }
    }
}

/// A caller leads, and tells nobody. What members do instead is wrong in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Called<const FAULT: u8> {
    leads: bool,
}

/// Nothing is wrong.
const SOUND: u8 = 0;
/// A caller does nothing.
const IDLE_CALLER: u8 = 1;
/// A caller leads, and tells the others, who do nothing.
const IDLE_HEARER: u8 = 2;
/// Members that hear of an election talk to each other for ever.
const CHATTERING: u8 = 3;

impl<const FAULT: u8> Toy for Called<FAULT> {
    type Word = ();
    type Saved = ();
    const SPEC: Spec =
        Spec { starts: Starts::Callers, leadership: Leadership::Incumbent, need: Need::Complete, ..TOY };

    fn is_called(&mut self, cx: &mut ToyCx<'_, Self>) {
        self.leads = matches!(FAULT, SOUND | IDLE_HEARER);
        if matches!(FAULT, IDLE_HEARER | CHATTERING) {
            cx.send(NEXT, Said(()));
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, (): ()) {
        if FAULT == CHATTERING {
            cx.send(from, Said(()));
        }
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

/// What is violated if member 1 of two calls, and one of them may crash.
fn violated_with_one_caller<const FAULT: u8>() -> Vec<Property> {
    let plan = called_by(&[0], complete(&[1, 2]));
    let liberties = FaultBudget { crashes: 1, ..NONE };
    let (all, some) = (in_full(liberties), reduced(liberties));
    let found = [&all, &some].map(|options| violated(&check::<Played<Called<FAULT>>>(&plan, options)));
    assert_eq!(found[0], found[1], "reduced or not");
    found[0].clone()
}

#[test]
fn a_caller_that_crashes_unheard_leaves_nothing_to_do() {
    assert_eq!(violated_with_one_caller::<SOUND>(), []);
}

#[test]
fn an_election_that_hangs_is_found_if_its_caller_lives_or_was_heard() {
    let nobody_leads = [Property::Eventually, Property::SomeoneLeads];
    // The caller lives.
    assert_eq!(violated_with_one_caller::<IDLE_CALLER>(), nobody_leads);
    // The caller leads as long as it lives. It is heard, and crashes.
    assert_eq!(violated_with_one_caller::<IDLE_HEARER>(), nobody_leads);
    // Nobody leads in runs that end, as one of the two crashes; in others it goes on for ever.
    assert_eq!(violated_with_one_caller::<CHATTERING>(), nobody_leads);
    let plan = called_by(&[0], complete(&[1, 2]));
    assert_eq!(violated(&check_in_full::<Played<Called<CHATTERING>>>(&plan, NONE)), [Property::Eventually]);
}

/// Members set a timer again and again from their boot on. A caller leads, or does nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Ticking<const LEADS: bool> {
    leads: bool,
}

impl<const LEADS: bool> Toy for Ticking<LEADS> {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { starts: Starts::Callers, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.set_timer(0, HOP);
    }

    fn is_called(&mut self, _: &mut ToyCx<'_, Self>) {
        self.leads = LEADS;
    }

    fn is_reminded(&mut self, cx: &mut ToyCx<'_, Self>, _: u8) {
        cx.set_timer(0, HOP);
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

#[test]
fn a_run_without_end_in_which_nobody_takes_part_is_no_election_that_hangs() {
    let plan = called_by(&[1], ring(&[1, 2]));
    let liberties = FaultBudget { crashes: 1, ..NONE };
    assert_eq!(violated(&check_in_full::<Played<Ticking<true>>>(&plan, liberties)), []);
    assert_eq!(violated(&check_in_full::<Played<Ticking<false>>>(&plan, liberties)), [Property::Eventually]);
    assert_eq!(violated(&check_in_full::<Played<Ticking<false>>>(&plan, NONE)), [Property::Eventually]);
}
