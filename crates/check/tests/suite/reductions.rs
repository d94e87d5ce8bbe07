//! What is left out makes no difference: the same verdicts with and without, on any number of threads.

use bellwether_algorithms::aggregation_tree::AggregationTree;
use bellwether_algorithms::bully;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::chang_roberts_suppressing::Suppressing;
use bellwether_algorithms::dolev_klawe_rodeh::DolevKlaweRodeh;
use bellwether_algorithms::franklin::Franklin;
use bellwether_algorithms::hirschberg_sinclair::HirschbergSinclair;
use bellwether_algorithms::itai_rodeh::ItaiRodeh;
use bellwether_algorithms::raft_vote::RaftVote;
use bellwether_algorithms::{lcr, peterson};
use bellwether_check::{CheckOptions, CheckResult, Checked, Property};
use bellwether_core::{Algorithm, Initiators, Rounds};
use bellwether_model::{FaultBudget, TimeModel};
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::broken::faulty::{Faulty, NotUnique, WrongNeighbour};
use bellwether_testkit::broken::*;
use bellwether_testkit::checks::toy::*;
use bellwether_testkit::checks::vote::Vote;
use bellwether_testkit::checks::*;
use std::collections::BTreeMap;

/// With and without reductions, the same is found. Gives how many states each took.
fn compare<A: Algorithm>(plan: &Plan, liberties: FaultBudget) -> (u64, u64) {
    let name = format!("{} {:?} {liberties:?}", A::SPEC.name, plan.ranks);
    let full = check_in_full::<A>(plan, liberties);
    assert_eq!(full.incomplete, None, "{name}");
    let mut least = full.progress.states;
    for (reduction, symmetry) in [(true, false), (false, true), (true, true)] {
        let some = check::<A>(plan, &CheckOptions { reduction, symmetry, ..in_full(liberties) });
        assert_eq!(verdicts(&some), verdicts(&full), "{name} {reduction} {symmetry}");
        assert_eq!(some.costs, full.costs, "{name} {reduction} {symmetry}");
        assert!(some.progress.states <= full.progress.states, "{name}");
        assert!(some.progress.transitions <= full.progress.transitions, "{name}");
        if some.reduced && !some.symmetric {
            // One order stands for all, but they all come to the same ends.
            let ends = |checked: &Checked| {
                let seen = |property| finding(checked, property).seen;
                (seen(Property::SomeoneLeads), seen(Property::AllAgree))
            };
            assert_eq!(ends(&some), ends(&full), "{name}");
        }
        if full.broken().is_some() {
            // What is wrong is shown as it is without: by the shortest run.
            let runs = |checked: &Checked| -> Vec<_> {
                checked.findings.iter().map(|finding| finding.counterexample.clone()).collect()
            };
            assert_eq!(runs(&some), runs(&full), "{name}");
        }
        least = least.min(some.progress.states);
    }
    (least, full.progress.states)
}

fn verdicts(checked: &Checked) -> Vec<CheckResult> {
    checked.findings.iter().map(|finding| finding.verdict).collect()
}

/// All orders of three, called by all and by some, with each kind of link.
fn plans(shape: fn(&[u64]) -> Plan) -> Vec<Plan> {
    let mut plans = Vec::new();
    for ids in rings(3) {
        for initiators in [Initiators::All, Initiators::Some(vec![0]), Initiators::Some(vec![1, 2])] {
            for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
                plans.push(Plan { initiators: initiators.clone(), links, ..shape(&ids) });
            }
        }
    }
    plans
}

const CRASH: FaultBudget = FaultBudget { crashes: 1, ..NONE };
const LOSS: FaultBudget = FaultBudget { losses: 1, ..NONE };
const LATE_CALLS: FaultBudget = FaultBudget { late_calls: true, ..NONE };

