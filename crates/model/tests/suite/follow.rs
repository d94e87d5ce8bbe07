//! Runs that are said step by step: random walks through the rules, written down, read again and played,
//! against what came of them on the way.

use bellwether_algorithms::{
    aggregation_tree, bully, chang_roberts, detectors, floodmax, hirschberg_sinclair, itai_rodeh, lcr,
    modified_ring,
};
use bellwether_core::{
    Driving, DynMessage, Fate, FaultEvent, HOP, Id, MachineType, Need, Port, Role, Status, Time,
};
use bellwether_lab::scenario::{Draft, Scenario, write};
use bellwether_lab::{FinalState, Roster};
use bellwether_model::recording::{Input, record};
use bellwether_model::{
    Action, CrashPoint, FaultBudget, Notice, Rules, Situation, TimeModel, Transition, Whole, check_schedule,
    instructions, run_plan_observed,
};
use bellwether_runspec::notation::Share;
use bellwether_runspec::{LinkOptions, RunSpec, Script};
use bellwether_sim::{
    Delay, DropReason, LinkOrder, Observer, Outcome, Plan, RoundMode, Runner, Schedule, SetupError,
};
use bellwether_testkit::dice::Dice;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

bellwether_core::registry! {
    /// One of each sort: rings of all kinds, complete and other networks, rounds; with timers, and with lots.
    static FEW: Runner, detectors detectors::DETECTORS = {
        events chang_roberts::ChangRoberts;
        events modified_ring::ModifiedRing;
        events hirschberg_sinclair::HirschbergSinclair;
        events itai_rodeh::ItaiRodeh;
        events aggregation_tree::AggregationTree;
        events bully::Waiting;
        rounds lcr::Halting;
        rounds floodmax::NewsOnly;
    }
}

/// A walk through the rules, and what came of it on the way.
#[derive(Default)]
struct Walk {
    actions: Vec<Transition>,
    /// Who sent what to whom as whose message arrived, by step.
    arrivals: BTreeMap<usize, (u32, u32, String)>,
    sent: u64,
    lost: u64,
    duplicated: u64,
    /// What is to be seen of each member at the end, nothing of the dead.
    statuses: Vec<Option<Status>>,
    /// Whether nothing was left that must happen.
    is_over: bool,
}

/// Walks at random, and makes sure on the way that every step that there is can be written and read.
struct Walker<'p> {
    plan: &'p Plan,
    liberties: FaultBudget,
    dice: Dice,
    most: usize,
}

impl Walker<'_> {
    fn walk(mut self, machine: &'static MachineType) -> Walk {
        let rules = Rules::new(self.plan, self.liberties);
        let mut whole = Whole::new(machine, self.plan, self.liberties);
        let mut now = rules.beginnings(machine).remove(0);
        let mut walk = Walk::default();
        for step in 0..self.most {
            let enabled = whole.enabled(&rules, &now);
            for &action in &enabled {
                let text = rules.write(action);
                assert_eq!(rules.read(&text), Ok(action), "{text}");
            }
            let Some(&action) = self.choose(&enabled) else { break };
            if let Action::Deliver(wire, place) = action.what {
                let wire = rules.wires.get(wire);
                let queue = &now.queues[rules.wires.iter().position(|(_, other)| *other == wire).unwrap()];
                if now.seats[wire.to as usize].state().is_some() {
                    let text = format!("{:?}", queue[place as usize].0);
                    walk.arrivals.insert(step, (wire.from, wire.to, text));
                }
            }
            let next = whole.apply(&rules, &now, action).expect("it is possible");
            if acts(&rules, &now, action.what) {
                let sends = whole.outcomes()[action.draw as usize].sends.len();
                walk.sent += match action.crash_after {
                    None => sends,
                    Some(CrashPoint::TornWrite) => 0,
                    Some(CrashPoint::Sends(most)) => sends.min(most.into()),
                } as u64;
            }
            walk.lost += u64::from(matches!(action.what, Action::Link(_, _, Fate::Lost)));
            walk.duplicated += u64::from(matches!(action.what, Action::Link(_, _, Fate::Twice)));
            walk.actions.push(action);
            now = next;
        }
        walk.statuses = now.seats.iter().map(|seat| seat.state().map(|state| state.status())).collect();
        walk.is_over = whole.enabled(&rules, &now).iter().all(|action| action.what.is_fault());
        walk
    }

    /// Any of them, but not mostly faults.
    fn choose<'a>(&mut self, enabled: &'a [Transition]) -> Option<&'a Transition> {
        let harmless: Vec<&Transition> =
            enabled.iter().filter(|action| !action.what.is_fault() && action.crash_after.is_none()).collect();
        if harmless.is_empty() || self.dice.below(4) == 0 {
            return (!enabled.is_empty()).then(|| &enabled[self.dice.below(enabled.len())]);
        }
        Some(harmless[self.dice.below(harmless.len())])
    }
}

