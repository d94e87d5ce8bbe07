//! The built program, as a user meets it.

mod bad_input;
mod bad_scenarios;
mod bad_settings;
mod batch;
mod check;
mod compare;
mod detectors;
mod documents;
mod exit_codes;
mod explain;
mod faults;
mod library_errors;
mod parameters;
mod program;
mod scenarios;
mod screen;
mod simulate;
mod survive;
mod swarm;
mod timeouts;
mod trace;
mod trials;
mod up;
