//! Election by aggregation on every shape of network: counts, time and trees, against independent searches of the
//! network by the tests.

use bellwether_core::{DynState, Elect, FaultEvent, HOP, Need, Port, Time, Topology};
use bellwether_engine::ALGORITHMS;
use bellwether_sim::network::Shape;
use bellwether_sim::{LinkOrder, Observer, Plan, Report, RoundMode, simulate_observed};
use bellwether_testkit::casts::disturbed::happens;
use bellwether_testkit::casts::{
    BOTH_WAYS, Cast, DELAYS, assert_claims_hold, assert_elected, called_by, run, sent, set_delay,
};
use bellwether_testkit::dice::Dice;
use std::collections::VecDeque;

const SMALL: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12];
const LARGE: [u32; 3] = [16, 30, 64];

/// Every shape of two-way links.
fn shapes() -> impl Iterator<Item = &'static str> {
    let usual = Shape::NAMES.iter().filter_map(|&name| match name {
        "ring" | "digraph" | "file" | "links" => None, // one-way, or not drawn
        "gnp" => Some("gnp:0.3"),
        "regular" => Some("regular:3"),
        name => Some(name),
    });
    usual.chain(["tree:3", "regular:4", "gnp:0.8"])
}

/// A network of this shape with its diameter, if there is one of this size.
fn network(shape: &str, n: u32, seed: u64) -> Option<(Topology, Option<u32>)> {
    let network = shape.parse::<Shape>().expect("a shape").build(Some(n), seed).ok()?;
    let diameter = network.diameter();
    let topology = network.into_topology();
    assert!(Need::ConnectedTwoWay.fits(&topology), "{shape}");
    Some((topology, diameter))
}

/// All networks of these sizes, with members for each.
fn networks(sizes: &'static [u32]) -> impl Iterator<Item = (&'static str, Cast, Plan)> {
    let mut dice = Dice(1);
    let all = shapes().flat_map(move |shape| sizes.iter().map(move |&n| (shape, n)));
    all.filter_map(move |(shape, n)| {
        let (topology, diameter) = network(shape, n, u64::from(n))?;
        let elect = BOTH_WAYS[dice.below(2)];
        let cast = Cast::with_ties(elect, n as usize, &mut dice);
        let mut plan = cast.plan(topology);
        plan.diameter = diameter;
        Some((shape, cast, plan))
    })
}

/// The distance of each member from a root.
fn depths(topology: &Topology, root: usize) -> Vec<u64> {
    let mut depths = vec![u64::MAX; topology.n() as usize];
    let mut queue = VecDeque::from([root]);
    depths[root] = 0;
    while let Some(member) = queue.pop_front() {
        for next in topology.successors(member as u32).map(|next| next as usize) {
            if depths[next] == u64::MAX {
                depths[next] = depths[member] + 1;
                queue.push_back(next);
            }
        }
    }
    depths
}

/// The correct leader, and the counts of k trees; m is counted, not read from the plan.
fn check(cast: &Cast, plan: &Plan, k: u64, context: &str) -> Report {
    let report = run("aggregation-tree", "plain", plan);
    assert_elected(&report, cast.id(cast.best()), true, context);
    let m: u64 = (0..plan.n()).map(|member| plan.topology.successors(member).count() as u64).sum();
    let others = u64::from(plan.n()) - 1;
    let counted = (sent(&report, "explore"), sent(&report, "max"), sent(&report, "leader"));
    assert_eq!(counted, (k * (m - others), k * others, k * others), "{context}");
    assert_eq!((report.messages.payload, report.messages.control), (k * (m + others), 0), "{context}");
    assert_claims_hold(&report, context);
    let mut claimed: Vec<&str> = report.claims.iter().map(|claim| claim.name).collect();
    claimed.retain(|name| *name != "time");
    assert_eq!(claimed, ["messages", "explore", "max", "leader", "storage"], "{context}");
    report
}

/// Records each member's parent in the tree of one root.
struct Parents {
    root: String,
    of: Vec<Option<Port>>,
}