/// Whether somebody is given an input.
fn acts(rules: &Rules<'_>, now: &Situation, what: Action) -> bool {
    match what {
        Action::Deliver(wire, _) => now.seats[rules.wires.get(wire).to as usize].state().is_some(),
        Action::Member(_, event) => {
            !matches!(event, FaultEvent::Crash | FaultEvent::Pause | FaultEvent::Resume)
        }
        Action::Tick | Action::Link(..) => false,
        Action::TimeOut(..) | Action::Tell(..) | Action::CallAgain(_) => true,
    }
}

/// Holds what is said to have come against what was said to be under way.
#[derive(Default)]
struct Witness {
    /// By receiver, port and time: who sent what.
    under_way: BTreeMap<(u32, Port, Time), Vec<(u32, String)>>,
    /// By time: who sent what to whom.
    arrived: BTreeMap<Time, (u32, u32, String)>,
    dropped: u64,
    duplicated: u64,
}

impl Witness {
    fn expect(&mut self, from: u32, (to, port): (u32, Port), msg: &dyn DynMessage, due: Time) {
        self.under_way.entry((to, port, due)).or_default().push((from, format!("{msg:?}")));
    }

    fn comes(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) -> (u32, u32, String) {
        let due = self.under_way.get_mut(&(member, port, at)).expect("it was to come at this time");
        let (from, text) = due.remove(0);
        assert_eq!(text, format!("{msg:?}"));
        (from, member, text)
    }
}

impl Observer for Witness {
    fn sent(&mut self, at: Time, member: u32, _: Port, to: (u32, Port), msg: &dyn DynMessage, due: Time) {
        assert!(at < due);
        self.expect(member, to, msg, due);
    }
    fn duplicated(
        &mut self,
        at: Time,
        member: u32,
        _: Port,
        to: (u32, Port),
        msg: &dyn DynMessage,
        due: Time,
    ) {
        assert!(at < due);
        self.duplicated += 1;
        self.expect(member, to, msg, due);
    }
    fn dropped(&mut self, _: Time, _: u32, _: Port, _: u32, _: &dyn DynMessage, _: DropReason) {
        self.dropped += 1;
    }
    fn delivered(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        let arrival = self.comes(at, member, port, msg);
        assert_eq!(self.arrived.insert(at, arrival), None, "one thing after the other");
    }
    fn lost(&mut self, at: Time, member: u32, port: Port, msg: &dyn DynMessage) {
        self.comes(at, member, port, msg);
    }
}

/// Everything that may go wrong, in different measure.
fn liberties() -> [FaultBudget; 8] {
    let calm = FaultBudget::default();
    let clock = TimeModel::Clock { grain: 1, drift: 0 };
    [
        calm,
        FaultBudget { losses: 3, time: clock, ..calm },
        FaultBudget { crashes: 2, ..calm },
        FaultBudget { crashes: 2, recoveries: 2, detector: true, time: clock, ..calm },
        FaultBudget { crashes: 2, recoveries: 1, losses: 1, duplicates: 3, ..calm },
        FaultBudget { crashes: 2, recoveries: 1, certified: true, ..calm },
        FaultBudget { crashes: 1, detector: true, false_alarms: 3, ..calm },
        // More restarts than steps: none is left out.
        FaultBudget {
            crashes: 1,
            suspicions: 5,
            restarts: 200,
            restart_after: 3,
            certified: true,
            time: clock,
            ..calm
        },
    ]
}

