//! Networks against formulas, and against a slow twin of what measures them.

mod fixed;
mod graphml;
mod lists;
mod parsing;
mod random;

use super::{Network, NetworkError, Shape};
use bellwether_core::{Flow, Port, Topology};
use std::path::Path;

fn shape(text: &str) -> Shape {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn build(text: &str, n: u32, seed: u64) -> Network {
    shape(text).build(Some(n), seed).unwrap_or_else(|error| panic!("{text} of {n}: {error}"))
}

fn failure(text: &str, n: impl Into<Option<u32>>) -> NetworkError {
    shape(text).build(n.into(), 1).expect_err("this should not be possible")
}

/// The network of a file with this content.
fn file(name: &str, content: &str) -> Result<Network, NetworkError> {
    super::file::parse(Path::new(name), content.as_bytes())
}

/// Where and what the fault of such a file is.
fn fault(name: &str, content: &str) -> (usize, usize, String) {
    match file(name, content) {
        Err(NetworkError::File { path, line, column, problem }) if path == Path::new(name) => {
            (line, column, problem)
        }
        other => panic!("{content:?}: {other:?}"),
    }
}

fn ids(network: &Network) -> Option<Vec<u64>> {
    Some(network.ids()?.iter().map(|id| id.value()).collect())
}

fn links(topology: &Topology) -> Vec<(u32, u32)> {
    (0..topology.n()).flat_map(|from| topology.successors(from).map(move |to| (from, to))).collect()
}

/// How many neighbours each member has, in order; all links must be two-way and to others.
fn degrees(topology: &Topology) -> Vec<u32> {
    for member in 0..topology.n() {
        for port in (0..topology.ports(member)).map(Port) {
            assert_eq!(topology.flow(member, port), Flow::Both);
            assert_ne!(topology.peer(member, port).0, member);
        }
    }
    (0..topology.n()).map(|member| topology.ports(member)).collect()
}

/// The diameter by Floyd and Warshall's method: `None` if someone cannot be reached.
fn slow_diameter(topology: &Topology) -> Option<u32> {
    let n = topology.n() as usize;
    let mut distance = vec![vec![None; n]; n];
    for (member, row) in distance.iter_mut().enumerate() {
        row[member] = Some(0);
    }
    for (from, to) in links(topology) {
        distance[from as usize][to as usize].get_or_insert(1);
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                if let (Some(there), Some(on)) = (distance[from][via], distance[via][to]) {
                    let known = distance[from][to].unwrap_or(u32::MAX);
                    distance[from][to] = Some(known.min(there + on));
                }
            }
        }
    }
    distance.into_iter().flatten().collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// Checks everything that a network says of itself.
fn check_measures(network: &Network) {
    let topology = network.topology();
    let slow = slow_diameter(topology);
    assert_eq!(network.diameter(), slow, "{topology:?}");
    assert_eq!(network.strongly_connected(), slow.is_some(), "{topology:?}");
    assert_eq!(network.n(), topology.n());
    if let Some(slow) = slow {
        assert_eq!(super::metrics::measured_diameter(topology), slow, "{topology:?}");
    }
    assert_eq!(super::metrics::strongly_connected(topology), slow.is_some(), "{topology:?}");
}