impl Observer for Parents {
    fn settled(&mut self, _: Time, member: u32, state: &dyn DynState) {
        let state = serde_json::to_value(state).expect("states can be written");
        let parent = state["trees"][&self.root]["parent"].as_u64();
        self.of[member as usize] = parent.map(|port| Port(port as u32));
    }
}

/// Each member's parent in the tree of one root, by index and port.
fn parents(cast: &Cast, plan: &Plan, root: usize) -> Vec<Option<(usize, Port)>> {
    let mut parents = Parents { root: cast.id(root).to_string(), of: vec![None; cast.n()] };
    let entry = ALGORITHMS.find("aggregation-tree", None).expect("the algorithm is registered");
    simulate_observed(&ALGORITHMS.entries[entry], plan, RoundMode::Auto, &mut parents);
    let peer = |member: usize, port| (plan.topology.peer(member as u32, port).0 as usize, port);
    parents.of.iter().enumerate().map(|(member, port)| port.map(|port| peer(member, port))).collect()
}

/// When each member has heard on all its ports, and when the run is over, in a given breadth-first tree with unit
/// delays: from the deepest up, by the definition.
fn end_of(topology: &Topology, depths: &[u64], parents: &[Option<(usize, Port)>], root: usize) -> u64 {
    let n = depths.len();
    let mut complete = depths.to_vec();
    let mut last_explore = 0;
    for member in 0..n {
        for port in (0..topology.ports(member as u32)).map(Port) {
            let (peer, at) = topology.peer(member as u32, port);
            let peer = peer as usize;
            let is_parent = parents[member].is_some_and(|(_, up)| up == port);
            let is_child = parents[peer].is_some_and(|(_, up)| up == at);
            if !is_parent && !is_child {
                complete[member] = complete[member].max(depths[peer] + 1);
                last_explore = last_explore.max(depths[peer] + 1);
            }
        }
    }
    let mut deepest_first: Vec<usize> = (0..n).collect();
    deepest_first.sort_by_key(|&member| std::cmp::Reverse(depths[member]));
    for member in deepest_first {
        if let Some((parent, _)) = parents[member] {
            complete[parent] = complete[parent].max(complete[member] + 1);
        }
    }
    (complete[root] + depths.iter().max().expect("there is a member")).max(last_explore)
}

#[test]
fn single_initiator_builds_a_breadth_first_tree_in_the_expected_time() {
    for (shape, cast, plan) in networks(&SMALL).chain(networks(&LARGE)) {
        let step = if cast.n() > 12 { 7 } else { 1 };
        for root in (0..cast.n()).step_by(step) {
            let context = format!("{shape} {cast:?} {root}");
            let plan = called_by(plan.clone(), &[root as u32]);
            let report = check(&cast, &plan, 1, &context);
            let depths = depths(&plan.topology, root);
            let parents = parents(&cast, &plan, root);
            for member in 0..cast.n() {
                match parents[member] {
                    None => assert_eq!(member, root, "{context}"),
                    Some((parent, _)) => assert_eq!(depths[parent] + 1, depths[member], "{context}"),
                }
            }
            let eccentricity = *depths.iter().max().expect("there is a member");
            let end = end_of(&plan.topology, &depths, &parents, root);
            assert_eq!(report.time, Time::ZERO + HOP * end, "{context}");
            assert!(end <= 3 * eccentricity + 1, "{context}");
            if plan.topology.links() == 2 * (cast.n() as u64 - 1) {
                assert_eq!(end, 3 * eccentricity, "{context}");
            }
            assert!(report.claims.iter().any(|claim| claim.name == "time"), "{context}");
        }
    }
}

#[test]
fn several_initiators_build_as_many_trees() {
    let mut dice = Dice(2);
    for (shape, cast, plan) in networks(&SMALL).chain(networks(&LARGE)) {
        let n = cast.n();
        let report = check(&cast, &plan, n as u64, &format!("{shape} {cast:?} all"));
        // The tree of a root at one end of a diameter takes longest.
        if plan.topology.links() == 2 * (n as u64 - 1) {
            let diameter =
                (0..n).flat_map(|root| depths(&plan.topology, root)).max().expect("there is a member");
            assert_eq!(report.time, Time::ZERO + HOP * (3 * diameter), "{shape} {n}");
        }
        let some = dice.some_of(n);
        let plan = called_by(plan, &some);
        check(&cast, &plan, some.len() as u64, &format!("{shape} {cast:?} {some:?}"));
    }
}

