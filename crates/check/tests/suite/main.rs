//! Everything that is tested of the checker, in one binary.

mod bully;
mod callers;
mod cluster;
mod drawn_at_random;
mod faults;
mod known_bugs;
mod liveness;
mod many;
mod names;
mod notation;
mod one_for_many;
mod properties;
mod reductions;
mod report;
mod second_opinion;
mod tla;
