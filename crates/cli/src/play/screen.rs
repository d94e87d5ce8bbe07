//! The whole screen.

use super::look::Look;
use super::model::Model;
use super::{help, log, members, network, why};
use bellwether_lab::recording::Recording;
use bellwether_lab::wording::{self, Heading};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget as _;

/// The lower panels have so many lines, while the upper ones have more.
const LOWER: u16 = 8;
/// The list of messages under way has at least so many lines.
const LEAST_FLIGHTS: u16 = 4;

/// Everything that the screen shows.
pub struct Screen<'a> {
    /// The run.
    pub recording: &'a Recording,
    /// What it is called.
    pub heading: &'a Heading,
    /// Where the onlooker is in it.
    pub model: &'a Model,
    /// What the terminal can show.
    pub look: Look,
}

impl Screen<'_> {
    /// Draws it all.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let Screen { recording, heading, model, look } = *self;
        let lower = LOWER.min(area.height / 3);
        let rows =
            [Constraint::Length(1), Constraint::Fill(1), Constraint::Length(lower), Constraint::Length(1)];
        let [top, upper, lower, bottom] = area.layout(&Layout::vertical(rows));
        let columns = Layout::horizontal([Constraint::Fill(9), Constraint::Fill(11)]);
        let [picture, right] = upper.layout(&columns);
        let [left, log] = lower.layout(&columns);
        let wanted = members::wanted_height(recording).min(right.height.saturating_sub(LEAST_FLIGHTS));
        let split = Layout::vertical([Constraint::Length(wanted), Constraint::Fill(1)]);
        let [table, flights] = right.layout(&split);

        self.head(top.width).render(top, buffer);
        network::draw(recording, model, look, picture, buffer);
        members::draw(recording, model, look, table, buffer);
        members::draw_flights(recording, model, look, flights, buffer);
        why::draw(recording, heading, model, look, left, buffer);
        log::draw(recording, model, look, log, buffer);
        self.foot().render(bottom, buffer);
        if model.help {
            help::draw(look, area, buffer);
        }
    }

    /// The title on the left, where we are on the right.
    fn head(&self, width: u16) -> Line<'static> {
        let Screen { recording, model, look, .. } = self;
        let now = wording::time(recording, recording.after(model.done).now());
        let speed = model.steps_a_second();
        let mut place = format!("step {}/{}  {now}  ", model.done, recording.steps.len());
        if let Some(member) = model.follows {
            place += &format!("only {}  ", recording.id(member));
        }
        place += &format!("{} {speed}/s", look.playing(model.playing));
        let room = usize::from(width).saturating_sub(place.chars().count() + 1);
        let title: String = self.heading.title.chars().take(room).collect();
        Line::styled(format!("{title:<room$} {place}"), look.current())
    }

    /// The question, what is to be said about the last key, or the keys.
    fn foot(&self) -> Line<'static> {
        let Screen { model, look, .. } = self;
        match (&model.question, &model.notice) {
            (Some(question), _) => {
                Line::styled(format!("{} {}_", question.about.words(), question.answer), look.strong())
            }
            (None, Some(notice)) => Line::styled(notice.clone(), look.changed()),
            (None, None) => Line::styled(
                format!(
                    "{} step  space play  +/- speed  d decision  g/t go to  m member  ? help  q quit",
                    look.arrows()
                ),
                look.faint(),
            ),
        }
    }
}
