//! Helpers that the tests here share: plans of plain numbers, events, and the leaders of a run.

use bellwether_check::{CheckOptions, CheckResult, Checked, Property, check as check_machine};
use bellwether_core::*;
use bellwether_lab::swarm::{Model, Options, draw};
use bellwether_model::{FaultBudget, TimeModel};
use bellwether_runspec::notation::Share;
use bellwether_sim::{
    Delay, Happening, Limits, LinkOrder, Observer, Outcome, Plan, Report, Stop, run_events,
};

/// The time after this many hops.
pub fn hops(hops: u64) -> Time {
    Time::ZERO + HOP * hops
}

pub fn id(value: u64) -> Id {
    Id::new(value).expect("small ids")
}

/// Members with the ids 1 to n, in this order; the time limit is long after the expected end.
pub fn complete(n: u32) -> Plan {
    with_attributes(Elect::Best, &vec![0; n as usize])
}

/// Members with the ids 1 to n, in this order, with these attributes.
pub fn with_attributes(elect: Elect, attributes: &[Attribute]) -> Plan {
    let ranks = (1..).zip(attributes).map(|(number, &attribute)| Rank::new(elect, attribute, id(number)));
    let topology = Topology::Complete { n: attributes.len() as u32 };
    let mut plan = Plan::new(topology, Some(1), ranks.collect(), Order::Explicit);
    plan.limits = Limits { time: hops(3_000), messages: 200_000 };
    plan
}

pub fn with_seed(mut plan: Plan, seed: u64) -> Plan {
    plan.seed = seed;
    plan
}

pub fn with_delay(mut plan: Plan, delay: &str) -> Plan {
    plan.delay = delay.parse::<Delay>().expect("a delay");
    plan.delay_bound = plan.delay.bound();
    plan.links = LinkOrder::Reordering;
    plan
}

/// The plan with this additional event.
pub fn and(mut plan: Plan, script: impl IntoIterator<Item = Happening>) -> Plan {
    plan.script.extend(script);
    plan.script.sort_unstable();
    plan
}

pub fn at(hop: u64, what: FaultEvent, member: u32) -> Happening {
    Happening { at: hops(hop), what, member }
}

/// Messages from these to those members are lost from then on, or arrive again.
pub fn one_way(from: &[u32], to: &[u32], hop: u64, what: fn(u32) -> FaultEvent) -> Vec<Happening> {
    from.iter().flat_map(|&from| to.iter().map(move |&to| at(hop, what(to), from))).collect()
}

/// A partition into two parts, which heals.
pub fn partition(one: &[u32], other: &[u32], from: u64, until: u64) -> Vec<Happening> {
    [(from, FaultEvent::Cut as fn(u32) -> FaultEvent), (until, FaultEvent::Mend)]
        .into_iter()
        .flat_map(|(hop, what)| [one_way(one, other, hop, what), one_way(other, one, hop, what)].concat())
        .collect()
}

/// All members but these.
pub fn others(n: u32, these: &[u32]) -> Vec<u32> {
    (0..n).filter(|member| !these.contains(member)).collect()
}

/// Random numbers for the tests (Steele, Lea and Flood's SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

/// The leaders: when, which member and in which term.
#[derive(Debug, Default)]
pub struct Reigns(pub Vec<(Time, u32, u64)>);

impl Observer for Reigns {
    fn published(&mut self, at: Time, member: u32, status: Status) {
        if status.role == Role::Leader {
            self.0.push((at, member, status.term));
        }
    }
}

impl Reigns {
    /// A term in which two members led.
    pub fn shared_term(&self) -> Option<u64> {
        let is_shared = |&&(_, member, term): &&(Time, u32, u64)| {
            self.0.iter().any(|&(_, other, in_term)| in_term == term && other != member)
        };
        self.0.iter().find(is_shared).map(|&(.., term)| term)
    }

    /// The first to lead after a time.
    pub fn first_after(&self, time: Time) -> Option<(Time, u32, u64)> {
        self.0.iter().copied().find(|&(at, ..)| at > time)
    }
}

