//! Figures that an algorithm claims, as functions of the run they are claimed for.

use crate::{ParamValues, Rank, RankRange};
use serde::Serialize;
use std::fmt;

/// One figure: what is measured, and what it should be.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its name in tables and output, in snake case; unique in its [`crate::Spec`].
    pub name: &'static str,
    /// What is measured.
    pub measure: Measure,
    /// The figure for people, as the source writes it.
    pub formula: &'static str,
    /// The figure for a run; nothing where the source claims none.
    pub expect: fn(&Setting<'_>) -> Option<Expect>,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Payload messages sent, in all.
    Messages,
    /// Messages of one kind sent.
    MessagesOf(&'static str),
    /// Hops until nothing moves any more.
    Time,
    /// Rounds until nothing moves any more.
    Rounds,
    /// The round in which the leader knew that it leads.
    LeaderRound,
    /// The most bytes that a member's state and what it must know took in memory. A claim is about the state: what
    /// must be known follows from the [`crate::Spec`], and is added to it ([`crate::Knowledge::bytes`]).
    Storage,
}

/// What a measured figure should be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// This, in every such run.
    Exactly(f64),
    /// At most this, in every such run.
    AtMost(f64),
    /// This on average, over random orders or draws.
    OnAverage(f64),
}

impl Expect {
    /// The figure itself.
    #[must_use]
    pub fn figure(self) -> f64 {
        match self {
            Expect::Exactly(figure) | Expect::AtMost(figure) | Expect::OnAverage(figure) => figure,
        }
    }

    /// The same with so much more.
    #[must_use]
    pub fn plus(self, more: f64) -> Expect {
        match self {
            Expect::Exactly(figure) => Expect::Exactly(figure + more),
            Expect::AtMost(figure) => Expect::AtMost(figure + more),
            Expect::OnAverage(figure) => Expect::OnAverage(figure + more),
        }
    }

    /// Whether one run's measure agrees; nothing if one run cannot tell.
    #[must_use]
    pub fn holds_for_one(self, measured: f64) -> Option<bool> {
        match self {
            Expect::Exactly(figure) => Some(measured == figure),
            Expect::AtMost(figure) => Some(measured <= figure),
            Expect::OnAverage(_) => None,
        }
    }

    /// How the figure bounds the measure, in words.
    #[must_use]
    pub fn relation(self) -> &'static str {
        match self {
            Expect::Exactly(_) => "exactly",
            Expect::AtMost(_) => "at most",
            Expect::OnAverage(_) => "on average",
        }
    }
}

/// How ranks lie in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Rising clockwise: in a one-way ring every message but the winner's dies after one hop.
    Best,
    /// Falling clockwise: every message reaches the winner.
    Worst,
    /// Shuffled.
    Random,
    /// As the user listed them.
    Explicit,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Best => "best",
            Order::Worst => "worst",
            Order::Random => "random",
            Order::Explicit => "explicit",
        })
    }
}

/// Who calls the election.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initiators {
    /// Every member that is up.
    All,
    /// These members, by index, in rising order.
    Some(Vec<u32>),
}

impl Initiators {
    /// Whether a member is one of them.
    #[must_use]
    pub fn contains(&self, member: u32) -> bool {
        match self {
            Initiators::All => true,
            Initiators::Some(members) => members.binary_search(&member).is_ok(),
        }
    }
}

/// How messages of a run travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Every message takes one hop.
    Unit,
    /// Delays vary, but messages of one link keep their order.
    Fifo,
    /// Delays vary, and messages overtake each other.
    Reordering,
}

/// The run that a figure is claimed for.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The values of the algorithm's parameters.
    pub parameters: ParamValues,
    /// Directed links.
    pub m: u64,
    /// The diameter, where it is known.
    pub diameter: Option<u32>,
    /// Everyone's rank, by index: in a ring, clockwise.
    pub ranks: &'a [Rank],
    /// How the ranks came to lie so.
    pub order: Order,
    /// From which range ids and attributes come.
    pub range: RankRange,
    /// The most ports that a member has.
    pub max_degree: u32,
    /// Who calls the election.
    pub initiators: &'a Initiators,
    /// Who is dead from the start, by index, in rising order.
    pub dead: &'a [u32],
    /// How messages travel.
    pub delivery: Delivery,
    /// No message takes longer than members are told.
    pub bounded: bool,
    /// Nobody starts, calls or dies after the beginning, the network does what it should, and no
    /// detector speaks up by itself.
    pub calm: bool,
}

impl Setting<'_> {
    /// How many members there are.
    #[must_use]
    pub fn n(&self) -> usize {
        self.ranks.len()
    }

    /// Whether a member is alive from the start.
    #[must_use]
    pub fn is_alive(&self, member: u32) -> bool {
        self.dead.binary_search(&member).is_err()
    }

    /// The best member that is alive, by index.
    #[must_use]
    pub fn best_alive(&self) -> Option<u32> {
        let alive = (0..self.n() as u32).filter(|&member| self.is_alive(member));
        alive.max_by_key(|&member| self.ranks[member as usize])
    }
}