/// What a step is, without to whom it happens.
fn kind(action: Transition) -> Vec<&'static str> {
    let what = match action.what {
        Action::CallAgain(_) => "call again",
        Action::Deliver(..) => "deliver",
        Action::TimeOut(..) => "time-out",
        Action::Tell(_, _, Notice::Failed) => "failed",
        Action::Tell(_, _, Notice::FalselyFailed) => "falsely-failed",
        Action::Tell(_, _, Notice::Working) => "working",
        Action::Tell(_, _, Notice::Suspected) => "suspected",
        Action::Tell(_, _, Notice::Unsuspected) => "unsuspected",
        Action::Tick => "tick",
        Action::Link(_, _, Fate::Lost) => "lose",
        Action::Link(_, _, Fate::Twice) => "duplicate",
        Action::Member(_, event) => event.kind().word(),
    };
    let draw = (action.draw > 0).then_some("draw");
    [Some(what), draw, action.crash_after.map(|_| "crash after")].into_iter().flatten().collect()
}

fn setup(entry: usize, n: u64, links: LinkOrder) -> RunSpec {
    let is_ring = matches!(FEW.entries[entry].spec.need, Need::OneWayRing | Need::TwoWayRing);
    let spec = FEW.entries[entry].spec;
    let algorithm = format!("{}/{}", spec.name, spec.variant);
    RunSpec { nodes: Some(n), links, ring_closes: is_ring, ..RunSpec::of(algorithm) }
}

