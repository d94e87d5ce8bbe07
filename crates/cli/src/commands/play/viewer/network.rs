//! The network as a picture: members on an ellipse, messages on their way between them.

use super::model::Model;
use super::sketch::Sketch;
use crate::look::Look;
use bellwether_core::{NEXT, Topology};
use bellwether_model::recording::{Flight, Recording, RunState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;
use std::f64::consts::TAU;

/// With more links than that, they would cover the sheet.
const MOST_LINKS: u64 = 24;
/// Messages keep this part of their way from members at both its ends, so as not to hide them.
const CLEARANCE: f64 = 0.2;
/// What a message says has so many letters at most.
const LONGEST_WORD: usize = 10;

/// Draws a moment of a run.
pub fn draw(recording: &Recording, model: &Model, look: Look, area: Rect, buffer: &mut Buffer) {
    let moment = recording.after(model.done);
    let panel = look.panel(title(recording)).title_bottom(legend(recording, look));
    let inner = panel.inner(area);
    panel.render(area, buffer);
    let mut picture = Picture { recording, look, sketch: Sketch::new(inner, buffer) };
    picture.draw_links();
    picture.draw_members(&moment, model);
    for flight in moment.in_flight() {
        picture.draw_message(flight);
    }
}

fn title(recording: &Recording) -> String {
    match recording.topology {
        Topology::Ring { two_way: false, .. } => "Ring, clockwise".to_owned(),
        Topology::Ring { two_way: true, .. } => "Ring, both ways".to_owned(),
        Topology::Overlay { .. } => "Ring, over a complete network".to_owned(),
        Topology::Complete { .. } => "Complete network".to_owned(),
        Topology::Graph(_) => "Network".to_owned(),
    }
}

fn legend(recording: &Recording, look: Look) -> Line<'static> {
    let mut spans = Vec::new();
    for (kind, words) in recording.kinds.iter().enumerate() {
        spans.push(Span::styled(format!(" {} {} ", look.kind(kind), words.name), look.kind_style(kind)));
    }
    Line::from(spans)
}

struct Picture<'a, 'b> {
    recording: &'a Recording,
    look: Look,
    sketch: Sketch<'b>,
}

/// A place on the sheet, in letters.
type Place = (f64, f64);

impl Picture<'_, '_> {
    /// Where on the ellipse, in turns clockwise from the top.
    fn on_ellipse(&self, turns: f64) -> Place {
        let (width, height) = (self.sketch.width(), self.sketch.height());
        let (across, down) = ((width / 2.0 - 5.0).max(1.0), (height / 2.0 - 0.5).max(0.0));
        let angle = turns * TAU;
        ((width - 1.0) / 2.0 + across * angle.sin(), (height - 1.0) / 2.0 - down * angle.cos())
    }

    fn turns(&self, member: u32) -> f64 {
        f64::from(member) / f64::from(self.recording.n())
    }

    fn between(&self, from: u32, to: u32, along: f64) -> Place {
        let (from, to) = (self.on_ellipse(self.turns(from)), self.on_ellipse(self.turns(to)));
        (from.0 + (to.0 - from.0) * along, from.1 + (to.1 - from.1) * along)
    }

    fn draw_links(&mut self) {
        let (letter, style) = (self.look.link(), self.look.faint());
        let topology = &self.recording.topology;
        let mut dots: Vec<Place> = Vec::new();
        // Close enough for a line without gaps.
        let fine = (self.sketch.width() * 4.0) as u32;
        match topology {
            Topology::Ring { .. } | Topology::Overlay { .. } => {
                dots.extend((0..fine).map(|at| self.on_ellipse(f64::from(at) / f64::from(fine))));
            }
            _ if topology.links() <= MOST_LINKS => {
                for from in 0..self.recording.n() {
                    for to in topology.successors(from) {
                        let length = self.sketch.width() as u32;
                        dots.extend(
                            (0..length).map(|at| self.between(from, to, f64::from(at) / f64::from(length))),
                        );
                    }
                }
            }
            _ => {}
        }
        for (x, y) in dots {
            self.sketch.dot(x.round() as i32, y.round() as i32, letter, style);
        }
    }

    /// Those that matter most come first, as there may not be room for all names.
    fn draw_members(&mut self, moment: &RunState<'_>, model: &Model) {
        let current = moment.step().map(|step| step.member);
        let importance = |member: u32| {
            let standing = self.look.standing(moment.seat(member));
            (Some(member) != current, Some(member) != model.follows, standing.is_empty(), member)
        };
        let mut members: Vec<u32> = (0..self.recording.n()).collect();
        members.sort_by_key(|&member| importance(member));
        for member in members {
            let seat = moment.seat(member);
            let name = format!("{}{}", self.look.standing(seat), self.recording.id(member));
            let (name, style) = if Some(member) == current {
                (format!("[{name}]"), self.look.current())
            } else {
                (name, self.look.member_style(seat))
            };
            let (x, y) = self.on_ellipse(self.turns(member));
            let middle = x - (name.chars().count() as f64 - 1.0) / 2.0;
            if !self.sketch.write(middle.round() as i32, y.round() as i32, &name, style) {
                let small = self.look.member().to_string();
                self.sketch.write(x.round() as i32, y.round() as i32, &small, style);
            }
        }
    }

    fn draw_message(&mut self, flight: Flight) {
        let sent = &self.recording.messages[flight.message];
        let along = CLEARANCE + flight.along * (1.0 - 2.0 * CLEARANCE);
        let (from, to) = (sent.from, sent.to);
        let n = self.recording.n();
        let (x, y) = match self.recording.topology {
            Topology::Ring { .. } | Topology::Overlay { .. } if sent.port == NEXT => {
                self.on_ellipse(self.turns(from) + along / f64::from(n))
            }
            Topology::Ring { .. } => self.on_ellipse(self.turns(from) - along / f64::from(n)),
            _ => self.between(from, to, along),
        };
        let symbol = self.look.kind(sent.kind);
        let word: String = sent.text.chars().take(LONGEST_WORD).collect();
        let is_right = x * 2.0 >= self.sketch.width();
        let text = if is_right { format!("{symbol}{word}") } else { format!("{word}{symbol}") };
        let (x, y) = (x.round() as i32, y.round() as i32);
        let left = |text: &str| if is_right { x } else { x + 1 - text.chars().count() as i32 };
        let style = self.look.kind_style(sent.kind);
        // On its place, or as near as there is room; its words are the first to go.
        for text in [text, symbol.to_string()] {
            for (across, down) in
                [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (2, 0), (-2, 0), (1, 1), (-1, -1)]
            {
                if self.sketch.write(left(&text) + across, y + down, &text, style) {
                    return;
                }
            }
        }
    }
}
