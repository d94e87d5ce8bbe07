//! A run as a log for ShiViz: events with vector clocks.

use crate::recording::Recording;
use crate::wording;
use std::fmt::Write as _;

/// How ShiViz is to read the log, in its first line; the second, empty, says that it is one run.
pub const PARSER: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

/// Writes the log.
pub fn write(recording: &Recording) -> String {
    let mut text = format!("{PARSER}\n\n");
    let hosts: Vec<String> = recording.ranks.iter().map(|rank| format!("member-{}", rank.id())).collect();
    for (number, (step, clock)) in recording.steps.iter().zip(recording.clocks()).enumerate() {
        let Some(clock) = clock else { continue };
        let _ = writeln!(text, "{}", event(recording, number));
        let _ = write!(text, "{} {{", hosts[step.member as usize]);
        let known = hosts.iter().zip(&*clock).filter(|(_, count)| **count > 0);
        for (at, (host, count)) in known.enumerate() {
            let _ = write!(text, "{}\"{host}\":{count}", if at > 0 { ", " } else { "" });
        }
        text.push_str("}\n");
    }
    text
}

/// What happened, in one line.
fn event(recording: &Recording, number: usize) -> String {
    let step = &recording.steps[number];
    let mut line = format!("t {}: {}", step.at, wording::event(recording, step));
    if let Some(reason) = step.reason {
        let _ = write!(line, " ({reason})");
    }
    for message in step.sends.clone() {
        let _ = write!(line, "; sends {}", wording::sending(recording, message));
    }
    if recording.is_decision(number) {
        let _ = write!(line, "; now {}", wording::standing(step.seat.status));
    }
    line
}
