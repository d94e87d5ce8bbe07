//! What has been read of a file so far, and what network it makes.

use super::{Fault, Network};
use bellwether_core::{Graph, Id, Topology};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Members and links, as they are named in a file.
#[derive(Default)]
pub(super) struct Draft<'t> {
    /// In the order of first appearance, with the place of that.
    names: Vec<(&'t str, usize)>,
    numbers: BTreeMap<&'t str, u32>,
    links: Vec<(u32, u32)>,
    has_two_way: bool,
}

impl<'t> Draft<'t> {
    /// The member of this name, if it has appeared.
    pub(super) fn member(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The member of this name, and whether this is its first appearance.
    pub(super) fn appear(&mut self, name: &'t str, offset: usize) -> (u32, bool) {
        let next = self.names.len() as u32;
        match self.numbers.entry(name) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(unknown) => {
                unknown.insert(next);
                self.names.push((name, offset));
                (next, true)
            }
        }
    }

    /// A link from one member to another, or both ways.
    pub(super) fn link(&mut self, from: u32, to: u32, two_way: bool) {
        self.links.push((from, to));
        if two_way {
            self.links.push((to, from));
            self.has_two_way = true;
        }
    }

    /// The network, or `None` if nobody appeared.
    pub(super) fn finish(mut self, text: &str) -> Result<Option<Network>, Fault> {
        let n = self.names.len() as u32;
        if n == 0 {
            return Ok(None);
        }
        let mut ids = self.ids(text)?;
        self.links.sort_unstable();
        self.links.dedup();

        let one_way = one_way_ring(n, &self.links).filter(|_| !self.has_two_way);
        let ring =
            one_way.map(|order| (order, false)).or_else(|| Some((two_way_ring(n, &self.links)?, true)));
        let topology = if let Some((order, two_way)) = ring {
            ids = ids.map(|ids| order.iter().map(|&member| ids[member as usize]).collect());
            Topology::Ring { n, two_way }
        } else if n > 1 && self.links.len() as u64 == u64::from(n) * u64::from(n - 1) {
            Topology::Complete { n } // for nobody is linked to itself
        } else {
            Topology::Graph(Graph::new(n, self.links))
        };
        Ok(Some(Network::new(topology).with_ids(ids)))
    }

    /// The names as ids, if all are whole numbers that can be.
    fn ids(&self, text: &str) -> Result<Option<Vec<Id>>, Fault> {
        let Some(ids) = self.names.iter().map(|&(name, _)| whole_number(name)).collect::<Option<Vec<Id>>>()
        else {
            return Ok(None);
        };
        let mut known = BTreeMap::new();
        for (&id, &(name, offset)) in ids.iter().zip(&self.names) {
            if let Some(same) = known.insert(id, name) {
                let problem =
                    format!("'{name}' is the same number as '{same}': write it the same way everywhere");
                return Err(Fault::at(text, offset, problem));
            }
        }
        Ok(Some(ids))
    }
}

fn whole_number(name: &str) -> Option<Id> {
    // Digits only: the standard parser also takes a sign.
    let digits = Some(name).filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))?;
    Id::new(digits.parse().ok()?).ok()
}

/// The members in the order of the one directed cycle that the sorted links make, from member 0.
fn one_way_ring(n: u32, links: &[(u32, u32)]) -> Option<Vec<u32>> {
    let one_each =
        links.len() == n as usize && links.iter().zip(0..).all(|(&(from, _), member)| from == member);
    if !one_each || n < 2 {
        return None;
    }
    walk_round(n, links[0].1, |_, at| Some(links[at as usize].1))
}

/// The members in the order of the one two-way cycle that the sorted links make, from member 0
/// towards that neighbour of it which appeared first.
fn two_way_ring(n: u32, links: &[(u32, u32)]) -> Option<Vec<u32>> {
    let (pairs, rest) = links.as_chunks::<2>();
    let two_each = pairs.len() == n as usize
        && rest.is_empty()
        && pairs
            .iter()
            .zip(0..)
            .all(|(&[(first, _), (second, _)], member)| first == member && second == member);
    if !two_each || n < 3 {
        return None;
    }
    walk_round(n, links[0].1, |came_from, at| match pairs[at as usize] {
        [(_, back), (_, on)] | [(_, on), (_, back)] if back == came_from => Some(on),
        _ => None,
    })
    // The last step came home by a link that must run the other way too.
    .filter(|order| order.last() == Some(&pairs[0][1].1))
}

/// Everyone in the order of a walk that starts at member 0 and comes back to it having seen all.
fn walk_round(n: u32, first: u32, next: impl Fn(u32, u32) -> Option<u32>) -> Option<Vec<u32>> {
    let mut order = vec![0];
    let mut at = first;
    while at != 0 {
        if order.len() == n as usize {
            return None; // the walk goes round without member 0
        }
        let came_from = order[order.len() - 1];
        order.push(at);
        at = next(came_from, at)?;
    }
    (order.len() == n as usize).then_some(order)
}
