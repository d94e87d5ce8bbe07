//! A recorded run in the formats of other programs.

mod axis;
mod json;
mod mark;
mod mermaid;
mod shiviz;
mod space_time;
mod svg;
#[cfg(test)]
mod tests;

use crate::wording::Heading;
use bellwether_sim::recording::Recording;
use clap::ValueEnum;

/// A format to write a recorded run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A sequence diagram for Mermaid
    Mermaid,
    /// A space-time diagram
    Svg,
    /// A log for ShiViz
    Shiviz,
    /// Everything, for programs
    Json,
}

impl Format {
    /// The run in this format.
    pub fn write(self, recording: &Recording, heading: &Heading) -> String {
        match self {
            Format::Mermaid => mermaid::write(recording, heading),
            Format::Svg => space_time::write(recording, heading),
            Format::Shiviz => shiviz::write(recording),
            Format::Json => json::write(recording, heading),
        }
    }
}
