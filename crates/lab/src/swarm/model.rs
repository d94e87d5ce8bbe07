//! The failure models: what goes wrong in a run of a swarm.

use bellwether_core::{Faults, Spec};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Nothing.
    None,
    /// Members stop for good, some of them in the middle of sending.
    Crash,
    /// The same, and their neighbours are told for certain.
    Certified,
    /// Members stop and come back with what they saved.
    Recovery,
    /// The same, but they stop in the middle of their next write.
    Torn,
    /// Messages are lost, each by itself.
    Loss,
    /// Messages are lost in bursts.
    Bursts,
    /// Messages arrive twice.
    Duplication,
    /// Messages overtake each other.
    Reordering,
    /// Links are down for a while, both ways.
    Links,
    /// Links are down for a while, one way.
    OneWay,
    /// The network falls into groups for a while.
    Partition,
    /// Members freeze and wake.
    Pause,
    /// Clocks go wrong by up to a tenth.
    Drift,
    /// Clocks jump.
    Jump,
    /// Members lie.
    Lie,
    /// Two to four of the others at once.
    Mix,
}

impl Model {
    /// All of them, the mildest first.
    pub const ALL: [Model; 17] = [
        Model::None,
        Model::Crash,
        Model::Certified,
        Model::Recovery,
        Model::Torn,
        Model::Loss,
        Model::Bursts,
        Model::Duplication,
        Model::Reordering,
        Model::Links,
        Model::OneWay,
        Model::Partition,
        Model::Pause,
        Model::Drift,
        Model::Jump,
        Model::Lie,
        Model::Mix,
    ];

    /// As it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Model::None => "none",
            Model::Crash => "crash",
            Model::Certified => "certified",
            Model::Recovery => "recovery",
            Model::Torn => "torn",
            Model::Loss => "loss",
            Model::Bursts => "bursts",
            Model::Duplication => "duplication",
            Model::Reordering => "reordering",
            Model::Links => "links",
            Model::OneWay => "one-way",
            Model::Partition => "partition",
            Model::Pause => "pause",
            Model::Drift => "drift",
            Model::Jump => "jump",
            Model::Lie => "lie",
            Model::Mix => "mix",
        }
    }

    /// What goes wrong, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Model::None => "nothing goes wrong",
            Model::Crash => "members stop for good, some in the middle of sending; fewer than half",
            Model::Certified => {
                "members stop for good as in crash, and death certificates tell their neighbours"
            }
            Model::Recovery => "members stop and come back with what they saved",
            Model::Torn => "members stop in the middle of a write, and come back",
            Model::Loss => "1 to 30 % of messages are lost, each by itself",
            Model::Bursts => "as many are lost, 2 to 8 in a row",
            Model::Duplication => "up to 30 % of messages arrive twice",
            Model::Reordering => "up to 30 % of messages are overtaken by later ones",
            Model::Links => "links are down for a while, both ways",
            Model::OneWay => "links are down for a while, one way",
            Model::Partition => "the network falls into two or three groups for a while, once or twice",
            Model::Pause => "members freeze and wake",
            Model::Drift => "clocks go wrong by up to a tenth, for good",
            Model::Jump => "clocks jump by up to 20 hops",
            Model::Lie => {
                "fewer than a third of the members lie: about their id, about who was elected, or by silence"
            }
            Model::Mix => "two to four of the others at once",
        }
    }

    /// What an algorithm has to survive in order to come through.
    fn faults(self) -> Faults {
        match self {
            Model::None => Faults::empty(),
            Model::Crash | Model::Certified => Faults::CRASH,
            Model::Recovery | Model::Torn => Faults::RECOVERY,
            Model::Loss | Model::Bursts => Faults::LOSS,
            Model::Duplication => Faults::DUPLICATION,
            Model::Reordering => Faults::REORDERING,
            Model::Links | Model::OneWay => Faults::LINK,
            Model::Partition => Faults::PARTITION,
            Model::Pause => Faults::PAUSE,
            Model::Drift | Model::Jump => Faults::CLOCK,
            Model::Lie => Faults::ARBITRARY,
            Model::Mix => Faults::CRASH
                .union(Faults::RECOVERY)
                .union(Faults::LOSS)
                .union(Faults::DUPLICATION)
                .union(Faults::REORDERING)
                .union(Faults::LINK)
                .union(Faults::PARTITION)
                .union(Faults::PAUSE)
                .union(Faults::CLOCK)
                .union(Faults::ARBITRARY),
        }
    }

    /// Whether an algorithm declares to survive it.
    #[must_use]
    pub fn is_survived_by(self, spec: &Spec) -> bool {
        spec.survives.contains(self.faults())
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        let found = Model::ALL.into_iter().find(|model| model.name() == text);
        found.ok_or_else(|| {
            let names = Model::ALL.map(Model::name);
            format!("there is no failure model '{text}': use one of {}", names.join(", "))
        })
    }
}
