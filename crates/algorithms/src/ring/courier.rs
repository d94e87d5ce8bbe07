//! A ring that closes around dead members: each message goes to the next live member clockwise.
//!
//! A letter (one message to be delivered) goes to the next neighbour, which answers with an `ack`. If none arrives
//! within two delay bounds (there and back), that neighbour is dead: the sender skips it in this election, and sends
//! the letter to the neighbour behind it. If all others are dead, the letter returns to its sender.
//!
//! Several letters may be under way at once. But while the sender waits for the first `ack` of a new neighbour, other
//! letters wait too: so each dead member costs exactly one letter.
//!
//! If the delay bound holds, no live member is taken for dead. If it does not hold, the ring takes a skipped member
//! back when a message from it arrives (its `ack` at the latest), and elects anew, because the member was left out.

use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The last message kind of each ring algorithm.
pub const ACK: Kind = Kind::control("ack");

/// How long a neighbour may take to answer: there and back. In delay bounds.
const ANSWER_WAIT: u64 = 2;
/// How long one turn of the ring may take, in delay bounds per member. A live member costs one hop, after two in
/// which a letter may wait for another letter's `ack`; a dead member costs two hops of waiting.
const TURN_WAIT: u64 = 3;

/// One election: its epoch and its initiator. The epoch is one more than the highest that the initiator knows, so
/// later elections are higher; of those that start at once, that of the highest-ranked initiator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Grows with each election.
    pub epoch: u64,
    /// The member that started it.
    pub initiator: Rank,
}

impl Run {
    /// A new run, higher than the highest one known.
    pub fn after(highest: Option<Run>, initiator: Rank) -> Run {
        Run { epoch: highest.map_or(0, |run| run.epoch).saturating_add(1), initiator }
    }

    /// Whether its initiator did not know a run of a later epoch, because it was dead or cut off.
    pub fn is_outdated(self, highest: Option<Run>) -> bool {
        highest.is_some_and(|highest| self.epoch < highest.epoch)
    }

    /// Whether its epoch is too far ahead of the highest one known to be genuine.
    pub fn is_too_far_ahead<A: Algorithm>(self, cx: &mut Cx<'_, A>, highest: Option<Run>) -> bool {
        cx.is_too_far_ahead(self.epoch, highest.map_or(0, |run| run.epoch))
    }

    /// A forged run: later than any genuine one, but not so late that members ignore it.
    pub fn forged(initiator: Rank) -> Run {
        Run { epoch: MAX_TERM_STEP / 2, initiator }
    }
}

/// The messages; the kinds of `W` end with [`ACK`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Letter<W> {
    /// A message that must be answered with an `Ack`.
    Payload {
        /// The sender's number for the letter.
        number: u32,
        /// The content.
        word: W,
    },
    /// The letter of this number has arrived.
    Ack(u32),
}

impl<W: Message> Message for Letter<W> {
    const KINDS: &'static [Kind] = W::KINDS;

    fn kind(&self) -> usize {
        match self {
            Letter::Payload { word, .. } => word.kind(),
            Letter::Ack(_) => W::KINDS.len() - 1,
        }
    }

    fn brief(&self) -> Option<String> {
        match self {
            Letter::Payload { word, .. } => word.brief(),
            Letter::Ack(_) => Some(String::new()),
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        W::forged(leader).map(|word| Letter::Payload { number: 0, word })
    }
}

/// Members' ids in a row.
pub fn listed(ids: impl Iterator<Item = Id>) -> String {
    ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
}

/// The timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reminder {
    /// The letter of this number has not been answered.
    Unanswered(u32),
    /// The outcome of the current election is overdue.
    Overdue,
}

/// A member of such a ring: the common part of the algorithms.
pub trait RingMember<W: Message>: Algorithm<Timer = Reminder, Msg = Letter<W>> {
    /// The courier that delivers its letters.
    fn courier(&mut self) -> &mut Courier<W>;

