//! The terminal itself: taken over, listened to, and given back however it ends.

use super::look::Look;
use super::model::Model;
use super::screen::Screen;
use crate::error::Failure;
use bellwether_lab::recording::Recording;
use bellwether_lab::wording::Heading;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io;
use std::time::{Duration, Instant};

/// Lets the user step through a run until they have had enough.
pub fn watch(recording: &Recording, heading: &Heading, look: Look) -> Result<(), Failure> {
    // This also sees to it that a panic gives the terminal back before it is told.
    let terminal = ratatui::try_init();
    let watched = terminal.and_then(|terminal| follow(terminal, recording, heading, look));
    ratatui::restore();
    watched.map_err(|error| Failure::System(format!("cannot use the terminal: {error}")))
}

fn follow(
    mut terminal: DefaultTerminal,
    recording: &Recording,
    heading: &Heading,
    look: Look,
) -> io::Result<()> {
    let mut model = Model::default();
    let mut next_tick = Instant::now();
    while !model.is_over {
        terminal.draw(|frame| {
            let screen = Screen { recording, heading, model: &model, look };
            screen.draw(frame.area(), frame.buffer_mut());
        })?;
        let wait = model.playing.then(|| next_tick.saturating_duration_since(Instant::now()));
        match next_event(wait)? {
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                let was = (model.playing, model.period());
                model = model.press(recording, key);
                if was != (model.playing, model.period()) {
                    next_tick = Instant::now() + model.period();
                }
            }
            Some(_) => {} // a new size is drawn like everything else
            None => {
                next_tick = Instant::now() + model.period();
                model = model.tick(recording);
            }
        }
    }
    Ok(())
}

/// The next event; nothing if none comes while there is time. Without a limit it waits for as long
/// as it takes.
fn next_event(wait: Option<Duration>) -> io::Result<Option<Event>> {
    match wait {
        Some(wait) if !event::poll(wait)? => Ok(None),
        _ => event::read().map(Some),
    }
}
