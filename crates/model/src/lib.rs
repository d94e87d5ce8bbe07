//! The world as states and actions: everything that can happen next, and what comes of each.
//!
//! The simulator lets one thing happen after the other. Here are all things that can happen next
//! ([`Rules::possible`]), and what comes of each ([`Rules::each_outcome`]): the checker takes all of them, and a
//! run that it finds is a list of [`Transition`]s that [`follow`] plays. Members are driven through the
//! simulator's own [`World`](bellwether_sim::World).
//!
//! How the parts of a moment are kept is up to [`Parts`]: as they are ([`Whole`]), or as numbers.

#![forbid(unsafe_code)]

mod action;
mod fits;
pub mod follow;
mod hash;
mod member_state;
mod members;
mod notation;
mod parts;
mod possible;
pub mod recording;
mod rules;
mod run;
mod schedule;
mod whole;
mod wires;

pub use action::{Action, Transition};
pub use bellwether_sim::schedule::{CrashPoint, FaultBudget, Notice, TimeModel};
pub use fits::MOST_MEMBERS;
pub use hash::hash_of;
pub use member_state::{Attention, Change, Facts, Input, MemberState, Outcome, Patience};
pub use members::Members;
pub use parts::{BudgetUsed, Parts, State, StateOf, Truncation};
pub use rules::Rules;
pub use run::{check_schedule, run_plan, run_plan_observed};
pub use schedule::{actions, instructions};
pub use whole::{Letters, Situation, Whole};
pub use wires::{Wire, Wires};