#[test]
fn sound_algorithms_on_one_way_rings() {
    for plan in plans(ring) {
        for liberties in [NONE, CRASH, LOSS, LATE_CALLS, FaultBudget { stops_at_goal: true, ..LATE_CALLS }] {
            compare::<ChangRoberts>(&plan, liberties);
            compare::<Suppressing>(&plan, liberties);
            compare::<DolevKlaweRodeh>(&plan, liberties);
        }
        if plan.links == LinkOrder::Fifo {
            compare::<peterson::Basic>(&plan, NONE);
            compare::<peterson::Improved>(&plan, LATE_CALLS);
        }
    }
    let closing = Plan { ring_closes: true, ..ring(&[1, 2, 3]) };
    compare::<ChangRoberts>(&closing, CRASH);
    compare::<Rounds<lcr::Halting>>(&ring(&[1, 2, 3]), NONE);
}

#[test]
fn sound_algorithms_on_other_networks() {
    for plan in plans(two_way_ring) {
        compare::<Franklin>(&plan, NONE);
        compare::<HirschbergSinclair>(&Plan { initiators: Initiators::Some(vec![0]), ..plan }, LATE_CALLS);
    }
    let path = graph(&[2, 3, 1], &[(0, 1), (1, 2)]);
    compare::<AggregationTree>(&path, NONE);
    compare::<AggregationTree>(&called_by(&[0], path), CRASH);
    let clock = FaultBudget { time: CLOCK, ..NONE };
    compare::<bully::AtOnce>(&complete(&[1, 2, 3]), clock);
    compare::<bully::Waiting>(&complete(&[1, 2]), FaultBudget { crashes: 1, ..clock });
    compare::<bully::Waiting>(&called_by(&[0], complete(&[1, 2, 3])), clock);
    let detector = FaultBudget { crashes: 1, detector: true, ..clock };
    compare::<bully::AtOnce>(&called_by(&[0], complete(&[1, 2, 3])), detector);
    let drift = FaultBudget { time: TimeModel::Clock { grain: 2, drift: 100 }, ..NONE };
    compare::<bully::AtOnce>(&complete(&[1, 2]), drift);
    let restarts = FaultBudget { losses: 1, restarts: 2, restart_after: 12, ..clock };
    compare::<bully::AtOnce>(&called_by(&[0], complete(&[1, 2])), restarts);
    compare::<bully::AtOnce>(&called_by(&[1], complete(&[1, 2, 3])), FaultBudget { suspicions: 1, ..clock });
}

#[test]
fn identical_members() {
    for draws in [1, 2] {
        compare::<ItaiRodeh>(&ring(&[1, 2]), FaultBudget { draws, ..NONE });
        compare::<Faulty<NotUnique>>(&ring(&[1, 2]), FaultBudget { draws, ..NONE });
    }
    let liberties = FaultBudget { draws: 1, ..NONE };
    compare::<ItaiRodeh>(&called_by(&[0], ring(&[1, 2, 3])), liberties);
    let plan = ring(&[1, 2, 3]);
    let alone = |symmetry| {
        check::<ItaiRodeh>(&plan, &CheckOptions { symmetry, ..in_full(liberties) }).progress.states
    };
    let (turned, all) = (alone(true), alone(false));
    // Three turns of a ring of three, but for states that are the same turned.
    assert!(turned < all && turned * 3 >= all, "{turned} of {all}");
    compare::<ItaiRodeh>(&plan, liberties);
    compare::<Played<Echoing<1>>>(&plan, NONE);
    compare::<Played<Echoing<1>>>(&plan, LOSS);
}

#[test]
fn members_that_only_names_tell_apart() {
    let quick = |ids: &[u64]| given::<RaftVote>("timeout=10..10", complete(ids));
    let few_steps = FaultBudget { time: CLOCK, ticks: 1, ..NONE };
    let plan = quick(&[2, 3, 1]);
    let (one_in_six, all) = compare::<RaftVote>(&plan, few_steps);
    assert!(one_in_six * 5 < all, "{one_in_six} of {all}");
    compare::<RaftVote>(&plan, FaultBudget { losses: 1, ..few_steps });
    compare::<RaftVote>(&plan, FaultBudget { crashes: 1, recoveries: 1, ..few_steps });
    compare::<RaftVote>(&quick(&[2, 1]), FaultBudget { pauses: 1, ticks: 4, ..few_steps });
    let drift = TimeModel::Clock { grain: 1, drift: 100 };
    compare::<RaftVote>(&quick(&[2, 1]), FaultBudget { time: drift, ticks: 3, ..NONE });
}