/// Compares a walk with the same, played.
fn compare(entry: usize, setup: &RunSpec, plan: &Plan, walk: &Walk, context: &str) {
    check_schedule(&FEW.entries[entry], plan).unwrap_or_else(|error| panic!("{context}: {error}"));
    let mut roster = Roster::new(plan.n(), Witness::default());
    let report = run_plan_observed(&FEW.entries[entry], plan, RoundMode::Auto, &mut roster);
    let (seats, witness) = roster.into_parts();
    let seen: Vec<Option<Status>> = seats
        .iter()
        .map(|seat| if let FinalState::Up(status) = seat { Some(*status) } else { None })
        .collect();
    assert_eq!(seen, walk.statuses, "{context}");
    assert_eq!(report.messages.total, walk.sent, "{context}");
    assert_eq!((report.links.lost, report.links.duplicated), (walk.lost, walk.duplicated), "{context}");
    assert_eq!((witness.dropped, witness.duplicated), (walk.lost, walk.duplicated), "{context}");
    assert_eq!(report.finished, walk.is_over, "{context}");
    let leaders = walk.statuses.iter().flatten().filter(|status| status.role == Role::Leader).count();
    assert_eq!(report.ruling.leader.is_some(), leaders == 1, "{context}");
    let booting = walk
        .actions
        .iter()
        .take_while(|action| matches!(action.what, Action::Member(_, FaultEvent::Start)))
        .count();
    let at = |step: usize| Time::ZERO + HOP * (step + 1 - booting) as u64;
    let expected: BTreeMap<Time, (u32, u32, String)> =
        walk.arrivals.iter().map(|(step, arrival)| (at(*step), arrival.clone())).collect();
    assert_eq!(witness.arrived, expected, "{context}");

    let recording = record(&FEW.entries[entry], plan, RoundMode::Auto).expect("it is short");
    let messages = recording.steps.iter().flat_map(|step| &step.inputs);
    let recorded = messages.filter_map(|input| match input {
        Input::Message(message) => Some((recording.messages[*message].from, recording.messages[*message].to)),
        _ => None,
    });
    assert!(recorded.eq(walk.arrivals.values().map(|(from, to, _)| (*from, *to))), "{context}");

    let run = RunSpec { schedule: plan.schedule.clone(), seed: plan.seed, ..setup.clone() };
    let text = write(&Draft { title: "T", about: "A", run: &run, report: &report });
    let scenario =
        Scenario::parse(&text, Path::new("s.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = scenario.resolve(&FEW).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.plan.schedule, plan.schedule, "{text}");
    assert_eq!(scenario.expect.check(&again.play()), [], "{text}");
}

#[test]
fn a_walk_through_the_rules_is_written_read_and_played_as_it_was() {
    let mut kinds = BTreeSet::new();
    for (entry, of) in FEW.entries.iter().enumerate() {
        // Rounds are made for calm runs.
        let kinds_of_trouble = if of.driving == Driving::Rounds { 1 } else { usize::MAX };
        for liberties in liberties().into_iter().take(kinds_of_trouble) {
            for (n, links) in [(2, LinkOrder::Fifo), (4, LinkOrder::Fifo), (3, LinkOrder::Reordering)] {
                let setup = setup(entry, n, links);
                for seed in 0..5 {
                    let mut plan = setup.plan(of.spec, seed).expect("it can be run");
                    let dice = Dice(seed + 100 * n);
                    let walk = Walker { plan: &plan, liberties, dice, most: 80 }.walk(of.machine);
                    kinds.extend(walk.actions.iter().flat_map(|action| kind(*action)));
                    let actions = walk.actions.clone();
                    let schedule = Schedule { liberties, beginning: 0, actions, loop_from: None };
                    plan.schedule = Some(instructions(&plan, &schedule));
                    let context = format!("{}, {n} members, {links:?}, {liberties:?}, {seed}", of.spec.name);
                    compare(entry, &setup, &plan, &walk, &context);
                }
            }
        }
    }
    assert_eq!(kinds.len(), 18, "not all kinds of steps were seen: {kinds:?}");
}

fn chang_roberts() -> usize {
    FEW.find("chang-roberts", None).expect("it is registered")
}

/// Chang-Roberts on the ring of 1 to 4, which closes, with these steps.
fn ring(steps: &[&str], loop_from: Option<u32>) -> RunSpec {
    let actions: Vec<_> = steps.iter().map(|step| step.parse().expect("a step")).collect();
    let liberties = FaultBudget::needed_for(&actions);
    RunSpec {
        ids: (1..=4).map(|id| Id::new(id).unwrap()).collect(),
        ring_closes: true,
        schedule: Some(Schedule { liberties, beginning: 0, actions, loop_from }),
        ..RunSpec::default()
    }
}

fn checked(setup: &RunSpec) -> Result<Plan, SetupError> {
    let plan = setup.plan(FEW.entries[chang_roberts()].spec, 0)?;
    check_schedule(&FEW.entries[chang_roberts()], &plan).map(|()| plan)
}

const INTO_THE_LOOP: [&str; 8] =
    ["call 4", "crash 4", "deliver 4 -> 1", "deliver 1 -> 2", "deliver 2 -> 3", "call 1", "call 2", "call 3"];
const LOOP: [&str; 3] = ["deliver 3 -> 1", "deliver 1 -> 2", "deliver 2 -> 3"];

#[test]
fn a_loop_is_played_twice_and_never_ends() {
    let steps = [&INTO_THE_LOOP[..], &LOOP].concat();
    let plan = checked(&ring(&steps, Some(8))).expect("it is a loop");
    let mut witness = Witness::default();
    let report = run_plan_observed(&FEW.entries[chang_roberts()], &plan, RoundMode::Auto, &mut witness);
    assert_eq!((report.finished, report.ruling.outcome), (false, Outcome::Undecided));
    let problem = report.ruling.not_live_because.expect("nobody leads");
    assert_eq!(problem, "the run goes round for ever and no live member leads");
    // 3 messages lead into the loop, and 3 are delivered each time round; one more is under way.
    assert_eq!((report.messages.total, witness.arrived.len()), (10, 9));
    assert_eq!(report.time, Time::ZERO + HOP * 14);
    // Without the loop it is a run that is not over.
    let plan = checked(&ring(&steps, None)).expect("it is the same run");
    let report = run_plan_observed(&FEW.entries[chang_roberts()], &plan, RoundMode::Auto, &mut ());
    assert_eq!((report.finished, report.messages.total), (false, 7));
    let problem = report.ruling.not_live_because.expect("nobody leads");
    assert!(problem.starts_with("the run was stopped at the end of its schedule"), "{problem}");
}

#[test]
fn what_cannot_happen_is_refused_before_anything_is_played() {
    let refusal =
        |steps: &[&str], loop_from| checked(&ring(steps, loop_from)).expect_err("refused").to_string();
    let all = [&INTO_THE_LOOP[..], &LOOP].concat();
    let cases: [(&[&str], Option<u32>, &str); 12] = [
        (
            &["call 4", "call 4"],
            None,
            "step 2 of the schedule, 'call 4': this cannot happen then: what can is call 1",
        ),
        (&["deliver 4 -> 1"], None, "step 1 of the schedule, 'deliver 4 -> 1'"),
        (&["call 4", "deliver 4 -> 1 #2"], None, "what can is call 1, call 2, call 3, deliver 4 -> 1"),
        (&["call 4", "lose 4 -> 1", "deliver 4 -> 1"], None, "step 3"),
        (&["call 4 draw 2"], None, "step 1 of the schedule, 'call 4 draw 2'"),
        (&["call 4 crash after 1"], None, "step 1 of the schedule, 'call 4 crash after 1'"),
        (&["recover 4"], None, "step 1"),
        (&["time-out 4"], None, "step 1"),
        (
            &["call 9"],
            None,
            "step 1 of the schedule, 'call 9': member 9 is not a member; the members are 1, 2, 3, 4",
        ),
        (
            &["call 4", "deliver 4 -> 2"],
            None,
            "step 2 of the schedule, 'deliver 4 -> 2': nothing leads from 4 to 2",
        ),
        (&all, Some(7), "the steps from 8 on do not lead back to where they began"),
        (&all, Some(11), "the loop starts with step 12, and the last step is 11"),
    ];
    for (steps, loop_from, expected) in cases {
        let refused = refusal(steps, loop_from);
        assert!(refused.contains(expected), "{steps:?}: {refused}");
    }
    let all_dead = ["crash 1", "crash 2", "crash 3", "crash 4", "call 1"];
    assert!(refusal(&all_dead, None).contains("nothing can: end the schedule before it"));
}

#[test]
fn an_unchecked_schedule_is_played_as_far_as_it_goes() {
    let spec = FEW.entries[chang_roberts()].spec;
    let plan =
        ring(&["call 4", "deliver 4 -> 1", "deliver 4 -> 1"], None).plan(spec, 0).expect("it is understood");
    let report = run_plan_observed(&FEW.entries[chang_roberts()], &plan, RoundMode::Auto, &mut ());
    assert_eq!((report.finished, report.messages.total, report.time), (false, 2, Time::ZERO + HOP * 2));
    let mut nowhere = plan.clone();
    nowhere.schedule.as_mut().expect("it has one").beginning = 7;
    let error = check_schedule(&FEW.entries[chang_roberts()], &nowhere).expect_err("there is one beginning");
    assert!(error.to_string().contains("the run can begin in 1 ways"), "{error}");
    run_plan_observed(&FEW.entries[chang_roberts()], &nowhere, RoundMode::Auto, &mut ());
}

#[test]
fn nothing_happens_besides_a_schedule() {
    let id = |id| Id::new(id).unwrap();
    let plain = ring(&["call 4"], None);
    let others: [(RunSpec, &str); 5] = [
        (
            RunSpec { script: Script::of([(id(1), FaultEvent::Crash, Time::ZERO + HOP)]), ..plain.clone() },
            "events",
        ),
        (RunSpec { delay: Delay::Exponential { mean: 1.0 }, ..plain.clone() }, "`delay`"),
        (RunSpec { max_messages: Some(7), ..plain.clone() }, "`until`"),
        (RunSpec { detector: Some("heartbeat".to_owned()), ..plain.clone() }, "`detector`"),
        (
            RunSpec {
                link_faults: LinkOptions { loss: Some(Share(0.5)), ..plain.link_faults.clone() },
                ..plain.clone()
            },
            "what links do",
        ),
    ];
    checked(&plain).expect("it can be played");
    for (setup, word) in others {
        let refused = checked(&setup).expect_err("refused").to_string();
        assert!(refused.contains("a schedule says everything") && refused.contains(word), "{refused}");
    }
}
