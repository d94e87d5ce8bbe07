//! Everything that is tested of the algorithms, in one binary. (Allocations are counted in a binary of
//! their own.)

mod calm;
mod checks_can_fail;
mod conformance;
mod consensus;
mod detectors;
mod determinism;
mod exhaustive;
mod figures;
mod misfortune;
mod one_file_one_line;
mod parameters;
mod recording;
mod support;
mod swarm;
