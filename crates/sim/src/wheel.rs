//! Messages under way, in the order of their arrival.
//!
//! A timing wheel: one slot a tick, as far ahead as most delays reach. A bitmap finds the next slot
//! in use, and the few messages that are due beyond the wheel wait in a heap. Slots in use share a
//! pool of buckets that are emptied and filled again, so that nothing is allocated for a message
//! once the buckets have grown.

use bellwether_core::{Port, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet<M> {
    /// The receiver.
    pub to: u32,
    /// The receiver's port.
    pub port: Port,
    /// What is said.
    pub msg: M,
}

const NONE: u32 = u32::MAX;
const NEVER: u64 = u64::MAX;
const WORD: usize = u64::BITS as usize;

/// A message that is due beyond the wheel, ordered by time and then by when it was put in.
#[derive(Clone, Debug)]
struct Later<M> {
    at: u64,
    number: u64,
    packet: Packet<M>,
}

/// See the module's description. Messages of the same tick come out in the order they went in.
#[derive(Clone, Debug)]
pub struct Wheel<M> {
    /// For each slot, its bucket.
    slots: Vec<u32>,
    /// A bit for each slot that has one.
    used: Vec<u64>,
    buckets: Vec<Vec<Packet<M>>>,
    free: Vec<u32>,
    /// The bucket whose list is out.
    taken: u32,
    /// Where delays are all alike, whatever is sent at one time is due at one time: that bucket's
    /// list, kept at hand, and when it is due ([`NEVER`] if none is).
    at_hand: Vec<Packet<M>>,
    at_hand_due: u64,
    /// How far ahead messages go straight into their slots, and which bits of a time number its slot: as far as the wheel
    /// reaches, but nowhere where delays are all alike.
    direct: u64,
    later: BinaryHeap<Reverse<Later<M>>>,
    numbered: u64,
    now: u64,
}

impl<M> Wheel<M> {
    /// The most slots a wheel has (4 bytes each).
    const MOST_SLOTS: u64 = 1 << 17;

    /// A wheel for delays that mostly stay within `reach` ticks and may be all alike, with room for `expected` messages
    /// at once before its first bucket must grow.
    #[must_use]
    pub fn new(reach: u64, delays_are_alike: bool, expected: usize) -> Self {
        let slots = (reach + 1).next_power_of_two().clamp(WORD as u64, Self::MOST_SLOTS) as usize;
        Wheel {
            slots: vec![NONE; slots],
            used: vec![0; slots / WORD],
            buckets: vec![Vec::with_capacity(expected)],
            free: vec![0],
            taken: NONE,
            at_hand: Vec::new(),
            at_hand_due: NEVER,
            direct: if delays_are_alike { 0 } else { slots as u64 - 1 },
            later: BinaryHeap::new(),
            numbered: 0,
            now: 0,
        }
    }

    /// Puts a message in, due later than now. (Its parts come one by one, so that they are written
    /// where they stay and nowhere else: a detour through the stack costs more than all the rest.)
    #[inline(always)]
    pub fn push(&mut self, at: Time, to: u32, port: Port, msg: M) {
        let at = at.ticks();
        debug_assert!(at > self.now, "a message takes some time");
        if at == self.at_hand_due {
            self.at_hand.push(Packet { to, port, msg });
        } else if at - self.now <= self.direct {
            let slot = (at & self.direct) as usize;
            let mut bucket = self.slots[slot];
            if bucket == NONE {
                bucket = self.open(slot);
            }
            self.buckets[bucket as usize].push(Packet { to, port, msg });
        } else {
            self.push_aside(at, Packet { to, port, msg });
        }
    }

    /// When the next message is due.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        // What waits in the heap is due later than anything in the wheel.
        self.next_in_wheel()
            .or_else(|| self.later.peek().map(|Reverse(later)| later.at))
            .map(Time::from_ticks)
    }

    fn next_in_wheel(&self) -> Option<u64> {
        if self.free.len() + usize::from(self.taken != NONE) == self.buckets.len() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let start = self.now as usize & mask;
        let words = self.used.len();
        let mut word = start / WORD;
        let mut bits = self.used[word] & (u64::MAX << (start % WORD));
        for _ in 0..=words {
            if bits != 0 {
                let slot = word * WORD + bits.trailing_zeros() as usize;
                let ahead = slot.wrapping_sub(start) & mask;
                return Some(self.now + ahead as u64);
            }
            word = if word + 1 == words { 0 } else { word + 1 };
            bits = self.used[word];
        }
        None
    }

    /// Moves on to a time before which nothing is due.
    #[inline]
    pub fn advance(&mut self, to: Time) {
        debug_assert!(to.ticks() >= self.now, "time does not run backwards");
        self.now = to.ticks();
        self.put_away();
        while let Some(Reverse(later)) = self.later.peek()
            && later.at - self.now < self.slots.len() as u64
            && let Some(Reverse(Later { at, packet, .. })) = self.later.pop()
        {
            let slot = at as usize & (self.slots.len() - 1);
            let bucket = if self.slots[slot] == NONE { self.open(slot) } else { self.slots[slot] };
            self.buckets[bucket as usize].push(packet);
        }
    }

    /// Takes out all messages due at the present time, in order. The emptied list is to be given
    /// back with [`Wheel::recycle`] before more are taken, and so is not allocated again.
    #[inline]
    pub fn take_due(&mut self) -> Vec<Packet<M>> {
        let slot = self.now as usize & (self.slots.len() - 1);
        let bucket = std::mem::replace(&mut self.slots[slot], NONE);
        if bucket == NONE {
            return Vec::new();
        }
        self.used[slot / WORD] &= !(1 << (slot % WORD));
        self.taken = bucket;
        std::mem::take(&mut self.buckets[bucket as usize])
    }

    /// Takes back an emptied list.
    #[inline]
    pub fn recycle(&mut self, mut list: Vec<Packet<M>>) {
        let bucket = std::mem::replace(&mut self.taken, NONE);
        if bucket != NONE {
            list.clear();
            self.buckets[bucket as usize] = list;
            self.free.push(bucket);
        }
    }

    /// Gives a slot a bucket.
    #[inline(never)]
    fn open(&mut self, slot: usize) -> u32 {
        let bucket = self.free.pop().unwrap_or_else(|| {
            self.buckets.push(Vec::new());
            self.buckets.len() as u32 - 1
        });
        self.slots[slot] = bucket;
        self.used[slot / WORD] |= 1 << (slot % WORD);
        bucket
    }

    /// The first message that is due at a time, where delays are all alike; or one that is due beyond the wheel.
    #[inline(never)]
    fn push_aside(&mut self, at: u64, packet: Packet<M>) {
        if at - self.now >= self.slots.len() as u64 {
            self.later.push(Reverse(Later { at, number: self.numbered, packet }));
            self.numbered += 1;
            return;
        }
        self.put_away();
        let slot = at as usize & (self.slots.len() - 1);
        let bucket = if self.slots[slot] == NONE { self.open(slot) } else { self.slots[slot] };
        self.at_hand = std::mem::take(&mut self.buckets[bucket as usize]);
        self.at_hand.push(packet);
        self.at_hand_due = at;
    }

    /// Puts the list at hand back into its bucket.
    fn put_away(&mut self) {
        if self.at_hand_due != NEVER {
            let slot = self.at_hand_due as usize & (self.slots.len() - 1);
            self.buckets[self.slots[slot] as usize] = std::mem::take(&mut self.at_hand);
            self.at_hand_due = NEVER;
        }
    }
}

