//! A recorded run in the formats of other programs.

mod axis;
mod json;
mod mark;
mod mermaid;
mod shiviz;
mod space_time;
mod svg;
pub use shiviz::PARSER;

use crate::recording::Recording;
use crate::wording::Heading;
use std::str::FromStr;

/// A format to write a recorded run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Every format, by its name.
    pub const ALL: [(&str, Format); 4] = [
        ("mermaid", Format::Mermaid),
        ("svg", Format::Svg),
        ("shiviz", Format::Shiviz),
        ("json", Format::Json),
    ];

    /// The run in this format.
    #[must_use]
    pub fn write(self, recording: &Recording, heading: &Heading) -> String {
        match self {
            Format::Mermaid => mermaid::write(recording, heading),
            Format::Svg => space_time::write(recording, heading),
            Format::Shiviz => shiviz::write(recording),
            Format::Json => json::write(recording, heading),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let found = Format::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names = Format::ALL.map(|(known, _)| known);
            format!("there is no format '{name}': use one of {}", names.join(", "))
        })
    }
}
