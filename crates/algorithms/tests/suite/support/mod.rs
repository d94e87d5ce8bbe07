//! Helpers that the tests of this binary share: independent implementations of the algorithms, and the requirements
//! on every algorithm.

pub mod bully_twin;
pub mod conformance;
pub mod flood_twin;
pub mod phase_twin;
pub mod ring_twin;
pub mod shout;
pub mod speeds_twin;
pub mod states;
pub mod subject;
pub mod two_way_twin;
pub mod values;
pub mod watching;
