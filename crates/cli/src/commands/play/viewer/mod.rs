//! A recorded run to step through: on a terminal as a picture, elsewhere as a text.

mod help;
mod log;
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

use crate::error::Failure;
use crate::look::{Look, can_be_drawn};
use crate::output;
use bellwether_lab::wording::Heading;
use bellwether_model::recording::Recording;

/// Lets the user step through a run if there is a terminal that can show it; else tells it all.
pub fn play(recording: &Recording, heading: &Heading, look: Look) -> Result<(), Failure> {
    if can_be_drawn() {
        terminal::watch(recording, heading, look)
    } else {
        output::print(story::tell(recording, heading).as_bytes())
    }
}
