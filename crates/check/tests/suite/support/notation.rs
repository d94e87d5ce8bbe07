//! Runs as people write them.

use bellwether_check::Counterexample;
use bellwether_sim::rules::{Action, Rules, What, Word};
use std::fmt::Write;

/// One step, with members by their ids.
fn step(rules: &Rules<'_>, action: Action) -> String {
    let id = |member: u32| rules.plan.ranks[member as usize].id();
    let letter = |wire: u8, place: u8| {
        let wire = rules.wires.get(wire);
        let place = if place == 0 { String::new() } else { format!(" #{}", place + 1) };
        format!("{} -> {}{place}", id(wire.from), id(wire.to))
    };
    let mut text = match action.what {
        What::Boot(member) => format!("boot {}", id(member.into())),
        What::Call(member) => format!("call {}", id(member.into())),
        What::Deliver(wire, place) => format!("deliver {}", letter(wire, place)),
        What::TimeOut(member, 0) => format!("time-out {}", id(member.into())),
        What::TimeOut(member, number) => format!("time-out {} #{}", id(member.into()), number + 1),
        What::Tell(member, port, word) => {
            let (peer, _) = rules.plan.topology.peer(member.into(), bellwether_core::Port(port.into()));
            let word = if word == Word::Failed { "failed" } else { "working" };
            format!("tell {}: {} {word}", id(member.into()), id(peer))
        }
        What::Tick => "tick".into(),
        What::Crash(member) => format!("crash {}", id(member.into())),
        What::Recover(member) => format!("recover {}", id(member.into())),
        What::Lose(wire, place) => format!("lose {}", letter(wire, place)),
        What::Duplicate(wire, place) => format!("duplicate {}", letter(wire, place)),
    };
    if action.draw > 0 {
        write!(text, " draw {}", action.draw + 1).expect("writing to a string");
    }
    if let Some(sent) = action.crash_after {
        write!(text, " crash after {sent}").expect("writing to a string");
    }
    text
}

/// A whole run, one step a line.
pub fn written(rules: &Rules<'_>, run: &Counterexample) -> String {
    let mut text = String::new();
    for (number, action) in (0..).zip(&run.actions) {
        if run.loop_from == Some(number) {
            text.push_str("and from here on for ever:\n");
        }
        text.push_str(&step(rules, *action));
        text.push('\n');
    }
    text
}
