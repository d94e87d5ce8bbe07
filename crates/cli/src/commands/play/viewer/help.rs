//! What the keys do.

use crate::look::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph, Widget as _};

const KEYS: [(&str, &str); 14] = [
    ("right, n", "one step on"),
    ("left, b", "one step back"),
    ("space, enter", "play, or pause"),
    ("+  -", "faster, slower"),
    ("page down, up", "ten steps on, back"),
    ("home, end", "to the beginning, to the end"),
    ("d  D", "to the next, the last decision"),
    ("g", "to a step, by its number"),
    ("t", "to a time, in hops"),
    ("m", "follow one member"),
    ("?", "this help"),
    ("q, esc", "quit"),
    ("", ""),
    ("[80]", "whom the last step is about"),
];

/// Draws it over everything else.
pub fn draw(look: Look, area: Rect, buffer: &mut Buffer) {
    let mut lines: Vec<Line<'_>> =
        KEYS.iter().map(|(key, what)| Line::from(format!(" {key:<14} {what}"))).collect();
    lines.push(Line::from(format!(" {:<14} leads, is dead, has not booted, has halted", look.signs())));
    lines.push(Line::from(format!(" {:<14} is frozen, lies", "z ~")));
    let height = lines.len() as u16 + 2;
    let window = area.centered(Constraint::Length(64), Constraint::Length(height));
    Clear.render(window, buffer);
    Paragraph::new(lines).block(look.panel("Keys".to_owned())).render(window, buffer);
}