    /// A message has arrived from the previous live member, or from itself if all others are dead.
    fn receive(&mut self, cx: &mut Cx<'_, Self>, word: W);

    /// Starts a new run, whether or not one is under way.
    fn call(&mut self, cx: &mut Cx<'_, Self>);

    /// One more neighbour is dead.
    fn note_death(&mut self, cx: &mut Cx<'_, Self>) {
        let _ = cx;
    }

    /// Sends to the next live member.
    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, word: W) {
        let returned = self.courier().deliver(cx, word);
        returned.into_iter().for_each(|word| self.receive(cx, word));
    }

    /// Waits for the outcome for the longest time that one turn of the ring can take. The outcome does not arrive if
    /// a member dies while it holds the letter.
    fn await_outcome(&mut self, cx: &mut Cx<'_, Self>) {
        let n = cx.outgoing().count() as u64 + 1;
        cx.set_timer(Reminder::Overdue, cx.delay_bound() * (TURN_WAIT * n));
    }

    /// For `on_message`.
    fn on_letter(&mut self, cx: &mut Cx<'_, Self>, from: Port, letter: Letter<W>) {
        let is_back = self.courier().dead.remove(&from);
        match letter {
            Letter::Payload { number, word } => {
                cx.send(from, Letter::Ack(number));
                self.receive(cx, word);
            }
            Letter::Ack(number) => {
                cx.because("the next live member has received the letter");
                let returned = self.courier().note_answer(cx, from, number);
                returned.into_iter().for_each(|word| self.receive(cx, word));
            }
        }
        if is_back {
            self.take_back(cx);
        }
    }

    /// For `on_suspicion`. A missing `ack` shows that a member is dead; but a member that is back sends nothing to
    /// the members that skip it, so only the detector can report it.
    fn on_word_of_detector(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        if verdict == Verdict::Working && self.courier().dead.remove(&peer) {
            self.take_back(cx);
        }
    }

    /// A member that was taken for dead is alive.
    fn take_back(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("a skipped neighbour is alive: start an election that includes it");
        self.call(cx);
    }

    /// For `on_timer`.
    fn on_reminder(&mut self, cx: &mut Cx<'_, Self>, reminder: Reminder) {
        match reminder {
            Reminder::Unanswered(number) => {
                cx.because("no ack in time, so that neighbour has failed: skip it");
                let returned = self.courier().note_silence(cx, number);
                returned.into_iter().for_each(|word| self.receive(cx, word));
                self.note_death(cx);
            }
            Reminder::Overdue => {
                cx.because("no outcome in time, so a member failed with the message: start a new election");
                self.call(cx);
            }
        }
    }
}

/// Delivers a member's letters to the next live member. Its methods return the letters that are back at their sender
/// because all others are dead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Courier<W> {
    /// Not yet answered, oldest first. A letter is removed when it is answered, or when all ports have been tried.
    letters: Vec<Pending<W>>,
    /// The neighbours found dead and not heard since.
    dead: BTreeSet<Port>,
    /// The neighbour that answered last: letters to it need not wait.
    answering: Option<Port>,
    /// The count of letters so far.
    numbered: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Pending<W> {
    number: u32,
    /// None while the letter waits.
    to: Option<Port>,
    word: W,
}

impl<W> Default for Courier<W> {
    /// No letters, and all members alive.
    fn default() -> Self {
        Courier { letters: Vec::new(), dead: BTreeSet::new(), answering: None, numbered: 0 }
    }
}

impl<W: Message> Courier<W> {
    /// In an election of a later epoch all neighbours are tried again: a skipped member may be back, and there is no
    /// other way to detect it.
    pub fn try_everyone_in(&mut self, run: Run, before: Option<Run>) {
        if before.is_some_and(|before| before.is_outdated(Some(run))) {
            self.dead.clear();
            self.letters.clear(); // of past elections
        }
    }

    /// The neighbours found dead and not heard since.
    pub fn dead(&self) -> impl Iterator<Item = Port> + '_ {
        self.dead.iter().copied()
    }

    /// The bytes that it owns besides itself, given the bytes that a message owns.
    pub fn owned_bytes(&self, of_word: impl Fn(&W) -> usize) -> usize {
        let letters = self.letters.iter().map(|letter| size_of::<Pending<W>>() + of_word(&letter.word));
        letters.sum::<usize>() + self.dead.len() * size_of::<Port>()
    }

    fn deliver<A: RingMember<W>>(&mut self, cx: &mut Cx<'_, A>, word: W) -> Vec<W> {
        self.numbered = self.numbered.wrapping_add(1);
        self.letters.push(Pending { number: self.numbered, to: None, word });
        self.send_what_waits(cx)
    }

    fn note_answer<A: RingMember<W>>(&mut self, cx: &mut Cx<'_, A>, from: Port, number: u32) -> Vec<W> {
        let answers = |letter: &Pending<W>| letter.number == number && letter.to == Some(from);
        // A late answer has no effect: the letter has gone to another neighbour.
        if let Some(at) = self.letters.iter().position(answers) {
            self.letters.remove(at);
            self.answering = Some(from);
            cx.cancel_timer(Reminder::Unanswered(number));
        }
        self.send_what_waits(cx)
    }

    fn note_silence<A: RingMember<W>>(&mut self, cx: &mut Cx<'_, A>, number: u32) -> Vec<W> {
        let letter = self.letters.iter_mut().find(|letter| letter.number == number);
        if let Some(silent) = letter.and_then(|letter| letter.to.take()) {
            self.dead.insert(silent);
        }
        self.send_what_waits(cx)
    }

    fn send_what_waits<A: RingMember<W>>(&mut self, cx: &mut Cx<'_, A>) -> Vec<W> {
        let Some(next) = cx.outgoing().find(|port| !self.dead.contains(port)) else {
            return self.letters.drain(..).map(|letter| letter.word).collect();
        };
        let answers = self.answering == Some(next);
        let mut is_tried = self.letters.iter().any(|letter| letter.to == Some(next));
        for letter in self.letters.iter_mut().filter(|letter| letter.to.is_none()) {
            if is_tried && !answers {
                break;
            }
            is_tried = true;
            letter.to = Some(next);
            cx.send(next, Letter::Payload { number: letter.number, word: letter.word.clone() });
            cx.set_timer(Reminder::Unanswered(letter.number), cx.delay_bound() * ANSWER_WAIT);
        }
        Vec::new()
    }
}
