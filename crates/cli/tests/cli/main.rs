//! The built program, as a user meets it.

mod bad_input;
mod batch;
mod compare;
mod documents;
mod exit_codes;
mod explain;
mod program;
mod simulate;
mod trace;
