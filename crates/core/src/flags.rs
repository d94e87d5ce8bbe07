//! What members may know, and what an algorithm survives: sets.

use crate::{Duty, Rank, RankRange, Span};
use bitflags::bitflags;

bitflags! {
    /// What a member may know besides itself and its ports. What is not declared cannot be asked for: see
    /// [`crate::Local`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Knowledge: u16 {
        /// How many members there are.
        const SIZE = 1;
        /// The network's diameter.
        const DIAMETER = 1 << 1;
        /// Its neighbours' ranks.
        const PEERS = 1 << 2;
        /// How long a message can take.
        const DELAY_BOUND = 1 << 3;
        /// Which neighbours a failure detector takes for dead.
        const DETECTOR = 1 << 4;
        /// From which range ids and attributes come.
        const RANGE = 1 << 5;
        /// What its own clock shows. (Timers need no clock to be read.)
        const CLOCK = 1 << 6;
        /// The role of each member: who votes, and who may lead.
        const DUTIES = 1 << 7;
        /// How far clocks can be off.
        const DRIFT_BOUND = 1 << 8;
    }
}

bitflags! {
    /// The faults an algorithm survives: with rings that close and a reliable failure detector standing by,
    /// its runs come right once they have ceased, as the survival table shows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Faults: u16 {
        /// A member stops for good.
        const CRASH = 1;
        /// A member stops and comes back.
        const RECOVERY = 1 << 1;
        /// A message is lost.
        const LOSS = 1 << 2;
        /// A link stops working.
        const LINK = 1 << 3;
        /// A member lies.
        const ARBITRARY = 1 << 4;
        /// A message arrives twice.
        const DUPLICATION = 1 << 5;
        /// Messages overtake each other.
        const REORDERING = 1 << 6;
        /// The network falls apart, and grows together again.
        const PARTITION = 1 << 7;
        /// A member freezes and wakes.
        const PAUSE = 1 << 8;
        /// Clocks drift or jump.
        const CLOCK = 1 << 9;
    }
}

impl Knowledge {
    /// The names of what is in here.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        let word = |one| match one {
            Knowledge::SIZE => "n",
            Knowledge::DIAMETER => "D",
            Knowledge::PEERS => "peers' ids",
            Knowledge::DELAY_BOUND => "delay bound",
            Knowledge::DETECTOR => "a failure detector",
            Knowledge::RANGE => "the range of ids",
            Knowledge::CLOCK => "its clock",
            Knowledge::DUTIES => "members' duties",
            Knowledge::DRIFT_BOUND => "drift bound",
            other => unreachable!("{other:?} is one flag"),
        };
        self.iter().map(word).collect()
    }

    /// How many bytes a member with so many ports keeps to know this. Of what a failure detector says and a clock
    /// shows, nothing is kept but by the algorithm's own state.
    #[must_use]
    pub const fn bytes(self, ports: u32) -> u64 {
        let ports = ports as usize;
        let kept = [
            (Knowledge::SIZE, size_of::<u32>()),
            (Knowledge::DIAMETER, size_of::<u32>()),
            (Knowledge::PEERS, ports * size_of::<Rank>()),
            (Knowledge::DELAY_BOUND, size_of::<Span>()),
            (Knowledge::DETECTOR, 0),
            (Knowledge::RANGE, size_of::<RankRange>()),
            (Knowledge::CLOCK, 0),
            (Knowledge::DUTIES, (ports + 1) * size_of::<Duty>()),
            (Knowledge::DRIFT_BOUND, size_of::<u32>()),
        ];
        let (mut bytes, mut at) = (0, 0);
        while at < kept.len() {
            if self.contains(kept[at].0) {
                bytes += kept[at].1;
            }
            at += 1;
        }
        bytes as u64
    }
}

impl Faults {
    /// What an algorithm survives that assumes only that each message arrives at some time, at least once.
    pub const UNHURRIED: Faults = Faults::DUPLICATION.union(Faults::REORDERING).union(Faults::PAUSE);

    /// The names of what is in here.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        let word = |one| match one {
            Faults::CRASH => "crash",
            Faults::RECOVERY => "recovery",
            Faults::LOSS => "loss",
            Faults::LINK => "link",
            Faults::ARBITRARY => "arbitrary",
            Faults::DUPLICATION => "duplication",
            Faults::REORDERING => "reordering",
            Faults::PARTITION => "partition",
            Faults::PAUSE => "pause",
            Faults::CLOCK => "clock",
            other => unreachable!("{other:?} is one flag"),
        };
        self.iter().map(word).collect()
    }
}
