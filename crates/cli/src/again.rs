//! The command that repeats a run.

use crate::args::values::comma_separated;
use crate::args::{ElectArg, LinksArg, SimulateArgs, word};

/// The command line that gives the same outcome again. What does not bear on the outcome (threads,
/// memory, format, trace) is left out.
pub fn command(args: &SimulateArgs) -> String {
    command_of(args, args.seed.unwrap_or(0), args.runs)
}

/// The command line that runs one seed of many again.
pub fn single(args: &SimulateArgs, seed: u64) -> String {
    command_of(args, seed, 1)
}

fn command_of(args: &SimulateArgs, seed: u64, runs: u64) -> String {
    let mut line = Line(format!("bellwether simulate {}", quoted(&args.algorithm)));
    line.option("variant", args.variant.as_deref());
    line.option("ids", args.ids.as_deref().map(comma_separated));
    line.option("nodes", args.nodes);
    line.option("order", args.order.map(word));
    line.option("attributes", args.attributes.as_ref());
    line.option("id-bound", args.id_bound);
    if args.identical {
        line.0.push_str(" --identical");
    }
    line.option("elect", (args.elect != ElectArg::default()).then(|| word(args.elect)));
    line.option("initiators", args.initiators.as_ref());
    line.option("topology", args.topology.as_deref());
    line.option("delay", args.delay.as_deref());
    line.option("delay-bound", args.delay_bound);
    line.option("links", (args.links != LinksArg::default()).then(|| word(args.links)));
    if args.synchroniser {
        line.0.push_str(" --synchroniser");
    }
    for (name, value) in args.faults.written() {
        match value {
            Some(value) => line.option(name, Some(value)),
            None => line.0.push_str(&format!(" --{name}")),
        }
    }
    line.option("max-messages", args.max_messages);
    line.option("until", args.until);
    line.option("runs", (runs > 1).then_some(runs));
    line.option("seed", Some(seed));
    line.0
}

struct Line(String);

impl Line {
    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push_str(&format!(" --{name} {}", quoted(&value.to_string())));
        }
    }
}

/// A word as a shell takes it literally.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@+%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