/// A variant of an algorithm that differs only in its parameters.
pub fn variant<A: Algorithm>(spec: &'static Spec) -> &'static MachineType {
    Box::leak(Box::new(MachineType::of::<A>().variant(spec)))
}

/// The given parameters of an algorithm, as in `renewals=5`.
pub fn given<A: Algorithm>(text: &str) -> Params {
    Params::parse(A::SPEC.parameters, text).expect("the parameters are valid")
}

pub fn run<A: Algorithm>(plan: &Plan) -> (Report, Reigns) {
    run_of(MachineType::of::<A>(), plan)
}

pub fn run_of(machine: &'static MachineType, plan: &Plan) -> (Report, Reigns) {
    let mut reigns = Reigns::default();
    let report = run_events(machine, plan, &mut reigns, Stop::of(machine.spec));
    (report, reigns)
}

/// Runs a plan for this long, whether or not the outcome is correct.
pub fn run_for<A: Algorithm>(plan: &Plan, span: u64) -> (Report, Reigns) {
    run_of_for(MachineType::of::<A>(), plan, span)
}

pub fn run_of_for(machine: &'static MachineType, plan: &Plan, span: u64) -> (Report, Reigns) {
    let mut plan = plan.clone();
    plan.limits.time = hops(span);
    let mut reigns = Reigns::default();
    let report = run_events(machine, &plan, &mut reigns, Stop::WhenQuiet);
    (report, reigns)
}

/// The leader after this long: the same run leads to it whatever happens later.
pub fn leader_after(machine: &'static MachineType, plan: &Plan, span: u64) -> u32 {
    let leader = run_of_for(machine, plan, span).0.ruling.leader.expect("a member leads by then");
    plan.ranks.iter().position(|rank| rank.id() == leader).expect("one of them") as u32
}

pub fn sent(report: &Report, kind: &str) -> u64 {
    report.messages.by_kind[kind]
}

/// One live member leads, all members name it, and the claims hold.
pub fn assert_right(report: &Report, context: &str) {
    assert!(report.is_as_it_should_be(), "{:?} {:?} {context}", report.ruling, report.claims);
    assert_eq!((report.ruling.outcome, report.ruling.agreed), (Outcome::Elected, true), "{context}");
}

/// All faults except lying members.
pub const TROUBLES: [Model; 11] = [
    Model::Crash,
    Model::Recovery,
    Model::Loss,
    Model::Bursts,
    Model::Duplication,
    Model::Reordering,
    Model::OneWay,
    Model::Partition,
    Model::Pause,
    Model::Drift,
    Model::Jump,
];

/// Runs with lost messages and one more kind of fault, drawn from seeds: the result of each.
pub fn in_trouble<A: Algorithm>(seeds: u64) -> impl Iterator<Item = (String, Report, Reigns)> {
    in_trouble_of(MachineType::of::<A>(), seeds)
}

pub fn in_trouble_of(
    machine: &'static MachineType,
    seeds: u64,
) -> impl Iterator<Item = (String, Report, Reigns)> {
    let spec = machine.spec;
    let options = Options { nodes: 3..=7, detector: None };
    (0..seeds).map(move |seed| {
        let model = TROUBLES[(seed % TROUBLES.len() as u64) as usize];
        let mut run_spec = draw(spec, model, seed, &options);
        let last = run_spec.script.events().map(|(_, _, at)| at).max().unwrap_or(hops(20));
        let faults = &mut run_spec.link_faults;
        faults.loss = Some(Share(faults.loss.map_or(0.1, |loss| loss.0.max(0.1))));
        faults.until = Some(faults.until.map_or(last, |until| until.min(last)));
        let plan = run_spec.plan(spec, seed).expect("the plan is valid");
        let (report, reigns) = run_of(machine, &plan);
        (format!("{}/{} {model} seed {seed}", spec.name, spec.variant), report, reigns)
    })
}

/// The checker's verdict on: never two leaders in one term, if messages take any time and timers expire at any time,
/// within this many states.
pub fn check_terms<A: Algorithm>(plan: &Plan, liberties: FaultBudget, states: u64) -> (CheckResult, Checked) {
    check_terms_of(MachineType::of::<A>(), plan, liberties, states)
}

pub fn check_terms_of(
    machine: &'static MachineType,
    plan: &Plan,
    liberties: FaultBudget,
    states: u64,
) -> (CheckResult, Checked) {
    let options = CheckOptions {
        liberties: FaultBudget { time: TimeModel::Any, ..liberties },
        reduction: false,
        symmetry: false,
        threads: 0,
        memory: 1 << 30,
        states,
        time: None,
        claims: false,
    };
    let checked = check_machine(machine, plan, &options, &|_| ());
    let of_terms = checked.findings.iter().find(|finding| finding.property == Property::OneLeader);
    (of_terms.expect("it is checked").verdict, checked)
}
