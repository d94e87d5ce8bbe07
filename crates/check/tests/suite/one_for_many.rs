//! What must not get lost where one order stands for many, one state for others, or one thread works for another.

use bellwether_check::{CheckOptions, CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;

/// The second leads when it boots and says so to the first, which then leads too. The third only has to boot: then one
/// leads and all is right, if the first has not heard yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Tempted {
    leads: bool,
}

impl Toy for Tempted {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { lasting: Lasting::GoesOn, leadership: Leadership::Incumbent, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.leads = cx.id().value() == 2;
        if self.leads {
            cx.send(Port(0), Said(()));
        }
    }

    fn hears(&mut self, _: &mut ToyCx<'_, Self>, _: Port, (): ()) {
        self.leads = true;
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

#[test]
fn whoever_boots_last_may_end_a_run() {
    let liberties = FaultBudget { stops_at_goal: true, ..NONE };
    for options in [in_full(liberties), reduced(liberties)] {
        let checked = check::<Played<Tempted>>(&complete(&[1, 2, 3]), &options);
        assert_eq!(verdict(&checked, Property::OneLeader), CheckResult::Violated);
        let run = finding(&checked, Property::OneLeader).counterexample.as_ref().expect("it is shown");
        assert_eq!(run.actions.len(), 3, "the first and the second boot, and the first hears: {run:?}");
    }
}

/// Identical members that say a word each, and are claimed to say one less.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Outspoken;

const ONE_LESS: Claim = Claim {
    name: "messages",
    measure: Measure::Messages,
    formula: "n - 1",
    expect: |run| Some(Expect::AtMost(run.n() as f64 - 1.0)),
};

impl Toy for Outspoken {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { identities: Identities::Anonymous, claims: &[ONE_LESS], ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.send(NEXT, Said(()));
    }

    fn status(&self) -> Status {
        Status::UNDECIDED
    }
}

/// The step that is too much is the same step, wherever in the ring it is made.
#[test]
fn a_broken_claim_is_shown_where_states_stand_for_their_turns() {
    let plan = ring(&[1, 2, 3]);
    for (reduction, symmetry) in [(false, false), (false, true), (true, true)] {
        // The search in full, which would show it as it is, does not fit.
        let full = check_in_full::<Played<Outspoken>>(&plan, NONE).progress.states;
        let states = if symmetry { full - 1 } else { u64::MAX };
        let options = CheckOptions { reduction, symmetry, states, ..in_full(NONE) };
        let checked = check::<Played<Outspoken>>(&plan, &options);
        assert_eq!(checked.symmetric, symmetry);
        let run = finding(&checked, Property::AsClaimed).counterexample.as_ref().expect("it is shown");
        assert_eq!(run.claim.as_deref(), Some("messages: at most 2 claimed, 3 sent"));
        let situations = replay::<Played<Outspoken>>(&plan, NONE, run);
        let sent = |(at, action)| sent_in(&situations[at], action, &situations[at + 1]);
        assert_eq!((0..).zip(run.actions.iter().copied()).map(sent).sum::<usize>(), 3);
    }
}

/// All but one say three words. Each changes once, in whoever hears it first, and then goes round a ring for ever: so
/// which is met first depends on the order in which a search looks at things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Gossiping;

impl Toy for Gossiping {
    type Word = u64;
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        if cx.id().value() != 1 {
            (0..3).for_each(|word| cx.send(NEXT, Said(word)));
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, word: u64) {
        let is_first = word < 3;
        cx.send(NEXT, Said(if is_first { 3 + (word + cx.id().value()) % 3 } else { word }));
    }

    fn status(&self) -> Status {
        Status::UNDECIDED
    }
}

/// Which message a search meets first makes no difference to what is due, nor to the loop that is shown: be it a thread
/// that is ahead, or a search before this one that followed other orders.
#[test]
fn the_same_loop_is_shown_in_whichever_order_messages_are_met() {
    let plan = Plan { links: LinkOrder::Reordering, ..ring(&[3, 2, 1]) };
    let loop_of = |options| {
        let checked = check::<Played<Gossiping>>(&plan, &options);
        finding(&checked, Property::Eventually).counterexample.clone().expect("it is shown")
    };
    let run = loop_of(in_full(NONE));
    assert!(run.loop_from.is_some());
    assert_eq!(loop_of(reduced(NONE)), run);
    assert_eq!(loop_of(CheckOptions { threads: 2, ..in_full(NONE) }), run);
}
