//! The members as a table, and the messages under way as a list.

use super::model::Model;
use crate::look::Look;
use bellwether_lab::wording;
use bellwether_model::recording::{Condition, Recording, RunState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget as _};

/// The width of "undecided" and "follows 123".
const STANDING_WIDTH: usize = 11;

/// How many lines the table would like.
pub fn wanted_height(recording: &Recording) -> u16 {
    u16::try_from(recording.n()).unwrap_or(u16::MAX).saturating_add(3)
}

/// Draws the table; where there is no room for all, around those that all is about.
pub fn draw(recording: &Recording, model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let moment = recording.after(model.done);
    let table = Table::new(recording, moment, look);
    let panel = look.panel("Members".to_owned());
    let room = usize::from(panel.inner(area).height.saturating_sub(1));
    let current = model.follows.or(moment.step().map(|step| step.member)).unwrap_or(0) as usize;
    let first = first_shown(current, room, recording.ranks.len());
    let rows = (first..recording.ranks.len()).take(room).map(|member| table.row(member as u32, model));
    let lines: Vec<Line<'_>> = std::iter::once(table.head()).chain(rows).collect();
    Paragraph::new(lines).block(panel).render(area, buffer);
}

/// Which of `all` lines comes first so that the current one is among those there is room for.
fn first_shown(current: usize, room: usize, all: usize) -> usize {
    current.saturating_sub(room / 2).min(all.saturating_sub(room))
}

struct Table<'r> {
    recording: &'r Recording,
    moment: RunState<'r>,
    look: Look,
    id_width: usize,
    /// Nothing where ids alone decide.
    attribute_width: usize,
}

impl<'r> Table<'r> {
    fn new(recording: &'r Recording, moment: RunState<'r>, look: Look) -> Self {
        let widest =
            |texts: &mut dyn Iterator<Item = String>| texts.map(|text| text.len()).max().unwrap_or(0);
        let attributes = || recording.ranks.iter().map(|rank| rank.attribute());
        let attribute_width = if attributes().any(|attribute| attribute != 0) {
            widest(&mut attributes().map(|attribute| attribute.to_string())).max(4)
        } else {
            0
        };
        let id_width = widest(&mut recording.ranks.iter().map(|rank| rank.id().to_string())).max(2);
        Table { recording, moment, look, id_width, attribute_width }
    }

    fn head(&self) -> Line<'r> {
        let attribute = if self.attribute_width > 0 {
            format!(" {:>width$}", "attr", width = self.attribute_width)
        } else {
            String::new()
        };
        let text = format!(
            "   {:>width$}{attribute} {:<STANDING_WIDTH$} state",
            "id",
            "role",
            width = self.id_width
        );
        Line::styled(text, self.look.faint())
    }

    fn row(&self, member: u32, model: &Model) -> Line<'r> {
        let seat = self.moment.seat(member);
        let rank = self.recording.ranks[member as usize];
        let is_current = self.moment.step().is_some_and(|step| step.member == member);
        let (here, follows) =
            (if is_current { self.look.here() } else { " " }, model.follows == Some(member));
        let sign = self.look.standing(seat);
        let mut name = format!("{here}{sign:<1} {:>width$}", rank.id().value(), width = self.id_width);
        if self.attribute_width > 0 {
            name += &format!(" {:>width$}", rank.attribute(), width = self.attribute_width);
        }
        let standing = wording::short_standing(seat);
        let style = if is_current || follows { self.look.strong() } else { self.look.member_style(seat) };
        let mut spans = vec![Span::styled(format!("{name} {standing:<STANDING_WIDTH$}"), style)];
        spans.extend(self.state(member, is_current));
        Line::from(spans)
    }

    /// What a member remembers. What its step has just changed is marked.
    fn state(&self, member: u32, is_current: bool) -> Vec<Span<'r>> {
        let Some(seat) =
            self.moment.seat(member).filter(|seat| matches!(seat.life, Condition::Up | Condition::Frozen))
        else {
            return Vec::new();
        };
        let changes = if is_current { self.recording.changes(self.moment.done() - 1) } else { Vec::new() };
        let is_changed =
            |name: &str| changes.iter().any(|change| change.name == name && change.before.is_some());
        let shown = seat.state.iter().filter(|field| !wording::is_standing(field.name));
        shown
            .map(|field| {
                let text = format!(" {}: {}", field.name, field.value);
                if is_changed(field.name) {
                    Span::styled(format!(" *{}", text.trim_start()), self.look.changed())
                } else {
                    Span::styled(text, self.look.faint())
                }
            })
            .collect()
    }
}

/// Draws the messages under way: those that arrive first come first.
pub fn draw_flights(recording: &Recording, model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let mut flights = recording.after(model.done).in_flight();
    flights.sort_by_key(|flight| (recording.messages[flight.message].due, flight.message));
    let panel = look.panel(format!("Under way: {}", flights.len()));
    let lines = flights.iter().map(|flight| {
        let sent = &recording.messages[flight.message];
        let (from, to) = (recording.id(sent.from), recording.id(sent.to));
        let when = if flight.waits { "waits at the door".to_owned() } else { format!("at {}", sent.due) };
        let text = format!(
            "{} {} {from} {} {to}, {when}",
            look.kind(sent.kind),
            recording.label(flight.message),
            look.becomes()
        );
        Line::styled(text, look.kind_style(sent.kind))
    });
    let lines: Vec<Line<'_>> = lines.take(usize::from(area.height)).collect();
    Paragraph::new(lines).block(panel).render(area, buffer);
}

#[cfg(test)]
mod tests {
    use super::first_shown;

    #[test]
    fn the_current_line_is_always_among_those_shown() {
        for all in 0..20 {
            for room in 1..25 {
                for current in 0..all {
                    let first = first_shown(current, room, all);
                    assert!((first..first + room).contains(&current), "{current} of {all} in {room}");
                    assert!(first == 0 || first + room <= all, "no room is wasted");
                }
            }
        }
    }
}
