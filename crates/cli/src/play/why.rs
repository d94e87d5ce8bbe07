//! Why the last step happened, and what came of it.

use super::look::Look;
use super::model::Model;
use bellwether_lab::recording::{Recording, Step};
use bellwether_lab::wording::{self, Heading};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

/// Draws the explanation.
pub fn draw(
    recording: &Recording,
    heading: &Heading,
    model: &Model,
    look: Look,
    area: Rect,
    buffer: &mut Buffer,
) {
    let lines = match recording.after(model.done).step() {
        None => vec![Line::from(heading.about.replace('\n', " "))],
        Some(step) => explanation(recording, model.done - 1, step, look),
    };
    let panel = look.panel("Why".to_owned());
    Paragraph::new(lines).wrap(Wrap { trim: true }).block(panel).render(area, buffer);
}

fn explanation(recording: &Recording, number: usize, step: &Step, look: Look) -> Vec<Line<'static>> {
    let mut event = format!("{} {}", recording.id(step.member), wording::event(recording, step));
    let sendings: Vec<String> =
        wording::arrivals(recording, step).map(|(_, sending)| sending.to_string()).collect();
    if !sendings.is_empty() {
        event += &format!(" (sent in step {})", sendings.join(", "));
    }
    let mut lines = vec![Line::from(event)];
    if let Some(reason) = step.reason {
        lines.push(Line::styled(format!("Why: {reason}."), look.strong()));
    }
    if recording.is_decision(number) {
        lines.push(Line::styled(format!("Now it {}.", wording::standing(step.seat.status)), look.changed()));
    }
    let changes = wording::changes(recording, number, look.becomes());
    if !changes.is_empty() {
        lines.push(Line::from(format!("Changed: {}", changes.join(", "))));
    }
    let sends: Vec<String> = step.sends.clone().map(|message| wording::sending(recording, message)).collect();
    if !sends.is_empty() {
        lines.push(Line::from(format!("Sent: {}", sends.join(", "))));
    }
    if number + 1 == recording.steps.len() {
        lines.push(Line::styled(wording::outcome(recording), look.strong()));
    }
    lines
}
