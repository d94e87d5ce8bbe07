//! The `stateright` crate on the same models: the same states, the same depth, the same verdicts, and
//! counterexamples of the same length.
//!
//! Its `eventually` says of itself that it misses runs that go round for ever, and is content with what does not
//! last; so it is asked, where there are no loops, what is true at all ends.

use bellwether_algorithms::aggregation_tree::AggregationTree;
use bellwether_algorithms::bully;
use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_algorithms::chang_roberts_suppressing::Suppressing;
use bellwether_algorithms::dolev_klawe_rodeh::DolevKlaweRodeh;
use bellwether_algorithms::franklin::Franklin;
use bellwether_algorithms::hirschberg_sinclair::HirschbergSinclair;
use bellwether_algorithms::itai_rodeh::ItaiRodeh;
use bellwether_algorithms::{lcr, peterson};
use bellwether_check::{CheckResult, Checked, Property};
use bellwether_core::{
    Algorithm, Id, Identities, Leadership, MachineType, Rank, Reign, Role, Rounds, Starts, Status,
};
use bellwether_model::{Action, FaultBudget, Situation, TimeModel, Whole};
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::*;
use bellwether_testkit::through_stateright::World;
use stateright::{Checker, Model};
use std::collections::BTreeSet;

type Law<A> = stateright::Property<World<A>>;

/// Who is up, with its rank.
fn live<A: Algorithm>(world: &World<A>, now: &Situation) -> Vec<(Rank, Status)> {
    let ranks = world.rules.plan.ranks.iter().copied();
    let up = ranks.zip(&now.seats).filter(|(_, seat)| seat.state().is_some());
    up.map(|(rank, seat)| (rank, seat.status())).collect()
}

fn leaders(live: &[(Rank, Status)]) -> Vec<Id> {
    live.iter().filter(|(_, status)| status.role == Role::Leader).map(|(rank, _)| rank.id()).collect()
}

/// Whether there is somebody, and nothing left to happen but faults.
fn is_end<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    let mut possible = Vec::new();
    world.rules.possible(
        &mut Whole::new(MachineType::of::<A>(), world.rules.plan, world.rules.liberties),
        now,
        &mut possible,
    );
    now.seats.iter().any(|seat| seat.state().is_some()) && possible.into_iter().all(Action::is_fault)
}

fn one_leader<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    let mut terms = BTreeSet::new();
    let mut no_term_twice =
        || now.seats.iter().flat_map(|seat| seat.facts(&A::SPEC).led).all(|term| terms.insert(term));
    match A::SPEC.reign {
        Reign::AtOnce => leaders(&live(world, now)).len() < 2,
        Reign::PerTerm => no_term_twice(),
        Reign::Leased | Reign::AtLast => unreachable!("none of the algorithms here promises that"),
    }
}

/// Whether a live member knows of an election: it has called one, or heard of one. Where nobody calls, all do.
fn is_known<A: Algorithm>(now: &Situation) -> bool {
    let up = || now.seats.iter().filter(|seat| seat.state().is_some());
    A::SPEC.starts == Starts::Everyone || up().any(|seat| seat.facts(&A::SPEC).took_part)
}

/// At an end: somebody leads, and all know it who should. (Where there are no loops, every run comes to an end.)
fn has_an_outcome<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    let live = live(world, now);
    let all_know = live.iter().all(|(_, status)| A::SPEC.goal.is_met_by(status));
    !is_end(world, now) || !is_known::<A>(now) || all_know && !leaders(&live).is_empty()
}

fn someone_leads<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    !is_end(world, now) || !is_known::<A>(now) || !leaders(&live(world, now)).is_empty()
}

fn best_leads<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    if !is_end(world, now) {
        return true;
    }
    let live = live(world, now);
    let leaders = leaders(&live);
    let best = live.iter().map(|(rank, _)| *rank).max().map(Rank::id);
    let names = live.iter().filter_map(|(_, status)| status.leader).chain(leaders.iter().copied());
    let is_right = |id: Id| match (A::SPEC.identities, A::SPEC.leadership) {
        (Identities::Anonymous, _) => true,
        (_, Leadership::Best) => Some(id) == best,
        (_, Leadership::Incumbent) => leaders.contains(&id),
    };
    leaders.len() < 2 && names.into_iter().all(is_right)
}

