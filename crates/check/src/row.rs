//! A moment as a row of numbers, and its hash.

use crate::packed::{Packed, PackedMoment};
use bellwether_core::Topology;
use bellwether_sim::rules::{Moment, Rules, Spent};

/// How moments are laid out in rows: members, wires, and what has gone wrong.
#[derive(Clone)]
pub struct Layout {
    members: usize,
    wires: usize,
    /// An odd number for each place, so that the same part counts differently in different places.
    odds: Vec<u64>,
    /// How many wires a member has to send on, where members are identical and lie in a ring: turning it round
    /// changes nothing.
    turns: Option<usize>,
}

impl Layout {
    /// For moments that keep these rules; `symmetric` if members are identical and all begin alike.
    pub fn new(rules: &Rules<'_>, symmetric: bool) -> Layout {
        let (members, wires) = (rules.plan.n() as usize, rules.wires.len());
        let is_ring = matches!(rules.plan.topology, Topology::Ring { .. });
        // SplitMix64's constant and its multiples: odd where they need to be.
        let odds = (0..=members + wires).map(|at| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * at as u64 + 1));
        let turns = (symmetric && is_ring).then(|| wires / members);
        Layout { members, wires, odds: odds.collect(), turns }
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.members + self.wires + 1
    }

    /// A moment with nothing in it, to read rows into.
    pub fn blank(&self) -> PackedMoment {
        Moment { seats: vec![0; self.members], queues: vec![0; self.wires], spent: Spent::default() }
    }

    /// Reads a row.
    #[inline]
    pub fn read(&self, row: &[u32], moment: &mut PackedMoment) {
        let (seats, rest) = row.split_at(self.members);
        let (queues, spent) = rest.split_at(self.wires);
        moment.seats.copy_from_slice(seats);
        moment.queues.copy_from_slice(queues);
        moment.spent = unpack(spent[0]);
    }

    /// Writes a row.
    #[inline]
    pub fn write(&self, moment: &PackedMoment, row: &mut Vec<u32>) {
        row.extend_from_slice(&moment.seats);
        row.extend_from_slice(&moment.queues);
        row.push(pack(moment.spent));
    }

    /// A hash that does not depend on numbers.
    #[inline]
    pub fn hash(&self, parts: &mut Packed<'_>, moment: &PackedMoment) -> u64 {
        let (of_seats, of_wires) = self.odds.split_at(self.members);
        let mut hash = u64::from(pack(moment.spent)).wrapping_mul(of_wires[self.wires]);
        for (seat, odd) in moment.seats.iter().zip(of_seats) {
            hash = hash.wrapping_add(parts.seat_hash(*seat).wrapping_mul(*odd));
        }
        for (line, odd) in moment.queues.iter().zip(of_wires) {
            hash = hash.wrapping_add(parts.line_hash(*line).wrapping_mul(*odd));
        }
        hash ^ hash >> 32
    }

    /// Whether moments that differ by a turn of the ring are taken for one.
    pub fn is_symmetric(&self) -> bool {
        self.turns.is_some()
    }

    /// Turns the ring so that of all moments that differ by a turn one stands for the others.
    pub fn turn(&self, parts: &mut Packed<'_>, moment: &mut PackedMoment) {
        let Some(wires_each) = self.turns else { return };
        let key = |parts: &mut Packed<'_>, member: usize, part: usize| match part {
            0 => parts.seat_hash(moment.seats[member]),
            _ => parts.line_hash(moment.queues[member * wires_each + part - 1]),
        };
        let n = self.members;
        let mut best = 0;
        for start in 1..n {
            let places = (0..n).flat_map(|at| (0..=wires_each).map(move |part| (at, part)));
            let mut order = std::cmp::Ordering::Equal;
            for (at, part) in places {
                order = key(parts, (start + at) % n, part).cmp(&key(parts, (best + at) % n, part));
                if order.is_ne() {
                    break;
                }
            }
            if order.is_lt() {
                best = start;
            }
        }
        moment.seats.rotate_left(best);
        moment.queues.rotate_left(best * wires_each);
    }
}

fn pack(spent: Spent) -> u32 {
    u32::from_le_bytes([spent.crashes, spent.recoveries, spent.losses, spent.duplicates])
}

fn unpack(word: u32) -> Spent {
    let [crashes, recoveries, losses, duplicates] = word.to_le_bytes();
    Spent { crashes, recoveries, losses, duplicates }
}
