//! Each property is broken by something that breaks nothing else, and means nothing where there is nothing to
//! hold.

use bellwether_check::{CheckOptions, CheckResult, Checked, Property};
use bellwether_core::*;
use bellwether_model::{FaultBudget, Rules, Whole};
use bellwether_testkit::broken::{NARROW_CLAIM, Ring, WRONG_CLAIM, WRONG_MEAN};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::*;
use serde::Serialize;

/// Ranks go round a ring as far as nobody better is. What members make of that is wrong in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Told<const FAULT: u8> {
    leader: Option<Rank>,
    leads: bool,
}

/// Nothing is wrong.
const SOUND: u8 = 0;
/// Who has not heard of a better one leads meanwhile.
const HASTY: u8 = 1;
/// The worst leads.
const UPSIDE_DOWN: u8 = 2;
/// Only the leader knows.
const SECRETIVE: u8 = 3;
/// Nobody leads.
const MODEST: u8 = 4;
/// What is heard is said again for ever.
const ECHOING: u8 = 5;
/// What is said is said twice.
const STAMMERING: u8 = 6;

/// A ring of two is in best order: the worse rank dies after one hop.
const IN_BEST_ORDER: Claim = Claim {
    name: "messages",
    measure: Measure::Messages,
    formula: "2n - 1",
    expect: |run| Some(Expect::AtMost(2.0 * run.n() as f64 - 1.0)),
};

impl<const FAULT: u8> Toy for Told<FAULT> {
    type Word = Rank;
    type Saved = ();
    const SPEC: Spec = Spec { goal: Goal::EveryoneKnows, claims: &[IN_BEST_ORDER], ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.leads = FAULT == HASTY;
        cx.send(NEXT, Said(cx.rank()));
        if FAULT == STAMMERING {
            cx.send(NEXT, Said(cx.rank()));
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, rank: Rank) {
        if FAULT == ECHOING {
            return cx.send(NEXT, Said(rank));
        }
        let is_better = |one: Rank, other: Rank| if FAULT == UPSIDE_DOWN { one < other } else { one > other };
        if FAULT == MODEST {
            return;
        }
        if self.leader.is_none_or(|leader| is_better(rank, leader)) && !is_better(cx.rank(), rank) {
            self.leader = Some(rank).filter(|_| FAULT != SECRETIVE || rank == cx.rank());
            self.leads = rank == cx.rank();
            if !self.leads {
                cx.send(NEXT, Said(rank));
            }
        }
    }

    fn status(&self) -> Status {
        Status { leader: self.leader.map(Rank::id), ..leads(self.leads) }
    }
}

/// Which properties a fault breaks, and which mean nothing where it is.
fn broken_and_vacuous<const FAULT: u8>() -> (Vec<Property>, Vec<Property>) {
    let checked = check_in_full::<Played<Told<FAULT>>>(&ring(&[1, 2]), NONE);
    for finding in &checked.findings {
        let is_broken = finding.counterexample.is_some();
        assert_eq!(finding.verdict == CheckResult::Vacuous, finding.seen == 0 && !is_broken, "{finding:?}");
        assert_eq!(finding.verdict == CheckResult::Violated, is_broken, "{finding:?}");
    }
    let vacuous = checked.findings.iter().filter(|finding| finding.verdict == CheckResult::Vacuous);
    (violated(&checked), vacuous.map(|finding| finding.property).collect())
}

#[test]
fn each_is_broken_by_something_that_breaks_nothing_else() {
    assert_eq!(broken_and_vacuous::<SOUND>(), (vec![], vec![]));
    assert_eq!(broken_and_vacuous::<HASTY>(), (vec![Property::OneLeader], vec![]));
    assert_eq!(broken_and_vacuous::<UPSIDE_DOWN>(), (vec![Property::BestLeads], vec![]));
    // Where somebody never knows, there is no outcome either.
    assert_eq!(broken_and_vacuous::<SECRETIVE>(), (vec![Property::Eventually, Property::AllAgree], vec![]));
    assert_eq!(broken_and_vacuous::<STAMMERING>(), (vec![Property::AsClaimed], vec![]));
}

#[test]
fn where_there_is_nothing_to_hold_they_mean_nothing() {
    let of_leaders = [Property::OneLeader, Property::BestLeads, Property::AllAgree];
    // A run that ends without a leader never comes to have one, so these two are broken together.
    let of_ends = vec![Property::Eventually, Property::SomeoneLeads];
    assert_eq!(broken_and_vacuous::<MODEST>(), (of_ends, of_leaders.to_vec()));
    // One that never ends breaks only the one.
    let nothing_to_hold = Property::ALL.into_iter().filter(|property| *property != Property::Eventually);
    assert_eq!(broken_and_vacuous::<ECHOING>(), (vec![Property::Eventually], nothing_to_hold.collect()));
}

#[test]
fn too_few_messages_are_not_as_claimed_either() {
    let plan = ring(&[1, 3, 2]);
    let checked = check_in_full::<Ring<WRONG_CLAIM>>(&plan, NONE);
    assert_eq!(violated(&checked), [Property::AsClaimed]);
    // The outcome goes round once, and once more is claimed.
    assert_eq!(cost(&checked, "messages"), (3, 3));
    let run = finding(&checked, Property::AsClaimed).counterexample.as_ref().expect("it is shown");
    assert_eq!(run.claim.as_deref(), Some("messages: exactly 4 claimed, 3 sent"));
    // Only a whole run shows it.
    let end = replay::<Ring<WRONG_CLAIM>>(&plan, NONE, run).pop().expect("there is a beginning");
    let mut whole = Whole::new(MachineType::of::<Ring<WRONG_CLAIM>>(), &plan, NONE);
    assert_eq!(whole.enabled(&Rules::new(&plan, NONE), &end), []);
}

#[test]
fn a_claim_may_fail_in_one_order_only() {
    for ids in rings(4) {
        let checked = check_in_full::<Ring<NARROW_CLAIM>>(&ring(&ids), NONE);
        let is_falling = ids == [1, 4, 3, 2];
        let expected = if is_falling { vec![Property::AsClaimed] } else { vec![] };
        assert_eq!(violated(&checked), expected, "{ids:?}");
    }
}

/// Whatever is claimed is claimed of runs that nothing disturbs, to their end; a mean is no claim about one run.
#[test]
fn where_nothing_is_claimed_nothing_is_held() {
    let plan = ring(&[1, 3, 2]);
    let as_claimed = |checked: Checked| verdict(&checked, Property::AsClaimed);
    for liberties in [
        FaultBudget { crashes: 1, ..NONE },
        FaultBudget { losses: 1, ..NONE },
        FaultBudget { duplicates: 1, ..NONE },
        FaultBudget { late_calls: true, ..NONE },
        FaultBudget { stops_at_goal: true, ..NONE },
    ] {
        assert_eq!(as_claimed(check_in_full::<Ring<WRONG_CLAIM>>(&plan, liberties)), CheckResult::Vacuous);
    }
    assert_eq!(as_claimed(check_in_full::<Ring<WRONG_MEAN>>(&plan, NONE)), CheckResult::Vacuous);
    let unasked = CheckOptions { claims: false, ..in_full(NONE) };
    assert_eq!(as_claimed(check::<Ring<WRONG_CLAIM>>(&plan, &unasked)), CheckResult::Vacuous);
}

/// Both lead until one hears of the other, which is as it may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Yielding {
    yields: bool,
}

