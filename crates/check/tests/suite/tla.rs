//! TLC's published figures for Chang and Roberts' algorithm in the public TLA+ examples (specification
//! `ChangRoberts` with N = 3 and `Id[i] = i`): 227 states generated, 137 distinct, depth 10.
//!
//! That model in words. At each node waits a set of ids. Each node first takes a step in which it puts its id
//! into its successor's set if it is an initiator, and does nothing else if not. From then on it takes any id
//! from its set: a node that has lost passes it on; else a smaller one than its own makes it lose and is
//! passed on, its own makes it win, and a greater one is dropped. Who is an initiator is free: each choice is
//! a beginning.
//!
//! Here the first step is booting, a set of ids is a wire on which messages overtake each other, and who is
//! an initiator is told by the attribute: each choice is a check of its own, and the figures are their sums.

use bellwether_algorithms::chang_roberts::ChangRoberts;
use bellwether_core::*;
use bellwether_model::FaultBudget;
use bellwether_sim::{LinkOrder, Plan};
use bellwether_testkit::checks::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const N: usize = 3;
const PUBLISHED: Figures = Figures { generated: 227, distinct: 137, depth: 10 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figures {
    generated: u64,
    distinct: u64,
    depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Node {
    Candidate,
    Lost,
    Won,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Candidacy(Id);

impl Message for Candidacy {
    const KINDS: &'static [Kind] = &[Kind::payload("candidacy")];

    fn kind(&self) -> usize {
        0
    }
}

impl Algorithm for Node {
    type Timer = Never;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        if cx.rank().attribute() == 0 {
            return Node::Lost;
        }
        cx.send(NEXT, Candidacy(cx.id()));
        Node::Candidate
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {}

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, _: Port, Candidacy(id): Candidacy) {
        if *self == Node::Lost || id < cx.id() {
            *self = Node::Lost;
            cx.send(NEXT, Candidacy(id));
        } else if id == cx.id() {
            *self = Node::Won;
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl Protocol for Node {
    type Msg = Candidacy;
    const SPEC: Spec =
        Spec { name: "tla", starts: Starts::Everyone, goal: Goal::LeaderOnly, ..ChangRoberts::SPEC };

    fn status(&self) -> Status {
        let role = match self {
            Node::Candidate => Role::Undecided,
            Node::Lost => Role::Follower,
            Node::Won => Role::Leader,
        };
        Status { role, ..Status::UNDECIDED }
    }
}

/// All choices of initiators.
fn choices() -> impl Iterator<Item = [bool; N]> {
    (0..1 << N).map(|bits: usize| std::array::from_fn(|node| bits >> node & 1 != 0))
}

#[test]
fn the_published_figures_are_ours() {
    let mut sum = Figures { generated: 0, distinct: 0, depth: 0 };
    for initiators in choices() {
        let mut plan = Plan { links: LinkOrder::Reordering, ..ring(&[1, 2, 3]) };
        for (rank, is_initiator) in plan.ranks.iter_mut().zip(initiators) {
            *rank = Rank::new(Elect::Best, is_initiator.into(), rank.id());
        }
        let progress = check_in_full::<Node>(&plan, FaultBudget::default()).progress;
        sum.generated += 1 + progress.transitions;
        sum.distinct += progress.states;
        sum.depth = sum.depth.max(progress.depth);
    }
    assert_eq!(sum, PUBLISHED);
}

/// The same model without anything of ours: what each node is (nothing before its first step), and what waits
/// at it.
type Nodes = [(Option<Node>, BTreeSet<usize>); N];

fn successors(initiators: [bool; N], nodes: &Nodes) -> Vec<Nodes> {
    let mut all = Vec::new();
    for node in 0..N {
        let next = (node + 1) % N;
        let Some(state) = nodes[node].0 else {
            let mut after = nodes.clone();
            after[node].0 = Some(if initiators[node] { Node::Candidate } else { Node::Lost });
            after[next].1.extend(initiators[node].then_some(node));
            all.push(after);
            continue;
        };
        for &id in &nodes[node].1 {
            let mut after = nodes.clone();
            after[node].1.remove(&id);
            if state == Node::Lost || id < node {
                after[node].0 = Some(Node::Lost);
                after[next].1.insert(id);
            } else if id == node {
                after[node].0 = Some(Node::Won);
            }
            all.push(after);
        }
    }
    all
}

#[test]
fn a_search_by_hand_gives_them_too() {
    let beginnings = choices().map(|initiators| (initiators, Nodes::default()));
    let mut depths: BTreeMap<([bool; N], Nodes), u32> = beginnings.map(|state| (state, 1)).collect();
    let mut generated = depths.len() as u64;
    let mut queue: VecDeque<_> = depths.keys().cloned().collect();
    while let Some((initiators, nodes)) = queue.pop_front() {
        let depth = depths[&(initiators, nodes.clone())];
        for after in successors(initiators, &nodes) {
            generated += 1;
            depths.entry((initiators, after)).or_insert_with_key(|state| {
                queue.push_back(state.clone());
                depth + 1
            });
        }
    }
    let depth = depths.values().copied().max().unwrap_or(0);
    assert_eq!(Figures { generated, distinct: depths.len() as u64, depth }, PUBLISHED);
}
