//! What the tests of majorities share: runs in which onlookers note who led in which term.

use crate::support::Cast;
use bellwether_check::{Checked, Wishes, check_algorithm};
use bellwether_core::{Algorithm, Elect, HOP, Role, Status, Time};
use bellwether_sim::rules::{Instruction, Liberties, TimeModel};
use bellwether_sim::swarm::{self, Model, Options};
use bellwether_sim::{
    Driver, Event, Happening, Observer, Plan, Report, Schedule, Stop, follow, run_events, time_after_hops,
};
use std::collections::{BTreeMap, BTreeSet};

/// Who has led in which term.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Terms(pub BTreeMap<u64, BTreeSet<u32>>);

impl Observer for Terms {
    fn published(&mut self, _: Time, member: u32, status: Status) {
        if status.role == Role::Leader {
            self.0.entry(status.term).or_default().insert(member);
        }
    }
}

impl Terms {
    /// Whether two have led in one.
    pub fn are_shared(&self) -> bool {
        self.0.values().any(|leaders| leaders.len() > 1)
    }
}

/// Runs an algorithm, and notes who led in which term.
pub fn play<A: Algorithm>(plan: &Plan) -> (Report, Terms) {
    let mut terms = Terms::default();
    let report = run_events::<A, Terms>(plan, &mut terms, Stop::of(&A::SPEC));
    (report, terms)
}

/// So many members, of which each is better than those before it. The run is given up after so many hops.
pub fn members(n: usize, hops: u32) -> Plan {
    let mut plan = Cast::in_best_order(Elect::Best, n).complete();
    plan.limits.time = time_after_hops(f64::from(hops)).expect("soon");
    plan
}

/// What happens to a member, after so many hops.
pub fn at(hops: u64, what: Event, member: u32) -> Happening {
    Happening { at: Time::ZERO + HOP * hops, what, member }
}

/// These members, and the others, are cut off from each other from then to then.
pub fn partition(n: u32, apart: &[u32], from: u64, to: u64) -> Vec<Happening> {
    let pairs = (0..n).flat_map(|one| (0..n).map(move |other| (one, other)));
    let cut = pairs.filter(|(one, other)| apart.contains(one) != apart.contains(other));
    let cut_and_mend =
        cut.flat_map(|(one, other)| [at(from, Event::Cut(other), one), at(to, Event::Mend(other), one)]);
    cut_and_mend.collect()
}

/// The plan with this script, in the order of time.
pub fn with_script(mut plan: Plan, script: impl IntoIterator<Item = Happening>) -> Plan {
    plan.script = script.into_iter().collect();
    plan.script.sort_unstable();
    plan
}

/// Everyone up to the end of the list stops in the same hop, and is back two hops later.
pub fn restart(members: impl IntoIterator<Item = u32>, hops: u64) -> Vec<Happening> {
    let back = |member| [at(hops, Event::Crash, member), at(hops + 2, Event::Recover, member)];
    members.into_iter().flat_map(back).collect()
}

/// Five to nine members, and what a seed makes of their lives; nobody watches but themselves.
pub fn swarm_of<A: Algorithm>(model: Model, seed: u64) -> Plan {
    let options = Options { nodes: 5..=9, detector: None };
    let setup = swarm::draw(&A::SPEC, model, seed, &options);
    let mut plan = setup.plan(&A::SPEC, seed).expect("the swarm's runs can be run");
    plan.limits.messages = 200_000;
    plan
}

/// In swarms no two ever lead in one term; and under what the algorithm declares to survive, all comes right. (What is
/// torn or told by liars is no matter of these algorithms.)
pub fn assert_survives<A: Algorithm>(seeds: u64) {
    let models =
        Model::ALL.into_iter().filter(|model| model.is_survived_by(&A::SPEC) && *model != Model::Torn);
    for (model, seed) in models.flat_map(|model| (0..seeds).map(move |seed| (model, seed))) {
        let (report, terms) = play::<A>(&swarm_of::<A>(model, seed));
        assert!(!terms.are_shared(), "{model} seed {seed}: {terms:?}");
        assert!(report.ruling.is_right(), "{model} seed {seed}: {:?}", report.ruling);
    }
}

/// When the last member came to name the leader that it names at the end, in hops.
pub fn all_know_at(report: &Report) -> u64 {
    let known = report.known_between().expect("they know");
    known.1.hops() as u64
}

/// Plays these steps with the members 1, 2, 3 ..., each better than those before it, and notes who led in which term.
pub fn follow<A: Algorithm>(n: usize, steps: &[&str]) -> Terms {
    let plan = members(n, 1_000);
    let boots = (1..=n).map(|id| format!("boot {id}"));
    let steps = boots.chain(steps.iter().map(|step| (*step).to_owned()));
    let actions: Vec<Instruction> = steps.map(|step| step.parse().expect("a step")).collect();
    let said =
        Schedule { liberties: Liberties::needed_for(&actions), beginning: 0, actions, loop_from: None };
    let schedule = said.actions(&plan).expect("it fits the plan");
    let plan = Plan { schedule: Some(schedule.clone()), ..plan };
    follow::check::<A>(&plan, &schedule).expect("each step can happen");
    let mut terms = Terms::default();
    follow::run::<A, Terms>(&plan, &schedule, &mut terms, Driver::Events);
    terms
}

/// Checks every run in which members may crash and come back once, up to so many states.
pub fn check<A: Algorithm>(plan: &Plan, time: TimeModel, states: u64) -> Checked {
    let liberties = Liberties {
        crashes: std::env::var("C").map_or(1, |it| it.parse().unwrap()),
        recoveries: std::env::var("R").map_or(1, |it| it.parse().unwrap()),
        time,
        stops_at_goal: true,
        ..Liberties::default()
    };
    let wishes = Wishes {
        liberties,
        reduction: std::env::var("RED").is_ok(),
        symmetry: false,
        threads: 0,
        memory: 1 << 30,
        states,
        time: None,
    };
    check_algorithm::<A>(plan, &wishes, &|_| {})
}
