//! Helpers that the tests of this binary share: independent implementations of the algorithms, and the requirements
//! on every algorithm.

pub mod conformance;
pub mod naive_bully;
pub mod naive_flood;
pub mod naive_phase;
pub mod naive_ring;
pub mod naive_speeds;
pub mod naive_two_way;
pub mod shout;
pub mod states;
pub mod subject;
pub mod values;
pub mod watching;
