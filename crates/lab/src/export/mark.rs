//! What stands for what happens to a member in a space-time diagram.

use super::svg::line;
use crate::recording::{Input, Recording};
use bellwether_core::{Role, Status};
use bellwether_sim::Event;
use std::fmt::Write as _;

/// A red cross.
pub fn cross(svg: &mut String, (x, y): (f64, f64), size: f64) {
    line(svg, "cross", (x - size, y - size), (x + size, y + size));
    line(svg, "cross", (x - size, y + size), (x + size, y - size));
}

/// What stands for what happens to a member at one time. Of several things, the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing happens to it: a message is lost.
    Nothing,
    /// It boots, perhaps again.
    Boots,
    /// Something reaches it.
    Hears,
    /// It calls an election.
    Calls,
    /// Its timer runs out.
    TimesOut,
    /// It knows that another leads.
    Knows,
    /// It leads.
    Leads,
    /// What had gone wrong is put right.
    Righted,
    /// Something goes wrong with it.
    Struck,
    /// It crashes.
    Crashes,
}

impl Mark {
    /// What stands for these steps of one member at one time.
    pub fn of(recording: &Recording, steps: &[usize]) -> Mark {
        steps.iter().map(|&number| Mark::of_step(recording, number)).max().unwrap_or(Mark::Hears)
    }

    fn of_step(recording: &Recording, number: usize) -> Mark {
        let step = &recording.steps[number];
        let before = recording.step_before(number).map_or(Status::UNDECIDED, |step| step.seat.status);
        let Status { role, leader, .. } = step.seat.status;
        let is_news = (role, leader) != (before.role, before.leader);
        match step.inputs.last() {
            Some(Input::Crash) => Mark::Crashes,
            Some(Input::Loss(_)) => Mark::Nothing,
            Some(Input::Struck(Event::Resume | Event::Mend(_) | Event::Heal)) => Mark::Righted,
            Some(Input::Struck(what)) if !matches!(what, Event::Request(_) | Event::Learn(_)) => Mark::Struck,
            _ if is_news && role == Role::Leader => Mark::Leads,
            _ if is_news && (role == Role::Follower || leader.is_some()) => Mark::Knows,
            Some(Input::Timer(_)) => Mark::TimesOut,
            Some(Input::Call | Input::Struck(_)) => Mark::Calls,
            Some(Input::Boot | Input::Recovery) => Mark::Boots,
            _ => Mark::Hears,
        }
    }

    /// What it means.
    pub fn words(self) -> &'static str {
        match self {
            Mark::Nothing => "",
            Mark::Boots => "boots",
            Mark::Hears => "hears",
            Mark::Calls => "calls an election",
            Mark::TimesOut => "timer runs out",
            Mark::Knows => "knows that another leads",
            Mark::Leads => "leads",
            Mark::Righted => "is put right",
            Mark::Struck => "something goes wrong",
            Mark::Crashes => "crashes",
        }
    }

    /// Draws it.
    pub fn draw(self, svg: &mut String, (x, y): (f64, f64)) {
        let circle = |class: &str, radius: f64| {
            format!(r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius}"/>"#)
        };
        match self {
            Mark::Nothing => {}
            Mark::Boots => line(svg, "boot", (x, y - 5.0), (x, y + 5.0)),
            Mark::Hears => svg.push_str(&circle("dot", 4.0)),
            Mark::Calls => svg.push_str(&circle("call", 5.0)),
            Mark::TimesOut => {
                let _ = write!(svg, r#"<path class="timer" d="M{x:.1} {:.1}l6 6l-6 6l-6 -6z"/>"#, y - 6.0);
            }
            Mark::Knows => svg.push_str(&(circle("dot", 4.0) + &circle("knows", 7.5))),
            Mark::Leads => star(svg, (x, y), 12.0),
            Mark::Righted => triangle(svg, "righted", (x, y)),
            Mark::Struck => triangle(svg, "struck", (x, y)),
            Mark::Crashes => cross(svg, (x, y), 6.0),
        }
    }
}

fn triangle(svg: &mut String, class: &str, (x, y): (f64, f64)) {
    let _ = write!(svg, r#"<path class="{class}" d="M{x:.1} {:.1}l7 12h-14z"/>"#, y - 8.0);
}

/// Five points, the first one up.
fn star(svg: &mut String, (x, y): (f64, f64), radius: f64) {
    let mut points = String::new();
    for point in 0..10 {
        let angle = f64::from(point) * std::f64::consts::PI / 5.0;
        let reach = if point % 2 == 0 { radius } else { radius * 0.42 };
        let _ = write!(points, "{:.1},{:.1} ", x + reach * angle.sin(), y - reach * angle.cos());
    }
    let _ = write!(svg, r#"<polygon class="star" points="{}"/>"#, points.trim_end());
}
