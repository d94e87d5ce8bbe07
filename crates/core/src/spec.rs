//! What an algorithm needs, promises and claims, as data.

use crate::claim::Claim;
use crate::{Faults, Flow, Knowledge, Parameter, Port, Role, Status, Topology};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The one definition of an algorithm's outside: tables, manual, tests and drivers read it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name in commands and files, in kebab case.
    pub name: &'static str,
    /// The variant's name, in kebab case; unique among the algorithm's variants.
    pub variant: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from, the primary source first.
    pub sources: &'static [Citation],
    /// The network it runs on.
    pub need: Need,
    /// What it assumes about time.
    pub timing: Timing,
    /// What it assumes about links.
    pub links: Links,
    /// Who begins.
    pub starts: Starts,
    /// Whether members can be told apart.
    pub identities: Identities,
    /// Who is to lead.
    pub leadership: Leadership,
    /// In what sense there is never a second leader.
    pub reign: Reign,
    /// Who must be able to talk to each other for anyone to lead.
    pub electorate: Electorate,
    /// Whether its runs come to an end.
    pub lasting: Lasting,
    /// What a member may know besides itself and its ports.
    pub knows: Knowledge,
    /// What members know at the end.
    pub goal: Goal,
    /// The faults it survives.
    pub survives: Faults,
    /// Whether it draws random numbers.
    pub randomised: bool,
    /// What can be set on it. All variants of one state machine list the same, with defaults of their own.
    pub parameters: &'static [Parameter],
    /// Its figures.
    pub claims: &'static [Claim],
    /// The algorithm in plain words, in Markdown: the file beside its code. It has the sections of
    /// [`Spec::SECTIONS`], and says nothing that the other fields say.
    pub text: &'static str,
}

impl Spec {
    /// The headings of [`Spec::text`], in this order.
    pub const SECTIONS: [&'static str; 3] = ["Idea", "Rules", "What breaks it"];
}

/// A publication, or one of the lectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// Who wrote it.
    pub authors: &'static str,
    /// What it is called, and where it appeared.
    pub title: &'static str,
    /// When.
    pub year: u16,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} ({})", self.authors, self.title, self.year)
    }
}

/// The network an algorithm runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// A ring in which a member sends clockwise (a two-way ring serves too).
    OneWayRing,
    /// A ring in which messages pass both ways.
    TwoWayRing,
    /// A ring laid over a complete network: a member can also send past its next neighbours.
    OverlayRing,
    /// Everyone is everyone's neighbour.
    Complete,
    /// Any network in which everyone can reach everyone.
    StronglyConnected,
    /// Any network of two-way links in which everyone can reach everyone.
    ConnectedTwoWay,
}

impl Need {
    /// Whether a topology has the shape needed. That everyone can reach everyone is the caller's
    /// to check, where the topology does not show it.
    #[must_use]
    pub fn fits(self, topology: &Topology) -> bool {
        match (self, topology) {
            (Need::OneWayRing, Topology::Ring { .. })
            | (Need::TwoWayRing, Topology::Ring { two_way: true, .. })
            | (Need::OverlayRing, Topology::Overlay { .. })
            | (Need::Complete, Topology::Complete { .. } | Topology::Overlay { .. })
            | (Need::StronglyConnected, _) => true,
            (Need::Complete, Topology::Graph(graph)) => {
                let n = topology.n();
                (0..n).all(|member| {
                    let ports = graph.ports(member);
                    ports.len() as u32 == n - 1
                        && ports.iter().all(|link| link.flow == Flow::Both && link.peer != member)
                })
            }
            (Need::Complete, Topology::Ring { n, two_way }) => *n == 3 && *two_way,
            (Need::ConnectedTwoWay, topology) => (0..topology.n()).all(|member| {
                (0..topology.ports(member)).all(|port| topology.flow(member, Port(port)) == Flow::Both)
            }),
            _ => false,
        }
    }
}

