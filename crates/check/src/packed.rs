//! The simulator's world by numbers: what an input makes of a member is worked out once, and then looked up.

mod parts;

use crate::store::{Numbered, Source, WireContents};
use bellwether_core::{Names, Port, Request};
use bellwether_model::{Action, Change, Facts, Input, State, Truncation, hash_of};
use bellwether_sim::LinkOrder;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A moment by numbers.
pub type PackedState = State<u32, u32>;

/// The number of a wire with nothing on it.
pub const EMPTY: u32 = 0;

/// Not worked out yet.
const UNKNOWN: u32 = u32::MAX;

/// What one thread knows of the parts of states.
pub struct Packed<'p> {
    source: Box<dyn Source + 'p>,
    all_lines: Arc<Numbered<WireContents>>,
    order: LinkOrder,
    seats: Vec<Option<SeatNotes>>,
    glances: Vec<u8>,
    /// Hashes that do not depend on numbers; 0 for those not known yet.
    seat_hashes: Vec<u64>,
    lines: Vec<Option<LineNotes>>,
    line_hashes: Vec<u64>,
    /// Of each message a hash, and its kind.
    letters: Vec<(u64, usize)>,
    longer: FxHashMap<(u32, u32), u32>,
    shorter: FxHashMap<(u32, u8), u32>,
    acts: FxHashMap<(u32, u32, u64), Acts>,
    /// Members under other names, by the number that their names go by.
    renamed: FxHashMap<(u32, u32), u32>,
    outcomes: Vec<PackedOutcome>,
    sends: Vec<(Port, u32)>,
    /// What has been asked of members so far: a request goes by its place.
    requests: Vec<Request>,
    /// What differs in the next moment.
    pub touched: Touched,
}

/// Parts of a moment, as bits.
#[derive(Clone, Copy, Default)]
pub struct Touched {
    seats: u32,
    wires: [u64; 4],
}

