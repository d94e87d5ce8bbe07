//! Which message is which: what a situation knows of those on a wire is only what they say.

use crate::{Letters, Wire, Wires};
use bellwether_core::{AnyMessage, Port, Time};

/// A message that was sent, or made of another by a link.
#[derive(Clone, Debug)]
pub struct SentMessage {
    pub msg: AnyMessage,
    /// Who sent it, by which port.
    pub from: (u32, Port),
    /// To whom, at which port.
    pub to: (u32, Port),
    /// When the clock had ticked so many times.
    sent_at_tick: u32,
    /// When it comes to its receiver, be that alive or dead; nothing if it never does.
    pub due: Option<Time>,
    /// Whether the link lost it.
    pub is_lost: bool,
    /// Those that the link made of it, directly or not.
    pub copies: Vec<usize>,
    /// The one that was sent, if the link made this one.
    copy_of: Option<usize>,
}

/// All messages of a run, and which are on which wire.
#[derive(Clone, Debug)]
pub struct Post {
    letters: Vec<SentMessage>,
    on_wire: Vec<Vec<usize>>,
    ticks: u32,
    /// Beyond so many ticks nobody counts how long a message is under way.
    oldest: u16,
}

impl Post {
    pub fn new(wires: &Wires, oldest: u16) -> Self {
        Post { letters: Vec::new(), on_wire: vec![Vec::new(); wires.len()], ticks: 0, oldest }
    }

    pub fn letter(&self, number: usize) -> &SentMessage {
        &self.letters[number]
    }

    /// Puts a message on a wire, behind the others.
    pub fn send(&mut self, (number, wire): (u8, Wire), msg: AnyMessage) -> usize {
        self.letters.push(SentMessage {
            msg,
            from: (wire.from, wire.port),
            to: (wire.to, wire.at),
            sent_at_tick: self.ticks,
            due: None,
            is_lost: false,
            copies: Vec::new(),
            copy_of: None,
        });
        self.on_wire[number as usize].push(self.letters.len() - 1);
        self.letters.len() - 1
    }

    /// The message at a place has come.
    pub fn arrive(&mut self, wire: u8, place: u8, at: Time) -> usize {
        let number = self.on_wire[wire as usize].remove(place as usize);
        self.letters[number].due = Some(at);
        number
    }

    /// The link loses the message at a place.
    pub fn lose(&mut self, wire: u8, place: u8) {
        let number = self.on_wire[wire as usize].remove(place as usize);
        self.letters[number].is_lost = true;
    }

    /// The link makes two of the message at a place.
    pub fn double(&mut self, wire: u8, place: u8) {
        let number = self.on_wire[wire as usize][place as usize];
        let original = self.letters[number].copy_of.unwrap_or(number);
        let copy = self.letters.len();
        self.letters.push(SentMessage {
            copies: Vec::new(),
            copy_of: Some(original),
            ..self.letters[number].clone()
        });
        self.letters[original].copies.push(copy);
        self.on_wire[wire as usize].insert(place as usize + 1, copy);
    }

    /// The clock moves on.
    pub fn tick(&mut self) {
        self.ticks += 1;
    }

    /// Takes over what is on the wires now, and in which order: what is not there has nobody to hear it.
    /// Of messages that say the same the first goes first.
    pub fn settle(&mut self, queues: &[Letters], gone_at: Time) -> Vec<usize> {
        let mut gone = Vec::new();
        for (on_wire, queue) in self.on_wire.iter_mut().zip(queues) {
            let mut before = std::mem::take(on_wire);
            for (msg, age) in queue {
                let is_it = |&number: &usize| {
                    let letter = &self.letters[number];
                    let has_waited = (self.ticks - letter.sent_at_tick).min(self.oldest.into());
                    letter.msg == *msg && has_waited == u32::from(*age)
                };
                on_wire.extend(before.iter().position(is_it).map(|at| before.remove(at)));
            }
            gone.append(&mut before);
        }
        gone.sort_unstable();
        gone.iter().for_each(|&number| self.letters[number].due = Some(gone_at));
        gone
    }
}
