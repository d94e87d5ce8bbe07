//! The checker's rival: a breadth-first search written by hand for one thing, Chang-Roberts in worst order with
//! everyone calling, whose states fit into one 128-bit word. It keeps nothing but the set of states: no parents, no
//! levels to go back to, no properties but the number of ends.
//!
//! A word holds three bits a member (booted, called, outcome known), then a string of nibbles: for each link, the
//! messages on it, the first to arrive first, closed by a separator. An id is a nibble of its own, and the
//! announcement another.

use rustc_hash::FxBuildHasher;
use std::collections::{HashSet, VecDeque};

/// The most members whose states fit into a word.
pub const MOST: u32 = 11;

const ANNOUNCEMENT: u128 = 14;
const SEPARATOR: u128 = 15;

/// What is to know of a member: it boots, calls, and then learns the outcome.
const UNBOOTED: u128 = 0;
const BOOTED: u128 = 1;
const CALLED: u128 = 2;
const FOLLOWER: u128 = 3;
const LEADER: u128 = 4;

struct Ring {
    n: u32,
}

impl Ring {
    fn member(&self, word: u128, member: u32) -> u128 {
        word >> (3 * member) & 7
    }

    fn set(&self, word: u128, member: u32, state: u128) -> u128 {
        word & !(7 << (3 * member)) | state << (3 * member)
    }

    /// Ids fall clockwise.
    fn id(&self, member: u32) -> u128 {
        u128::from(self.n - member)
    }

    fn text(&self, word: u128) -> u128 {
        word >> (3 * self.n)
    }

    fn with_text(&self, word: u128, text: u128) -> u128 {
        word & ((1 << (3 * self.n)) - 1) | text << (3 * self.n)
    }

    /// Where the messages from a member begin, in bits.
    fn begins(&self, text: u128, from: u32) -> u32 {
        let (mut at, mut links) = (0, 0);
        while links < from {
            links += u32::from(text >> at & 15 == SEPARATOR);
            at += 4;
        }
        at
    }

    /// Puts a message behind those from a member.
    fn send(&self, word: u128, from: u32, message: u128) -> u128 {
        let text = self.text(word);
        let mut at = self.begins(text, from);
        while text >> at & 15 != SEPARATOR {
            at += 4;
        }
        let before = text & ((1 << at) - 1);
        self.with_text(word, before | message << at | (text >> at) << (at + 4))
    }

    /// Takes the first message from a member, if there is one.
    fn take(&self, word: u128, from: u32) -> Option<(u128, u128)> {
        let text = self.text(word);
        let at = self.begins(text, from);
        let message = text >> at & 15;
        let before = text & ((1 << at) - 1);
        (message != SEPARATOR).then(|| (message, self.with_text(word, before | (text >> (at + 4)) << at)))
    }

    fn receive(&self, word: u128, member: u32, message: u128) -> u128 {
        let id = self.id(member);
        match message {
            ANNOUNCEMENT if self.member(word, member) == LEADER => word,
            ANNOUNCEMENT => self.send(self.set(word, member, FOLLOWER), member, ANNOUNCEMENT),
            _ if message > id => self.send(word, member, message),
            _ if message == id => self.send(self.set(word, member, LEADER), member, ANNOUNCEMENT),
            _ => word, // it takes part already
        }
    }

    /// Everything that a state leads to. Who has not called yet hears nothing.
    fn successors(&self, word: u128, mut visit: impl FnMut(u128)) {
        for member in 0..self.n {
            match self.member(word, member) {
                UNBOOTED => visit(self.set(word, member, BOOTED)),
                BOOTED => visit(self.send(self.set(word, member, CALLED), member, self.id(member))),
                _ => {
                    let before = (member + self.n - 1) % self.n;
                    if let Some((message, rest)) = self.take(word, before) {
                        visit(self.receive(rest, member, message));
                    }
                }
            }
        }
    }
}

/// How many states a ring of `n` has, and how many of them lead nowhere.
///
/// # Panics
/// If there are more than [`MOST`] members.
#[must_use]
pub fn search(n: u32) -> (u64, u64) {
    assert!(n <= MOST, "a word has no room for more than {MOST} members");
    let ring = Ring { n };
    let separators = (0..n).fold(0, |text, link| text | SEPARATOR << (4 * link));
    let first = ring.with_text(0, separators);
    let mut seen: HashSet<u128, FxBuildHasher> = HashSet::default();
    let mut queue = VecDeque::from([first]);
    seen.insert(first);
    let mut ends = 0;
    while let Some(word) = queue.pop_front() {
        let mut leads_on = false;
        ring.successors(word, |next| {
            leads_on = true;
            if seen.insert(next) {
                queue.push_back(next);
            }
        });
        ends += u64::from(!leads_on);
    }
    (seen.len() as u64, ends)
}