#[test]
fn counts_do_not_depend_on_delays_or_message_order() {
    let mut dice = Dice(3);
    for (shape, cast, plan) in networks(&SMALL).chain(networks(&LARGE[..2])) {
        for delay in DELAYS {
            for links in [LinkOrder::Fifo, LinkOrder::Reordering] {
                let some = dice.some_of(cast.n());
                let mut plan = called_by(plan.clone(), &some);
                set_delay(&mut plan, delay);
                (plan.links, plan.seed) = (links, cast.n() as u64);
                let context = format!("{shape} {cast:?} {some:?} {delay} {links:?}");
                check(&cast, &plan, some.len() as u64, &context);
            }
        }
    }
}

#[test]
fn tree_spans_the_network_with_any_delays() {
    for (shape, cast, plan) in networks(&LARGE[..1]) {
        for seed in 0..5 {
            let mut plan = called_by(plan.clone(), &[3]);
            set_delay(&mut plan, "uniform:0.1..3.0");
            plan.seed = seed;
            let parents = parents(&cast, &plan, 3);
            for member in 0..cast.n() {
                let up = std::iter::successors(Some(member), |&at| parents[at].map(|(parent, _)| parent));
                let way: Vec<usize> = up.take(cast.n() + 1).collect();
                assert_eq!(way.last(), Some(&3), "{shape} {seed} {way:?}");
            }
        }
    }
}

#[test]
fn storage_grows_with_initiators_and_with_neighbours_in_the_centre_of_a_star() {
    let storage = |shape, n: u32, initiators: &[u32]| {
        let (topology, _) = network(shape, n, 0).expect("it comes in every size");
        let plan = called_by(Cast::in_best_order(Elect::Best, n as usize).plan(topology), initiators);
        run("aggregation-tree", "plain", &plan).storage_max
    };
    for n in [4, 10, 40] {
        // One more child is one more port, whichever neighbour starts.
        assert_eq!(storage("star", n + 1, &[0]) - storage("star", n, &[0]), size_of::<Port>() as u64);
        // Members of a ring have at most two children in a tree, so a tree has a fixed maximum size.
        let first: Vec<u32> = (0..n).collect();
        let of_trees: Vec<u64> = (1..=n as usize).map(|k| storage("two-way-ring", 40, &first[..k])).collect();
        let entry = storage("line", 1, &[0]) - storage("line", 1, &[]);
        for (k, bytes) in (1..).zip(&of_trees) {
            let fixed = storage("line", 1, &[]) + k * entry;
            assert!((fixed..=fixed + k * 2 * size_of::<Port>() as u64).contains(bytes), "{k}: {bytes}");
        }
    }
}

#[test]
fn further_election_ends_as_the_first_also_while_the_result_goes_down() {
    for (shape, cast, plan) in networks(&SMALL) {
        let n = cast.n();
        let first = called_by(plan, &[0]);
        let alone = run("aggregation-tree", "plain", &first);
        for caller in [0, n - 1] {
            for ticks in (1..=2 * alone.time.ticks() / HOP.ticks() + 4).map(|halves| halves * HOP.ticks() / 2)
            {
                for delay in ["unit", "uniform:0.1..1.0"] {
                    let mut plan = first.clone();
                    plan.script = vec![happens(FaultEvent::Call, caller, ticks)];
                    set_delay(&mut plan, delay);
                    plan.links = LinkOrder::Reordering;
                    let report = run("aggregation-tree", "plain", &plan);
                    let context = format!("{shape} {cast:?} {caller}@{ticks} {delay}");
                    assert_elected(&report, cast.id(cast.best()), true, &context);
                    assert_eq!(report.claims, [], "{context}");
                    let is_after = delay == "unit" && ticks > alone.time.ticks();
                    if is_after || caller != 0 {
                        assert_eq!(report.messages.payload, 2 * alone.messages.payload, "{context}");
                    }
                }
            }
        }
    }
}
