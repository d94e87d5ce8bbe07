//! Where only names tell members apart: what a search finds when one state stands for all that differ by names, and
//! whether an algorithm that says so of itself tells the truth.

use bellwether_algorithms::bully;
use bellwether_algorithms::raft_vote::{PRE_VOTE, RaftVote};
use bellwether_check::{CheckOptions, check as check_machine};
use bellwether_core::{Algorithm as _, AnyRename, MachineType, Names, Port};
use bellwether_model::{FaultBudget, Rules, Situation, TimeModel, Whole};
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::explored::Explored;
use bellwether_testkit::checks::*;
use rustc_hash::FxHashSet;

/// Raft, without pre-votes and with them.
const PLAIN: &MachineType = MachineType::of::<RaftVote>();
const CAUTIOUS: &MachineType = &MachineType::of::<RaftVote>().variant(&PRE_VOTE);

/// Three members with time-outs so short that much happens in a few steps of the clock.
fn quick() -> Plan {
    given::<RaftVote>("timeout=10..10", complete(&[2, 3, 1]))
}

const FEW_STEPS: FaultBudget = FaultBudget { time: CLOCK, ticks: 1, ..NONE };

fn places() -> Vec<Vec<u32>> {
    orders(3).iter().map(|order| order.iter().map(|id| *id as u32 - 1).collect()).collect()
}

/// The same situation with every member in another place.
fn exchanged(rules: &Rules<'_>, rename: &AnyRename, now: &Situation, places: &[u32]) -> Situation {
    let plan = rules.plan;
    let id = |member: u32| plan.ranks[member as usize].id();
    let port_to = |from: u32, to: u32| {
        let leads_there = |port: &Port| plan.topology.peer(from, *port).0 == to;
        (0..plan.topology.ports(from)).map(Port).find(leads_there).expect("everyone is a neighbour")
    };
    let mut then = now.clone();
    for member in 0..plan.n() {
        let place = places[member as usize];
        let ids = (0..plan.n()).map(|other| (id(other), id(places[other as usize]))).collect();
        let others = (0..plan.topology.ports(member)).map(|port| plan.topology.peer(member, Port(port)).0);
        let ports = others.map(|other| port_to(place, places[other as usize])).collect();
        then.seats[place as usize] = now.seats[member as usize].renamed(rename, &Names::new(ids, ports));
    }
    for (old, wire) in rules.wires.iter() {
        let ends = (places[wire.from as usize], places[wire.to as usize]);
        let (new, _) = rules.wires.iter().find(|(_, it)| (it.from, it.to) == ends).expect("a wire");
        then.queues[new as usize] = now.queues[old as usize].clone();
    }
    then
}

/// Whether whatever can happen can also happen with places exchanged, and the same comes of it.
fn is_blind_to_names(
    machine: &'static MachineType,
    plan: &Plan,
    liberties: FaultBudget,
    explored: &Explored,
    rename: &AnyRename,
) -> bool {
    let rules = Rules::new(plan, liberties);
    let mut whole = Whole::new(machine, plan, liberties);
    let mut after = |now: &Situation| -> FxHashSet<Situation> {
        let actions = whole.enabled(&rules, now);
        actions.into_iter().filter_map(|action| whole.apply(&rules, now, action)).collect()
    };
    assert!(explored.situations.len() > 100, "too little happens for this to mean anything");
    explored.situations.iter().step_by(1 + explored.situations.len() / 400).all(|now| {
        places().iter().all(|places| {
            let exchanged = |now| exchanged(&rules, rename, now, places);
            after(&exchanged(now)) == after(now).iter().map(exchanged).collect()
        })
    })
}

