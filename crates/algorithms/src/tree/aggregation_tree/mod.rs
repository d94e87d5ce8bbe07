//! Election by aggregation (lecture 004, strategy 1): the initiator builds a spanning tree of the network, the
//! highest rank travels up the tree, and the result goes down. It is an echo algorithm.
//!
//! Figures, for a network of n members and m directed links (e = m / 2 two-way ones), and one tree:
//! - On a link of the tree one `explore` goes down, one `max` up, one `leader` down. On any other link one `explore`
//!   goes each way, because each end sends one before it has received the other's. So there are (n-1) + 2(e-(n-1)) =
//!   m-(n-1) `explore`, n-1 `max`, n-1 `leader`: m + n - 1 in all. Trees of several initiators are independent, so k
//!   of them cost k times that, whatever the delays.
//! - Time, when every message takes one hop. Let E be the root's eccentricity, d(v) the depth of v, T(v) the time
//!   when v has heard on all ports. v explores at d(v), so it has heard its non-children by d(v)+1, or by d(v)+2 if
//!   one of them is deeper, and then d(v) < E. Hence T(v) + d(v) <= 2E+1 if v has no children; and a child c adds
//!   T(c)+1 + d(v) = T(c) + d(c), which is no more. So the root knows by 2E+1, and the last member by 3E+1, at most
//!   3D+1. If the network is a tree, every port but the parent's leads to a child: T(v) + d(v) is 2E for the deepest,
//!   and the end is 3E.

use crate::conditions::{all_start, initiators, is_undisturbed};
use crate::sources::{CHANG_1982, SARKAR_LECTURE, SEGALL_1983};
use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A member: its place in each initiator's tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AggregationTree {
    /// By root; only the last tree of each.
    trees: BTreeMap<Id, Tree>,
    /// The total number of children listed in all trees.
    listed: usize,
    role: Role,
    leader: Option<Id>,
}

/// A member's place in one tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Tree {
    /// The root's number for it: the next election of the same root has the next number.
    number: u64,
    /// None for the root.
    parent: Option<Port>,
    /// Listed until the result has passed.
    children: Vec<Port>,
    /// The number of other ports on which nothing has arrived.
    unheard: u32,
    /// The highest rank reported from the subtree so far.
    best: Rank,
}

/// The messages; each belongs to one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    root: Id,
    number: u64,
    word: Payload,
}

/// The content of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Payload {
    /// Become my child, unless you have another parent.
    Explore,
    /// The sender is your child, and this is the highest rank of its subtree.
    Max(Rank),
    /// The member with the highest rank of all.
    Leader(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::payload("explore"), Kind::payload("max"), Kind::payload("leader")];

    fn kind(&self) -> usize {
        match self.word {
            Payload::Explore => 0,
            Payload::Max(_) => 1,
            Payload::Leader(_) => 2,
        }
    }

    fn brief(&self) -> Option<String> {
        let root = self.root;
        Some(match self.word {
            Payload::Explore => format!("for {root}"),
            Payload::Max(rank) => format!("{rank:?} for {root}"),
            Payload::Leader(leader) => format!("{leader} by {root}"),
        })
    }
}

