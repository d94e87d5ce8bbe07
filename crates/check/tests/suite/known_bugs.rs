//! Algorithms that are wrong on purpose, each in one way: the checker finds it, and the run that it shows is
//! written down in `tests/golden`. Beside each its sound twin, which passes.

use crate::notation::written;
use bellwether_algorithms::bully;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::dolev_klawe_rodeh::DolevKlaweRodeh;
use bellwether_algorithms::itai_rodeh::ItaiRodeh;
use bellwether_check::{CheckResult, Property};
use bellwether_core::*;
use bellwether_model::{FaultBudget, MemberState, Rules};
use bellwether_sim::Plan;
use bellwether_testkit::broken::faulty::*;
use bellwether_testkit::broken::*;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::vote::Vote;
use bellwether_testkit::checks::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What is to be seen is what a file in `tests/golden` says. With REWRITE_GOLDEN set, the file is written
/// instead: look at what changed before it is committed.
fn assert_golden(name: &str, seen: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        std::fs::write(&path, seen).expect("golden files can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(seen == expected, "{name} is no longer what it was:\n{seen}\n(REWRITE_GOLDEN=1 rewrites it)");
}

/// The checker finds that this property is violated, and none that is graver; the run is written down.
fn assert_caught<A: Algorithm>(name: &str, plan: &Plan, liberties: FaultBudget, property: Property) {
    let checked = check::<A>(plan, &reduced(liberties));
    let broken = checked.broken().expect("something is wrong");
    assert_eq!(broken.property, property, "{name}: {:?}", violated(&checked));
    let run = broken.counterexample.as_ref().expect("it is shown");
    let may_be_longer = run.loop_from.is_some() || property == Property::AsClaimed;
    assert_eq!(run.is_shortest, !may_be_longer, "{name}");
    let situations = replay::<A>(plan, liberties, run);
    let end = situations.last().expect("there is a beginning");
    match broken.property {
        Property::OneLeader => assert!(leaders(end) > 1 || A::SPEC.reign == Reign::PerTerm),
        Property::Eventually => {
            let knows = |seat: &MemberState| seat.state().is_none() || A::SPEC.goal.is_met_by(&seat.status());
            assert!(leaders(end) == 0 || !end.seats.iter().all(knows));
        }
        _ => {}
    }
    let text = written(&Rules::new(plan, liberties), run);
    assert_golden(&format!("{name}.txt"), &format!("{}: not so\n{text}", broken.property.sentence()));
}

fn assert_passes<A: Algorithm>(plan: &Plan, liberties: FaultBudget) {
    let checked = check::<A>(plan, &reduced(liberties));
    assert_eq!(checked.verdict(), CheckResult::Holds, "{}: {:?}", A::SPEC.name, violated(&checked));
}

/// Without the flag, a member puts in its own rank for every worse one. Whoever is the best still comes to lead, and
/// all come to know it: only more messages are sent than are claimed.
#[test]
fn participant_flag_forgotten() {
    let plan = ring(&[1, 2, 3]);
    // In best order every worse rank dies after one hop, the best goes round, and then its announcement does.
    let (election, elected) = (2 + 3, 3);
    for sound in [check_in_full::<ChangRoberts>(&plan, NONE), check_in_full::<Ring<SOUND>>(&plan, NONE)] {
        assert_eq!(sound.verdict(), CheckResult::Holds);
        assert_eq!(verdict(&sound, Property::AsClaimed), CheckResult::Holds);
        assert_eq!(cost(&sound, "messages"), (election + elected, election + elected));
    }
    assert_caught::<Ring<NO_FLAG>>("participant-flag-forgotten", &plan, NONE, Property::AsClaimed);
    // Each rank that dies is followed by one of the next better, so all three come to be the best: each of them goes
    // round, and so does its announcement. The two that were not best at first have gone 1 and 1 + 1 hops before.
    let forgetful = check_in_full::<Ring<NO_FLAG>>(&plan, NONE);
    assert_eq!(violated(&forgetful), [Property::AsClaimed]);
    let all = 3 * (3 + 3) + 1 + (1 + 1);
    assert_eq!(cost(&forgetful, "messages"), (all, all));
    // The run that is shown stops as soon as more are sent than are claimed.
    let run = finding(&forgetful, Property::AsClaimed).counterexample.as_ref().expect("it is shown");
    let situations = replay::<Ring<NO_FLAG>>(&plan, NONE, run);
    let steps = situations.windows(2).zip(&run.actions);
    let sent: Vec<usize> = steps.map(|(pair, action)| sent_in(&pair[0], *action, &pair[1])).collect();
    assert_eq!(sent.iter().sum::<usize>(), (election + elected + 1) as usize);
    assert_eq!(sent.last(), Some(&1));
}

/// With `<` for `<=` a member takes its own rank for a better one: it goes round for ever.
#[test]
fn own_rank_passed_on() {
    assert_caught::<Ring<FOR_EVER>>("own-rank-passed-on", &ring(&[1, 2]), NONE, Property::Eventually);
    assert_passes::<Ring<SOUND>>(&ring(&[1, 2]), NONE);
    assert_passes::<ChangRoberts>(&ring(&[1, 2]), NONE);
}

#[test]
fn every_rank_passed_on() {
    let plan = ring(&[1, 2, 3]);
    assert_caught::<Ring<UNDISCERNING>>("every-rank-passed-on", &plan, NONE, Property::OneLeader);
    assert_passes::<ChangRoberts>(&plan, NONE);
}

#[test]
fn announcement_not_passed_on() {
    let plan = ring(&[2, 3, 1]);
    assert_caught::<Ring<UNANNOUNCED>>("announcement-not-passed-on", &plan, NONE, Property::Eventually);
    assert_passes::<ChangRoberts>(&plan, NONE);
    // The same where it is not the algorithm's fault.
    let lossy = FaultBudget { losses: 1, ..NONE };
    assert_caught::<ChangRoberts>("message-lost", &plan, lossy, Property::Eventually);
}

#[test]
fn wrong_neighbour_compared() {
    let plan = ring(&[2, 3, 1]);
    assert_caught::<Faulty<WrongNeighbour>>("wrong-neighbour-compared", &plan, NONE, Property::Eventually);
    assert_passes::<Faulty<Nothing>>(&plan, NONE);
    assert_passes::<DolevKlaweRodeh>(&plan, NONE);
}

#[test]
fn same_lots_not_noticed() {
    let (plan, few_draws) = (ring(&[1, 2]), FaultBudget { draws: 2, ..NONE });
    assert_caught::<Faulty<NotUnique>>("same-lots-not-noticed", &plan, few_draws, Property::OneLeader);
    assert_passes::<ItaiRodeh>(&plan, few_draws);
}

#[test]
fn answers_ignored() {
    let (plan, clock) = (complete(&[1, 2]), FaultBudget { time: CLOCK, ..NONE });
    assert_caught::<Deaf>("answers-ignored", &plan, clock, Property::OneLeader);
    assert_passes::<bully::Waiting>(&plan, clock);
}

/// Who comes back has forgotten that it has voted. (Votes may be split, so that nobody leads: that is not the
/// point.)
#[test]
fn vote_not_durable() {
    let plan = called_by(&[0, 1], complete(&[1, 2, 3]));
    let liberties = FaultBudget { crashes: 1, recoveries: 1, late_calls: true, ..NONE };
    assert_caught::<Played<Vote<false>>>("vote-not-durable", &plan, liberties, Property::OneLeader);
    let durable = check::<Played<Vote<true>>>(&plan, &reduced(liberties));
    assert_eq!(verdict(&durable, Property::OneLeader), CheckResult::Holds);
}

/// Members look for the best of those that are there, and appoint it. It may have died meanwhile: whoever
/// appoints it waits for it to accept, or does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct Appointing<const VERIFIED: bool> {
    leads: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Word {
    WhoIsThere,
    Here,
    Lead,
    Accepted,
}

impl<const VERIFIED: bool> Toy for Appointing<VERIFIED> {
    type Word = Word;
    type Saved = ();
    const SPEC: Spec = Spec { need: Need::Complete, starts: Starts::Callers, knows: Knowledge::PEERS, ..TOY };

    fn is_called(&mut self, cx: &mut ToyCx<'_, Self>) {
        cx.send(NEXT, Said(Word::WhoIsThere));
        cx.set_timer(0, HOP * 2);
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, word: Word) {
        match word {
            Word::WhoIsThere => cx.send(from, Said(Word::Here)),
            Word::Here if cx.peer_rank(from) > cx.rank() => {
                cx.send(from, Said(Word::Lead));
                cx.cancel_timer(0);
                if VERIFIED {
                    cx.set_timer(0, HOP * 2);
                }
            }
            Word::Here => {
                self.leads = true;
                cx.cancel_timer(0);
            }
            Word::Lead => {
                self.leads = true;
                cx.send(from, Said(Word::Accepted));
            }
            Word::Accepted => cx.cancel_timer(0),
        }
    }

    /// Nobody is there.
    fn is_reminded(&mut self, _: &mut ToyCx<'_, Self>, _: u8) {
        self.leads = true;
    }

    fn status(&self) -> Status {
        leads(self.leads)
    }
}

#[test]
fn coordinator_not_verified() {
    let plan = complete(&[1, 2]);
    let liberties = FaultBudget { crashes: 1, time: CLOCK, stops_at_goal: true, ..NONE };
    let name = "coordinator-not-verified";
    assert_caught::<Played<Appointing<false>>>(name, &plan, liberties, Property::Eventually);
    assert_passes::<Played<Appointing<true>>>(&plan, liberties);
}
