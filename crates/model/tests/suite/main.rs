//! Everything that is tested of the model, in one binary.

mod follow;
mod hash;
mod schedules;
