//! A ring that closes round its dead: sending to the next live member clockwise, whoever that is.
//!
//! A letter goes to the next neighbour, and is answered with an `ack`. If none comes within two
//! delay bounds (there and back), that neighbour is dead: it is passed over in this election, and the
//! letter goes to the one behind it. Where all others are dead, the letter is back at its sender.
//!
//! Several letters may be under way at once, but while a neighbour that has not answered yet is
//! tried, others wait for what comes of it: so each of the dead costs one letter, and no more.
//!
//! Where the bound holds, nobody is taken for dead who is not. Where it does not, the ring takes the
//! late one back when it is heard (its `ack` at the latest), and elects anew, as it was left out.

use bellwether_core::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The last kind of every ring's messages.
pub const ACK: Kind = Kind::control("ack");

/// How long a neighbour may take to answer: there and back. In delay bounds.
const ANSWER_WAIT: u64 = 2;
/// How long a turn round the ring may take, in delay bounds a member. A live member costs one hop,
/// after two in which a letter may wait for another's answer; a dead one, two hops of waiting.
const TURN_WAIT: u64 = 3;

/// One election: who called it, and in which epoch. The caller's epoch is one more than any it has
/// heard of, so that later elections are higher; of those called at once, the best initiator's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Grows from election to election.
    pub epoch: u64,
    /// Who called it.
    pub initiator: Rank,
}

impl Run {
    /// A new run, higher than the highest heard of.
    pub fn after(highest: Option<Run>, initiator: Rank) -> Run {
        Run { epoch: highest.map_or(0, |run| run.epoch).saturating_add(1), initiator }
    }

    /// Whether its initiator did not know of a run of a later epoch: it was dead or cut off meanwhile.
    pub fn is_outdated(self, highest: Option<Run>) -> bool {
        highest.is_some_and(|highest| self.epoch < highest.epoch)
    }

    /// Whether it is too far ahead of the highest heard of to be true.
    pub fn is_too_far_ahead<A: Algorithm>(self, cx: &mut Cx<'_, A>, highest: Option<Run>) -> bool {
        cx.is_too_far_ahead(self.epoch, highest.map_or(0, |run| run.epoch))
    }

    /// A liar's: later than any honest one, though not so late that members ignore it.
    pub fn forged(initiator: Rank) -> Run {
        Run { epoch: MAX_TERM_STEP / 2, initiator }
    }
}

/// What members send each other; `W`'s kinds end with [`ACK`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Letter<W> {
    /// Something to say, to be answered.
    Word {
        /// The sender's number for it.
        number: u32,
        /// What is said.
        word: W,
    },
    /// It has arrived.
    Ack(u32),
}

impl<W: Message> Message for Letter<W> {
    const KINDS: &'static [Kind] = W::KINDS;

    fn kind(&self) -> usize {
        match self {
            Letter::Word { word, .. } => word.kind(),
            Letter::Ack(_) => W::KINDS.len() - 1,
        }
    }

    fn brief(&self) -> Option<String> {
        match self {
            Letter::Word { word, .. } => word.brief(),
            Letter::Ack(_) => Some(String::new()),
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        W::forged(leader).map(|word| Letter::Word { number: 0, word })
    }
}

/// Members' names in a row.
pub fn listed(ids: impl Iterator<Item = Id>) -> String {
    ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
}

/// What a member is reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reminder {
    /// The letter of this number has not been answered.
    Unanswered(u32),
    /// The election that the member takes part in should be over.
    Overdue,
}

/// A member of such a ring: what the algorithms have in common.
pub trait RingMember<W: Message>: Algorithm<Timer = Reminder, Msg = Letter<W>> {
    /// Who carries its letters.
    fn courier(&mut self) -> &mut Courier<W>;

