//! The world as states and actions: everything that can happen next, and what comes of each.
//!
//! The simulator lets one thing happen after the other. Here are all things that can happen next
//! ([`Rules::possible`]), and what comes of each ([`Rules::each_outcome`]): the checker takes all of them, and a
//! run that it finds is a list of [`Action`]s that [`follow`] plays. Members are driven through the
//! simulator's own [`World`](bellwether_sim::World).
//!
//! How the parts of a moment are kept is up to [`Parts`]: as they are ([`Whole`]), or as numbers.

#![forbid(unsafe_code)]

mod action;
mod fits;
pub mod follow;
mod hash;
mod members;
mod notation;
mod parts;
mod possible;
pub mod recording;
mod rules;
mod run;
mod schedule;
mod seat;
mod whole;
mod wires;

pub use action::{Action, What};
pub use bellwether_sim::schedule::{Liberties, Midway, TimeModel, Word};
pub use fits::MOST_MEMBERS;
pub use hash::hash_of;
pub use members::Members;
pub use parts::{Cut, Moment, MomentOf, Parts, Spent};
pub use rules::Rules;
pub use run::{check_schedule, run_plan, run_plan_observed};
pub use schedule::{actions, instructions};
pub use seat::{Attention, Change, Facts, Input, Outcome, Patience, Seat};
pub use whole::{Letters, Situation, Whole};
pub use wires::{Wire, Wires};
