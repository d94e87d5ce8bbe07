//! Everything that a user can ask of a run.

use crate::links::LinkOptions;
use crate::notation::DriftBound;
use crate::script::Script;
use bellwether_core::{AlgorithmChoice, AlgorithmText, Attribute, Elect, Id, Order, Span, Spec, Time};
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, LinkOrder, RoundMode, Schedule};

/// Everything that a user can ask of a run. What is left out has its default. [`crate::FIELDS`] says how each field is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSpec {
    /// The algorithm, as in `bully`, `bully/waiting` or `quorum-lease:renewals=5`.
    pub algorithm: String,
    /// One of its variants, where it is named apart.
    pub variant: Option<String>,
    /// The members, in the order of the network: in a ring, clockwise.
    pub ids: Vec<Id>,
    /// How many members there are, with ids from 1.
    pub nodes: Option<u64>,
    /// How the ids 1 to n lie in the network: in random order unless given.
    pub order: Option<Order>,
    /// What members bring besides their ids.
    pub attributes: Attributes,
    /// The greatest id that members are told there could be: the greatest there is unless given.
    pub id_bound: Option<u64>,
    /// Whether members are identical: only algorithms for such members can be run then.
    pub identical: bool,
    /// Which end of the ranking wins.
    pub elect: Elect,
    /// Members that vote and never lead.
    pub witnesses: Vec<Id>,
    /// Members that neither vote nor lead.
    pub observers: Vec<Id>,
    /// Members that start an election at the beginning.
    pub initiators: Callers,
    /// After how many delay bounds without a leader a member starts an election again, as in a cluster: never unless given.
    pub restart_after: Option<u32>,
    /// The network: what the algorithm needs unless given.
    pub topology: Option<Shape>,
    /// How long messages take.
    pub delay: Delay,
    /// The bound on delays that members are told: the delay's own unless given.
    pub delay_bound: Option<Span>,
    /// How far members are told that clocks can be off: one in a hundred unless given.
    pub drift_bound: Option<DriftBound>,
    /// Whether messages of one link keep their order.
    pub links: LinkOrder,
    /// Whether an algorithm in rounds runs over a synchroniser, even where rounds in step would do.
    pub synchroniser: bool,
    /// What happens to members and links at which times.
    pub script: Script,
    /// What links do to messages.
    pub link_faults: LinkOptions,
    /// Whether a ring closes round its dead.
    pub ring_closes: bool,
    /// Whether the neighbours of a member that crashes receive a death certificate.
    pub certified_crashes: bool,
    /// The failure detector with which members watch their neighbours, as in `heartbeat:T=5,D=2`.
    pub detector: Option<String>,
    /// The run step by step. Then nothing else makes anything happen.
    pub schedule: Option<Schedule>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The time at which the run is given up.
    ///
    /// If neither this nor `max_messages` is given, a run in which something goes wrong is given up [`crate::PATIENCE`] after
    /// the last event, as it might go on for ever; and so is one of an algorithm that does go on for ever, if it has not come
    /// right.
    pub until: Option<Time>,
    /// The number of messages after which the run is given up.
    pub max_messages: Option<u64>,
}

/// What members bring besides their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Attributes {
    /// Nothing: ids decide.
    #[default]
    None,
    /// These, in the order of the members.
    Listed(Vec<Attribute>),
    /// Drawn from 0 to n - 1, so that some are alike.
    Random,
}

/// Members that start an election at the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Callers {
    /// All of them.
    #[default]
    All,
    /// These.
    Ids(Vec<Id>),
}

impl RunSpec {
    /// A run of an algorithm, with nothing else asked for.
    #[must_use]
    pub fn of(algorithm: impl Into<String>) -> RunSpec {
        RunSpec { algorithm: algorithm.into(), ..RunSpec::default() }
    }

    /// The same with so many members, if neither it nor its network says how many there are.
    #[must_use]
    pub fn or_nodes(self, usual: u64) -> RunSpec {
        let of_network = |shape: &Shape| shape.names_members() || shape.own_size().is_some();
        let is_said =
            !self.ids.is_empty() || self.nodes.is_some() || self.topology.as_ref().is_some_and(of_network);
        if is_said { self } else { RunSpec { nodes: Some(usual), ..self } }
    }

    /// The same with the algorithm's name, variant and parameters in full.
    #[must_use]
    pub fn of_choice(self, choice: &AlgorithmChoice) -> RunSpec {
        let variant = Some(choice.spec.variant.to_owned());
        RunSpec { algorithm: choice.without_variant(), variant, ..self }
    }

    /// The same with everything said that has a default of its own: the algorithm's variant, the network, and how many members
    /// there are.
    #[must_use]
    pub fn in_full(self, choice: &AlgorithmChoice, usual_nodes: u64) -> RunSpec {
        let topology = Some(self.shape(choice.spec));
        RunSpec { topology, ..self }.of_choice(choice).or_nodes(usual_nodes)
    }

    /// The network: as given, or as the algorithm needs it.
    #[must_use]
    pub fn shape(&self, spec: &Spec) -> Shape {
        self.topology.clone().unwrap_or_else(|| Shape::for_need(spec.need))
    }

    /// The algorithm with its variant, as users write it: `quorum-lease/tight:renewals=5`.
    #[must_use]
    pub fn algorithm_in_full(&self) -> String {
        let text = AlgorithmText::of(&self.algorithm);
        AlgorithmText { variant: self.variant.as_deref().or(text.variant), ..text }.to_string()
    }

    /// Writes a parameter of the algorithm behind those that are there, as in `renewals=5`.
    pub fn add_parameter(&mut self, setting: &str) {
        let separator = if self.algorithm.contains(':') { ',' } else { ':' };
        self.algorithm.push(separator);
        self.algorithm.push_str(setting);
    }

    /// How to drive an algorithm in rounds.
    #[must_use]
    pub fn mode(&self) -> RoundMode {
        if self.synchroniser { RoundMode::Synchroniser } else { RoundMode::Auto }
    }
}
