//! Figures of rings in which a higher-ranked member drops a lower-ranked member's message: how far each message
//! travels, and when members wake up.

pub use crate::conditions::*;
use bellwether_core::{Delivery, Expect, Rank, Setting};

/// For each member, the distance clockwise to the next higher-ranked one; n for the highest.
///
/// This is the number of hops that its rank travels. Two passes over the ring with a stack of members that still wait
/// for a higher-ranked one.
pub fn distances_to_better(ranks: &[Rank]) -> Vec<u32> {
    let n = ranks.len();
    let mut distances = vec![n as u32; n];
    let mut waiting: Vec<u32> = Vec::new();
    for step in 0..2 * n {
        let here = step % n;
        while let Some(&worse) = waiting.last()
            && ranks[worse as usize] < ranks[here]
        {
            waiting.pop();
            let distance = (here + n - worse as usize) % n;
            distances[worse as usize] = distance as u32;
        }
        if step < n {
            waiting.push(here as u32);
        }
    }
    distances
}

/// The same counter-clockwise.
pub fn distances_back_to_better(ranks: &[Rank]) -> Vec<u32> {
    let mirrored: Vec<Rank> = ranks.iter().rev().copied().collect();
    let mut distances = distances_to_better(&mirrored);
    distances.reverse();
    distances
}

/// The total hops of all ranks if all members start.
pub fn total_distance(ranks: &[Rank]) -> f64 {
    sum(distances_to_better(ranks))
}

/// The total hops of all ranks if only some members start, and others send their own rank when a lower one reaches
/// them first.
///
/// The first rank to reach a member is the highest since the nearest initiator before it, whatever the delays,
/// because links keep their order. So one walk from an initiator round the ring finds the members that send their own
/// rank.
pub fn total_distance_from(setting: &Setting<'_>) -> f64 {
    let ranks = setting.ranks;
    let Some(first) = (0..ranks.len()).find(|&member| setting.initiators.contains(member as u32)) else {
        return 0.0;
    };
    let distances = distances_to_better(ranks);
    let mut best_since = ranks[first];
    let travelled = (first..first + ranks.len()).map(|step| step % ranks.len()).filter(|&member| {
        let speaks = setting.initiators.contains(member as u32) || ranks[member] > best_since;
        if speaks {
            best_since = ranks[member];
        }
        speaks
    });
    sum(travelled.map(|member| distances[member]))
}

/// The number of hops clockwise from one member to another.
pub fn distance(n: usize, from: usize, to: usize) -> usize {
    (to + n - from) % n
}

/// The distance clockwise from the nearest initiator to the highest-ranked member.
pub fn distance_to_best(setting: &Setting<'_>) -> Option<usize> {
    let n = setting.n();
    let best = (0..n).max_by_key(|&member| setting.ranks[member])?;
    (0..n).find(|hops| setting.initiators.contains(((best + n - hops) % n) as u32))
}

/// The value of the highest-ranked member, where the highest possible rank has the value 1, the next 2, and so on.
pub fn best_value(setting: &Setting<'_>) -> Option<u64> {
    let best = setting.ranks.iter().max()?;
    Some(setting.range.better_than(*best).saturating_add(1))
}

/// For each member, the distance to the nearest initiator on either side: when it starts if messages take one hop
/// and each member that starts sends both ways. None if no member starts.
pub fn waking_hops(setting: &Setting<'_>) -> Option<Vec<u32>> {
    let n = setting.n();
    let mut hops = vec![u32::MAX; n];
    for clockwise in [true, false] {
        let mut since = None;
        for step in 0..2 * n {
            let member = if clockwise { step % n } else { n - 1 - step % n };
            let starts = setting.initiators.contains(member as u32);
            since = if starts { Some(0) } else { since.map(|hops: u32| hops + 1) };
            hops[member] = hops[member].min(since.unwrap_or(u32::MAX));
        }
    }
    hops.iter().all(|&hops| hops < u32::MAX).then_some(hops)
}

/// The hops of the messages of `initiators` (places on a ring of n, in rising order) if each message is dropped at
/// the next initiator of a higher standing; without those of the highest standing, which are not dropped.
pub fn suppressed_hops(n: usize, initiators: &[usize], standing: impl Fn(usize) -> Rank) -> usize {
    let standings: Vec<Rank> = initiators.iter().map(|&place| standing(place)).collect();
    let k = initiators.len();
    let steps = distances_to_better(&standings).into_iter().map(|steps| steps as usize).enumerate();
    let stopped = steps.filter(|(_, steps)| *steps != k);
    stopped.map(|(at, steps)| distance(n, initiators[at], initiators[(at + steps) % k])).sum()
}

/// The hops of the only run that completes, that of the initiator with the highest standing: d hops to the
/// highest-ranked member and two turns from there.
pub fn completed_hops(setting: &Setting<'_>, standing: impl Fn(usize) -> Rank) -> usize {
    let n = setting.n();
    let best = (0..n).max_by_key(|&member| setting.ranks[member]);
    let first = initiators(setting).max_by_key(|&member| standing(member));
    best.zip(first).map_or(0, |(best, first)| distance(n, first, best) + 2 * n)
}

/// The hops of all other runs: each is dropped at the next initiator of a higher standing.
pub fn died_hops(setting: &Setting<'_>, standing: impl Fn(usize) -> Rank) -> usize {
    let around: Vec<usize> = initiators(setting).collect();
    suppressed_hops(setting.n(), &around, standing)
}

/// The ring of live members, dead ones skipped.
pub struct LiveRing {
    /// The live members, clockwise.
    pub members: Vec<usize>,
    /// The initiators, by their places in `members`.
    pub initiators: Vec<usize>,
}

impl LiveRing {
    /// None if a member dies or starts during the run, the delay bound does not hold, or no member starts.
    pub fn new(setting: &Setting<'_>) -> Option<LiveRing> {
        let members: Vec<usize> =
            (0..setting.n()).filter(|&member| setting.is_alive(member as u32)).collect();
        let initiates = |&place: &usize| setting.initiators.contains(members[place] as u32);
        let initiators: Vec<usize> = (0..members.len()).filter(initiates).collect();
        let applies = setting.calm && setting.bounded && !initiators.is_empty();
        applies.then_some(LiveRing { members, initiators })
    }

    /// The number of live members.
    pub fn n(&self) -> usize {
        self.members.len()
    }

    /// The number of messages of one turn: none for a single member.
    pub fn turn(&self) -> usize {
        if self.n() == 1 { 0 } else { self.n() }
    }
}

/// Two turns of a ring of live members, and the `ack` of the last message.
pub fn time_of_two_turns(setting: &Setting<'_>) -> Option<Expect> {
    let ring = LiveRing::new(setting)?;
    let applies = setting.dead.is_empty() && setting.delivery == Delivery::Unit && ring.initiators.len() == 1;
    let hops = if ring.n() == 1 { 0 } else { 2 * ring.n() + 1 };
    applies.then_some(Expect::Exactly(hops as f64))
}

/// The n-th harmonic number.
pub fn harmonic(n: usize) -> f64 {
    (1..=n).rev().map(|k| 1.0 / k as f64).sum()
}

fn sum(distances: impl IntoIterator<Item = u32>) -> f64 {
    distances.into_iter().map(u64::from).sum::<u64>() as f64
}
