//! What the script of a plan does to members, and when, and what counts as the end of a run.

use bellwether_core::*;
use bellwether_sim::schedule::{FaultBudget, Schedule};
use bellwether_sim::{
    JsonTrace, Limits, Outcome, Plan, Report, RoundMode, Runner, Stop, Visit, World, run_events, run_rounds,
    run_synchronised, simulate,
};
use bellwether_testkit::memory_trace::{Input, MemoryTrace, Step};
use bellwether_testkit::toys::{Ping, TOY, complete, hops, id, ring, with_script};
use serde::Serialize;

/// Told to, it sends a ping to everyone and sets an alarm of two hops; it counts what it gets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Talker {
    pings: u32,
    alarms: u32,
}

impl Algorithm for Talker {
    type Timer = ();
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Talker { pings: 0, alarms: 0 }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Ping);
        }
        cx.set_timer((), HOP * 2);
    }

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, _: Ping) {
        self.pings += 1;
    }

    fn on_timer(&mut self, _: &mut Cx<'_, Self>, (): ()) {
        self.alarms += 1;
    }
}

impl Protocol for Talker {
    type Msg = Ping;
    const SPEC: Spec = TOY;

    fn status(&self) -> Status {
        Status { term: u64::from(self.pings * 10 + self.alarms), ..Status::UNDECIDED }
    }
}

/// Only the members of this list call at the beginning.
fn play(mut plan: Plan, callers: &[u32]) -> (Report, Vec<(f64, u64, Input)>) {
    plan.initiators = Initiators::Some(callers.iter().map(|caller| caller - 1).collect());
    let mut trace = MemoryTrace::default();
    let report = run_events(MachineType::of::<Talker>(), &plan, &mut trace, Stop::WhenQuiet);
    let plain = |step: Step| (step.at.hops(), u64::from(step.member) + 1, step.input);
    (report, trace.steps().map(plain).collect())
}

const PING: Input = Input::Message { kind: 0, port: Port(0) };

/// What happened to one member.
fn of(member: u64, steps: &[(f64, u64, Input)]) -> Vec<(f64, Input)> {
    steps.iter().filter(|step| step.1 == member).map(|step| (step.0, step.2)).collect()
}

#[test]
fn nothing_scripted() {
    let (report, steps) = play(complete(2), &[1]);
    assert_eq!(of(1, &steps), [(0.0, Input::Start), (0.0, Input::Call), (2.0, Input::Timer)]);
    assert_eq!(of(2, &steps), [(0.0, Input::Start), (1.0, PING)]);
    assert_eq!((report.time, report.messages.total, report.finished), (hops(2.0), 1, true));
    assert_eq!(report.ruling.outcome, Outcome::None);
}

#[test]
fn the_dead_from_the_start_never_start() {
    let (report, steps) = play(with_script(complete(2), &[(FaultEvent::Crash, 2, 0.0)]), &[1]);
    assert_eq!(of(2, &steps), [(0.0, Input::Crash), (1.0, Input::Loss)]);
    let caller = [(0.0, Input::Start), (0.0, Input::Suspicion), (0.0, Input::Call), (2.0, Input::Timer)];
    assert_eq!(of(1, &steps), caller);
    assert_eq!(report.messages.total, 1, "a message counts when it is sent");
}

#[test]
fn the_dead_from_the_start_do_not_start_later_either() {
    let script = [(FaultEvent::Crash, 2, 0.0), (FaultEvent::Start, 2, 5.0), (FaultEvent::Call, 2, 6.0)];
    let (_, steps) = play(with_script(complete(2), &script), &[1]);
    assert_eq!(of(2, &steps), [(0.0, Input::Crash), (1.0, Input::Loss)]);
}

#[test]
fn who_dies_before_its_start_does_not_start() {
    let script = [(FaultEvent::Crash, 2, 3.0), (FaultEvent::Start, 2, 5.0)];
    let (_, steps) = play(with_script(complete(2), &script), &[1]);
    assert!(!of(2, &steps).iter().any(|(_, input)| *input == Input::Start), "{steps:?}");
}

