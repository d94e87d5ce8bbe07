//! Everything that is tested of the checker, in one binary.

mod second_opinion;
mod support;
mod through_stateright;
mod tla;
