//! The failure detectors: the verdicts of each over time, and its quality.

mod quality;
mod timelines;
mod watch;
