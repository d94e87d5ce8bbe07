//! The rivals: minimal hand-written loops for one workload, Chang-Roberts in worst order (or LCR,
//! which is the same without announcement), that do nothing but that. Each returns the number of
//! messages.

pub mod packed_search;

use rand::SeedableRng;
use rand::distr::{Distribution, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::VecDeque;

/// Ids falling clockwise: every id reaches the best.
#[must_use]
pub fn worst_order(n: u64) -> Vec<u64> {
    (1..=n).rev().collect()
}

/// Ids rising clockwise: every id but the best dies after one hop.
#[must_use]
pub fn best_order(n: u64) -> Vec<u64> {
    (1..=n).collect()
}

#[derive(Clone, Copy)]
struct Hop {
    to: u32,
    announcement: bool,
    id: u64,
}

/// One member's answer to a message: Chang-Roberts when everyone has started.
#[inline]
fn step(ids: &[u64], leader: &mut [u64], hop: Hop) -> Option<Hop> {
    let to = hop.to as usize;
    let next = if to + 1 == ids.len() { 0 } else { to as u32 + 1 };
    if hop.announcement {
        leader[to] = hop.id;
        (hop.id != ids[to]).then_some(Hop { to: next, ..hop })
    } else if hop.id == ids[to] {
        leader[to] = hop.id;
        Some(Hop { to: next, announcement: true, id: hop.id })
    } else {
        (hop.id > ids[to]).then_some(Hop { to: next, ..hop })
    }
}

fn first_hops(ids: &[u64]) -> impl Iterator<Item = Hop> + '_ {
    let n = ids.len() as u32;
    (0..n).map(move |from| Hop { to: (from + 1) % n, announcement: false, id: ids[from as usize] })
}

/// Messages in a queue, each taking one hop.
#[must_use]
pub fn queue_loop(ids: &[u64]) -> u64 {
    let mut leader = vec![0; ids.len()];
    let mut queue: VecDeque<Hop> = first_hops(ids).collect();
    let mut messages = queue.len() as u64;
    while let Some(hop) = queue.pop_front() {
        if let Some(next) = step(ids, &mut leader, hop) {
            messages += 1;
            queue.push_back(next);
        }
    }
    assert!(leader.iter().all(|&id| id == ids.len() as u64));
    messages
}

/// Messages in a wheel of a hundred and one slots, each taking 1 to 100 hops.
#[must_use]
pub fn wheel_loop(ids: &[u64], seed: u64) -> u64 {
    const SLOTS: usize = 101;
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let delays = Uniform::new_inclusive(1_u32, 100).expect("a range");
    let mut leader = vec![0; ids.len()];
    let mut slots: Vec<Vec<Hop>> = vec![Vec::new(); SLOTS];
    let mut messages = 0;
    let mut under_way = 0_usize;
    for hop in first_hops(ids) {
        slots[delays.sample(&mut dice) as usize].push(hop);
        messages += 1;
        under_way += 1;
    }
    let mut now = 0;
    let mut due = Vec::new();
    while under_way > 0 {
        now = if now + 1 == SLOTS { 0 } else { now + 1 };
        std::mem::swap(&mut due, &mut slots[now]);
        under_way -= due.len();
        for &hop in &due {
            if let Some(next) = step(ids, &mut leader, hop) {
                let at = now + delays.sample(&mut dice) as usize;
                slots[if at >= SLOTS { at - SLOTS } else { at }].push(next);
                messages += 1;
                under_way += 1;
            }
        }
        due.clear();
    }
    assert!(leader.iter().all(|&id| id == ids.len() as u64));
    messages
}

/// LCR in two flat buffers, one a round.
#[must_use]
pub fn round_buffers(ids: &[u64]) -> u64 {
    let n = ids.len() as u32;
    let mut arriving: Vec<(u32, u64)> = (0..n).map(|from| ((from + 1) % n, ids[from as usize])).collect();
    let mut leaving = Vec::with_capacity(arriving.len());
    let mut messages = arriving.len() as u64;
    let mut leader = None;
    while !arriving.is_empty() {
        for &(to, id) in &arriving {
            if id > ids[to as usize] {
                leaving.push((if to + 1 == n { 0 } else { to + 1 }, id));
            } else if id == ids[to as usize] {
                leader = Some(id);
            }
        }
        std::mem::swap(&mut arriving, &mut leaving);
        leaving.clear();
        messages += arriving.len() as u64;
    }
    assert_eq!(leader, Some(u64::from(n)));
    messages
}