impl<M> Ord for Later<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl<M> PartialOrd for Later<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> PartialEq for Later<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<M> Eq for Later<M> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against a sorted map, which is too slow to use and too simple to be wrong.
        #[test]
        fn agrees_with_a_sorted_map(
            reach in 1_u64..2_000,
            alike: bool,
            steps in prop::collection::vec((1_u64..5_000, 0_usize..3), 1..200),
        ) {
            let mut wheel = Wheel::new(reach, alike, 4);
            let mut twin: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            let mut now = 0;
            for (number, (delay, takes)) in steps.into_iter().enumerate() {
                let number = number as u64;
                wheel.push(Time::from_ticks(now + delay), 0, Port(0), number);
                twin.entry(now + delay).or_default().push(number);
                for _ in 0..takes {
                    let at = wheel.next_time();
                    prop_assert_eq!(at.map(Time::ticks), twin.first_key_value().map(|(at, _)| *at));
                    let Some(at) = at else { break };
                    wheel.advance(at);
                    now = at.ticks();
                    let due = wheel.take_due();
                    let numbers: Vec<u64> = due.iter().map(|packet| packet.msg).collect();
                    prop_assert_eq!(Some(numbers), twin.remove(&now));
                    wheel.recycle(due);
                }
            }
        }
    }
}
