//! Checks election algorithms exhaustively: every order of events, every fault up to a budget.
//!
//! [`check`] searches the world as states and actions ([`bellwether_model`]) for all states that any run can come to,
//! and says of each [`Property`] whether it holds in all of them, or shows a run that breaks it. The same run can
//! be played, as [`bellwether_model::Transition`]s are what [`bellwether_model::follow`] plays.
//!
//! A [`CheckPlan`] is a family of such checks. [`CheckPlan::run`] makes them and gives a [`CheckReport`], with a recording
//! of each run that breaks a property.

#![forbid(unsafe_code)]

mod check;
mod clock;
mod costs;
mod family;
mod judge;
mod liveness;
mod matrix;
mod packed;
mod path;
mod plan;
mod property;
mod reduce;
mod report;
mod row;
mod search;
mod store;
mod symmetry;
mod visited;
mod walk;
mod worker;

pub use bellwether_runspec::FaultOptions;
pub use check::{CheckOptions, CheckResult, Checked, Counterexample, Finding, check};
pub use costs::Cost;
pub use family::{InitiatorSets, Seating};
pub use matrix::{MatrixBound, MatrixCell, MatrixColumn, MatrixTable, matrix, matrix_size};
pub use plan::{Case, CheckPlan, CheckRequest, DEFAULT_DRAWS, Effort, PlanError};
pub use property::Property;
pub use report::{CheckReport, FamilyProgress, PropertyReport, Violation};
pub use search::Progress;