#[test]
fn at_one_time_members_die_before_messages_arrive_and_messages_arrive_before_alarms() {
    // Two calls: one's alarm and the other's ping come at the same time.
    let script = [(FaultEvent::Call, 2, 1.0)];
    let (_, steps) = play(with_script(complete(2), &script), &[1]);
    assert_eq!(of(1, &steps)[2..], [(2.0, PING), (2.0, Input::Timer)]);
    // A ping comes when its receiver dies.
    let (_, steps) = play(with_script(complete(2), &[(FaultEvent::Crash, 2, 1.0)]), &[1]);
    assert_eq!(of(2, &steps), [(0.0, Input::Start), (1.0, Input::Crash), (1.0, Input::Loss)]);
}

#[test]
fn the_dead_get_no_alarms_and_take_no_calls() {
    let script = [(FaultEvent::Crash, 1, 1.0), (FaultEvent::Call, 1, 1.5)];
    let (report, steps) = play(with_script(complete(2), &script), &[1]);
    assert_eq!(of(1, &steps), [(0.0, Input::Start), (0.0, Input::Call), (1.0, Input::Crash)]);
    assert_eq!(of(2, &steps), [(0.0, Input::Start), (1.0, PING)]);
    assert_eq!(report.time, hops(1.0));
}

#[test]
fn messages_wait_for_late_starters_and_initiators_among_them_call() {
    let (report, steps) = play(with_script(complete(2), &[(FaultEvent::Start, 2, 3.5)]), &[1]);
    assert_eq!(of(2, &steps), [(3.5, Input::Start), (3.5, PING)]);
    assert_eq!(report.time, hops(3.5));
    let (report, steps) = play(with_script(complete(2), &[(FaultEvent::Start, 2, 3.5)]), &[1, 2]);
    let late = [(3.5, Input::Start), (3.5, Input::Call), (3.5, PING), (5.5, Input::Timer)];
    assert_eq!(of(2, &steps), late);
    assert_eq!(report.messages.total, 2);
    // Time 0 is as good as any.
    let (_, steps) = play(with_script(complete(2), &[(FaultEvent::Start, 2, 0.0)]), &[1]);
    assert_eq!(of(2, &steps), [(0.0, Input::Start), (1.0, PING)]);
}

#[test]
fn calls_come_when_they_are_scripted() {
    let (report, steps) = play(with_script(complete(2), &[(FaultEvent::Call, 2, 0.25)]), &[]);
    assert_eq!(of(2, &steps), [(0.0, Input::Start), (0.25, Input::Call), (2.25, Input::Timer)]);
    assert_eq!(of(1, &steps), [(0.0, Input::Start), (1.25, PING)]);
    assert_eq!(report.time, hops(2.25));
}

#[test]
fn time_ends_with_the_last_input() {
    // The ping that is sent last, at 2, is lost on the dead at 3: nobody gets an input then.
    let script = [(FaultEvent::Crash, 2, 1.5), (FaultEvent::Call, 1, 2.0)];
    let (report, steps) = play(with_script(complete(2), &script), &[1]);
    assert_eq!(steps.last(), Some(&(4.0, 1, Input::Timer)));
    assert_eq!(report.time, hops(4.0));
}

#[test]
fn limits_stop_a_run() {
    let script: Vec<_> = (1..=20).map(|at| (FaultEvent::Call, 1, f64::from(at))).collect();
    let plan = with_script(complete(3), &script);
    let limits = Limits { time: hops(7.0), ..Limits::default() };
    let (report, steps) = play(Plan { limits, ..plan.clone() }, &[]);
    assert!(!report.finished && steps.iter().all(|step| step.0 <= 7.0));
    assert_eq!(report.messages.total, 14);
    let limits = Limits { messages: 9, ..Limits::default() };
    let (report, _) = play(Plan { limits, ..plan.clone() }, &[]);
    assert!(!report.finished && (9..=11).contains(&report.messages.total));
    let (report, _) = play(plan, &[]);
    assert!(report.finished);
    assert_eq!(report.messages.total, 40);
}

/// In rounds: member 3 leads from the start, and a ping goes round until somebody has passed it on
/// twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Settled {
    own: Id,
    left: u8,
    sends: bool,
}

impl RoundAlgorithm for Settled {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        Settled { own: cx.id(), left: 2, sends: cx.id() == id(1) }
    }

    fn msgs(&self, _: &RoundCx<'_, Self>, out: &mut impl Outbox<Ping>) {
        if self.sends {
            out.send(NEXT, Ping);
        }
    }

    fn trans(&mut self, _: &mut RoundCx<'_, Self>, inbox: &[(Port, Ping)]) {
        self.sends = !inbox.is_empty() && self.left > 0;
        self.left = self.left.saturating_sub(inbox.len() as u8);
    }

    fn wake(&self) -> Wake {
        Wake::OnMessage
    }
}

