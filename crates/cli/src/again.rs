//! The command that repeats a run.

use crate::args::values::comma_separated;
use crate::args::{CheckArgs, ElectArg, LinksArg, MayArgs, SimulateArgs, TimingArg, Whether, word};
use crate::choice::Choice;
use bellwether_check::InitiatorSets;
use bellwether_core::{Elect, Fate, FaultArgument, FaultEvent, FaultKind, Id, Time};
use bellwether_sim::faults::LinkFaults;
use bellwether_sim::faults::notation::{DriftBound, Interval, Leap, Rate};
use bellwether_sim::script;
use bellwether_sim::{Callers, Delay, LinkOrder, Members, Setup};
use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

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
    let mut algorithm = args.algorithm.clone();
    if let Some(renewals) = args.renewals {
        let separator = if algorithm.contains(':') { ',' } else { ':' };
        algorithm += &format!("{separator}renewals={renewals}");
    }
    let mut line = Line(format!("bellwether simulate {}", quoted(&algorithm)));
    line.option("variant", args.variant.as_deref());
    line.option("ids", args.ids.as_deref().map(comma_separated));
    line.option("nodes", args.nodes);
    line.option("order", args.order.map(word));
    line.option("attributes", args.attributes.as_ref());
    line.option("id-bound", args.id_bound);
    line.flag("identical", args.identical);
    line.option("elect", (args.elect != ElectArg::default()).then(|| word(args.elect)));
    line.list("witnesses", &args.witnesses);
    line.list("observers", &args.observers);
    line.option("initiators", args.initiators.as_ref());
    line.option("restart-after", args.restart_after);
    line.option("topology", args.topology.as_deref());
    line.option("delay", args.delay.as_deref());
    line.option("delay-bound", args.delay_bound);
    line.option("drift-bound", args.drift_bound);
    line.option("links", (args.links != LinksArg::default()).then(|| word(args.links)));
    line.flag("synchroniser", args.synchroniser);
    for (name, value) in args.faults.written() {
        match value {
            Some(value) => line.option(name, Some(value)),
            None => line.flag(name, true),
        }
    }
    line.option("max-messages", args.max_messages);
    line.option("until", args.until);
    line.option("runs", (runs > 1).then_some(runs));
    line.option("seed", Some(seed));
    line.0
}

/// The command line that simulates a setup whose members are listed, as a swarm draws them.
pub fn simulation(choice: &Choice, setup: &Setup, seed: u64) -> String {
    let mut line = Line(format!("bellwether simulate {}", quoted(&choice.label())));
    let ids: &[Id] = if let Some(Members::Ids(ids)) = &setup.members { ids } else { &[] };
    line.option("ids", Some(comma_separated(ids)));
    line.option("id-bound", setup.id_bound);
    line.option("elect", (setup.elect == Elect::Worst).then(|| word(ElectArg::Worst)));
    line.list("witnesses", &setup.witnesses);
    line.list("observers", &setup.observers);
    if let Callers::Ids(callers) = &setup.callers {
        let none = callers.is_empty();
        line.option("initiators", Some(if none { "none".to_owned() } else { comma_separated(callers) }));
    }
    line.option("restart-after", setup.restart_after);
    line.option("topology", setup.shape.as_ref());
    line.option("delay", (setup.delay != Delay::Unit).then_some(&setup.delay));
    line.option("delay-bound", setup.delay_bound);
    line.option("drift-bound", setup.drift_bound.map(DriftBound));
    line.option("links", (setup.links == LinkOrder::Reordering).then(|| word(LinksArg::Reordering)));
    line.script(&script::lines(&setup.script, ids));
    line.link_faults(&setup.link_faults);
    line.flag("ring-closes", setup.ring_closes);
    line.flag("certified-crashes", setup.certified_crashes);
    line.option("detector", setup.detector.as_ref());
    line.option("until", (setup.limits.time != Time::NEVER).then_some(setup.limits.time));
    line.option("seed", Some(seed));
    line.0
}

