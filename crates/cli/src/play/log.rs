//! The last steps, the current one below.

use super::look::Look;
use super::model::Model;
use bellwether_lab::recording::Recording;
use bellwether_lab::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget as _};

/// Draws them.
pub fn draw(recording: &Recording, model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let panel = look.panel("Steps".to_owned());
    let room = usize::from(panel.inner(area).height);
    let lines: Vec<Line<'_>> = (model.done.saturating_sub(room)..model.done)
        .map(|number| {
            let step = &recording.steps[number];
            let event = wording::event(recording, step);
            let text = format!("{:>3} {} {event}", number + 1, recording.id(step.member));
            Line::styled(text, if number + 1 == model.done { look.current() } else { look.faint() })
        })
        .collect();
    Paragraph::new(lines).block(panel).render(area, buffer);
}