#[test]
fn broken_ones_too() {
    for ids in rings(3) {
        let plan = ring(&ids);
        for liberties in [NONE, CRASH, LOSS, LATE_CALLS] {
            compare::<Ring<NO_FLAG>>(&plan, liberties);
            compare::<Ring<NARROW_CLAIM>>(&plan, liberties);
            compare::<Ring<UNDISCERNING>>(&plan, liberties);
            compare::<Ring<UNANNOUNCED>>(&plan, liberties);
            compare::<Ring<WRONG_WAY>>(&plan, liberties);
            compare::<Ring<SILENT>>(&plan, liberties);
            compare::<Ring<FOR_EVER>>(&plan, liberties);
            compare::<Faulty<WrongNeighbour>>(&plan, liberties);
        }
    }
    let plan = called_by(&[0, 1], complete(&[1, 2, 3]));
    compare::<Played<Vote<true>>>(&plan, NONE);
    compare::<Played<Vote<false>>>(&plan, FaultBudget { crashes: 1, recoveries: 1, ..LATE_CALLS });
    compare::<Deaf>(&complete(&[1, 2]), FaultBudget { time: CLOCK, ..NONE });
}

/// SPIN's reduction of the same algorithms at this size is from 111,045 to 123 states and from 617,729 to
/// 124. Here for one in forty of the 720 orders: all of them take a minute.
#[test]
fn a_hundredth_of_the_states_is_enough_for_seven() {
    for ids in rings(7).into_iter().step_by(40) {
        let (plan, options) = (ring(&ids), reduced(NONE));
        for (few, all) in [
            (check::<ChangRoberts>(&plan, &options), check_in_full::<ChangRoberts>(&plan, NONE)),
            (check::<DolevKlaweRodeh>(&plan, &options), check_in_full::<DolevKlaweRodeh>(&plan, NONE)),
        ] {
            assert_eq!((few.verdict(), all.verdict()), (CheckResult::Holds, CheckResult::Holds));
            assert!(few.progress.states * 100 <= all.progress.states, "{ids:?}: {few:?} {all:?}");
        }
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let plan = ring(&[2, 4, 3, 1]);
    let closing = Plan { ring_closes: true, ..ring(&[1, 3, 2]) };
    for options in [in_full(NONE), reduced(NONE), in_full(LOSS), reduced(CRASH)] {
        let on = |threads| {
            let options = CheckOptions { threads, ..options };
            let checks = [
                check::<ChangRoberts>(&plan, &options),
                check::<DolevKlaweRodeh>(&plan, &options),
                check::<ChangRoberts>(&closing, &options),
                check::<Ring<UNDISCERNING>>(&plan, &options),
            ];
            checks.map(|checked| format!("{:?} {:?}", checked.progress, checked.findings))
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }
}

#[test]
fn a_ring_turned_round_is_the_same_ring() {
    for n in [3, 4] {
        let census = |orders: Vec<Vec<u64>>| {
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            for ids in orders {
                for checked in [
                    check::<ChangRoberts>(&ring(&ids), &in_full(NONE)),
                    check::<DolevKlaweRodeh>(&ring(&ids), &reduced(NONE)),
                    check::<Ring<UNDISCERNING>>(&ring(&ids), &in_full(NONE)),
                ] {
                    let seen = format!("{:?} {} states", verdicts(&checked), checked.progress.states);
                    *found.entry(seen).or_default() += 1;
                }
            }
            found
        };
        let mut turned = census(rings(n));
        turned.values_mut().for_each(|count| *count *= n as usize);
        assert_eq!(census(orders(n)), turned);
    }
}
