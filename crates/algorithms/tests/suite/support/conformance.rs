//! The requirements on every registered algorithm. Each violation is reported as a complaint.

use super::subject::Subject;
use super::watching::Watcher;
use bellwether_core::{Driving, Elect, Kind, Links, MAX_KINDS, Order, Spec, Starts, Time, Timing};
use bellwether_runspec::{Attributes, Callers, RunSpec};
use bellwether_sim::{
    JsonTrace, LinkOrder, Plan, Report, RoundMode, Runner, claimed_rounds, simulate, simulate_observed,
};
use bellwether_testkit::dice::Dice;
use std::collections::BTreeSet;

/// The checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// The spec is well-formed.
    Spec,
    /// No live member names any leader but the highest-ranked live member.
    Safety,
    /// The run ends and reaches its goal.
    Liveness,
    /// Every claim holds.
    Claims,
    /// Messages survive the wire, and their kinds are declared.
    Messages,
    /// The published states agree with the outcome, and halted members send nothing.
    Statuses,
    /// The same plan gives the same trace.
    Determinism,
    /// Wake hints are correct.
    WakeHints,
    /// A synchroniser gives the same run.
    Synchroniser,
    /// States compare, hash and count correctly, and keep their invariants.
    States,
}

pub type Complaints = Vec<(Check, String)>;

/// No entry of a registry has a complaint.
pub fn assert_conforms(entries: &[Subject]) {
    let mut all = complaints_about_names(&entries.iter().map(|entry| *entry.spec).collect::<Vec<_>>());
    for entry in entries {
        all.extend(complaints_about(entry));
    }
    assert!(all.is_empty(), "{} complaints: {:#?}", all.len(), &all[..5.min(all.len())]);
}

/// The checks that complain about an entry.
pub fn failed_checks(entry: &Subject) -> BTreeSet<Check> {
    complaints_about(entry).into_iter().map(|(check, _)| check).collect()
}

/// All complaints about one entry.
pub fn complaints_about(entry: &Subject) -> Complaints {
    let spec = entry.spec;
    let mut all = complaints_about_spec(spec, entry.kinds);
    for n in 1..=9 {
        for plan in plans(spec, n) {
            let found = complaints_about_run(entry, &plan);
            let context = format!(
                "{} {} n {n} {:?} {:?} {:?} seed {}",
                spec.name, spec.variant, plan.ranks, plan.initiators, plan.delay, plan.seed
            );
            all.extend(found.into_iter().map(|(check, what)| (check, format!("{what} ({context})"))));
        }
    }
    all
}

/// Runs that would take more rounds are left out: over a synchroniser every round is full of markers. This concerns
/// algorithms that trade time for messages, if the highest rank is far from the highest possible one.
const MOST_ROUNDS: f64 = 1_000.0;

/// Plans on the network that the algorithm needs, with delays and initiators that it allows.
fn plans(spec: &Spec, n: u64) -> Vec<Plan> {
    let mut plans = Vec::new();
    let delays: &[&str] =
        if spec.timing == Timing::Rounds { &["unit"] } else { &["unit", "uniform:0.1..2.0", "uniform:1..3"] };
    for (seed, elect) in [Elect::Best, Elect::Worst, Elect::Best, Elect::Worst].into_iter().enumerate() {
        for delay in delays {
            let one = bellwether_core::Id::new(1 + (seed as u64 * 5) % n).expect("small ids");
            let may_choose = spec.starts == Starts::Callers && seed >= 2;
            let setup = RunSpec {
                nodes: Some(n),
                order: Some(Order::Random),
                elect,
                attributes: if seed % 2 == 0 { Attributes::None } else { Attributes::Random },
                initiators: if may_choose { Callers::Ids(vec![one]) } else { Callers::All },
                delay: delay.parse().expect("a delay"),
                links: if spec.links == Links::Any { LinkOrder::Reordering } else { LinkOrder::Fifo },
                until: Some(Time::from_ticks(10_000_000)),
                max_messages: Some(20_000),
                ..RunSpec::default()
            };
            plans.push(setup.plan(spec, seed as u64).expect("the default network fits"));
        }
    }
    plans.retain(|plan| {
        claimed_rounds(spec, &plan.setting(spec, &plan.dead()))
            .is_none_or(|(rounds, _)| rounds <= MOST_ROUNDS)
    });
    plans
}

fn complaints_about_run(entry: &Subject, plan: &Plan) -> Complaints {
    let mut found = Vec::new();
    let mut watcher = Watcher::new(entry.typed, plan.n());
    let report = simulate_observed(entry, plan, RoundMode::Auto, &mut watcher);
    if let Some(why) = &report.ruling.unsafe_because {
        found.push((Check::Safety, why.clone()));
    }
    if let Some(why) = &report.ruling.not_live_because {
        found.push((Check::Liveness, why.clone()));
    }
    if !report.finished {
        found.push((Check::Liveness, "the run did not end".into()));
    }
    for claim in report.claims.iter().filter(|claim| !claim.holds) {
        found.push((Check::Claims, format!("{claim:?}")));
    }
    let on_the_wire = watcher.wire_complaints(&report);
    // A trace cannot name kinds that are not declared.
    if on_the_wire.is_empty() && json_trace(entry, plan) != json_trace(entry, plan) {
        found.push((Check::Determinism, "two runs of one plan differ".into()));
    }
    found.extend(on_the_wire.into_iter().map(|what| (Check::Messages, what)));
    let of_statuses = watcher.status_complaints(entry.spec, plan, &report);
    found.extend(of_statuses.into_iter().map(|what| (Check::Statuses, what)));
    if let Some(all_members) = entry.visiting_everyone(plan)
        && all_members != report
    {
        let counts = (&report.messages, &all_members.messages);
        found.push((Check::WakeHints, format!("visiting all members changes the run: {counts:?}")));
    }
    let of_states = super::states::complaints(entry.machine, plan, &mut Dice(plan.seed));
    found.extend(of_states.into_iter().map(|what| (Check::States, what)));
    if let Some(what) = synchroniser_complaint(entry, plan, &report) {
        found.push((Check::Synchroniser, what));
    }
    found
}