impl Touched {
    /// Visits members.
    #[inline(always)]
    pub fn each_seat(&self, mut visit: impl FnMut(usize)) {
        let mut bits = self.seats;
        while bits != 0 {
            visit(bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }

    /// Visits wires.
    #[inline(always)]
    pub fn each_wire(&self, mut visit: impl FnMut(usize)) {
        for (word, mut bits) in self.wires.into_iter().enumerate() {
            while bits != 0 {
                visit(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

struct SeatNotes {
    facts: Facts,
    /// What changes make of it.
    changed: [u32; Change::COUNT],
}

/// What is asked of members most often, in a byte each, so that all of them are at hand.
mod glance {
    /// It is known what this byte says.
    pub const KNOWN: u8 = 1;
    /// The member does nothing by itself.
    pub const STILL: u8 = 2;
    /// It is up, and leads.
    pub const LEADS: u8 = 4;
    /// It is up.
    pub const UP: u8 = 8;
    /// It has crashed and not come back.
    pub const DEAD: u8 = 16;
}

struct LineNotes {
    line: Arc<WireContents>,
    /// The greatest age of a message.
    oldest: u16,
    /// Without the first message.
    rest: u32,
    later: u32,
}

/// Where the outcomes of an input are.
#[derive(Clone, Copy)]
pub struct Acts {
    first: u32,
    count: u16,
    cut: Truncation,
}

struct PackedOutcome {
    seat: u32,
    writes: bool,
    sends: u8,
    first_send: u32,
}

impl<'p> Packed<'p> {
    /// A thread that knows nothing yet.
    pub fn new(source: Box<dyn Source + 'p>, lines: Arc<Numbered<WireContents>>, order: LinkOrder) -> Self {
        Packed {
            source,
            all_lines: lines,
            order,
            seats: Vec::new(),
            glances: Vec::new(),
            seat_hashes: Vec::new(),
            lines: Vec::new(),
            line_hashes: Vec::new(),
            letters: Vec::new(),
            longer: FxHashMap::default(),
            shorter: FxHashMap::default(),
            acts: FxHashMap::default(),
            renamed: FxHashMap::default(),
            outcomes: Vec::new(),
            sends: Vec::new(),
            requests: Vec::new(),
            touched: Touched::default(),
        }
    }

    /// A hash of a member that does not depend on its number.
    #[inline]
    pub fn seat_hash(&mut self, seat: u32) -> u64 {
        match self.seat_hashes.get(seat as usize) {
            Some(&hash) if hash != 0 => hash,
            _ => {
                self.note_seat(seat as usize);
                self.seat_hashes[seat as usize]
            }
        }
    }

    /// A hash of what is on a wire that does not depend on numbers.
    #[inline]
    pub fn line_hash(&mut self, line: u32) -> u64 {
        match self.line_hashes.get(line as usize) {
            Some(&hash) if hash != 0 => hash,
            _ => {
                self.note_line(line as usize);
                self.line_hashes[line as usize]
            }
        }
    }

    /// The number of the message at a place of a wire: another in every run on several threads.
    fn letter(&mut self, line: u32, place: u8) -> u32 {
        self.line_notes(line).line[place as usize].0
    }

    /// A hash of one of a member's timers.
    pub fn timer_hash(&self, seat: u32, timer: u8) -> u64 {
        self.source.timer_hash(seat, timer)
    }

    /// A member as it would be if others had other names, which go by a number.
    #[inline]
    pub fn renamed(&mut self, seat: u32, number: u32, names: &Names) -> u32 {
        *self.renamed.entry((seat, number)).or_insert_with(|| self.source.renamed(seat, names))
    }

    #[inline]
    fn seat_notes(&mut self, seat: u32) -> &mut SeatNotes {
        let at = seat as usize;
        if self.seats.get(at).is_none_or(Option::is_none) {
            self.note_seat(at);
        }
        self.seats[at].as_mut().expect("noted just now")
    }

    #[cold]
    fn note_seat(&mut self, at: usize) {
        if self.seats.len() <= at {
            self.seats.resize_with(at + 1, || None);
        }
        let (facts, hash) = self.source.facts(at as u32);
        self.glances.resize(self.seats.len(), 0);
        self.seat_hashes.resize(self.seats.len(), 0);
        self.seat_hashes[at] = hash.max(1);
        let says = |bit, is_so| if is_so { bit } else { 0 };
        self.glances[at] = glance::KNOWN
            | says(glance::STILL, facts.is_still())
            | says(glance::LEADS, facts.leads)
            | says(glance::UP, facts.is_up)
            | says(glance::DEAD, facts.is_dead);
        self.seats[at] = Some(SeatNotes { facts, changed: [UNKNOWN; Change::COUNT] });
    }

    #[inline]
    fn glance(&mut self, seat: u32) -> u8 {
        match self.glances.get(seat as usize) {
            Some(&glance) if glance != 0 => glance,
            _ => {
                self.note_seat(seat as usize);
                self.glances[seat as usize]
            }
        }
    }

    /// Whether a member is up and leads.
    #[inline]
    pub fn leads(&mut self, seat: u32) -> bool {
        self.glance(seat) & glance::LEADS != 0
    }

    #[inline]
    fn line_notes(&mut self, line: u32) -> &mut LineNotes {
        let at = line as usize;
        if self.lines.get(at).is_none_or(Option::is_none) {
            self.note_line(at);
        }
        self.lines[at].as_mut().expect("noted just now")
    }

    #[cold]
    fn note_line(&mut self, at: usize) {
        if self.lines.len() <= at {
            self.lines.resize_with(at + 1, || None);
        }
        let line = self.all_lines.value(at as u32);
        let hashed = |&(letter, age): &(u32, u16)| (self.letter_hash(letter), age);
        let content: Vec<(u64, u16)> = line.iter().map(hashed).collect();
        let oldest = line.iter().map(|(_, age)| *age).max().unwrap_or(0);
        self.line_hashes.resize(self.lines.len(), 0);
        self.line_hashes[at] = hash_of(&content).max(1);
        self.lines[at] = Some(LineNotes { oldest, line, rest: UNKNOWN, later: UNKNOWN });
    }

    fn letter_notes(&mut self, letter: u32) -> (u64, usize) {
        while self.letters.len() <= letter as usize {
            self.letters.push(self.source.letter(self.letters.len() as u32));
        }
        self.letters[letter as usize]
    }

    fn letter_hash(&mut self, letter: u32) -> u64 {
        self.letter_notes(letter).0
    }

    /// A hash of the message at a place of a wire that does not depend on its number.
    pub fn hash_at(&mut self, line: u32, place: u8) -> u64 {
        let letter = self.letter(line, place);
        self.letter_hash(letter)
    }

    /// Of which kind the message at a place of a wire is.
    pub fn kind(&mut self, line: u32, place: u8) -> usize {
        let letter = self.letter(line, place);
        self.letter_notes(letter).1
    }

    /// Of which kind the message is that is delivered when something happens; nothing if none is.
    pub fn delivered(&mut self, now: &PackedState, what: Action) -> Option<usize> {
        let Action::Deliver(wire, place) = what else { return None };
        Some(self.kind(now.queues[wire as usize], place))
    }

    /// The number of a wire with these messages on it: in one order, where they have none.
    fn line_number(&mut self, mut line: WireContents) -> u32 {
        if self.order == LinkOrder::Reordering {
            line.sort_by_cached_key(|&(letter, age)| (self.letter_hash(letter), letter, age));
        }
        self.all_lines.number(line)
    }

    #[cold]
    fn work_out(&mut self, member: u32, seat: u32, input: Input<&u32>) -> Acts {
        let reaction = self.source.react(member, seat, input);
        let acts = Acts {
            first: self.outcomes.len() as u32,
            count: reaction.outcomes.len() as u16,
            cut: reaction.cut,
        };
        for (seat, writes, sends) in reaction.outcomes {
            let first_send = self.sends.len() as u32;
            self.outcomes.push(PackedOutcome { seat, writes, sends: sends.len() as u8, first_send });
            self.sends.extend(sends);
        }
        acts
    }
}
