//! From a setup to the text of a scenario file.

use super::MOST_MESSAGES;
use super::expect::OUTCOMES;
use bellwether_core::{Elect, Fate, FaultArgument, FaultEvent, FaultKind, HOP, Id, Order, Spec, Time};
use bellwether_sim::Delay;
use bellwether_sim::LinkOrder;
use bellwether_sim::Report;
use bellwether_sim::faults::LinkFaults;
use bellwether_sim::faults::notation::{DriftBound, Interval, Rate};
use bellwether_sim::schedule::Schedule;
use bellwether_sim::schedule::{Liberties, TimeModel};
use bellwether_sim::script::{self, Line};
use bellwether_sim::{Attributes, Callers, Members, Setup};
use std::fmt::Display;

/// A run to be written down.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What there is to see.
    pub about: &'a str,
    /// The algorithm.
    pub spec: &'a Spec,
    /// Everything else about the run.
    pub setup: &'a Setup,
    /// From which all randomness is drawn.
    pub seed: u64,
    /// What came of it, and should come of it again.
    pub report: &'a Report,
}

/// The text of a scenario file. Networks and delays that are read from files cannot be written down; the
/// caller has none of those.
#[must_use]
pub fn write(draft: &Draft<'_>) -> String {
    let Draft { title, about, spec, setup, seed, report } = *draft;
    let mut text = Text::default();
    text.key("title", quoted(title));
    text.key("about", quoted(about));
    let given = setup.params.without_defaults(spec.parameters).suffix(spec.parameters);
    text.key("algorithm", quoted(&format!("{}{given}", spec.name)));
    text.key("variant", quoted(spec.variant));
    text.members(setup);
    text.maybe("topology", setup.shape.as_ref().map(|shape| quoted(&shape.to_string())));
    text.maybe("delay", (setup.delay != Delay::Unit).then(|| quoted(&setup.delay.to_string())));
    text.maybe("delay_bound", setup.delay_bound);
    text.maybe("drift_bound", setup.drift_bound.map(|bound| quoted(&DriftBound(bound).to_string())));
    text.maybe("links", (setup.links == LinkOrder::Reordering).then(|| quoted("reordering")));
    text.link_faults(&setup.link_faults);
    text.maybe("ring_closes", setup.ring_closes.then_some(true));
    text.maybe("certified_crashes", setup.certified_crashes.then_some(true));
    text.maybe("restart_after", setup.restart_after);
    text.maybe("detector", setup.detector.as_ref().map(|detector| quoted(&detector.to_string())));
    text.key("seed", seed);
    let limits = setup.limits;
    text.maybe("until", (limits.time != Time::NEVER).then_some(limits.time));
    text.maybe("max_messages", (limits.messages < MOST_MESSAGES).then_some(limits.messages));
    let ids = if let Some(Members::Ids(ids)) = &setup.members { ids.as_slice() } else { &[] };
    if let Some(schedule) = &setup.schedule {
        text.schedule(schedule);
    }
    for line in script::lines(&setup.script, ids) {
        text.event(&line);
    }
    text.0.push_str("\n[expect]\n");
    let outcome = OUTCOMES.iter().find(|(_, outcome)| *outcome == report.ruling.outcome);
    text.maybe("outcome", outcome.map(|(name, _)| quoted(name)));
    text.key("safe", report.ruling.unsafe_because.is_none());
    text.key("live", report.ruling.not_live_because.is_none());
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn key(&mut self, key: &str, value: impl Display) {
        self.0.push_str(&format!("{key} = {value}\n"));
    }

    fn maybe(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.key(key, value);
        }
    }

    fn members(&mut self, setup: &Setup) {
        match &setup.members {
            Some(Members::Ids(members)) => self.key("ids", list(members)),
            Some(Members::Count { n, order }) => {
                self.key("nodes", n);
                let order = match order {
                    Order::Best => Some("best"),
                    Order::Worst => Some("worst"),
                    Order::Random | Order::Explicit => None,
                };
                self.maybe("order", order.map(quoted));
            }
            None => {}
        }
        match &setup.attributes {
            Attributes::None => {}
            Attributes::Random => self.key("attributes", quoted("random")),
            Attributes::Listed(attributes) => self.key("attributes", list(attributes)),
        }
        self.maybe("id_bound", setup.id_bound);
        self.maybe("identical", setup.identical.then_some(true));
        self.maybe("elect", (setup.elect == Elect::Worst).then(|| quoted("worst")));
        for (key, ids) in [("witnesses", &setup.witnesses), ("observers", &setup.observers)] {
            self.maybe(key, (!ids.is_empty()).then(|| list(ids)));
        }
        if let Callers::Ids(callers) = &setup.callers {
            self.key("initiators", list(callers));
        }
    }

    fn link_faults(&mut self, faults: &LinkFaults<Id>) {
        let LinkFaults { loss, burst, duplication, reordering, held_up, until, chosen } = faults;
        self.maybe("loss", (*loss > 0.0).then_some(loss));
        self.maybe("burst", (*burst > 1.0).then_some(burst));
        self.maybe("duplication", (*duplication > 0.0).then_some(duplication));
        self.maybe("reordering", (*reordering > 0.0).then_some(reordering));
        let usual = LinkFaults::<Id>::default();
        self.maybe("held_up", (*held_up != usual.held_up).then_some(held_up));
        self.maybe("faults_until", (*until != usual.until).then_some(until));
        for (key, fate) in [("lose", Fate::Lost), ("duplicate", Fate::Twice)] {
            let patterns: Vec<String> =
                chosen.iter().filter(|one| one.fate == fate).map(|one| quoted(&one.to_string())).collect();
            self.maybe(key, (!patterns.is_empty()).then(|| list(&patterns)));
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        let Schedule { liberties, beginning, actions, loop_from } = schedule;
        self.0.push_str("schedule = [\n");
        for action in actions {
            self.0.push_str(&format!("  {},\n", quoted(&action.to_string())));
        }
        self.0.push_str("]\n");
        self.maybe("loops_from", loop_from.map(|from| u64::from(from) + 1));
        self.maybe("beginning", (*beginning > 0).then(|| u64::from(*beginning) + 1));
        let needed = Liberties::needed_for(actions);
        if *liberties == needed {
            return;
        }
        self.0.push_str("\n[liberties]\n");
        let Liberties {
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
            detector,
            certified,
            time,
            ticks,
            stops_at_goal,
        } = *liberties;
        self.maybe("crashes", (crashes != needed.crashes).then_some(crashes));
        self.maybe("recoveries", (recoveries != needed.recoveries).then_some(recoveries));
        self.maybe("losses", (losses != needed.losses).then_some(losses));
        self.maybe("duplicates", (duplicates != needed.duplicates).then_some(duplicates));
        self.maybe("pauses", (pauses != needed.pauses).then_some(pauses));
        self.maybe("requests", (requests != needed.requests).then_some(requests));
        self.maybe("suspicions", (suspicions != needed.suspicions).then_some(suspicions));
        self.maybe("restarts", (restarts != needed.restarts).then_some(restarts));
        self.maybe("restart_after", (restart_after != needed.restart_after).then_some(restart_after));
        self.maybe("draws", (draws != needed.draws).then_some(draws));
        self.maybe("late_calls", (late_calls != needed.late_calls).then_some(late_calls));
        self.maybe("detector", (detector != needed.detector).then_some(detector));
        self.maybe("certified", (certified != needed.certified).then_some(certified));
        if let TimeModel::Clock { grain, drift } = time {
            let is_needed = time != needed.time;
            self.maybe("clock", is_needed.then(|| format!("{{ grain = {grain}, drift = {drift} }}")));
        }
        self.maybe("ticks", (ticks != needed.ticks).then_some(ticks));
        self.maybe("stops_at_goal", stops_at_goal.then_some(true));
    }

    fn event(&mut self, line: &Line) {
        self.0.push_str("\n[[event]]\n");
        match line {
            Line::Once((id, what, at)) => {
                self.key("at", at);
                self.once(*id, *what);
            }
            Line::Pause(id, interval) => self.interval(interval, "pause", id),
            Line::Cut(a, b, interval) => self.interval(interval, "cut", list(&[a, b])),
            Line::CutOneWay(a, b, interval) => {
                self.interval(interval, "cut", list(&[a, b]));
                self.key("one_way", true);
            }
            Line::Partition(groups, interval) => {
                let groups: Vec<String> = groups.iter().map(|group| list(group)).collect();
                self.interval(interval, "partition", list(&groups));
            }
        }
    }

    fn interval(&mut self, interval: &Interval, key: &str, value: impl Display) {
        self.key("at", interval.from);
        self.key(key, value);
        self.maybe("until", interval.to);
    }

    fn once(&mut self, id: Id, what: FaultEvent<Id>) {
        let (kind, argument) = what.into_parts();
        let key = kind.word().replace('-', "_");
        match what {
            FaultEvent::Heal => self.key(&key, true),
            FaultEvent::Cut(other) | FaultEvent::Mend(other) => {
                self.key(&key, list(&[id, other]));
                self.key("one_way", true);
            }
            _ => self.key(&key, id),
        }
        match (kind, argument) {
            (FaultKind::Pretend, Some(FaultArgument::Id(other))) => self.key("as", other),
            (FaultKind::Forge, Some(FaultArgument::Id(leader))) => self.key("leader", leader),
            (FaultKind::Silence, Some(FaultArgument::Member(other))) => self.key("towards", other),
            (FaultKind::Transfer, Some(FaultArgument::Id(other))) => self.key("to", other),
            (FaultKind::Admit | FaultKind::Dismiss, Some(FaultArgument::Id(other))) => {
                self.key("whom", other);
            }
            (_, Some(FaultArgument::Rate(millionths))) => {
                self.key("by", quoted(&Rate(millionths).to_string()));
            }
            (_, Some(FaultArgument::Ticks(ticks))) => self.key("by", ticks as f64 / HOP.ticks() as f64),
            _ => {}
        }
    }
}

fn list(items: &[impl Display]) -> String {
    format!("[{}]", items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

/// A string of TOML. What Rust escapes in our own words, TOML escapes in the same way.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}
