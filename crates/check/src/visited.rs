//! The states that have been reached: each once, as a row of numbers, with where it was reached from.
//!
//! Rows are compared whole, so no two states are ever taken for one: a hash only says where to look. States are
//! spread over shards by that hash, so that threads can add to different shards at once and need no lock; and as
//! the hash does not depend on numbers, a search finds the same states in the same order on any number of cores.

use hashbrown::HashTable;

/// How many shards there are, whatever the number of cores.
pub const SHARDS: usize = 16;

/// How many states are kept together: memory is taken in pieces of this many rows.
const PIECE: usize = 1 << 12;

/// A state's name: its shard, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u32);

impl StateId {
    /// The parent of a state that a run can begin with.
    pub const NONE: StateId = StateId(u32::MAX);

    /// The most states that can be named.
    pub const MOST: u64 = u32::MAX as u64;

    pub fn new(shard: usize, place: usize) -> StateId {
        StateId((place * SHARDS + shard) as u32)
    }

    pub fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    pub fn place(self) -> usize {
        self.0 as usize / SHARDS
    }

    /// As a number, for rows.
    pub fn raw(self) -> u32 {
        self.0
    }

    /// From a row.
    pub fn from_raw(raw: u32) -> StateId {
        StateId(raw)
    }
}

/// The shard of a state with this sum.
#[inline]
pub fn shard_of(sum: u64) -> usize {
    (sum >> 32) as usize % SHARDS
}

/// Where the table looks for a state with this sum: it uses the lowest and the highest bits.
#[inline]
fn hash_of(sum: u64) -> u64 {
    sum ^ sum >> 29
}

/// Some of the states.
pub struct Shard {
    width: usize,
    pieces: Vec<Piece>,
    len: usize,
    table: HashTable<u32>,
}

struct Piece {
    rows: Vec<u16>,
    sums: Vec<u64>,
    parents: Vec<StateId>,
    /// Whether all that can happen in it has been followed, and not only enough of it.
    in_full: Vec<bool>,
}

impl Shard {
    /// For rows of so many half-words.
    pub fn new(width: usize) -> Shard {
        Shard { width, pieces: Vec::new(), len: 0, table: HashTable::new() }
    }

    /// How many states it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        let row = self.width * size_of::<u16>() + size_of::<u64>() + size_of::<StateId>() + 1;
        self.pieces.len() * PIECE * row + self.table.capacity() * (size_of::<u32>() + 1) * 8 / 7
    }

    /// A state's row.
    #[inline]
    pub fn row(&self, place: usize) -> &[u16] {
        let at = place % PIECE * self.width;
        &self.pieces[place / PIECE].rows[at..at + self.width]
    }

    /// Where a state was reached from.
    pub fn parent(&self, place: usize) -> StateId {
        self.pieces[place / PIECE].parents[place % PIECE]
    }

    /// Whether all that can happen in a state has been followed.
    pub fn is_in_full(&self, place: usize) -> bool {
        self.pieces[place / PIECE].in_full[place % PIECE]
    }

    /// All that can happen in a state has been followed.
    pub fn set_in_full(&mut self, place: usize) {
        self.pieces[place / PIECE].in_full[place % PIECE] = true;
    }

    /// The sum from which a state's hash is made.
    #[inline]
    pub fn sum(&self, place: usize) -> u64 {
        self.pieces[place / PIECE].sums[place % PIECE]
    }

    /// The place of a state, if it has been reached.
    pub fn find(&self, sum: u64, row: &[u16]) -> Option<usize> {
        let is_it = |&place: &u32| self.row(place as usize) == row;
        self.table.find(hash_of(sum), is_it).map(|&place| place as usize)
    }

    /// Where a state with this sum may be, if it has been reached.
    #[inline]
    pub fn guess(&self, sum: u64) -> Option<u32> {
        self.table.find(hash_of(sum), |_| true).copied()
    }

    /// The place of a state, which is added if it is new, given where it may be.
    #[inline]
    pub fn place(&mut self, guess: Option<u32>, sum: u64, row: &[u16], parent: StateId) -> usize {
        match guess {
            Some(place) if self.row(place as usize) == row => place as usize,
            _ => self.insert(sum, row, parent),
        }
    }

    /// The place of a state, which is added if it is new.
    pub fn insert(&mut self, sum: u64, row: &[u16], parent: StateId) -> usize {
        let Shard { width, pieces, len, table } = self;
        // Rows are looked at without their sums first: that would be one more wait for memory.
        let is_it = |&place: &u32| {
            let (piece, start) = (&pieces[place as usize / PIECE], place as usize % PIECE * *width);
            piece.rows[start..start + *width] == *row
        };
        let rehash = |&place: &u32| hash_of(pieces[place as usize / PIECE].sums[place as usize % PIECE]);
        match table.entry(hash_of(sum), is_it, rehash) {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get() as usize,
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let place = *len;
                vacant.insert(place as u32);
                *len += 1;
                if place.is_multiple_of(PIECE) {
                    pieces.push(Piece {
                        rows: Vec::with_capacity(PIECE * *width),
                        sums: Vec::with_capacity(PIECE),
                        parents: Vec::with_capacity(PIECE),
                        in_full: Vec::with_capacity(PIECE),
                    });
                }
                let piece = &mut pieces[place / PIECE];
                piece.rows.extend_from_slice(row);
                piece.sums.push(sum);
                piece.parents.push(parent);
                piece.in_full.push(false);
                place
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States with the same sum are kept apart: a search is exact however its hashes collide.
    #[test]
    fn equal_sums_are_no_equal_states() {
        let mut shard = Shard::new(2);
        let rows: Vec<[u16; 2]> = (0..200).map(|number| [number / 3, number % 3]).collect();
        for sum in [0, u64::MAX] {
            let first = shard.len();
            for (place, row) in (first..).zip(&rows) {
                assert_eq!(shard.find(sum, row), None);
                assert_eq!(shard.insert(sum, row, StateId::NONE), place);
                assert_eq!(shard.insert(sum, row, StateId::new(0, 1)), place, "it is known now");
                let guess = shard.guess(sum);
                assert_eq!(shard.place(guess, sum, row, StateId::NONE), place, "however bad the guess");
            }
            for (place, row) in (first..).zip(&rows) {
                assert_eq!((shard.find(sum, row), shard.row(place)), (Some(place), &row[..]));
                assert_eq!(shard.parent(place), StateId::NONE, "where it was reached first");
            }
        }
        assert_eq!(shard.len(), 2 * rows.len());
    }
}
