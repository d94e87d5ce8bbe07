//! A moment as a row of numbers, and its hash.

use crate::packed::{Packed, PackedState, Touched};
use bellwether_model::{BudgetUsed, Rules, State};

/// How moments are laid out in rows: members, wires, and what has gone wrong. A part takes one half-word as long as
/// there are few enough of them, else two.
#[derive(Clone)]
pub struct Layout {
    members: usize,
    wires: usize,
    is_wide: bool,
    /// How many half-words what has gone wrong takes.
    spent: usize,
    /// An odd number for each place, so that the same part counts differently in different places.
    odds: Vec<u64>,
}

impl Layout {
    /// For moments that keep these rules; `is_wide` if parts' numbers do not fit into a half-word.
    pub fn new(rules: &Rules<'_>, is_wide: bool) -> Layout {
        let (members, wires) = (rules.plan.n() as usize, rules.wires.len());
        // SplitMix64's constant and its multiples: odd where they need to be.
        let odds = (0..=members + wires).map(|at| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * at as u64 + 1));
        let may = &rules.liberties;
        let is_long = may.pauses > 0 || may.requests > 0 || may.ticks < u16::MAX;
        let has_more = may.suspicions > 0 || may.false_alarms > 0 || may.restarts > 0;
        let spent = match (has_more, may.certified, is_long) {
            (true, ..) => 8,
            (_, true, _) => 6,
            (.., true) => 4,
            _ => 2,
        };
        Layout { members, wires, is_wide, spent, odds: odds.collect() }
    }

    /// How many half-words a row has.
    pub fn width(&self) -> usize {
        (self.members + self.wires) * if self.is_wide { 2 } else { 1 } + self.spent
    }

    /// Whether all parts with a number below this one fit into rows.
    pub fn has_room_for(&self, number: usize) -> bool {
        self.is_wide || number <= usize::from(u16::MAX)
    }

    /// A moment with nothing in it, to read rows into.
    pub fn blank(&self) -> PackedState {
        State { seats: vec![0; self.members], queues: vec![0; self.wires], spent: BudgetUsed::default() }
    }

    #[inline(always)]
    fn get(&self, row: &[u16], at: usize) -> u32 {
        if self.is_wide { join(row[2 * at], row[2 * at + 1]) } else { row[at].into() }
    }

    #[inline(always)]
    fn set(&self, row: &mut [u16], at: usize, number: u32) {
        if self.is_wide {
            [row[2 * at], row[2 * at + 1]] = halves(number);
        } else {
            row[at] = number as u16;
        }
    }

    #[inline(always)]
    fn set_spent(&self, row: &mut [u16], spent: u128) {
        let begins = row.len() - self.spent;
        for (at, half) in row[begins..].iter_mut().enumerate() {
            *half = (spent >> (16 * at)) as u16;
        }
    }

    #[inline(always)]
    fn get_spent(&self, row: &[u16]) -> u128 {
        let halves = row[row.len() - self.spent..].iter().enumerate();
        halves.fold(0, |spent, (at, half)| spent | u128::from(*half) << (16 * at))
    }

    /// Reads a row.
    #[inline]
    pub fn read(&self, row: &[u16], moment: &mut PackedState) {
        for (at, seat) in moment.seats.iter_mut().enumerate() {
            *seat = self.get(row, at);
        }
        for (at, queue) in moment.queues.iter_mut().enumerate() {
            *queue = self.get(row, self.members + at);
        }
        moment.spent = unpack(self.get_spent(row));
    }

    /// Writes a row over another.
    pub fn write(&self, moment: &PackedState, row: &mut [u16]) {
        for (at, part) in moment.seats.iter().chain(&moment.queues).enumerate() {
            self.set(row, at, *part);
        }
        self.set_spent(row, pack(moment.spent));
    }

    /// The sum from which a moment's hash is made: it does not depend on numbers.
    pub fn sum(&self, parts: &mut Packed<'_>, moment: &PackedState) -> u64 {
        let (of_seats, of_wires) = self.odds.split_at(self.members);
        let mut sum = digest(moment.spent).wrapping_mul(of_wires[self.wires]);
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
        (before, sum): (&PackedState, u64),
        moment: &PackedState,
        row: &mut [u16],
    ) -> u64 {
        let (of_seats, of_wires) = self.odds.split_at(self.members);
        let spent = digest(moment.spent).wrapping_sub(digest(before.spent));
        let mut sum = sum.wrapping_add(spent.wrapping_mul(of_wires[self.wires]));
        self.set_spent(row, pack(moment.spent));
        let touched = parts.touched;
        touched.each_seat(|at| {
            let (old, new) = (before.seats[at], moment.seats[at]);
            self.set(row, at, new);
            let change = parts.seat_hash(new).wrapping_sub(parts.seat_hash(old));
            sum = sum.wrapping_add(change.wrapping_mul(of_seats[at]));
        });
        touched.each_wire(|at| {
            let (old, new) = (before.queues[at], moment.queues[at]);
            self.set(row, self.members + at, new);
            let change = parts.line_hash(new).wrapping_sub(parts.line_hash(old));
            sum = sum.wrapping_add(change.wrapping_mul(of_wires[at]));
        });
        sum
    }

    /// Turns a row that [`Layout::change`] has changed back into that of the moment before.
    #[inline]
    pub fn change_back(&self, touched: Touched, before: &PackedState, row: &mut [u16]) {
        touched.each_seat(|at| self.set(row, at, before.seats[at]));
        touched.each_wire(|at| self.set(row, self.members + at, before.queues[at]));
        self.set_spent(row, pack(before.spent));
    }
}

/// A number as two half-words.
#[inline(always)]
pub fn halves(number: u32) -> [u16; 2] {
    [number as u16, (number >> 16) as u16]
}

/// Two half-words as a number.
#[inline(always)]
pub fn join(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// What is there in every check comes first.
fn pack(spent: BudgetUsed) -> u128 {
    let BudgetUsed {
        crashes,
        recoveries,
        losses,
        duplicates,
        pauses,
        requests,
        suspicions,
        false_alarms,
        restarts,
        ticks,
        untold,
    } = spent;
    let [low, high] = ticks.to_le_bytes();
    let counts = u64::from_le_bytes([crashes, recoveries, losses, duplicates, pauses, requests, low, high]);
    let later = u32::from_le_bytes([suspicions, restarts, false_alarms, 0]);
    u128::from(later) << 96 | u128::from(untold) << 64 | u128::from(counts)
}

fn unpack(word: u128) -> BudgetUsed {
    let [crashes, recoveries, losses, duplicates, pauses, requests, low, high] = (word as u64).to_le_bytes();
    let ticks = u16::from_le_bytes([low, high]);
    let untold = (word >> 64) as u32;
    let [suspicions, restarts, false_alarms, _] = ((word >> 96) as u32).to_le_bytes();
    BudgetUsed {
        crashes,
        recoveries,
        losses,
        duplicates,
        pauses,
        requests,
        suspicions,
        false_alarms,
        restarts,
        ticks,
        untold,
    }
}

/// What has gone wrong as one word: the same as before there were certificates, where there are none.
fn digest(spent: BudgetUsed) -> u64 {
    let word = pack(spent);
    (word as u64).wrapping_add(((word >> 64) as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9))
}
