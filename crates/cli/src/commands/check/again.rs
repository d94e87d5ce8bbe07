//! The command that checks the same again.

use crate::args::{CheckArgs, MayArgs, TimingArg, Whether, word};
use bellwether_check::InitiatorSets;
use bellwether_runspec::form::{Form as _, comma_separated};
use bellwether_runspec::quoted;
use bellwether_sim::LinkOrder;
use std::fmt::Display;
use std::time::Duration;

/// The command line that checks the same again, with the same limits. What does not bear on what is found (threads, format, files)
/// is left out.
pub fn command(args: &CheckArgs) -> String {
    let mut line =
        Line(format!("bellwether check {}", quoted(args.algorithm.as_deref().unwrap_or_default())));
    line.option("variant", args.variant.as_deref());
    line.option("ids", args.ids.as_deref().map(comma_separated));
    line.option("nodes", args.nodes);
    line.option("order", args.order.map(|order| order.to_text()));
    line.option("orders", args.orders.map(word));
    line.option("initiators", (args.initiators != InitiatorSets::All).then_some(&args.initiators));
    line.list("witnesses", &args.witnesses);
    line.list("observers", &args.observers);
    line.option("topology", args.topology.as_deref());
    line.option("seed", (args.seed != 0).then_some(args.seed));
    line.option("drift-bound", args.drift_bound);
    let MayArgs {
        crashes,
        recoveries,
        losses,
        duplicates,
        pauses,
        requests,
        suspicions,
        restarts,
        restart_after,
        draws,
        late_calls,
        links,
        ring_closes,
        detector,
        certified,
        timing,
        grain,
        drift,
        ticks,
    } = &args.may;
    let budgets = [
        ("crashes", crashes),
        ("recoveries", recoveries),
        ("losses", losses),
        ("duplicates", duplicates),
        ("pauses", pauses),
        ("requests", requests),
        ("suspicions", suspicions),
        ("restarts", restarts),
    ];
    for (name, budget) in budgets {
        line.option(name, (*budget > 0).then_some(budget));
    }
    line.option("restart-after", restart_after.as_ref());
    line.option("draws", draws.as_ref());
    line.flag("certified", *certified);
    line.flag("late-calls", *late_calls);
    line.option("links", (*links != LinkOrder::default()).then(|| links.to_text()));
    line.option("ring-closes", (*ring_closes != Whether::Auto).then(|| word(*ring_closes)));
    line.option("detector", (*detector != Whether::Auto).then(|| word(*detector)));
    line.option("timing", (*timing != TimingArg::Auto).then(|| word(*timing)));
    line.option("grain", grain.as_ref());
    line.option("drift", drift.as_ref());
    line.option("ticks", ticks.as_ref());
    line.flag("no-reduction", args.no_reduction);
    line.flag("no-symmetry", args.no_symmetry);
    line.option("memory", args.memory);
    line.option("time", args.time.map(length));
    line.option("states", args.states);
    line.0
}

/// As it is read, in one word.
fn length(time: Duration) -> String {
    humantime::format_duration(time).to_string().replace(' ', "")
}

struct Line(String);

impl Line {
    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.0.push_str(&format!(" --{name}"));
        }
    }

    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push_str(&format!(" --{name} {}", quoted(&value.to_string())));
        }
    }

    /// An option that takes several values at once.
    fn list(&mut self, name: &str, values: &[impl Display]) {
        self.option(name, (!values.is_empty()).then(|| comma_separated(values)));
    }
}
