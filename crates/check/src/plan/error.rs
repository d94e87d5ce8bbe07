//! What cannot be checked, and why.

use crate::family::InitiatorSets;
use bellwether_model::MOST_MEMBERS;
use bellwether_sim::SetupError;

/// A family of checks that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// There are more members than a state has room for.
    #[error(
        "{n} members are too many to check: at most {MOST_MEMBERS} can be, and few algorithms with more than 8"
    )]
    TooManyMembers {
        /// How many members.
        n: u64,
    },
    /// Members may recover and none may crash.
    #[error("nobody can come back who has not crashed: `recoveries` goes with `crashes`")]
    NothingToRecover,
    /// There are fewer members to crash.
    #[error("there cannot be {crashes} crashes: use at most {most}")]
    TooManyCrashes {
        /// How many crashes.
        crashes: u8,
        /// How many there could be.
        most: u32,
    },
    /// Something needs a clock and there is none.
    #[error("there is no clock here: `{field}` goes with `timing` clock")]
    NoClock {
        /// What needs it.
        field: &'static str,
    },
    /// Clocks show whole ticks, and the drift is less than one a step.
    #[error(
        "in a step of the clock nobody would notice a drift of {}%: use a smaller `grain`, or a larger `drift`",
        f64::from(*drift) / 10.0
    )]
    DriftUnnoticed {
        /// The drift, in thousandths.
        drift: u16,
    },
    /// Sets of initiators are asked for of an algorithm whose members all start by themselves.
    #[error("in {algorithm} every member starts by itself: leave out `initiators` {initiators}")]
    EveryoneStarts {
        /// The algorithm.
        algorithm: &'static str,
        /// The sets.
        initiators: InitiatorSets,
    },
    /// False alarms, and nothing that could raise them.
    #[error(
        "no detector stands by: `false_alarms` goes with `detector` yes, for algorithms that need a failure detector"
    )]
    NoDetector,
    /// The time after which elections are started again, and none is.
    #[error("no election is started again: `restart_after` goes with `restarts`")]
    NothingRestarted,
    /// Elections are to be started again of an algorithm whose members all start by themselves.
    #[error("in {algorithm} every member starts by itself: leave out `restarts`")]
    StartByThemselves {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A cluster does more than start such elections again.
    #[error(
        "a cluster boots {algorithm} anew for each election, and numbers elections, which is not checked: leave out `restarts`"
    )]
    BeginsAnew {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// The family is too large.
    #[error("with {n} members there are more than {most} orders and sets of initiators: use fewer members")]
    TooManyCases {
        /// How many members.
        n: usize,
        /// The most checks of a family.
        most: u64,
    },
    /// The network or the faults do not fit into a state.
    #[error("{0}")]
    Misfit(String),
    /// There is no such run.
    #[error(transparent)]
    Setup(#[from] SetupError),
}
