//! What became of a run in which things went wrong.

use bellwether_core::Time;
use bellwether_sim::{Outcome, Report};
use serde::{Serialize, Serializer};
use std::fmt;

/// What became of a run; the later, the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It ended, safe and live, and in time.
    Right,
    /// It came right in the end, but later than detection and an election take.
    Late,
    /// Liveness was not reached: nobody leads, or somebody does not know, or it would not end.
    NoLeader,
    /// Somebody is taken for the leader who is dead or not the best, and nobody for another.
    WrongLeader,
    /// At the end two live members lead, or members name different ones; or two have led where no two ever may
    /// ([`bellwether_core::Reign`]).
    TwoLeaders,
}

impl Class {
    /// All of them, from good to bad.
    pub const ALL: [Class; 5] =
        [Class::Right, Class::Late, Class::NoLeader, Class::WrongLeader, Class::TwoLeaders];

    /// Whether safety or liveness was violated.
    #[must_use]
    pub fn is_failure(self) -> bool {
        self > Class::Late
    }

    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Right => "right",
            Class::Late => "late",
            Class::NoLeader => "no leader",
            Class::WrongLeader => "wrong leader",
            Class::TwoLeaders => "two leaders",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// What became of a run, and whether two led at once on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunVerdict {
    /// What became of it.
    pub class: Class,
    /// Whether at some time two members led at once that were alive and honest, though at the end
    /// everyone may agree.
    pub two_for_a_while: bool,
}

impl RunVerdict {
    /// Judges a run. `settled_at` is when the last member came to know the outcome; `deadline` is asked only
    /// if the run came right.
    pub(super) fn of(report: &Report, settled_at: Time, deadline: impl FnOnce() -> Time) -> RunVerdict {
        let ruling = &report.ruling;
        let class = if ruling.outcome == Outcome::Split || report.rivals.is_some() {
            Class::TwoLeaders
        } else if ruling.wrongly_led {
            Class::WrongLeader
        } else if ruling.not_live_because.is_some() {
            Class::NoLeader
        } else if settled_at > deadline() {
            Class::Late
        } else {
            Class::Right
        };
        RunVerdict { class, two_for_a_while: report.stability.most_leaders > 1 }
    }
}
