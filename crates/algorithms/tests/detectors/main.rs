//! The failure detectors: what each says when, and how good each is.

use bellwether_compiled as _;

mod quality;
mod timelines;
mod watch;
