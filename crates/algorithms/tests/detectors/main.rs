//! The failure detectors: what each says when, and how good each is.

mod quality;
mod timelines;
mod watch;
