//! FloodMax's figures on every shape of network, against distances that the tests compute themselves.

use crate::support::naive_flood::Distances;
use bellwether_core::{HOP, Time, Topology};
use bellwether_sim::network::Shape;
use bellwether_sim::{Plan, Report};
use bellwether_testkit::casts::{BOTH_WAYS, Cast, DELAYS, assert_elected, run, set_delay};
use bellwether_testkit::dice::Dice;

const MOST: u32 = 40;
const RANK_BYTES: u64 = 16;

const SHAPES: [&str; 16] = [
    "ring",
    "two-way-ring",
    "overlay-ring",
    "line",
    "grid",
    "torus",
    "star",
    "tree",
    "tree:3",
    "complete",
    "hypercube",
    "gnp:0.3",
    "regular:3",
    "regular:4",
    "digraph",
    "digraph:1",
];

fn casts(n: usize, dice: &mut Dice) -> Vec<Cast> {
    let mut casts = Vec::new();
    for elect in BOTH_WAYS {
        casts.push(Cast::in_best_order(elect, n));
        casts.push(Cast::in_worst_order(elect, n));
        casts.push(Cast::shuffled(elect, n, dice));
        casts.push(Cast::with_ties(elect, n, dice));
    }
    casts
}

fn plan(cast: &Cast, topology: &Topology, diameter: usize) -> Plan {
    Plan { diameter: Some(diameter as u32), ..cast.plan(topology.clone()) }
}

/// Runs one variant: every member knows the highest-ranked one in round D + 1, after this many messages.
fn check(variant: &str, cast: &Cast, topology: &Topology, diameter: usize, messages: usize) -> Report {
    let context = format!("{variant} {topology:?} {cast:?}");
    let report = run("floodmax", variant, &plan(cast, topology, diameter));
    assert_elected(&report, cast.id(cast.best()), true, &context);
    assert_eq!(report.messages.total, messages as u64, "{context}");
    assert_eq!(report.messages.by_kind["max"], messages as u64, "{context}");
    assert_eq!(report.bytes, messages as u64 * RANK_BYTES, "{context}");
    let decided_in = diameter as u64 + 1;
    assert_eq!((report.rounds, report.leader_round), (Some(decided_in), Some(decided_in)), "{context}");
    let after = Time::ZERO + HOP * diameter as u64;
    assert_eq!(report.time, after, "{context}");
    assert!(report.knew_at.iter().all(|&at| at == after), "{context}: {:?}", report.knew_at);
    for (name, expected) in [("leader_round", decided_in), ("rounds", decided_in), ("time", diameter as u64)]
    {
        assert_claim(&report, name, "exactly", expected, &context);
    }
    let relation = if variant == "every-round" { "exactly" } else { "at most" };
    let every_round = diameter as u64 * topology.links();
    assert_claim(&report, "messages", relation, every_round, &context);
    assert_eq!(report.claims.len(), 4, "{context}");
    report
}

fn assert_claim(report: &Report, name: &str, relation: &str, expected: u64, context: &str) {
    let claim = report.claims.iter().find(|claim| claim.name == name).expect(name);
    let found = (claim.relation, claim.expected, claim.holds);
    assert_eq!(found, (relation, expected as f64, true), "{name} {context}");
}

#[test]
fn every_member_knows_the_highest_in_round_d_plus_1_on_every_shape() {
    let mut dice = Dice(11);
    let mut built = std::collections::BTreeSet::new();
    for text in SHAPES {
        let shape: Shape = text.parse().expect("a shape");
        for n in 1..=MOST {
            // Some shapes do not exist in every size.
            let Ok(network) = shape.build(Some(n), n.into()) else { continue };
            built.insert(shape.name());
            let topology = network.topology();
            let distances = Distances::of(topology);
            let diameter = distances.diameter();
            assert_eq!(network.diameter(), Some(diameter as u32), "{text} {n}");
            for cast in casts(n as usize, &mut dice) {
                check("every-round", &cast, topology, diameter, diameter * topology.links() as usize);
                let degree = |member: usize| topology.successors(member as u32).count();
                let news = (0..cast.n()).map(|member| distances.news(&cast, member) * degree(member));
                check("news-only", &cast, topology, diameter, news.sum());
            }
        }
    }
    let all = Shape::NAMES.iter().copied().filter(|&name| !matches!(name, "file" | "links"));
    assert!(all.eq(Shape::NAMES.iter().copied().filter(|name| built.contains(name))), "{built:?}");
}

#[test]
fn news_only_on_a_one_way_ring_travels_as_in_lcr_except_for_the_last_hop() {
    // The highest rank need not return to its owner.
    let mut dice = Dice(12);
    for n in 2..=64 {
        let ring = Topology::Ring { n, two_way: false };
        for cast in casts(n as usize, &mut dice) {
            check("news-only", &cast, &ring, n as usize - 1, cast.total_distance() as usize - 1);
        }
    }
}

#[test]
fn single_member_leads_in_round_1_without_a_message() {
    let alone = Cast::in_best_order(BOTH_WAYS[0], 1);
    let networks = [
        Topology::Ring { n: 1, two_way: false },
        Topology::Ring { n: 1, two_way: true },
        Topology::Overlay { n: 1 },
        Topology::Complete { n: 1 },
    ];
    for topology in networks {
        for variant in ["every-round", "news-only"] {
            let report = check(variant, &alone, &topology, 0, 0);
            assert_eq!((report.leader_round, report.knew_at[0]), (Some(1), Time::ZERO));
        }
    }
}

#[test]
fn too_large_a_diameter_costs_only_time() {
    let cast = Cast::shuffled(BOTH_WAYS[0], 12, &mut Dice(13));
    let ring = Topology::Ring { n: 12, two_way: true };
    let news: usize = (0..12).map(|member| Distances::of(&ring).news(&cast, member) * 2).sum();
    // With the network's own diameter, messages of the last round are not forwarded.
    let last = |member: usize| if (member + 6) % 12 == cast.best() { 2 } else { 0 };
    let with_last = news + (0..12).map(last).sum::<usize>();
    for diameter in 7..20 {
        check("every-round", &cast, &ring, diameter, diameter * 24);
        check("news-only", &cast, &ring, diameter, with_last);
    }
}

#[test]
fn messages_are_the_same_with_any_delays() {
    let mut dice = Dice(14);
    for n in 1..=9 {
        let cast = Cast::with_ties(BOTH_WAYS[n % 2], n, &mut dice);
        let network = Shape::Digraph { degree: 2 }.build(Some(n as u32), 5).expect("any size");
        let diameter = network.diameter().expect("it is small") as usize;
        for variant in ["every-round", "news-only"] {
            let in_step = run("floodmax", variant, &plan(&cast, network.topology(), diameter));
            for delay in &DELAYS[1..] {
                let mut plan = plan(&cast, network.topology(), diameter);
                set_delay(&mut plan, delay);
                let report = run("floodmax", variant, &plan);
                assert_elected(&report, cast.id(cast.best()), true, delay);
                assert_eq!(report.messages.payload, in_step.messages.payload, "{variant} {delay} {cast:?}");
            }
        }
    }
}
