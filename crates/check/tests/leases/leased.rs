//! A vote with promises and a lease: whoever has a majority leads for a while, and nobody who has promised votes.
//!
//! Of three members the third stands at once, the second when it has promised nothing for a while, and the first only
//! votes.

use bellwether_core::*;
use bellwether_testkit::checks::toy::*;
use serde::{Deserialize, Serialize};

/// A member, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Leased<const FLAW: u8> {
    voted: u64,
    has_promised: bool,
    stands: bool,
    leads: bool,
}

/// Nothing is wrong.
pub const SOUND: u8 = 0;
/// The lease is as long as the promises: clocks that drift are not thought of.
pub const TOO_LONG: u8 = 1;
/// Votes in spite of its promise, for itself too.
pub const VOTES_ANYWAY: u8 = 2;
/// The lease runs from when the vote is heard: that is soon enough if nobody freezes in between.
pub const FROM_RECEIPT: u8 = 3;
/// Leads until it notices that its time is up.
pub const NOT_LOOKING: u8 = 4;
/// Does not write its vote down.
pub const FORGETFUL: u8 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Word {
    May(u64),
    Yes(u64),
}

/// Timers.
const LEASE: u8 = 0;
const PROMISE: u8 = 1;
const STAND: u8 = 2;

/// How long a promise lasts, and by how much clocks may be off: a tenth.
const PROMISED: Span = Span::from_ticks(4 * HOP.ticks());
/// 9/11 of that would do; from when a vote is heard, which can be a bound later, 3/4 of it.
const SHORTER: Span = Span::from_ticks(PROMISED.ticks() * 4 / 5);
const SHORTER_BY_A_BOUND: Span = Span::from_ticks(3 * HOP.ticks());

impl<const FLAW: u8> Leased<FLAW> {
    fn promise(&mut self, cx: &mut ToyCx<'_, Self>, term: u64) {
        *self = Leased { voted: term, has_promised: true, ..Leased::default() };
        cx.cancel_timer(LEASE);
        cx.set_timer(PROMISE, PROMISED);
        if FLAW != FORGETFUL {
            cx.persist(term);
        }
    }
}

impl<const FLAW: u8> Toy for Leased<FLAW> {
    type Word = Word;
    type Saved = u64;
    const SPEC: Spec = Spec {
        name: "leased",
        need: Need::Complete,
        reign: Reign::Leased,
        electorate: Electorate::Majority,
        leadership: Leadership::Incumbent,
        knows: Knowledge::empty(),
        ..TOY
    };

    fn boots(&mut self, cx: &mut ToyCx<'_, Self>, voted: u64) {
        self.voted = voted;
        match cx.id().value() {
            _ if voted > 0 => {
                self.has_promised = true;
                cx.set_timer(PROMISE, PROMISED);
            }
            3 => cx.set_timer(STAND, Span::from_ticks(0)),
            2 => cx.set_timer(STAND, HOP),
            _ => {}
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, word: Word) {
        match word {
            Word::May(term) if term > self.voted && (!self.has_promised || FLAW == VOTES_ANYWAY) => {
                self.promise(cx, term);
                cx.send(from, Said(Word::Yes(term)));
            }
            Word::Yes(term) if self.stands && term == self.voted && !self.leads => {
                self.leads = true;
                if FLAW == FROM_RECEIPT {
                    cx.set_timer(LEASE, SHORTER_BY_A_BOUND);
                }
            }
            _ => {}
        }
    }

    fn is_reminded(&mut self, cx: &mut ToyCx<'_, Self>, timer: u8) {
        match timer {
            LEASE => (self.stands, self.leads) = (false, false),
            PROMISE => self.has_promised = false,
            _ if self.has_promised && FLAW != VOTES_ANYWAY => cx.set_timer(STAND, HOP),
            _ => {
                let term = self.voted + 1;
                self.promise(cx, term);
                self.stands = true;
                match FLAW {
                    FROM_RECEIPT => {}
                    TOO_LONG => cx.set_timer(LEASE, PROMISED),
                    _ => cx.set_timer(LEASE, SHORTER),
                }
                let others: Vec<Port> = cx.outgoing().collect();
                others.into_iter().for_each(|port| cx.send(port, Said(Word::May(term))));
            }
        }
    }

    fn is_asked(&mut self, cx: &mut ToyCx<'_, Self>, request: Request) {
        if request == Request::Resign {
            (self.stands, self.leads) = (false, false);
            cx.cancel_timer(LEASE);
        }
    }

    fn lease(&self) -> Option<u8> {
        (self.leads && FLAW != NOT_LOOKING).then_some(LEASE)
    }

    fn status(&self) -> Status {
        Status { term: self.voted, ..leads(self.leads) }
    }
}
