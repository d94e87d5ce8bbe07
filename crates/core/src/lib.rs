//! The vocabulary of Bellwether.
//!
//! One state machine per election algorithm is written once, against the contract in this crate,
//! and runs unchanged in every driver: the simulator today, the model checker, the page and a real
//! cluster after it.
//!
//! # The contract
//!
//! An algorithm is a [`Protocol`] (its messages, its [`Spec`], what an outsider sees of it) that is
//! driven in one of two ways:
//!
//! - [`Algorithm`]: one input at a time (a call, a message, a timer, a suspicion). The handler
//!   writes what it wants into [`Effects`]; the driver then applies *all* effects of that one
//!   input in a fixed order: persist, sync, set timers, send, publish.
//! - [`RoundAlgorithm`]: synchronous rounds as in Lynch's book, driven natively in the simulator
//!   and by the synchroniser [`Rounds`] wherever there are no rounds.
//!
//! Handlers cannot fail, read no clock, draw no randomness of their own and know only what their
//! [`Spec`] declares: asking [`Local`] for anything else does not compile.
//!
//! A [`registry!`] lists the algorithms as data, one line each. Drivers work on [`machine::Machine`], the object-safe form of an
//! algorithm, and are compiled once; only the loops that people wait for are compiled for each algorithm.

#![forbid(unsafe_code)]

mod algorithm;
mod call;
mod choice;
mod claim;
mod detector;
mod fault;
mod flags;
mod local;
pub mod machine;
mod member;
mod message;
mod names;
mod params;
mod registry;
mod rounds;
mod spec;
mod status;
mod store;
mod term;
mod time;
mod topology;
mod vetting;

pub use algorithm::{Algorithm, Buffers, Cx, Effects, Protocol, Request, TimerChange, Verdict};
pub use call::{CallPolicy, Decision, NamedLeader, Occasion};
pub use choice::{AlgorithmChoice, AlgorithmError, AlgorithmText};
pub use claim::{Claim, Delivery, Expect, Initiators, Measure, Order, Setting};
pub use detector::{Detector, DetectorChoice, DetectorEntry, DetectorError, Signal, WatchCx, Watched};
pub use fault::{ArgumentKind, Fate, FaultArgument, FaultEvent, FaultKind, Lie};
pub use flags::{Faults, Knowledge};
pub use local::{Environment, Local};
pub use machine::{AnyMachine, AnyMessage, AnyRename, AnyValue, DynMessage, DynState, DynValue, MachineType};
pub use member::{Attribute, Elect, Id, InvalidId, Rank, RankRange};
pub use message::{Class, Data, Kind, MAX_KINDS, Message, Never, encoded_bytes};
pub use names::{Names, Rename};
pub use params::{
    ChangedParams, Domain, Key, MAX_PARAMETERS, ParamError, ParamType, ParamValue, ParamValues, Parameter,
    Params, Preset, WrittenValue,
};
pub use registry::{Driving, Entry, Registry};
pub use rounds::{Outbox, RoundAlgorithm, RoundCx, Rounds, Stamped, Wake};
pub use spec::{
    Citation, Duty, Electorate, Goal, Identities, Lasting, Leadership, Links, Need, Reign, Spec, Starts,
    Timing,
};
pub use status::{Broken, Role, Status};
pub use store::{ListVersion, StoreId, VoterList};
pub use term::{LAST_TERM, MAX_TERM_STEP};
pub use time::{HOP, Span, Time};
pub use topology::{Flow, Graph, Link, NEXT, PREV, Port, Topology};
pub use vetting::{KnownStores, StoreClaims, StoreOffer, StoreVerdict};
