//! What members of [`super`] say to each other, and what they wait for.

use super::{Version, Voters};
use bellwether_core::*;
use serde::{Deserialize, Serialize};

/// What members say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// In which term; in an answer, the term of whoever answers.
    pub term: u64,
    /// What.
    pub word: Word,
}

/// What members say of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Word {
    /// Would you vote for me in it?
    Probe {
        /// These voters I know of.
        version: Version,
        /// Suppose that the leader of this term leads no longer.
        released: Option<u64>,
    },
    /// I would (in the term asked for), or not (this is mine).
    Would(bool),
    /// Vote for me.
    Ask {
        /// These voters I know of.
        version: Version,
        /// Vote for nobody else for so long.
        lease: Span,
        /// Whoever led in this term does so no longer.
        released: Option<u64>,
    },
    /// I have, or not.
    Vote(bool),
    /// I lead.
    Renew {
        /// Which time I say so.
        round: u64,
        /// Vote for nobody else for so long.
        lease: Span,
        /// Who votes, if you may not know.
        voters: Option<Voters>,
    },
    /// I vote for nobody else; or, if my term is later than yours, you lead no longer.
    Kept {
        /// What you said in this round.
        round: u64,
        /// These voters I know of.
        version: Version,
        /// I can be handed over to.
        stands: bool,
    },
    /// I lead no longer: stand.
    HandOver {
        /// I was told to let you lead, and do not only prefer you.
        is_named: bool,
    },
    /// I lead no longer, or stand no longer.
    Release,
    /// If I led no longer, could you win?
    Canvass {
        /// The round in which I ask.
        round: u64,
        /// With so many votes.
        votes: u32,
    },
    /// I could, by the answers that I have just had.
    Able {
        /// The round in which you asked.
        round: u64,
    },
    /// You asked with an older list of voters than this.
    List(Voters),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::control("probe"),
        Kind::control("would"),
        Kind::payload("ask"),
        Kind::payload("vote"),
        Kind::payload("renew"),
        Kind::control("kept"),
        Kind::payload("hand-over"),
        Kind::payload("release"),
        Kind::control("canvass"),
        Kind::control("able"),
        Kind::control("list"),
    ];

    fn kind(&self) -> usize {
        match self.word {
            Word::Probe { .. } => 0,
            Word::Would(_) => 1,
            Word::Ask { .. } => 2,
            Word::Vote(_) => 3,
            Word::Renew { .. } => 4,
            Word::Kept { .. } => 5,
            Word::HandOver { .. } => 6,
            Word::Release => 7,
            Word::Canvass { .. } => 8,
            Word::Able { .. } => 9,
            Word::List(_) => 10,
        }
    }

    fn brief(&self) -> Option<String> {
        let term = self.term;
        Some(match self.word {
            Word::Would(yes) | Word::Vote(yes) => format!("term {term}: {}", if yes { "yes" } else { "no" }),
            Word::Renew { round, .. }
            | Word::Kept { round, .. }
            | Word::Canvass { round, .. }
            | Word::Able { round } => format!("term {term}, round {round}"),
            _ => format!("term {term}"),
        })
    }
}

/// What a member waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// The end of its promise.
    Promise,
    /// Its turn to stand.
    Stand,
    /// Answers.
    Patience,
    /// The next time to renew.
    Renew,
    /// The end of the lease that it asked for in this round.
    Lease(u64),
}
