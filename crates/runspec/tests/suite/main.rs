//! What is described in one form is the same in every other.

mod forms;
mod headers;
mod plans;
