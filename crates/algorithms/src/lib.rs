//! Election algorithms, one folder each, in families; and failure detectors, one file each.
//!
//! To add an algorithm: write its folder, add its `mod` to its family and its line to [`algorithms!`]. Everything else
//! (commands, tables, tests, drivers) follows from its [`Spec`](bellwether_core::Spec).

#![forbid(unsafe_code)]

mod complete;
mod conditions;
pub mod detectors;
mod flood;
mod quorum;
mod registry;
mod ring;
mod sources;
mod tree;

pub use complete::*;
pub use detectors::DETECTORS;
pub use flood::*;
pub use quorum::*;
pub use registry::ALGORITHMS;
pub use ring::chang_roberts::{
    detector as chang_roberts_detector, suppressing as chang_roberts_suppressing,
    timeout as chang_roberts_timeout,
};
pub use ring::*;
pub use tree::*;

#[doc(hidden)]
pub use bellwether_core as core; // for the macro