fn all_agree<A: Algorithm>(world: &World<A>, now: &Situation) -> bool {
    if !is_end(world, now) {
        return true;
    }
    let live = live(world, now);
    let leaders = leaders(&live);
    let names: BTreeSet<Id> = live.iter().filter_map(|(_, status)| status.leader).collect();
    let all_know = live.iter().all(|(_, status)| A::SPEC.goal.is_met_by(status));
    leaders.len() < 2 && names.len() < 2 && (leaders.is_empty() || all_know)
}

/// How many steps it takes to break one law; nothing if nothing breaks it. (Asked for one law at a time, it
/// stops at the first state that does: of several laws it keeps the last states.)
fn steps_to_break<A: Algorithm>(plan: &'static Plan, liberties: FaultBudget, law: Law<A>) -> Option<usize> {
    let name = law.name;
    let checker = World::<A>::new(plan, liberties, vec![law]).checker().threads(1).spawn_bfs().join();
    checker.discovery(name).map(|path| path.into_actions().len())
}

/// Compares one model, and gives our check of it.
fn compare<A: Algorithm>(plan: &Plan, liberties: FaultBudget) -> Checked {
    let plan: &'static Plan = Box::leak(Box::new(plan.clone()));
    let name = format!("{} {} {liberties:?}", A::SPEC.name, A::SPEC.variant);
    let ours = check_in_full::<A>(plan, liberties);
    assert_eq!(ours.incomplete, None, "{name}");
    // A law that is never met, so that nothing stops it before it has seen everything.
    let never = Law::<A>::sometimes("never", |_, _| false);
    let theirs = World::<A>::new(plan, liberties, vec![never]).checker().threads(1).spawn_bfs().join();
    assert_eq!(ours.progress.states, theirs.unique_state_count() as u64, "{name}: states");
    let beginnings = theirs.model().init_states().len() as u64;
    assert_eq!(ours.progress.transitions + beginnings, theirs.state_count() as u64, "{name}: generated");
    assert_eq!(ours.progress.depth, theirs.max_depth() as u32, "{name}: depth");
    for (property, law) in [
        (Property::OneLeader, Law::<A>::always("law", one_leader)),
        (Property::SomeoneLeads, Law::<A>::always("law", someone_leads)),
        (Property::BestLeads, Law::<A>::always("law", best_leads)),
        (Property::AllAgree, Law::<A>::always("law", all_agree)),
    ] {
        let finding = finding(&ours, property);
        let our_steps = finding.counterexample.as_ref().map(|run| run.actions.len());
        assert_eq!(our_steps, steps_to_break(plan, liberties, law), "{name}: {property:?}");
        assert_eq!(finding.verdict == CheckResult::Violated, our_steps.is_some(), "{name}: {property:?}");
    }
    let has_faults = liberties.crashes + liberties.losses + liberties.duplicates + liberties.restarts > 0;
    // It would take runs that are cut short for runs that end.
    if !has_faults && !ours.is_cut && Explored::new::<A>(plan, liberties).is_without_loops() {
        let law = Law::<A>::always("law", has_an_outcome);
        let is_broken = steps_to_break(plan, liberties, law).is_some();
        assert_eq!(
            is_broken,
            verdict(&ours, Property::Eventually) == CheckResult::Violated,
            "{name}: eventually"
        );
    }
    ours
}

const CRASH: FaultBudget = FaultBudget { crashes: 1, ..NONE };
const RECOVERY: FaultBudget = FaultBudget { recoveries: 1, ..CRASH };
const LOSS: FaultBudget = FaultBudget { losses: 1, ..NONE };
const DUPLICATE: FaultBudget = FaultBudget { duplicates: 1, ..NONE };
const LATE_CALLS: FaultBudget = FaultBudget { late_calls: true, ..NONE };

/// Links that keep the order of messages, and links that do not.
fn with_both_orders(plan: Plan) -> [Plan; 2] {
    [plan.clone(), Plan { links: LinkOrder::Reordering, ..plan }]
}

#[test]
fn chang_roberts_with_every_liberty() {
    for liberties in [NONE, CRASH, RECOVERY, LOSS, DUPLICATE, LATE_CALLS] {
        for plan in with_both_orders(ring(&[2, 3, 1])) {
            compare::<ChangRoberts>(&plan, liberties);
        }
        compare::<Suppressing>(&ring(&[2, 3, 1]), liberties);
        let closing = Plan { ring_closes: true, ..ring(&[3, 1, 2]) };
        compare::<ChangRoberts>(&closing, liberties);
    }
    compare::<ChangRoberts>(&ring(&[2, 4, 3, 1]), NONE);
}

