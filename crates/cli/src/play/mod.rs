//! A recorded run to step through: on a terminal as a picture, elsewhere as a text.

mod help;
mod log;
mod look;
mod members;
mod model;
mod network;
mod screen;
mod sketch;
mod story;
mod terminal;
#[cfg(test)]
mod tests;
mod why;

pub use look::{ColorArg, Look};

use crate::error::Failure;
use crate::output;
use bellwether_lab::recording::Recording;
use bellwether_lab::wording::Heading;
use std::io::IsTerminal as _;

/// Lets the user step through a run if there is a terminal that can show it; else tells it all.
pub fn play(recording: &Recording, heading: &Heading, look: Look) -> Result<(), Failure> {
    if can_be_drawn() {
        terminal::watch(recording, heading, look)
    } else {
        output::print(story::tell(recording, heading).as_bytes())
    }
}

/// Whether there is a terminal that can show pictures, and somebody at its keys.
pub fn can_be_drawn() -> bool {
    let can_be_drawn_on = std::env::var("TERM").is_ok_and(|kind| kind != "dumb" && !kind.is_empty());
    can_be_drawn_on && std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}
