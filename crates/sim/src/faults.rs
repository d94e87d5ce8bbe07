//! What can go wrong: every failure model of lecture 004, as data, and what members can be asked.
//!
//! What happens to members at given times is a [`bellwether_core::FaultEvent`]. What links do to messages, drawn from the
//! seed or chosen, is [`LinkFaults`].

use bellwether_core::{Fate, Span, Time};
use std::fmt;

/// What the links do to messages.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFaults<M = u32> {
    /// The share of messages that is lost.
    pub loss: f64,
    /// How many messages of a link are lost in a row, on average; 1: each by itself. (Gilbert's model:
    /// in a burst everything is lost, outside nothing is.)
    pub burst: f64,
    /// The share of messages that arrives twice.
    pub duplication: f64,
    /// The share of messages that is held up and overtaken by later ones.
    pub reordering: f64,
    /// The longest that those are held up.
    pub held_up: Span,
    /// Until when the above goes on.
    pub until: Time,
    /// Messages chosen one by one.
    pub chosen: Vec<Chosen<M>>,
}

impl<M> Default for LinkFaults<M> {
    fn default() -> Self {
        LinkFaults {
            loss: 0.0,
            burst: 1.0,
            duplication: 0.0,
            reordering: 0.0,
            held_up: Span::from_hops(5),
            until: Time::NEVER,
            chosen: Vec::new(),
        }
    }
}

impl<M> LinkFaults<M> {
    /// Whether links do what they should.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.loss == 0.0 && self.duplication == 0.0 && self.reordering == 0.0 && self.chosen.is_empty()
    }
}

/// A message, or several, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<M = u32> {
    /// Whose; anyone's unless given.
    pub from: Option<M>,
    /// To whom; to anyone unless given.
    pub to: Option<M>,
    /// Of which kind; of any unless given.
    pub kind: Option<String>,
    /// Which of them, counted from 1; all of them unless given.
    pub nth: Option<u64>,
    /// What becomes of it.
    pub fate: Fate,
}

impl<M: fmt::Display> fmt::Display for Chosen<M> {
    /// As files and the command line have it: `KIND:A-B#N`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_deref().unwrap_or_default())?;
        let anyone = |named: &Option<M>| named.as_ref().map_or_else(|| "*".to_owned(), M::to_string);
        if self.from.is_some() || self.to.is_some() {
            write!(f, ":{}-{}", anyone(&self.from), anyone(&self.to))?;
        }
        self.nth.map_or(Ok(()), |nth| write!(f, "#{nth}"))
    }
}

impl<M: Copy> LinkFaults<M> {
    /// The same with other names for members.
    ///
    /// # Errors
    /// The first name that `name` cannot translate.
    pub fn try_map<N, E>(&self, mut name: impl FnMut(M) -> Result<N, E>) -> Result<LinkFaults<N>, E> {
        let mut chosen = Vec::with_capacity(self.chosen.len());
        for one in &self.chosen {
            chosen.push(Chosen {
                from: one.from.map(&mut name).transpose()?,
                to: one.to.map(&mut name).transpose()?,
                kind: one.kind.clone(),
                nth: one.nth,
                fate: one.fate,
            });
        }
        let LinkFaults { loss, burst, duplication, reordering, held_up, until, .. } = *self;
        Ok(LinkFaults { loss, burst, duplication, reordering, held_up, until, chosen })
    }
}
