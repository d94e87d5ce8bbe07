//! States of many different parts, and limits.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_check::{CheckOptions, CheckResult, Property};
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;
use std::time::Duration;

/// A member that draws two numbers and keeps them: the second when its own word comes back to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Drawing {
    drawn: Vec<u64>,
}

const NUMBERS: u64 = 300;

impl Toy for Drawing {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { randomised: true, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.drawn.push(cx.draw(NUMBERS));
        cx.send(NEXT, Said(()));
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, (): ()) {
        self.drawn.push(cx.draw(NUMBERS));
    }

    fn status(&self) -> Status {
        leads(self.drawn == [NUMBERS - 1, NUMBERS - 1])
    }
}

/// More different members than a half-word has numbers for.
#[test]
fn there_may_be_many_different_parts() {
    let all = NUMBERS * NUMBERS;
    assert!(all > u16::MAX.into());
    for options in [in_full(NONE), reduced(NONE)] {
        let checked = check::<Played<Drawing>>(&ring(&[1]), &options);
        let progress = checked.progress;
        assert_eq!((progress.states, progress.transitions), (1 + NUMBERS + all, NUMBERS + all));
        assert_eq!((progress.depth, progress.queue), (3, 0));
        // One way of all leads to a leader.
        assert_eq!(finding(&checked, Property::OneLeader).seen, 1);
        assert_eq!(finding(&checked, Property::SomeoneLeads).seen, all);
        let run = finding(&checked, Property::SomeoneLeads).counterexample.as_ref();
        assert_eq!(run.map(|run| run.actions.len()), Some(2));
    }
}

/// Messages that are too many to be counted are not taken for none.
#[test]
fn what_is_ever_more_is_cut_and_does_not_end() {
    for draws in [0, 1, u8::MAX] {
        let checked = check_in_full::<Played<Echoing<2>>>(&ring(&[1]), FaultBudget { draws, ..NONE });
        assert_eq!(checked.progress.states, 1 + 255); // before it boots, and one for each number of messages
        assert_eq!(finding(&checked, Property::SomeoneLeads).seen, 0, "no run ends");
        assert_eq!((checked.is_cut, checked.verdict()), (false, CheckResult::Incomplete), "nobody draws");
        assert!(checked.incomplete.is_some());
    }
}

/// A member that says so many words when it boots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Talkative<const WORDS: u16>;

impl<const WORDS: u16> Toy for Talkative<WORDS> {
    type Word = ();
    type Saved = ();

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        (0..WORDS).for_each(|_| cx.send(NEXT, Said(())));
    }

    fn status(&self) -> Status {
        leads(true)
    }
}

/// As many as can be counted are, and an input that sends more is not taken for one that never comes.
#[test]
fn words_that_are_too_many_at_once_are_said_to_be() {
    let most = check_in_full::<Played<Talkative<255>>>(&ring(&[1]), NONE);
    assert_eq!((most.progress.states, most.incomplete), (1 + 256, None));
    let more = check_in_full::<Played<Talkative<256>>>(&ring(&[1]), NONE);
    assert_eq!((more.progress.states, more.verdict()), (1, CheckResult::Incomplete));
    assert!(more.incomplete.is_some());
}

/// Draws a number from more than there are numbers for draws.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Lottery {
    drawn: u64,
}

impl Toy for Lottery {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { randomised: true, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.drawn = cx.draw(70_000);
    }

    fn status(&self) -> Status {
        leads(self.drawn == 0)
    }
}

#[test]
fn numbers_that_are_too_many_are_cut_and_said_to_be() {
    for draws in [1, 2, u8::MAX] {
        let checked = check_in_full::<Played<Lottery>>(&ring(&[1]), FaultBudget { draws, ..NONE });
        assert!(
            !checked.is_cut && checked.incomplete.is_some(),
            "it draws as often as it may, from too many"
        );
        assert_eq!(checked.progress.states, 1 + 65_535);
    }
    let checked = check_in_full::<Played<Lottery>>(&ring(&[1]), FaultBudget { draws: 0, ..NONE });
    assert!(checked.is_cut && checked.incomplete.is_none(), "it may not draw at all");
}

#[test]
fn limits_stop_a_search_and_say_so() {
    let plan = ring(&[5, 4, 3, 2, 1]);
    let all = check_in_full::<ChangRoberts>(&plan, NONE);
    assert_eq!((all.verdict(), all.incomplete), (CheckResult::Holds, None));
    let no_memory = CheckOptions { memory: 1, ..in_full(NONE) };
    let no_time = CheckOptions { time: Some(Duration::ZERO), ..in_full(NONE) };
    for options in [no_memory, no_time] {
        let some = check::<ChangRoberts>(&plan, &options);
        assert_eq!(some.verdict(), CheckResult::Incomplete);
        assert!(
            some.incomplete.is_some() && some.findings.iter().all(|it| it.verdict == CheckResult::Incomplete)
        );
        let (some, all) = (some.progress, all.progress);
        assert!(some.states < all.states && some.depth < all.depth && some.queue > 0, "{some:?} {all:?}");
    }
}
