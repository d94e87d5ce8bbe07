//! Checks election algorithms exhaustively: every order of events, every fault up to a budget.
//!
//! [`check`] searches the world as states and actions ([`bellwether_model`]) for all states that any run can come to,
//! and says of each [`Property`] whether it holds in all of them, or shows a run that breaks it. The same run can
//! be played, as [`bellwether_model::Action`]s are what [`bellwether_model::follow`] plays.

#![forbid(unsafe_code)]

mod check;
mod costs;
pub mod family;
mod judge;
mod liveness;
mod packed;
mod path;
mod property;
mod reduce;
mod row;
mod search;
mod store;
mod symmetry;
mod visited;
mod walk;
mod worker;

pub use check::{Checked, Counterexample, Finding, Verdict, Wishes, check};
pub use costs::Cost;
pub use property::Property;
pub use search::Progress;