impl Protocol for Settled {
    type Msg = Ping;
    const SPEC: Spec = Spec { goal: Goal::LeaderOnly, timing: Timing::Rounds, ..TOY };

    fn status(&self) -> Status {
        let leads = self.own == id(3);
        let role = if leads { Role::Leader } else { Role::Undecided };
        Status { role, leader: leads.then_some(self.own), ..Status::UNDECIDED }
    }
}

#[test]
fn in_rounds_who_leads_from_the_start_is_seen_to_lead_in_round_1() {
    for visit in [Visit::Awake, Visit::Everyone] {
        let report = run_rounds::<Settled, _>(&Settled::SPEC, &ring(3), &mut (), visit);
        assert_eq!((report.leader_round, report.knew_at[2]), (Some(1), Time::ZERO));
        assert_eq!((report.knew_at[0], report.knew_at[1]), (Time::NEVER, Time::NEVER));
    }
}

#[test]
fn in_rounds_members_die_in_time() {
    // Member 2 dies before the ping of round 1 arrives, or after it has passed it on: then the ping
    // goes round, and is lost when it comes again.
    for (at, messages) in [(0.0, 1), (0.5, 1), (1.0, 1), (1.5, 4), (2.0, 4)] {
        let report = run_rounds::<Settled, _>(
            &Settled::SPEC,
            &with_script(ring(3), &[(FaultEvent::Crash, 2, at)]),
            &mut (),
            Visit::Awake,
        );
        assert_eq!(report.messages.total, messages, "dead at {at}");
    }
}

#[test]
fn in_rounds_as_otherwise_a_death_after_the_last_message_counts() {
    let plan = with_script(ring(3), &[(FaultEvent::Crash, 3, 100.0)]);
    for visit in [Visit::Awake, Visit::Everyone] {
        let report = run_rounds::<Settled, _>(&Settled::SPEC, &plan, &mut (), visit);
        assert_eq!(report.ruling.outcome, Outcome::None, "the leader died: {:?}", report.ruling);
    }
}

#[test]
fn over_a_synchroniser_one_that_only_the_leader_knows_of_stops_when_somebody_leads() {
    let report = run_synchronised(MachineType::of::<Rounds<Settled>>(), &ring(3), &mut ());
    assert_eq!(report.ruling.outcome, Outcome::Elected);
}

#[test]
fn a_synchroniser_that_waits_for_messages_can_be_shown() {
    let plan = complete(3);
    let mut world = World::new(MachineType::of::<Rounds<Settled>>(), &plan);
    for member in 0..3 {
        let _ = world.start(member, Time::ZERO);
    }
    let marker =
        AnyMessage::new(Stamped::<<Settled as Protocol>::Msg> { round: 1, payload: None, last: false });
    assert!(world.deliver(0, Time::ZERO, Port(1), marker).is_some());
    let shown = serde_json::to_string(world.state(0).expect("it is up").as_state());
    assert!(shown.is_ok(), "{shown:?}");
}

#[test]
fn a_trace_that_cannot_be_written_says_so() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let plan = complete(3);
    let mut trace = JsonTrace::new(Full, &plan.topology, &plan.ranks, &"header");
    let report = run_events(MachineType::of::<Talker>(), &plan, &mut trace, Stop::WhenQuiet);
    assert!(report.finished, "the run goes on");
    assert_eq!(trace.finish(&"footer").err().map(|error| error.to_string()), Some("the disk is full".into()));
}

bellwether_core::registry! {
    /// For running by place.
    static TOYS: Runner = {
        events Talker;
    }
}

#[test]
#[should_panic(expected = "a schedule is played by")]
fn a_plan_with_a_schedule_is_not_run_as_if_it_had_none() {
    let actions = vec!["call 1".parse().expect("a step")];
    let schedule =
        Schedule { liberties: FaultBudget::needed_for(&actions), beginning: 0, actions, loop_from: None };
    let _ = simulate(&TOYS.entries[0], &Plan { schedule: Some(schedule), ..complete(3) }, RoundMode::Auto);
}
