//! What tests of the checker share: small plans, checks of them, and a search so simple that it is plainly right.

pub mod explored;
pub mod toy;
pub mod vote;

use bellwether_check::{
    CheckOptions, CheckResult, Checked, Counterexample, Finding, Property, check as check_machine,
};
use bellwether_core::{
    Algorithm, Elect, Graph, HOP, Id, Initiators, MachineType, Order, Params, Rank, Role, Topology,
};
use bellwether_model::{Action, FaultBudget, Rules, Situation, TimeModel, Transition, Whole};
use bellwether_sim::Plan;

/// A plan in which the ids are who takes part.
pub fn plan(topology: Topology, ids: &[u64]) -> Plan {
    let rank = |&id: &u64| Rank::new(Elect::Best, 0, Id::new(id).expect("small ids"));
    Plan::new(topology, None, ids.iter().map(rank).collect(), Order::Explicit)
}

/// A one-way ring, clockwise.
pub fn ring(ids: &[u64]) -> Plan {
    plan(Topology::Ring { n: ids.len() as u32, two_way: false }, ids)
}

/// A ring in which messages pass both ways.
pub fn two_way_ring(ids: &[u64]) -> Plan {
    plan(Topology::Ring { n: ids.len() as u32, two_way: true }, ids)
}

/// Everyone is everyone's neighbour.
pub fn complete(ids: &[u64]) -> Plan {
    plan(Topology::Complete { n: ids.len() as u32 }, ids)
}

/// A network of two-way links.
pub fn graph(ids: &[u64], links: &[(u32, u32)]) -> Plan {
    let both_ways = links.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
    plan(Topology::Graph(Graph::new(ids.len() as u32, both_ways)), ids)
}

/// Only these call, by index.
pub fn called_by(members: &[u32], plan: Plan) -> Plan {
    Plan { initiators: Initiators::Some(members.to_vec()), ..plan }
}

/// A clock of which one step is the longest time that a message takes.
pub const CLOCK: TimeModel = TimeModel::Clock { grain: 1, drift: 0 };

/// Every order of the ids from 1 to n that begins with 1: turned round, a ring is the same ring.
pub fn rings(n: u64) -> Vec<Vec<u64>> {
    let mut rings = orders(n);
    rings.retain(|order| order[0] == 1);
    rings
}

/// Every order of the ids from 1 to n.
pub fn orders(n: u64) -> Vec<Vec<u64>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_n = |shorter: &Vec<u64>, at: usize| {
        let mut order = shorter.clone();
        order.insert(at, n);
        order
    };
    let shorter = orders(n - 1);
    shorter.iter().flat_map(|order| (0..=order.len()).map(move |at| with_n(order, at))).collect()
}

/// Everything is followed, on one thread.
pub fn in_full(liberties: FaultBudget) -> CheckOptions {
    CheckOptions {
        liberties,
        reduction: false,
        symmetry: false,
        claims: true,
        threads: 1,
        memory: 1 << 30,
        states: u64::MAX,
        time: None,
    }
}

/// Everything that stands for something else is left out.
pub fn reduced(liberties: FaultBudget) -> CheckOptions {
    CheckOptions { reduction: true, symmetry: true, ..in_full(liberties) }
}

/// Checks an algorithm.
pub fn check<A: Algorithm>(plan: &Plan, options: &CheckOptions) -> Checked {
    check_machine(MachineType::of::<A>(), plan, options, &|_| {})
}

/// The same plan with parameters of an algorithm.
pub fn given<A: Algorithm>(params: &str, plan: Plan) -> Plan {
    Plan { params: Params::parse(A::SPEC.parameters, params).expect("they can be so"), ..plan }
}

/// Checks an algorithm: everything is followed, on one thread.
pub fn check_in_full<A: Algorithm>(plan: &Plan, liberties: FaultBudget) -> Checked {
    check::<A>(plan, &in_full(liberties))
}

/// What came of one property.
pub fn finding(checked: &Checked, property: Property) -> &Finding {
    checked
        .findings
        .iter()
        .find(|finding| finding.property == property)
        .expect("every property has a finding")
}

/// The verdict on one property.
pub fn verdict(checked: &Checked, property: Property) -> CheckResult {
    finding(checked, property).verdict
}

/// The fewest and the most messages that a run sends, of a claim.
pub fn cost(checked: &Checked, claim: &str) -> (u32, u32) {
    let cost = checked.costs.iter().find(|cost| cost.name == claim).expect("it was counted");
    (cost.fewest, cost.most)
}

/// The properties that are violated.
pub fn violated(checked: &Checked) -> Vec<Property> {
    let broken = checked.findings.iter().filter(|finding| finding.verdict == CheckResult::Violated);
    broken.map(|finding| finding.property).collect()
}

/// The longest time that a message takes, in ticks.
pub const BOUND: u64 = HOP.ticks();

/// All situations of a run, played by rules that know nothing of the search.
pub fn replay<A: Algorithm>(plan: &Plan, liberties: FaultBudget, run: &Counterexample) -> Vec<Situation> {
    let rules = Rules::new(plan, liberties);
    let mut whole = Whole::new(MachineType::of::<A>(), plan, liberties);
    let mut situations = vec![rules.beginnings(MachineType::of::<A>())[run.beginning as usize].clone()];
    for &action in &run.actions {
        let now = situations.last().expect("there is a beginning");
        let is_possible = whole.enabled(&rules, now).contains(&action);
        let next = whole.apply(&rules, now, action).filter(|_| is_possible);
        situations.push(next.unwrap_or_else(|| panic!("{action:?} cannot happen")));
    }
    situations
}

/// How many messages are sent in a step, where none is lost or comes twice.
pub fn sent_in(before: &Situation, action: Transition, after: &Situation) -> usize {
    let on_the_wires = |now: &Situation| now.queues.iter().map(|queue| queue.len()).sum::<usize>();
    on_the_wires(after) + usize::from(matches!(action.what, Action::Deliver(..))) - on_the_wires(before)
}

/// How many members are up and lead.
pub fn leaders(situation: &Situation) -> usize {
    situation.seats.iter().filter(|seat| seat.status().role == Role::Leader).count()
}

/// Nothing goes wrong.
pub const NONE: FaultBudget = FaultBudget::NONE;
