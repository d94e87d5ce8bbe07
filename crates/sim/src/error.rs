//! What cannot be run, and why. Fields are named in backquotes (see [`crate::rewrite_fields`]).

use crate::network::{NetworkError, Shape};
use bellwether_core::{AlgorithmError, DetectorError, Id, Need};

/// A run that cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Nobody takes part.
    #[error("there are no members: an election needs at least 1")]
    NoMembers,
    /// Nothing says how many members there are.
    #[error("how many members? Give `nodes` N or `ids` A,B,...")]
    SizeNeeded,
    /// Two members have the same id.
    #[error("id {0} is given twice: every member needs an id of its own")]
    DuplicateId(Id),
    /// Somebody is named that is not there.
    #[error("{role} {id} is not a member; the members are {members}")]
    NotAMember {
        /// As what it is named.
        role: &'static str,
        /// Who is named.
        id: Id,
        /// Who there is.
        members: String,
    },
    /// There are more or fewer attributes than members.
    #[error("there are {given} attributes for {n} members: give one each, in the order of the ids")]
    AttributeCount {
        /// How many attributes.
        given: usize,
        /// How many members.
        n: usize,
    },
    /// Members are identical, and the algorithm is not made for that.
    #[error(
        "identical members cannot elect a leader with {algorithm}: none of them has anything that the \
         others have not, so whatever one does, all do at the same time (symmetry), and either all lead or \
         none. Give them ids of their own, or let them draw lots: use itai-rodeh"
    )]
    Symmetric {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// Somebody's id is above the bound that members are told.
    #[error(
        "id {id} is above the greatest id that members are told there could be, {bound}: raise `id_bound`"
    )]
    AboveIdBound {
        /// The greatest id there is.
        id: u64,
        /// The bound.
        bound: u64,
    },
    /// It would take longer than can be counted.
    #[error(
        "{algorithm} would need {} rounds ({formula}), more than can be simulated: use members whose best \
         is closer to the best there could be, or a lower `id_bound`",
        roughly(*rounds)
    )]
    TooLong {
        /// The algorithm.
        algorithm: &'static str,
        /// How many rounds it takes.
        rounds: f64,
        /// How it is reckoned.
        formula: &'static str,
    },
    /// Somebody is to call but is dead.
    #[error("member {0} is dead from the start and cannot call an election: name another initiator")]
    DeadInitiator(Id),
    /// Nobody is left to call.
    #[error("nobody calls an election: name at least one initiator")]
    NoInitiator,
    /// The algorithm has everyone start.
    #[error("in {algorithm} every member starts by itself: leave out `{key}`")]
    EveryoneStarts {
        /// The algorithm.
        algorithm: &'static str,
        /// The field that says who starts.
        key: &'static str,
    },
    /// The network is not one the algorithm runs on.
    #[error(
        "{algorithm} needs a {need}, and {shape} is not one: leave out `topology`, or use `topology` {instead}"
    )]
    Unfit {
        /// The algorithm.
        algorithm: &'static str,
        /// What it needs.
        need: Need,
        /// What was given.
        shape: Shape,
        /// What would do.
        instead: Shape,
    },
    /// Not everyone can reach everyone.
    #[error("in {shape} not everyone can reach everyone, which {algorithm} needs")]
    NotConnected {
        /// The algorithm.
        algorithm: &'static str,
        /// What was given.
        shape: Shape,
    },
    /// The diameter is needed and would take too long to find.
    #[error(
        "{algorithm} needs to know the diameter, and {shape} is too large to measure: use a smaller network"
    )]
    NoDiameter {
        /// The algorithm.
        algorithm: &'static str,
        /// What was given.
        shape: Shape,
    },
    /// It would not fit into memory.
    #[error(
        "{n} members would take about {needed}, and {limit} are allowed: use fewer (or raise `memory_limit`)"
    )]
    TooLarge {
        /// How many members.
        n: u64,
        /// What they would take.
        needed: Bytes,
        /// What there is.
        limit: Bytes,
    },
    /// Something about failures cannot be.
    #[error("{problem}")]
    Fault {
        /// The key of a scenario file, or the option of the same name, that says so.
        key: &'static str,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Something happens to a member that cannot.
    #[error("{problem}")]
    Script {
        /// The line of the script, from 0.
        line: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A step of the schedule cannot be.
    #[error("step {number} of the schedule, '{step}': {problem}")]
    Step {
        /// Which one, from 1.
        number: usize,
        /// As it is written.
        step: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// Messages are chosen that the algorithm does not have.
    #[error("{algorithm} has no messages of kind '{kind}': it has {}", kinds.join(", "))]
    NoSuchKind {
        /// The algorithm.
        algorithm: &'static str,
        /// The kind chosen.
        kind: String,
        /// The kinds there are.
        kinds: Vec<&'static str>,
        /// The key or option that says so.
        key: &'static str,
    },
    /// Nobody can be announced falsely, as no single message announces anybody.
    #[error(
        "in {algorithm} no single message says who leads, so nothing can be forged: use `pretend` or `silence`"
    )]
    NothingToForge {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// The algorithm cannot be had, or not so.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// The failure detector cannot be had.
    #[error(transparent)]
    Detector(#[from] DetectorError),
    /// There are not enough threads.
    #[error("cannot start threads ({0}): use fewer with `threads`")]
    Threads(String),
    /// The network cannot be made.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl SetupError {
    /// The error for somebody who is named and not there.
    #[must_use]
    pub fn not_a_member(ids: &[Id], role: &'static str, id: Id) -> SetupError {
        let mut members: Vec<String> = ids.iter().take(8).map(Id::to_string).collect();
        if ids.len() > 8 {
            members.push(format!("... ({} in all)", ids.len()));
        }
        SetupError::NotAMember { role, id, members: members.join(", ") }
    }
}

/// A number of bytes, written for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let power = (self.0.max(1).ilog2() / 10).min(units.len() as u32 - 1);
        let value = self.0 as f64 / 1024_f64.powi(power as i32);
        write!(f, "{value:.*} {}", usize::from(power > 0), units[power as usize])
    }
}

/// A large number, written for people.
fn roughly(number: f64) -> String {
    if number.is_finite() { format!("about {number:.1e}") } else { format!("more than {:.1e}", f64::MAX) }
}
