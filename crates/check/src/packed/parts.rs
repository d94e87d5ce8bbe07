//! Numbers as parts of states: how the rules of the model read and change them.

use super::{Acts, EMPTY, Packed, Touched, UNKNOWN, glance};
use bellwether_core::{Port, Request, Spec};
use bellwether_model::{Change, Facts, Input, Parts, Truncation};

/// The place of a request among those seen so far.
#[inline]
fn number_of(requests: &mut Vec<Request>, request: Request) -> u32 {
    let known = requests.iter().position(|other| *other == request);
    known.unwrap_or_else(|| {
        requests.push(request);
        requests.len() - 1
    }) as u32
}

/// A number for an input, no two alike.
#[inline]
fn code(input: &Input<&u32>, number_of: impl FnOnce(Request) -> u32) -> u64 {
    let word = |kind: u64, at: u32, what: u32| kind << 56 | u64::from(at) << 32 | u64::from(what);
    match *input {
        Input::Boot { again } => word(0, 0, again.into()),
        Input::Call { dead } => word(1, 0, dead),
        Input::Message(port, letter) => word(2, port.0, *letter),
        Input::TimeOut(number) => word(3, 0, number.into()),
        Input::Verdict(port, verdict) => word(4, port.0, verdict as u32),
        Input::Request(request) => word(5, 0, number_of(request)),
        Input::Death(port) => word(6, port.0, 0),
        Input::Back(port) => word(7, port.0, 0),
    }
}

impl Parts for Packed<'_> {
    type MemberState = u32;
    type Queue = u32;
    type Message = u32;
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
    fn cut(&self, acts: Acts) -> Truncation {
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
