//! A moment as a row of numbers, and its hash.

use crate::packed::{Packed, PackedMoment, Touched};
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

    /// The sum from which a moment's hash is made: it does not depend on numbers.
    pub fn sum(&self, parts: &mut Packed<'_>, moment: &PackedMoment) -> u64 {
        let (of_seats, of_wires) = self.odds.split_at(self.members);
        let mut sum = u64::from(pack(moment.spent)).wrapping_mul(of_wires[self.wires]);
        for (seat, odd) in moment.seats.iter().zip(of_seats) {
            sum = sum.wrapping_add(parts.seat_hash(*seat).wrapping_mul(*odd));
        }
        for (line, odd) in moment.queues.iter().zip(of_wires) {
            sum = sum.wrapping_add(parts.line_hash(*line).wrapping_mul(*odd));
        }
        sum
    }

    /// The same for the moment that has just come of one whose sum is known, given that one's row, which becomes the
    /// new one's: only what differs is looked at.
    #[inline]
    pub fn change(
        &self,
        parts: &mut Packed<'_>,
        (before, sum): (&PackedMoment, u64),
        moment: &PackedMoment,
        row: &mut [u32],
    ) -> u64 {
        let (of_seats, of_wires) = self.odds.split_at(self.members);
        let (seats, rest) = row.split_at_mut(self.members);
        let (queues, spent) = rest.split_at_mut(self.wires);
        let was = spent[0];
        spent[0] = pack(moment.spent);
        let mut sum =
            sum.wrapping_add(u64::from(spent[0]).wrapping_sub(was.into()).wrapping_mul(of_wires[self.wires]));
        let touched = parts.touched;
        touched.each_seat(|at| {
            let (old, new) = (before.seats[at], moment.seats[at]);
            seats[at] = new;
            let change = parts.seat_hash(new).wrapping_sub(parts.seat_hash(old));
            sum = sum.wrapping_add(change.wrapping_mul(of_seats[at]));
        });
        touched.each_wire(|at| {
            let (old, new) = (before.queues[at], moment.queues[at]);
            queues[at] = new;
            let change = parts.line_hash(new).wrapping_sub(parts.line_hash(old));
            sum = sum.wrapping_add(change.wrapping_mul(of_wires[at]));
        });
        sum
    }

    /// Turns a row that [`Layout::change`] has changed back into that of the moment before.
    #[inline]
    pub fn change_back(&self, touched: Touched, before: &PackedMoment, row: &mut [u32]) {
        touched.each_seat(|at| row[at] = before.seats[at]);
        touched.each_wire(|at| row[self.members + at] = before.queues[at]);
        row[self.members + self.wires] = pack(before.spent);
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