/// The command line that checks the same again, with the same limits. What does not bear on what is found (threads, format, files)
/// is left out.
pub fn check(args: &CheckArgs) -> String {
    let mut line =
        Line(format!("bellwether check {}", quoted(args.algorithm.as_deref().unwrap_or_default())));
    line.option("variant", args.variant.as_deref());
    line.option("ids", args.ids.as_deref().map(comma_separated));
    line.option("nodes", args.nodes);
    line.option("order", args.order.map(word));
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
    line.option("links", (*links != LinksArg::default()).then(|| word(*links)));
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
}

impl Line {
    /// Options that may be given several values at once are.
    fn list(&mut self, name: &str, values: &[impl Display]) {
        self.option(name, (!values.is_empty()).then(|| comma_separated(values)));
    }

    fn script(&mut self, lines: &[script::Line]) {
        // Options in the order in which they first come up, each with all of its values.
        let mut options: Vec<(&str, Vec<String>)> = Vec::new();
        for line in lines {
            let (name, value) = scripted(line);
            match options.iter_mut().find(|(other, _)| *other == name && name != "partition") {
                Some((_, values)) => values.push(value),
                None => options.push((name, vec![value])),
            }
        }
        for (name, values) in options {
            self.list(name, &values);
        }
    }

    fn link_faults(&mut self, faults: &LinkFaults<Id>) {
        let LinkFaults { loss, burst, duplication, reordering, held_up, until, chosen } = faults;
        let share = |share: f64| (share > 0.0).then_some(share);
        self.option("loss", share(*loss));
        self.option("burst", (*burst > 1.0).then_some(burst));
        self.option("duplication", share(*duplication));
        self.option("reordering", share(*reordering));
        let usual = LinkFaults::<Id>::default();
        self.option("held-up", (*held_up != usual.held_up).then_some(held_up));
        self.option("faults-until", (*until != usual.until).then_some(until));
        for (name, fate) in [("lose", Fate::Lost), ("duplicate", Fate::Twice)] {
            let patterns = chosen.iter().filter(|one| one.fate == fate).map(ToString::to_string);
            self.list(name, &patterns.collect::<Vec<_>>());
        }
    }
}

/// The option of a line of a script, and its value.
fn scripted(line: &script::Line) -> (&'static str, String) {
    match line {
        script::Line::Once((id, what, at)) => (what.kind().word(), once(*id, *what, *at)),
        script::Line::Pause(id, interval) => ("pause", during(id, interval)),
        script::Line::Cut(a, b, interval) => ("cut", during(format_args!("{a}-{b}"), interval)),
        script::Line::CutOneWay(a, b, interval) => ("cut-one-way", during(format_args!("{a}-{b}"), interval)),
        script::Line::Partition(groups, interval) => {
            let group = |group: &Vec<Id>| group.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
            let groups: Vec<String> = groups.iter().map(group).collect();
            ("partition", during(groups.join("/"), interval))
        }
    }
}

fn during(what: impl Display, interval: &Interval) -> String {
    format!("{what}@{interval}")
}

fn once(id: Id, what: FaultEvent<Id>, at: Time) -> String {
    match what.into_parts() {
        (FaultKind::Heal, _) => at.to_string(),
        (_, None) => format!("{id}@{at}"),
        (_, Some(FaultArgument::Rate(gains))) => format!("{id}@{at}:{}", Rate(gains)),
        (_, Some(FaultArgument::Ticks(ticks))) => format!("{id}@{at}:{}", Leap(ticks)),
        (_, Some(FaultArgument::Member(other) | FaultArgument::Id(other))) => format!("{id}@{at}:{other}"),
    }
}

/// A word as a shell takes it literally.
pub fn quoted(word: &str) -> Cow<'_, str> {
    // What options are made of has no meaning to a shell within a word; shlex would quote commas for odd uses of it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/@+%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    shlex::Quoter::new().allow_nul(true).quote(word).expect("only a NUL is refused")
}
