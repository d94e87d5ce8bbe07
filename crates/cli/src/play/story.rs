//! The whole run as a text.

use bellwether_lab::recording::Recording;
use bellwether_lab::wording::{self, Heading};
use std::fmt::Write as _;

/// Tells everything, step by step.
pub fn tell(recording: &Recording, heading: &Heading) -> String {
    let mut text = String::new();
    for line in [&heading.title, &heading.about] {
        if !line.is_empty() {
            let _ = writeln!(text, "{line}");
        }
    }
    let members: Vec<String> = recording.ranks.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "Members: {}\n", members.join(", "));
    for number in 0..recording.steps.len() {
        tell_step(&mut text, recording, number);
    }
    let _ = writeln!(text, "\n{}", wording::outcome(recording));
    text
}

fn tell_step(text: &mut String, recording: &Recording, number: usize) {
    let step = &recording.steps[number];
    let when = wording::time(recording, step.at);
    let event = wording::event(recording, step);
    let _ = writeln!(text, "{:>5}  {when:<9} {} {event}", number + 1, recording.id(step.member));
    let mut more = |line: String| {
        let _ = writeln!(text, "{:17}{line}", "");
    };
    if let Some(reason) = step.reason {
        more(format!("why: {reason}"));
    }
    for change in wording::changes(recording, number, "->") {
        more(change);
    }
    for message in step.sends.clone() {
        let (sending, sent) = (wording::sending(recording, message), &recording.messages[message]);
        more(match sent.dropped {
            None => format!("sends {sending}, there at {}", sent.due),
            Some(_) => format!("sends {sending}"),
        });
    }
    if recording.is_decision(number) {
        more(format!("now it {}", wording::standing(step.seat.status)));
    }
}
