//! All tests of the algorithms, in one binary. (Allocations are counted in a binary of their own.)

mod calls;
mod checks_can_fail;
mod compiled_loops;
mod conformance;
mod detectors;
mod determinism;
mod exhaustive;
mod figures;
mod misfortune;
mod one_folder_one_line;
mod parameters;
mod recording;
mod repeated;
mod support;
mod swarm;