impl Algorithm for AggregationTree {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        AggregationTree { trees: BTreeMap::new(), listed: 0, role: Role::Undecided, leader: None }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        let number = match self.trees.get(&cx.id()) {
            Some(tree) if tree.unheard > 0 => {
                return cx.because("its own election is already under way: nothing to do");
            }
            Some(tree) => tree.number.saturating_add(1),
            None => 1,
        };
        cx.because("told to start an election: become the root of a new tree and explore");
        self.join(cx, cx.id(), number, None);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, Msg { root, number, word }: Msg) {
        let known = self.trees.get(&root).map(|tree| tree.number);
        match word {
            Payload::Explore if known < Some(number) => {
                cx.because("first explore of a tree: the sender is the parent, explore all other neighbours");
                self.join(cx, root, number, Some(from));
            }
            _ if known != Some(number) => cx.because("a message of an old tree: discard"),
            Payload::Explore => {
                cx.because("the neighbour is the root or has another parent: it is not a child");
                self.hear(cx, root, |_| {});
            }
            Payload::Max(best) => {
                cx.because("a child reports the highest rank of its subtree: store it");
                self.hear(cx, root, |tree| {
                    tree.children.push(from);
                    tree.best = tree.best.max(best);
                });
            }
            Payload::Leader(leader) => {
                cx.because("the result: record the leader and send it to the children");
                self.conclude(cx, root, leader);
            }
        }
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl AggregationTree {
    /// In a new election no member is elected yet.
    fn join(&mut self, cx: &mut Cx<'_, Self>, root: Id, number: u64, parent: Option<Port>) {
        (self.role, self.leader) = (Role::Undecided, None);
        let others: Vec<Port> = cx.outgoing().filter(|&port| Some(port) != parent).collect();
        let unheard = others.len() as u32;
        for port in others {
            cx.send(port, Msg { root, number, word: Payload::Explore });
        }
        let tree = Tree { number, parent, children: Vec::new(), unheard, best: cx.rank() };
        self.listed -= self.trees.insert(root, tree).map_or(0, |gone| gone.children.len());
        self.report_if_complete(cx, root);
    }

    /// One more neighbour has been heard.
    fn hear(&mut self, cx: &mut Cx<'_, Self>, root: Id, note: impl FnOnce(&mut Tree)) {
        if let Some(tree) = self.trees.get_mut(&root).filter(|tree| tree.unheard > 0) {
            tree.unheard -= 1;
            let listed = tree.children.len();
            note(tree);
            self.listed += tree.children.len() - listed;
            self.report_if_complete(cx, root);
        }
    }

    /// Once all others have been heard, the highest rank of the subtree is known; the root's subtree is the whole
    /// network.
    fn report_if_complete(&mut self, cx: &mut Cx<'_, Self>, root: Id) {
        match self.trees.get(&root) {
            Some(&Tree { number, parent: Some(parent), unheard: 0, best, .. }) => {
                cx.because("all neighbours but the parent have been heard: report the subtree's highest rank to the parent");
                cx.send(parent, Msg { root, number, word: Payload::Max(best) });
            }
            Some(&Tree { parent: None, unheard: 0, best, .. }) => {
                cx.because("the root has heard all neighbours: the member with the highest rank leads");
                self.conclude(cx, root, best.id());
            }
            _ => {}
        }
    }

    fn conclude(&mut self, cx: &mut Cx<'_, Self>, root: Id, leader: Id) {
        let Some(tree) = self.trees.get_mut(&root) else { return };
        self.listed -= tree.children.len();
        for child in std::mem::take(&mut tree.children) {
            cx.send(child, Msg { root, number: tree.number, word: Payload::Leader(leader) });
        }
        self.role = if leader == cx.id() { Role::Leader } else { Role::Follower };
        self.leader = Some(leader);
    }
}

impl Protocol for AggregationTree {
    type Msg = Msg;

    const SPEC: Spec = Spec {
        name: "aggregation-tree",
        variant: "plain",
        summary: "each initiator builds a tree; the highest rank travels up, the result goes down",
        sources: &[SARKAR_LECTURE, CHANG_1982, SEGALL_1983],
        need: Need::ConnectedTwoWay,
        timing: Timing::Asynchronous,
        links: Links::Any,
        starts: Starts::Callers,
        identities: Identities::Unique,
        leadership: Leadership::Best,
        reign: Reign::AtOnce,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::empty(),
        goal: Goal::EveryoneKnows,
        survives: Faults::REORDERING.union(Faults::PAUSE),
        randomised: false,
        parameters: &[],
        claims: &CLAIMS,
        text: include_str!("page.md"),
    };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader, term: 0, halted: false }
    }

    fn storage(&self) -> usize {
        size_of::<Self>() + self.trees.len() * ENTRY + self.listed * size_of::<Port>()
    }

    fn invariant(&self) -> Result<(), Broken> {
        let listed: usize = self.trees.values().map(|tree| tree.children.len()).sum();
        if listed != self.listed {
            return Err(Broken(format!("{listed} children are listed, and {} counted", self.listed)));
        }
        Ok(())
    }
}

/// The memory that a tree takes besides the list of children.
const ENTRY: usize = size_of::<(Id, Tree)>();

const CLAIMS: [Claim; 6] = [
    Claim {
        name: "messages",
        measure: Measure::Messages,
        formula: "m + n - 1 for each initiator",
        expect: |run| for_each_tree(run, run.m + run.n() as u64 - 1),
    },
    Claim {
        name: "explore",
        measure: Measure::MessagesOf("explore"),
        formula: "m - (n - 1) for each initiator",
        expect: |run| for_each_tree(run, run.m - (run.n() as u64 - 1)),
    },
    Claim {
        name: "max",
        measure: Measure::MessagesOf("max"),
        formula: "n - 1 for each initiator",
        expect: |run| for_each_tree(run, run.n() as u64 - 1),
    },
    Claim {
        name: "leader",
        measure: Measure::MessagesOf("leader"),
        formula: "n - 1 for each initiator",
        expect: |run| for_each_tree(run, run.n() as u64 - 1),
    },
    Claim {
        name: "time",
        measure: Measure::Time,
        formula: "at most 3D + 1; in a tree at most 3D, and 3D if all start",
        expect: |run| {
            let turns = 3.0 * f64::from(run.diameter?);
            let is_tree = run.m == 2 * (run.n() as u64 - 1);
            let applies = is_undisturbed(run) && run.delivery == Delivery::Unit;
            applies.then_some(match (is_tree, all_start(run)) {
                (true, true) => Expect::Exactly(turns),
                (true, false) => Expect::AtMost(turns),
                (false, _) => Expect::AtMost(turns + 1.0),
            })
        },
    },
    Claim {
        name: "storage",
        measure: Measure::Storage,
        formula: "O(1), and for each initiator an entry and its children, at most as many as neighbours",
        expect: |run| {
            let a_tree = ENTRY + run.max_degree as usize * size_of::<Port>();
            let bytes = size_of::<AggregationTree>() + initiators(run).count() * a_tree;
            is_undisturbed(run).then_some(Expect::AtMost(bytes as f64))
        },
    },
];

fn for_each_tree(run: &Setting<'_>, figure: u64) -> Option<Expect> {
    let trees = initiators(run).count() as u64;
    is_undisturbed(run).then_some(Expect::Exactly((trees * figure) as f64))
}
