//! Failure detectors, one file each.
//!
//! To add one: write its file with its `ENTRY`, and add that to [`DETECTORS`]. Commands, tables, tests and every
//! algorithm use it from there.

mod arrivals;
pub mod bayes;
mod beating;
pub mod heartbeat;
pub mod inaccurate;
pub mod incomplete;
pub mod learned;
mod oracle;
pub mod perfect;
pub mod ping;
pub mod three_valued;

use bellwether_core::{DetectorEntry, HOP, Parameter, Preset, Span};

/// All failure detectors of Bellwether: first those that a cluster can use, then those that exist only in simulators.
pub const DETECTORS: &[DetectorEntry] = &[
    heartbeat::ENTRY,
    ping::ENTRY,
    three_valued::ENTRY,
    learned::ENTRY,
    bayes::ENTRY,
    perfect::ENTRY,
    incomplete::ENTRY,
    inaccurate::ENTRY,
];

/// The shortest period: more than ten messages per hop would flood the network.
const LEAST_PERIOD: f64 = 0.1;
/// The longest period or wait, in hops: a day of milliseconds, as for delays.
const LONGEST: f64 = 86_400_000.0;

/// The interval at which members send beats.
const PERIOD: Parameter =
    Parameter::number("T", "hops between two beats", "hops", (LEAST_PERIOD, LONGEST), Preset::number(5.0));

/// A time to wait.
const fn wait(name: &'static str, about: &'static str, default: Preset) -> Parameter {
    Parameter::number(name, about, "hops", (0.0, LONGEST), default)
}

/// This many hops, to the tick.
fn span(hops: f64) -> Span {
    Span::from_ticks((hops.clamp(0.0, LONGEST) * HOP.ticks() as f64).round() as u64)
}