fn raft_is_blind_to_names(machine: &'static MachineType, liberties: FaultBudget) {
    let (plan, rename) = (quick(), machine.rename.expect("it says so"));
    let explored = Explored::of(machine, &plan, liberties);
    assert!(is_blind_to_names(machine, &plan, liberties, &explored, &rename));
    // A renaming that forgets what is on disk, or whom a member has heard, is found out.
    let forgets_the_disk = AnyRename { saved: |_, _| {}, ..rename };
    assert!(!is_blind_to_names(machine, &plan, liberties, &explored, &forgets_the_disk));
    let forgets_the_state = AnyRename { state: |_, _| {}, ..rename };
    assert!(!is_blind_to_names(machine, &plan, liberties, &explored, &forgets_the_state));
}

#[test]
fn what_says_that_names_only_tell_members_apart_does_so() {
    raft_is_blind_to_names(PLAIN, FEW_STEPS);
    raft_is_blind_to_names(PLAIN, FaultBudget { losses: 1, ..FEW_STEPS });
    raft_is_blind_to_names(CAUTIOUS, FEW_STEPS);
}

/// The bully's members are not only told apart by their names: who is greater bullies.
#[test]
fn a_rank_is_more_than_a_name() {
    assert!(bully::AtOnce::RENAME.is_none());
    let nothing = AnyRename { state: |_, _| {}, saved: |_, _| {} };
    let (plan, liberties) = (complete(&[2, 3, 1]), FaultBudget { time: CLOCK, ..NONE });
    let explored = Explored::new::<bully::AtOnce>(&plan, liberties);
    let bully = MachineType::of::<bully::AtOnce>();
    assert!(!is_blind_to_names(bully, &plan, liberties, &explored, &nothing));
}

/// The search keeps exactly one of all states that differ by names, as told by trying all of them.
#[test]
fn one_state_stands_for_all_that_differ_by_names() {
    let rename = PLAIN.rename.expect("it says so");
    for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
        for liberties in [FEW_STEPS, FaultBudget { losses: 1, ..FEW_STEPS }] {
            let plan = Plan { links, ..quick() };
            let rules = Rules::new(&plan, liberties);
            let explored = Explored::of(PLAIN, &plan, liberties);
            let mut stood_for: FxHashSet<Situation> = FxHashSet::default();
            let mut classes = 0;
            for now in &explored.situations {
                if !stood_for.contains(now) {
                    classes += 1;
                    stood_for.extend(places().iter().map(|places| exchanged(&rules, &rename, now, places)));
                }
            }
            let options = CheckOptions { symmetry: true, ..in_full(liberties) };
            let checked = check::<RaftVote>(&plan, &options);
            assert!(checked.symmetric);
            assert_eq!(checked.progress.states, classes, "of {}", explored.situations.len());
            assert!(classes * 5 < explored.situations.len() as u64, "{classes}");
        }
    }
}

/// Where something else tells members apart, nothing stands for anything else.
#[test]
fn nothing_is_exchanged_where_more_than_names_differ() {
    let is_symmetric = |plan: &Plan, liberties| {
        let options = CheckOptions { symmetry: true, states: 1_000, ..in_full(liberties) };
        check::<RaftVote>(plan, &options).symmetric
    };
    let plan = complete(&[1, 2, 3]);
    let liberties = FaultBudget { ticks: 2, ..FEW_STEPS };
    assert!(is_symmetric(&plan, liberties));
    assert!(is_symmetric(&plan, FaultBudget { time: TimeModel::Clock { grain: 1, drift: 10 }, ..liberties }));
    assert!(!is_symmetric(&called_by(&[0], plan.clone()), liberties));
    assert!(!is_symmetric(&plan, FaultBudget { crashes: 1, ..liberties }));
    let mut fresher = plan.clone();
    fresher.ranks[1] = bellwether_core::Rank::new(fresher.ranks[1].elect(), 7, fresher.ranks[1].id());
    assert!(!is_symmetric(&fresher, liberties));
    let options = CheckOptions { symmetry: true, states: 1_000, ..in_full(liberties) };
    assert!(check_machine(CAUTIOUS, &plan, &options, &|_| {}).symmetric);
    assert!(!check::<bully::AtOnce>(&plan, &options).symmetric);
}
