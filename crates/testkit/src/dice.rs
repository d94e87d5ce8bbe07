//! Randomness for tests, with a generator of their own.

/// Random numbers for the tests (Steele, Lea and Flood's SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below this one.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Puts them in any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// Some of the members, at least one.
    pub fn some_of(&mut self, n: usize) -> Vec<u32> {
        let mut members: Vec<u32> = (0..n as u32).filter(|_| self.coin()).collect();
        if members.is_empty() {
            members.push(self.below(n) as u32);
        }
        members
    }
}
