//! A run as a Mermaid sequence diagram.
//!
//! Arrows in these diagrams take no time, so a message stands where it arrives.

use crate::recording::{Input, Recording, Step};
use crate::wording::{self, Heading};
use std::fmt::Write as _;

/// Writes the diagram.
pub fn write(recording: &Recording, heading: &Heading) -> String {
    let mut text = String::new();
    if !heading.title.is_empty() {
        // What YAML takes for a string in quotes, JSON does too.
        let _ = writeln!(text, "---\ntitle: {}\n---", serde_json::Value::from(heading.title.as_str()));
    }
    text.push_str("sequenceDiagram\n");
    if !heading.about.is_empty() {
        let _ = writeln!(text, "    accDescr {{ {} }}", heading.about.replace(['{', '}'], " "));
    }
    for member in 0..recording.n() {
        let _ = writeln!(text, "    participant {} as {}", name(member), recording.id(member));
    }
    let mut round = recording.goes_round_from;
    for (number, step) in recording.steps.iter().enumerate() {
        if round.is_some_and(|from| step.at >= from) {
            round = None;
            text.push_str("    loop for ever (here twice)\n");
        }
        arrows(&mut text, recording, step);
        if let Some(note) = note(recording, number, step) {
            let _ = writeln!(text, "    Note over {}: {}", name(step.member), escaped(&note));
        }
        for number in step.sends.clone() {
            let message = &recording.messages[number];
            if let (Some(_), Some(fate)) = (message.dropped, wording::on_the_way(message)) {
                let label = format!("{} ({fate})", recording.label(number));
                let _ =
                    writeln!(text, "    {}-x{}: {}", name(message.from), name(message.to), escaped(&label));
            }
        }
    }
    if recording.goes_round_from.is_some() && round.is_none() {
        text.push_str("    end\n");
    }
    for (number, message) in recording.messages.iter().enumerate() {
        if message.end.is_none() {
            let label = format!("{} (under way)", recording.label(number));
            let _ = writeln!(text, "    {}--){}: {}", name(message.from), name(message.to), escaped(&label));
        }
    }
    text
}

fn name(member: u32) -> String {
    format!("m{member}")
}

fn arrows(text: &mut String, recording: &Recording, step: &Step) {
    for input in &step.inputs {
        let (message, arrow) = match input {
            Input::Message(message) => (*message, "->>"),
            Input::Loss(message) => (*message, "-x"),
            _ => continue,
        };
        let (from, to) = (name(recording.messages[message].from), name(step.member));
        let _ = writeln!(text, "    {from}{arrow}{to}: {}", escaped(&recording.label(message)));
    }
}

/// What is worth a note: what is no message, why, and what an outsider sees of it.
fn note(recording: &Recording, number: usize, step: &Step) -> Option<String> {
    let mut parts = Vec::new();
    let is_quiet_boot = step.inputs == [Input::Boot];
    let brings_messages_only = wording::arrivals(recording, step).count() == step.inputs.len();
    if !is_quiet_boot && !brings_messages_only {
        parts.push(wording::event(recording, step));
    }
    parts.extend(step.reason.map(str::to_owned));
    if recording.is_decision(number) {
        parts.push(format!("now it {}", wording::standing(step.seat.status)));
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// Text with nothing in it that Mermaid would take for its own.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push_str("<br/>"),
            '#' | ';' | '%' | '<' | '>' => {
                let _ = write!(escaped, "#{};", u32::from(letter));
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}