impl Toy for Yielding {
    type Word = Rank;
    type Saved = ();
    const SPEC: Spec = Spec { reign: Reign::AtLast, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        cx.send(NEXT, Said(cx.rank()));
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, _: Port, rank: Rank) {
        self.yields = rank > cx.rank();
    }

    fn status(&self) -> Status {
        leads(!self.yields)
    }
}

#[test]
fn who_promises_one_leader_at_last_promises_none_until_then() {
    let plan = ring(&[1, 2]);
    let both_lead = |now: &bellwether_model::Situation| leaders(now) == 2;
    assert!(Explored::new::<Played<Yielding>>(&plan, NONE).situations.iter().any(both_lead));
    for options in [in_full(NONE), reduced(NONE)] {
        let checked = check::<Played<Yielding>>(&plan, &options);
        assert_eq!(verdict(&checked, Property::OneLeader), CheckResult::Vacuous);
        assert_eq!(
            (verdict(&checked, Property::AllAgree), checked.verdict()),
            (CheckResult::Holds, CheckResult::Holds)
        );
    }
    // Where all else is open, nothing is left that holds.
    let some = check_in_full::<Played<Yielding>>(&plan, FaultBudget { time: CLOCK, ticks: 0, ..NONE });
    assert_eq!((some.goes_on, some.incomplete, some.verdict()), (true, None, CheckResult::Incomplete));
}

/// Members that may not draw the number that they need do nothing: there is no outcome, and no run without one.
#[test]
fn where_no_run_comes_to_an_outcome_none_is_promised() {
    let checked = check_in_full::<Played<Drawn>>(&ring(&[1]), FaultBudget { draws: 0, ..NONE });
    assert_eq!(checked.progress.states, 1);
    assert_eq!(verdict(&checked, Property::Eventually), CheckResult::Vacuous);
    let checked = check_in_full::<Played<Drawn>>(&ring(&[1]), FaultBudget { draws: 1, ..NONE });
    assert_eq!(finding(&checked, Property::Eventually).seen, 2, "whichever number it draws");
    assert_eq!(verdict(&checked, Property::Eventually), CheckResult::Holds);
}

/// Whoever has drawn a number leads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Drawn {
    number: Option<u64>,
}

impl Toy for Drawn {
    type Word = ();
    type Saved = ();
    const SPEC: Spec = Spec { randomised: true, ..TOY };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, (): ()) {
        self.number = Some(cx.draw(2));
    }

    fn status(&self) -> Status {
        leads(self.number.is_some())
    }
}
