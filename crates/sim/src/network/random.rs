//! Random networks.

use super::{NetworkError, Shape};
use crate::{Stream, stream};
use petgraph::unionfind::UnionFind;
use rand::seq::{SliceRandom, index};
use rand::{Rng as _, SeedableRng as _};
use rand_distr::{Distribution, Geometric};
use rand_pcg::Pcg64;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;

/// How many times a random network is drawn until it is connected.
pub const ATTEMPTS: u32 = 100;

/// With more members than this expected to have no neighbour, even [`ATTEMPTS`] draws all but
/// certainly give no connected network: the odds are below `ATTEMPTS * exp(-40)`.
const HOPELESSLY_MANY_ALONE: f64 = 40.0;

/// The edges of a connected G(n,p).
pub(super) fn gnp(shape: &Shape, n: u32, p: f64, seed: u64) -> Result<Vec<(u32, u32)>, NetworkError> {
    let advice = || {
        let needed = f64::from(n).ln() / f64::from(n);
        format!("{n} members need a probability of about ln(n)/n = {needed:.2e} or more")
    };
    let expected_alone = f64::from(n) * (1.0 - p).powi(i32::try_from(n - 1).unwrap_or(i32::MAX));
    let attempts = if expected_alone > HOPELESSLY_MANY_ALONE { 0 } else { ATTEMPTS };
    let mut rng = stream(seed, Stream::Network);
    first_connected(shape, n, attempts, advice, || gnp_once(n, p, &mut rng))
}

/// Batagelj and Brandes (2005): walks through all pairs, from one edge to the next. The library's
/// version takes the logarithm of the operating system, whose last digit differs between machines;
/// this geometric distribution multiplies only.
fn gnp_once(n: u32, p: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<(u32, u32)> {
    let skipped = Geometric::new(p).expect("the probability was checked");
    let mut found = Vec::new();
    // The pairs are (1,0), (2,0), (2,1), (3,0)...: row `v` has `v` of them.
    let (n, mut v, mut w) = (u64::from(n), 0, 0);
    loop {
        w = skipped.sample(rng).saturating_add(w);
        while w >= v {
            w -= v;
            v += 1;
            if v >= n {
                return found;
            }
        }
        found.push((v as u32, w as u32));
        w += 1;
    }
}

/// The edges of a random connected network in which everyone has `degree` neighbours.
pub(super) fn regular(
    shape: &Shape,
    n: u32,
    degree: u32,
    seed: u64,
) -> Result<Vec<(u32, u32)>, NetworkError> {
    if degree >= n {
        return Err(shape.unfit(n, format!("nobody can have {degree} neighbours among {} others", n - 1)));
    }
    if n % 2 == 1 && degree % 2 == 1 {
        return Err(shape.unfit(n, "one of the two numbers must be even, for each link has two ends"));
    }
    if degree == 1 && n > 2 {
        return Err(shape.unfit(n, "with one neighbour each they fall into pairs: use regular:2 or more"));
    }
    let mut rng = stream(seed, Stream::Network);
    if degree == 2 {
        // The connected ones are the cycles, rare among those that consist of several.
        return Ok(cycle(n, &mut rng));
    }
    let strangers = n - 1 - degree;
    if strangers < degree {
        // Drawing starts over whenever it runs into a corner, which in dense networks is nearly always. With half
        // of the others as neighbours a network is connected.
        return Ok(missing_edges(n, regular_once(n, strangers, &mut rng)));
    }
    let advice = || "try another seed, or more neighbours".to_owned();
    first_connected(shape, n, ATTEMPTS, advice, || regular_once(n, degree, &mut rng))
}

fn regular_once(n: u32, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Vec<(u32, u32)> {
    let mut dice = Pcg64::seed_from_u64(rng.next_u64());
    loop {
        if let Some(edges) = pair_off(n, degree, &mut dice) {
            return edges.into_iter().collect();
        }
    }
}

/// Steger and Wormald (*Generating random regular graphs quickly*, 1999): everyone has `degree` ends of edges, which are
/// joined at random, again and again those that could not be joined. Nothing if what is left cannot be joined.
fn pair_off(n: u32, degree: u32, dice: &mut Pcg64) -> Option<BTreeSet<(u32, u32)>> {
    let mut edges = BTreeSet::new();
    let mut ends: Vec<u32> = (0..n).flat_map(|member| (0..degree).map(move |_| member)).collect();
    while !ends.is_empty() {
        ends.shuffle(dice);
        // How many ends of whom are left, in the order in which they were met.
        let mut left: Vec<(u32, u32)> = Vec::new();
        for pair in ends.chunks_exact(2) {
            let (u, v) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            if u == v || !edges.insert((u, v)) {
                for member in [u, v] {
                    match left.iter_mut().find(|(other, _)| *other == member) {
                        Some((_, count)) => *count += 1,
                        None => left.push((member, 1)),
                    }
                }
            }
        }
        let pairs = left.iter().enumerate().flat_map(|(at, (v, _))| left[..at].iter().map(|(u, _)| (*u, *v)));
        let can_go_on =
            left.is_empty() || pairs.into_iter().any(|(u, v)| !edges.contains(&(u.min(v), u.max(v))));
        if !can_go_on {
            return None;
        }
        ends = left.into_iter().flat_map(|(member, count)| (0..count).map(move |_| member)).collect();
    }
    Some(edges)
}

/// The pairs that are not among these.
fn missing_edges(n: u32, edges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let present: BTreeSet<(u32, u32)> = edges.into_iter().map(|(u, v)| (u.min(v), u.max(v))).collect();
    (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))).filter(|pair| !present.contains(pair)).collect()
}

fn first_connected(
    shape: &Shape,
    n: u32,
    attempts: u32,
    advice: impl Fn() -> String,
    mut draw: impl FnMut() -> Vec<(u32, u32)>,
) -> Result<Vec<(u32, u32)>, NetworkError> {
    (0..attempts)
        .map(|_| draw())
        .find(|edges| connected(n, edges))
        .ok_or_else(|| NetworkError::Disconnected { shape: shape.clone(), n, advice: advice() })
}

fn connected(n: u32, edges: &[(u32, u32)]) -> bool {
    let mut pieces = UnionFind::<u32>::new(n as usize);
    let joined = edges.iter().filter(|&&(u, v)| pieces.union(u, v)).count();
    joined + 1 == n as usize
}

/// The links of a random cycle through everyone, and of enough others to give everyone `degree`
/// links out.
pub(super) fn digraph(n: u32, degree: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut rng = stream(seed, Stream::Network);
    let mut links = cycle(n, &mut rng);
    let Some(others) = n.checked_sub(2) else { return links };
    for i in 0..n as usize {
        let (member, successor) = links[i];
        let (low, high) = (member.min(successor), member.max(successor));
        // Numbers the others from 0: they skip the member and its successor.
        let skip = |other: u32| match other {
            _ if other < low => other,
            _ if other + 1 < high => other + 1,
            _ => other + 2,
        };
        let more = index::sample(&mut rng, others as usize, (degree - 1).min(others) as usize);
        links.extend(more.into_iter().map(|other| (member, skip(other as u32))));
    }
    links
}

/// A random cycle through everyone; no links if there is only one.
fn cycle(n: u32, rng: &mut Xoshiro256PlusPlus) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..n).collect();
    order.shuffle(rng);
    let next = order.iter().cycle().skip(1);
    order.iter().zip(next).map(|(&u, &v)| (u, v)).filter(|(u, v)| u != v).collect()
}
