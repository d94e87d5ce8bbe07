//! Random shapes: always connected, the same for a seed, and different for different seeds.

use super::*;
use proptest::prelude::*;

const RANDOM: [&str; 6] = ["gnp:0.2", "regular:2", "regular:4", "regular:30", "digraph", "digraph:1"];

#[test]
fn a_seed_gives_one_network_and_another_seed_another() {
    for text in RANDOM {
        for seed in [0, 1, 7, u64::MAX] {
            let first = build(text, 40, seed);
            assert_eq!(first.topology(), build(text, 40, seed).topology(), "{text}");
            assert_ne!(first.topology(), build(text, 40, seed ^ 64).topology(), "{text}");
        }
    }
    for text in ["line", "grid", "torus", "star", "tree", "ring", "complete"] {
        assert_eq!(build(text, 12, 1).topology(), build(text, 12, 2).topology());
    }
}

/// One way of each two-way link.
fn edges(text: &str, n: u32) -> Vec<(u32, u32)> {
    let network = build(text, n, 42);
    degrees(network.topology());
    links(network.topology()).into_iter().filter(|(u, v)| u < v).collect()
}

#[test]
fn a_seed_gives_these_networks_on_every_machine() {
    assert_eq!(edges("gnp:0.4", 7), [(0, 1), (0, 3), (1, 4), (1, 5), (1, 6), (2, 4), (3, 6)]);
    let cubic =
        [(0, 2), (0, 4), (0, 5), (1, 2), (1, 3), (1, 6), (2, 3), (3, 7), (4, 6), (4, 7), (5, 6), (5, 7)];
    assert_eq!(edges("regular:3", 8), cubic);
    assert_eq!(edges("regular:2", 6), [(0, 2), (0, 5), (1, 3), (1, 4), (2, 3), (4, 5)]);
    let digraph =
        [(0, 3), (0, 5), (1, 2), (1, 3), (2, 0), (2, 3), (3, 2), (3, 5), (4, 1), (4, 5), (5, 1), (5, 4)];
    assert_eq!(links(build("digraph:2", 6, 42).topology()), digraph);
}

#[test]
fn erdos_renyi_networks_have_about_the_links_that_they_should() {
    for (n, p) in [(60, 0.1), (60, 0.3), (60, 0.5), (60, 0.7), (60, 0.95), (500, 0.02)] {
        let networks = 60;
        let total: u64 =
            (0..networks).map(|seed| build(&format!("gnp:{p}"), n, seed).topology().links() / 2).sum();
        let pairs = networks as f64 * f64::from(n * (n - 1) / 2);
        let deviation = (pairs * p * (1.0 - p)).sqrt();
        let off = (total as f64 - pairs * p) / deviation;
        assert!(off.abs() < 5.0, "n = {n}, p = {p}: off by {off} standard deviations");
    }
    for n in 1..20 {
        assert_eq!(build("gnp:1", n, 3).topology().links(), u64::from(n * (n - 1)), "everyone");
    }
}

#[test]
fn erdos_renyi_networks_favour_no_pair() {
    let mut counts = [[0_u32; 6]; 6];
    for seed in 0..4000 {
        for (u, v) in links(build("gnp:0.7", 6, seed).topology()) {
            counts[u as usize][v as usize] += 1;
        }
    }
    let mut all: Vec<u32> =
        (0..6).flat_map(|u| (0..u).map(move |v| (u, v))).map(|(u, v)| counts[u][v]).collect();
    all.sort_unstable();
    // About 29 is one standard deviation.
    assert!(all[14] - all[0] < 200, "{all:?}");
}

#[test]
fn what_is_hardly_ever_connected_is_refused_with_advice() {
    let expected = "topology 'gnp:0.001' with 1000 members is hardly ever connected: \
        1000 members need a probability of about ln(n)/n = 6.91e-3 or more";
    assert_eq!(failure("gnp:0.001", 1000).to_string(), expected);
    // Here all attempts are made, for chance does not look hopeless.
    assert!(matches!(failure("gnp:0.0001", 30), NetworkError::Disconnected { .. }));
    assert!(matches!(failure("gnp:1e-300", 2), NetworkError::Disconnected { .. }));
    // Unconnected draws are common here, and passed over.
    for seed in 0..50 {
        check_measures(&build("gnp:0.08", 40, seed));
    }
}

#[test]
fn regular_networks_are_regular_and_connected() {
    for n in 2..24 {
        for degree in 1..n {
            let text = format!("regular:{degree}");
            if n * degree % 2 == 1 || (degree == 1 && n > 2) {
                assert!(matches!(failure(&text, n), NetworkError::Unfit { .. }), "{text} of {n}");
                continue;
            }
            let network = build(&text, n, u64::from(n));
            check_measures(&network);
            assert!(degrees(network.topology()).iter().all(|&peers| peers == degree), "{text} of {n}");
        }
        assert!(matches!(failure(&format!("regular:{n}"), n), NetworkError::Unfit { .. }));
    }
    assert!(matches!(failure("regular:1", 1), NetworkError::Unfit { .. }));
}

#[test]
fn random_digraphs_have_the_right_number_of_links_out() {
    for n in 1..24 {
        for degree in [1, 2, 3, 7, 22, 23, u32::MAX] {
            for seed in 0..4 {
                let network = build(&format!("digraph:{degree}"), n, seed);
                check_measures(&network);
                let topology = network.topology();
                for member in 0..n {
                    assert!(topology.successors(member).all(|peer| peer != member));
                    assert_eq!(topology.successors(member).count() as u32, degree.min(n - 1));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_networks_are_strongly_connected(n in 1_u32..40, seed: u64, which in 0_usize..4) {
        let text = ["gnp:0.3", "gnp:0.9", "digraph", "digraph:6"][which];
        if let Ok(network) = shape(text).build(Some(n), seed) {
            check_measures(&network);
            prop_assert!(network.strongly_connected());
        } else {
            prop_assert_eq!(text, "gnp:0.3");
        }
    }

    #[test]
    fn measures_agree_with_the_slow_twin(n in 1_u32..24, pairs in prop::collection::vec((0_u32..24, 0_u32..24), 0..120)) {
        let pairs = pairs.into_iter().map(|(u, v)| (u % n, v % n)).filter(|(u, v)| u != v);
        check_measures(&Network::new(Topology::Graph(bellwether_core::Graph::new(n, pairs))));
    }
}

#[test]
fn searches_that_share_their_work_do_not_mix_up() {
    // More members than searches run at once, and far apart.
    for text in ["line", "grid:2x70", "torus:7x20", "tree", "digraph:2", "gnp:0.05", "regular:3"] {
        check_measures(&build(text, 140, 9));
    }
}

#[test]
fn diameters_beyond_the_budget_are_not_measured() {
    let n = 60_000;
    assert!(u64::from(n) * u64::from(2 * n) > crate::network::DIAMETER_BUDGET);
    let network = build("digraph:2", n, 1);
    assert_eq!((network.diameter(), network.strongly_connected()), (None, true));
    assert_eq!(build("digraph:1", n, 1).diameter(), Some(n - 1), "there is a formula");
}
