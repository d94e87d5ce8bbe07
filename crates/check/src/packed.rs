//! The simulator's world by numbers: what an input makes of a member is worked out once, and then looked up.

use crate::store::{Line, Numbered, Source};
use bellwether_core::{Names, Port, Request, Spec};
use bellwether_model::{Change, Cut, Facts, Input, Moment, Parts, What, hash_of};
use bellwether_sim::LinkOrder;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A moment by numbers.
pub type PackedMoment = Moment<u32, u32>;

/// The number of a wire with nothing on it.
pub const EMPTY: u32 = 0;

/// Not worked out yet.
const UNKNOWN: u32 = u32::MAX;

/// What one thread knows of the parts of states.
pub struct Packed<'p> {
    source: Box<dyn Source + 'p>,
    all_lines: Arc<Numbered<Line>>,
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
    line: Arc<Line>,
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
    cut: Cut,
}

struct PackedOutcome {
    seat: u32,
    writes: bool,
    sends: u8,
    first_send: u32,
}

impl<'p> Packed<'p> {
    /// A thread that knows nothing yet.
    pub fn new(source: Box<dyn Source + 'p>, lines: Arc<Numbered<Line>>, order: LinkOrder) -> Self {
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
    pub fn delivered(&mut self, now: &PackedMoment, what: What) -> Option<usize> {
        let What::Deliver(wire, place) = what else { return None };
        Some(self.kind(now.queues[wire as usize], place))
    }

    /// The number of a wire with these messages on it: in one order, where they have none.
    fn line_number(&mut self, mut line: Line) -> u32 {
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

/// The place of a request among those seen so far.
fn number_of(requests: &mut Vec<Request>, request: Request) -> u32 {
    let known = requests.iter().position(|other| *other == request);
    known.unwrap_or_else(|| {
        requests.push(request);
        requests.len() - 1
    }) as u32
}

/// A number for an input, no two alike.
fn code(input: &Input<&u32>, number_of: impl FnOnce(Request) -> u32) -> u64 {
    let word = |kind: u64, at: u32, what: u32| kind << 56 | u64::from(at) << 32 | u64::from(what);
    match *input {
        Input::Boot { again } => word(0, 0, again.into()),
        Input::Call { dead } => word(1, 0, dead),
        Input::Message(port, letter) => word(2, port.0, *letter),
        Input::TimeOut(number) => word(3, 0, number.into()),
        Input::Word(port, verdict) => word(4, port.0, verdict as u32),
        Input::Request(request) => word(5, 0, number_of(request)),
        Input::Death(port) => word(6, port.0, 0),
        Input::Back(port) => word(7, port.0, 0),
    }
}

impl Parts for Packed<'_> {
    type Seat = u32;
    type Queue = u32;
    type Letter = u32;
    type Outcomes = Acts;

    #[inline]
    fn begin_next(&mut self) {
        self.touched = Touched::default();
    }

    #[inline]
    fn touch_seat(&mut self, member: u32) {
        self.touched.seats |= 1 << member;
    }

    #[inline]
    fn touch_wire(&mut self, wire: u8) {
        self.touched.wires[wire as usize / 64] |= 1 << (wire % 64);
    }

    fn spec(&self) -> &'static Spec {
        self.source.spec()
    }

    #[inline]
    fn facts(&mut self, seat: &u32) -> &Facts {
        &self.seat_notes(*seat).facts
    }

    #[inline]
    fn is_still(&mut self, seat: &u32) -> bool {
        self.glance(*seat) & glance::STILL != 0
    }

    #[inline]
    fn is_up(&mut self, seat: &u32) -> bool {
        self.glance(*seat) & glance::UP != 0
    }

    #[inline]
    fn is_dead(&mut self, seat: &u32) -> bool {
        self.glance(*seat) & glance::DEAD != 0
    }

    #[inline]
    fn len(&mut self, queue: &u32) -> u8 {
        if *queue == EMPTY { 0 } else { self.line_notes(*queue).line.len().min(255) as u8 }
    }

    fn has_waited(&mut self, queue: &u32, steps: u16) -> bool {
        *queue != EMPTY && self.line_notes(*queue).oldest >= steps
    }

    fn differs(&mut self, queue: &u32, place: u8) -> bool {
        let line = &self.line_notes(*queue).line;
        line[place as usize] != line[place as usize - 1]
    }

    #[inline]
    fn empty(&mut self) -> u32 {
        EMPTY
    }

    #[inline]
    fn put(&mut self, queue: &u32, letter: &u32) -> u32 {
        if let Some(longer) = self.longer.get(&(*queue, *letter)) {
            return *longer;
        }
        let mut line = (*self.line_notes(*queue).line).clone();
        line.push((*letter, 0));
        let longer = self.line_number(line);
        self.longer.insert((*queue, *letter), longer);
        longer
    }

    #[inline]
    fn take(&mut self, queue: &u32, place: u8) -> (u32, u32) {
        let notes = self.line_notes(*queue);
        let letter = notes.line[place as usize].0;
        if place == 0 && notes.rest != UNKNOWN {
            return (letter, notes.rest);
        }
        if let Some(rest) = self.shorter.get(&(*queue, place)) {
            return (letter, *rest);
        }
        let mut line = (*self.line_notes(*queue).line).clone();
        line.remove(place as usize);
        let rest = self.line_number(line);
        self.shorter.insert((*queue, place), rest);
        if place == 0 {
            self.line_notes(*queue).rest = rest;
        }
        (letter, rest)
    }

    fn double(&mut self, queue: &u32, place: u8) -> u32 {
        let mut line = (*self.line_notes(*queue).line).clone();
        line.insert(place as usize, line[place as usize]);
        self.line_number(line)
    }

    #[inline]
    fn act(&mut self, member: u32, seat: &u32, input: Input<&u32>) -> Acts {
        let requests = &mut self.requests;
        let key = (member, *seat, code(&input, |request| number_of(requests, request)));
        if let Some(acts) = self.acts.get(&key) {
            return *acts;
        }
        let acts = self.work_out(member, *seat, input);
        self.acts.insert(key, acts);
        acts
    }

    #[inline]
    fn count(&self, acts: Acts) -> u16 {
        acts.count
    }

    #[inline]
    fn cut(&self, acts: Acts) -> Cut {
        acts.cut
    }

    #[inline]
    fn writes(&self, acts: Acts, draw: u16) -> bool {
        self.outcomes[acts.first as usize + draw as usize].writes
    }

    #[inline]
    fn outcome(&self, acts: Acts, draw: u16) -> (u32, u8) {
        let outcome = &self.outcomes[acts.first as usize + draw as usize];
        (outcome.seat, outcome.sends)
    }

    #[inline]
    fn sent(&self, acts: Acts, draw: u16, nth: u8) -> (Port, u32) {
        let outcome = &self.outcomes[acts.first as usize + draw as usize];
        self.sends[outcome.first_send as usize + nth as usize]
    }

    fn changed(&mut self, seat: &u32, change: Change) -> u32 {
        let at = change as usize;
        if self.seat_notes(*seat).changed[at] == UNKNOWN {
            self.seat_notes(*seat).changed[at] = self.source.changed(*seat, change);
        }
        self.seat_notes(*seat).changed[at]
    }

    fn queue_later(&mut self, queue: &u32, oldest: u16) -> u32 {
        if *queue == EMPTY {
            return EMPTY;
        }
        if self.line_notes(*queue).later == UNKNOWN {
            let older = |&(letter, age): &(u32, u16)| (letter, oldest.min(age + 1));
            let line = self.line_notes(*queue).line.iter().map(older).collect();
            self.line_notes(*queue).later = self.line_number(line);
        }
        self.line_notes(*queue).later
    }
}
