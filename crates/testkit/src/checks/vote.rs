//! A vote in terms: whoever has a majority leads in its term, and nobody votes twice in one.

use super::toy::*;
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// Whether members remember their vote when they come back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Vote<const DURABLE: bool> {
    /// The last term in which it has voted.
    voted: u64,
    stands: bool,
    votes: u32,
    leads: bool,
}

/// What members say, of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Word {
    /// May I lead in this term?
    May(u64),
    /// You may.
    Yes(u64),
}

impl<const DURABLE: bool> Vote<DURABLE> {
    fn vote(&mut self, cx: &mut ToyCx<'_, Self>, term: u64) {
        *self = Vote { voted: term, ..Vote::default() };
        if DURABLE {
            cx.persist(term);
        }
    }
}

impl<const DURABLE: bool> Toy for Vote<DURABLE> {
    type Word = Word;
    type Saved = u64;
    const SPEC: Spec = Spec {
        name: "vote",
        need: Need::Complete,
        starts: Starts::Callers,
        reign: Reign::PerTerm,
        electorate: Electorate::WhoeverIsThere,
        lasting: Lasting::Ends,
        knows: Knowledge::SIZE,
        ..TOY
    };

    fn boots(&mut self, _: &mut ToyCx<'_, Self>, voted: u64) {
        self.voted = voted;
    }

    fn is_called(&mut self, cx: &mut ToyCx<'_, Self>) {
        let term = self.voted.saturating_add(1);
        self.vote(cx, term);
        (self.stands, self.votes) = (true, 1);
        let others: Vec<Port> = cx.outgoing().collect();
        for port in others {
            cx.send(port, Said(Word::May(term)));
        }
    }

    fn hears(&mut self, cx: &mut ToyCx<'_, Self>, from: Port, word: Word) {
        match word {
            Word::May(term) if term > self.voted => {
                self.vote(cx, term);
                cx.send(from, Said(Word::Yes(term)));
            }
            Word::Yes(term) if self.stands && term == self.voted => {
                self.votes = self.votes.saturating_add(1);
                self.leads = self.votes > cx.size() / 2;
            }
            _ => {}
        }
    }

    fn status(&self) -> Status {
        Status { term: self.voted, ..leads(self.leads) }
    }
}