    /// Something came from the live member before it; from itself, where all others are dead.
    fn receive(&mut self, cx: &mut Cx<'_, Self>, word: W);

    /// Begins a new run, whatever is under way.
    fn call(&mut self, cx: &mut Cx<'_, Self>);

    /// One more neighbour has been found dead.
    fn note_death(&mut self, cx: &mut Cx<'_, Self>) {
        let _ = cx;
    }

    /// Sends to the next live member.
    fn pass_on(&mut self, cx: &mut Cx<'_, Self>, word: W) {
        let returned = self.courier().deliver(cx, word);
        returned.into_iter().for_each(|word| self.receive(cx, word));
    }

    /// Waits for the outcome, as long as a turn round the ring can take. It does not come if somebody
    /// dies with the letter in its hands.
    fn await_outcome(&mut self, cx: &mut Cx<'_, Self>) {
        let n = cx.outgoing().count() as u64 + 1;
        cx.set_timer(Reminder::Overdue, cx.delay_bound() * (TURN_WAIT * n));
    }

    /// For `on_message`.
    fn on_letter(&mut self, cx: &mut Cx<'_, Self>, from: Port, letter: Letter<W>) {
        let is_back = self.courier().dead.remove(&from);
        match letter {
            Letter::Word { number, word } => {
                cx.send(from, Letter::Ack(number));
                self.receive(cx, word);
            }
            Letter::Ack(number) => {
                cx.because("the next live member has got it");
                let returned = self.courier().note_answer(cx, from, number);
                returned.into_iter().for_each(|word| self.receive(cx, word));
            }
        }
        if is_back {
            self.take_back(cx);
        }
    }

    /// For `on_suspicion`. Who is dead is found out by letters; but who comes back says nothing to those
    /// that pass it over.
    fn on_word_of_detector(&mut self, cx: &mut Cx<'_, Self>, peer: Port, verdict: Verdict) {
        if verdict == Verdict::Working && self.courier().dead.remove(&peer) {
            self.take_back(cx);
        }
    }

    /// One that was taken for dead is not.
    fn take_back(&mut self, cx: &mut Cx<'_, Self>) {
        cx.because("a neighbour taken for dead is alive: it was left out, so the ring elects anew");
        self.call(cx);
    }

    /// For `on_timer`.
    fn on_reminder(&mut self, cx: &mut Cx<'_, Self>, reminder: Reminder) {
        match reminder {
            Reminder::Unanswered(number) => {
                cx.because("no answer in time: that neighbour is dead and is passed over");
                let returned = self.courier().note_silence(cx, number);
                returned.into_iter().for_each(|word| self.receive(cx, word));
                self.note_death(cx);
            }
            Reminder::Overdue => {
                cx.because("no outcome in time: somebody died with the message, so it calls again");
                self.call(cx);
            }
        }
    }
}

/// Carries a member's letters to the next live member. Its methods give back what is at its sender
/// again because all others are dead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Courier<W> {
    /// Not yet answered, the oldest first: each is forgotten when it is, or when all ports have been
    /// tried.
    letters: Vec<Pending<W>>,
    /// Found dead, and not heard since.
    dead: BTreeSet<Port>,
    /// Who answered last: letters to it need not wait.
    answering: Option<Port>,
    /// How many letters there have been.
    numbered: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Pending<W> {
    number: u32,
    /// Nobody yet: it waits.
    to: Option<Port>,
    word: W,
}

impl<W> Default for Courier<W> {
    /// No letters, and everyone alive.
    fn default() -> Self {
        Courier { letters: Vec::new(), dead: BTreeSet::new(), answering: None, numbered: 0 }
    }
}

impl<W: Message> Courier<W> {
    /// In an election of a later epoch everyone is tried again: whoever was passed over may be back, and
    /// has no other way to be noticed.
    pub fn try_everyone_in(&mut self, run: Run, before: Option<Run>) {
        if before.is_some_and(|before| before.is_outdated(Some(run))) {
            self.dead.clear();
            self.letters.clear(); // of elections that are past
        }
    }

    /// The neighbours found dead, and not heard since.
    pub fn dead(&self) -> impl Iterator<Item = Port> + '_ {
        self.dead.iter().copied()
    }

    /// The bytes that it owns besides itself, given those that a word owns.
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
        // An answer that comes too late answers nothing: the letter went to somebody else.
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
            cx.send(next, Letter::Word { number: letter.number, word: letter.word.clone() });
            cx.set_timer(Reminder::Unanswered(letter.number), cx.delay_bound() * ANSWER_WAIT);
        }
        Vec::new()
    }
}