impl Need {
    /// Whether members lie in a ring.
    #[must_use]
    pub fn is_ring(self) -> bool {
        matches!(self, Need::OneWayRing | Need::TwoWayRing | Need::OverlayRing)
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::OneWayRing => "one-way ring",
            Need::TwoWayRing => "two-way ring",
            Need::OverlayRing => "ring over a complete network",
            Need::Complete => "complete network",
            Need::StronglyConnected => "strongly connected network",
            Need::ConnectedTwoWay => "connected network of two-way links",
        })
    }
}

/// What an algorithm assumes about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// Everyone moves in step.
    Rounds,
    /// Messages arrive within a known bound; members have timers.
    BoundedDelay,
    /// Messages arrive, some time.
    Asynchronous,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Timing::Rounds => "synchronous rounds",
            Timing::BoundedDelay => "bounded delay",
            Timing::Asynchronous => "asynchronous",
        })
    }
}

/// What an algorithm assumes about links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Messages of one link arrive in the order in which they were sent.
    Fifo,
    /// Messages may overtake each other.
    Any,
}

/// Who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// Every member begins by itself.
    Everyone,
    /// Those that call an election: one, some or all.
    Callers,
}

/// Whether members can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identities {
    /// Everyone has a rank of its own, and the best is to be elected.
    Unique,
    /// Members are identical: they cannot ask for their own rank, and anyone may be elected. Ids
    /// are the onlooker's names for them.
    Anonymous,
}

/// Who is to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leadership {
    /// The best live member: who comes back and is better takes over.
    Best,
    /// Whoever leads and works goes on, though somebody better may have come back.
    Incumbent,
}

/// In what sense there is never a second leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reign {
    /// No two members lead at once.
    AtOnce,
    /// No two members ever lead in one term ([`Status::term`]): who led before may not have heard yet.
    PerTerm,
    /// No two leases are valid at one instant ([`crate::Algorithm::lease`]), and no two members ever lead in
    /// one term.
    Leased,
    /// One leads in the end. Until the network behaves, several may.
    AtLast,
}

impl Reign {
    /// Whether no two members may ever lead in one term.
    #[must_use]
    pub const fn counts_terms(self) -> bool {
        matches!(self, Reign::PerTerm | Reign::Leased)
    }
}

/// Who must be able to talk to each other for anyone to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Electorate {
    /// Whoever is there: in a partition, each part may elect.
    WhoeverIsThere,
    /// A majority of those who vote ([`Duty`]): without one, nobody leads, and that is right.
    Majority,
}

/// Whether runs come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lasting {
    /// Members fall silent once all is settled.
    Ends,
    /// They go on for ever: leaders renew, or beat.
    GoesOn,
}

/// What a member is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duty {
    /// It votes, and may lead.
    #[default]
    Full,
    /// It votes, and never leads: the third site of a set-up of two.
    Witness,
    /// It follows, and neither votes nor leads.
    Observer,
}

impl Duty {
    /// Whether it votes.
    #[must_use]
    pub fn votes(self) -> bool {
        self != Duty::Observer
    }

    /// Whether it may lead.
    #[must_use]
    pub fn leads(self) -> bool {
        self == Duty::Full
    }
}

/// What members know at the end (lecture 001's variants of the problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The leader knows that it leads; the others need not know anything.
    LeaderOnly,
    /// Everyone knows whether it leads; the others need not know who does.
    EveryoneDecides,
    /// Everyone knows who leads.
    EveryoneKnows,
    /// Everyone knows who leads, and stops.
    EveryoneHalts,
}

impl Goal {
    /// Whether one member knows what it should at the end, once somebody leads.
    #[must_use]
    pub fn is_met_by(self, status: &Status) -> bool {
        match self {
            Goal::LeaderOnly => true,
            Goal::EveryoneDecides => status.role != Role::Undecided,
            Goal::EveryoneKnows => status.leader.is_some(),
            Goal::EveryoneHalts => status.leader.is_some() && status.halted,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Goal::LeaderOnly => "only the leader knows",
            Goal::EveryoneDecides => "everyone knows whether it leads",
            Goal::EveryoneKnows => "everyone knows who leads",
            Goal::EveryoneHalts => "everyone knows who leads, and halts",
        })
    }
}
