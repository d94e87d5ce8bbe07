//! One description of a run, and every form in which it is written.
//!
//! A [`RunSpec`] is everything that a user can ask of a run. Options of `simulate`, scenario files, the headers of traces and the
//! command that repeats a run are conversions to and from it; swarms draw it, and shrinking makes it smaller. [`FIELDS`] lists
//! its fields, each with its key, its option and its help text: all conversions go through that table, so that a field that is
//! in it is in every form. [`RunSpec::plan`] makes a [`bellwether_sim::Plan`] of it.

#![forbid(unsafe_code)]

pub mod document;
mod fault_options;
mod fields;
pub mod form;
mod links;
pub mod notation;
mod plan;
mod schedule;
mod script;
mod shell;
mod spec;
pub mod suggest;
pub mod trace;

pub use fault_options::{FAULT_FIELDS, FaultField, FaultOptions};
pub use fields::{FIELDS, Field, Flag, file_keys};
pub use links::LinkOptions;
pub use plan::{Chosen, PATIENCE};
pub use script::{FileLine, Partition, Script, ScriptLine, ScriptOption, Scripted, check, read_events};
pub use shell::{command, quoted, shell_line, words, words_of};
pub use spec::{Attributes, Callers, RunSpec};