fn json_trace(entry: &Runner, plan: &Plan) -> (Report, Vec<u8>) {
    let mut trace = JsonTrace::new(Vec::new(), &plan.topology, &plan.ranks, &"conformance");
    let report = simulate_observed(entry, plan, RoundMode::Auto, &mut trace);
    (report, trace.finish(&"end").expect("writing to memory"))
}

/// An algorithm in rounds elects the same leader over a synchroniser, with the same messages of its own.
fn synchroniser_complaint(entry: &Runner, plan: &Plan, in_step: &Report) -> Option<String> {
    if entry.driving == Driving::Events {
        return None;
    }
    let mut plan = plan.clone();
    for delay in ["unit", "uniform:0.1..2.0", "exponential:1"] {
        plan.delay = delay.parse().expect("a delay");
        plan.delay_bound = plan.delay.bound();
        let mut report = simulate(entry, &plan, RoundMode::Synchroniser);
        let markers = report.messages.by_kind.remove("marker");
        if markers != Some(report.messages.control) {
            return Some(format!(
                "{delay}: {markers:?} markers, {} control messages",
                report.messages.control
            ));
        }
        if report.messages.by_kind != in_step.messages.by_kind
            || report.ruling.leader != in_step.ruling.leader
        {
            let outcomes = (&in_step.ruling, &in_step.messages, &report.ruling, &report.messages);
            return Some(format!("{delay}: in step and not are different: {outcomes:?}"));
        }
        if let Some(claim) = report.claims.iter().find(|claim| !claim.holds) {
            return Some(format!("{delay}: {claim:?}"));
        }
    }
    None
}

/// Variants differ by their names, and those of one algorithm are together.
pub fn complaints_about_names(specs: &[Spec]) -> Complaints {
    let mut found = Complaints::new();
    for (at, spec) in specs.iter().enumerate() {
        let before = &specs[..at];
        if before.iter().any(|other| (other.name, other.variant) == (spec.name, spec.variant)) {
            found.push((Check::Spec, format!("{} {} is there twice", spec.name, spec.variant)));
        }
        if at > 0 && specs[at - 1].name != spec.name && before.iter().any(|other| other.name == spec.name) {
            found.push((Check::Spec, format!("the variants of {} are not together", spec.name)));
        }
    }
    found
}

/// A spec is complete, in the forms that commands and tables rely on.
pub fn complaints_about_spec(spec: &Spec, kinds: &[Kind]) -> Complaints {
    let is_word = |name: &str, joint: char| {
        name.split(joint).all(|part| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
    };
    let unique = |names: Vec<&str>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let claims: Vec<&str> = spec.claims.iter().map(|claim| claim.name).collect();
    let kind_names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let full = |text: &str| !text.trim().is_empty();
    let rules = [
        (is_word(spec.name, '-'), "its name is in kebab case"),
        (is_word(spec.variant, '-'), "its variant's name is in kebab case"),
        (full(spec.summary) && !spec.summary.contains('\n'), "its summary is one line"),
        (!spec.sources.is_empty(), "it has a source"),
        (
            spec.sources.iter().all(|s| full(s.authors) && full(s.title) && s.year > 1900),
            "its sources are complete",
        ),
        (!claims.is_empty(), "it claims something"),
        (claims.iter().all(|name| is_word(name, '_')), "its claims' names are in snake case"),
        (unique(claims), "its claims' names differ"),
        (spec.claims.iter().all(|claim| full(claim.formula)), "its claims have formulas"),
        (!kinds.is_empty() && kinds.len() <= MAX_KINDS, "it has kinds of messages, and not too many"),
        (unique(kind_names), "its kinds' names differ"),
        (
            kinds.iter().all(|kind| full(kind.name) && kind.name == kind.name.to_lowercase()),
            "kinds are words",
        ),
        (kinds.iter().all(|kind| kind.name != "marker"), "no kind has the synchroniser's name"),
    ];
    let headings: Vec<&str> = spec.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let rules = rules.into_iter().chain([
        (headings == Spec::SECTIONS, "its text has the sections it should"),
        (spec.text.split_whitespace().count() <= 1_200, "its text has at most 1,200 words"),
        (spec.text.lines().all(|line| line.chars().count() <= 110), "its text's lines are short"),
    ]);
    let broken = rules.filter(|(kept, _)| !kept);
    broken.map(|(_, rule)| (Check::Spec, format!("{} {}: {rule}", spec.name, spec.variant))).collect()
}