#[test]
fn phases_on_one_way_rings() {
    // Not with copies: each would go on for ever, and more of them with every phase.
    for liberties in [NONE, CRASH, LOSS, LATE_CALLS] {
        for plan in with_both_orders(ring(&[2, 3, 1])) {
            compare::<DolevKlaweRodeh>(&plan, liberties);
        }
        compare::<peterson::Basic>(&ring(&[1, 2, 3]), liberties);
        compare::<peterson::Improved>(&called_by(&[0, 2], ring(&[1, 2, 3])), liberties);
    }
    compare::<DolevKlaweRodeh>(&ring(&[2, 4, 3, 1]), NONE);
}

#[test]
fn on_two_way_rings() {
    for liberties in [NONE, CRASH, LOSS, LATE_CALLS] {
        compare::<Franklin>(&called_by(&[0, 1], two_way_ring(&[2, 1, 3])), liberties);
        compare::<HirschbergSinclair>(&called_by(&[1], two_way_ring(&[2, 1, 3])), liberties);
    }
    compare::<Franklin>(&two_way_ring(&[2, 1, 3]), NONE);
}

#[test]
fn on_other_networks() {
    let path = called_by(&[0, 2], graph(&[2, 3, 1], &[(0, 1), (1, 2)]));
    for liberties in [NONE, CRASH, LOSS, DUPLICATE, LATE_CALLS] {
        compare::<AggregationTree>(&path, liberties);
    }
    let clock = FaultBudget { time: CLOCK, ..NONE };
    compare::<bully::AtOnce>(&complete(&[1, 2, 3]), clock);
    compare::<bully::Waiting>(&complete(&[1, 2]), FaultBudget { crashes: 1, ..clock });
    let finer = TimeModel::Clock { grain: 2, drift: 100 };
    compare::<bully::AtOnce>(&complete(&[1, 2]), FaultBudget { time: finer, ..NONE });
    let detector = FaultBudget { crashes: 1, detector: true, ..clock };
    compare::<bully::AtOnce>(&called_by(&[0], complete(&[1, 2, 3])), detector);
}

#[test]
fn with_suspicions_and_restarts() {
    let clock = FaultBudget { time: CLOCK, ..NONE };
    let restarts = FaultBudget { restarts: 2, restart_after: 12, ..clock };
    compare::<bully::AtOnce>(&called_by(&[0], complete(&[1, 2])), FaultBudget { losses: 1, ..restarts });
    compare::<bully::Waiting>(&called_by(&[1], complete(&[1, 2])), FaultBudget { crashes: 1, ..restarts });
    compare::<bully::AtOnce>(&called_by(&[0], complete(&[1, 2, 3])), FaultBudget { suspicions: 1, ..clock });
    let path = called_by(&[0, 2], graph(&[2, 3, 1], &[(0, 1), (1, 2)]));
    compare::<AggregationTree>(&path, FaultBudget { suspicions: 1, restarts: 1, ..NONE });
}

#[test]
fn with_drawn_numbers_and_in_rounds() {
    let checked = compare::<ItaiRodeh>(&ring(&[1, 2]), FaultBudget { draws: 2, ..NONE });
    assert!(checked.is_cut);
    compare::<ItaiRodeh>(&ring(&[1, 2, 3]), FaultBudget { draws: 1, ..NONE });
    compare::<Rounds<lcr::Halting>>(&ring(&[2, 3, 1]), NONE);
    compare::<Rounds<lcr::Halting>>(&ring(&[2, 3, 1]), LOSS);
}

#[test]
fn something_is_wrong_in_some_and_not_in_others() {
    assert_eq!(violated(&compare::<ChangRoberts>(&ring(&[2, 3, 1]), NONE)), []);
    let wrong = violated(&compare::<ChangRoberts>(&ring(&[2, 3, 1]), CRASH));
    assert!(wrong.contains(&Property::SomeoneLeads) && wrong.contains(&Property::BestLeads), "{wrong:?}");
    assert!(violated(&compare::<ChangRoberts>(&ring(&[2, 3, 1]), LOSS)).contains(&Property::Eventually));
}
