//! A real cluster on this machine: every member a process of its own, below a supervisor of its own.

mod deeds;
mod home;
mod keeper;
mod kept;
mod record;
mod run;
mod screen;
mod standing;
mod tale;
mod terminal;
#[cfg(test)]
mod tests;
mod vigil;

pub use run::Run;
