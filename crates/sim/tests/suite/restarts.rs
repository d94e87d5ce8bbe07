//! Elections that give no outcome, and are started again after a while as in a cluster.

use bellwether_core::*;
use bellwether_sim::{Limits, Observer, Plan, Stop, run_events};
use bellwether_testkit::toys::{Ping, TOY, complete, hops, with_script};
use serde::Serialize;

/// Its elections come to nothing. It follows a member that pings it until it is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Hopeless {
    leader: Option<Id>,
}

/// Members with the greatest id ping the others at 30 hops, if they live.
const PINGS_AT: u64 = 30;

impl Algorithm for Hopeless {
    type Timer = ();
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        if cx.outgoing().all(|port| cx.peer_rank(port) < cx.rank()) {
            cx.set_timer((), HOP * PINGS_AT);
        }
        Hopeless { leader: None }
    }
    fn on_call(&mut self, _: &mut Cx<'_, Self>) {
        self.leader = None;
    }
    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, _: Ping) {
        self.leader = Some(cx.peer_rank(from).id());
    }
    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        let ports: Vec<Port> = cx.outgoing().collect();
        ports.into_iter().for_each(|port| cx.send(port, Ping));
    }
}

impl Protocol for Hopeless {
    type Msg = Ping;
    const SPEC: Spec = Spec { knows: Knowledge::PEERS, need: Need::Complete, ..TOY };

    fn status(&self) -> Status {
        Status { leader: self.leader, ..Status::UNDECIDED }
    }
}

/// When members call.
#[derive(Default)]
struct Log(Vec<(Time, u32)>);

impl Observer for Log {
    fn called(&mut self, at: Time, member: u32) {
        self.0.push((at, member + 1));
    }
}

/// When a member calls in the first 130 hops, if only member 1 is called at the beginning.
fn calls_of(member: u32, plan: Plan) -> Vec<f64> {
    let mut log = Log::default();
    let limits = Limits { time: hops(130.0), ..Limits::default() };
    let plan = Plan { initiators: Initiators::Some(vec![0]), limits, ..plan };
    run_events(MachineType::of::<Hopeless>(), &plan, &mut log, Stop::WhenQuiet);
    log.0.into_iter().filter(|(_, of)| *of == member).map(|(at, _)| at.hops()).collect()
}

/// Member 2, which would lead, is dead from the start.
fn alone(script: &[(FaultEvent, u64, f64)]) -> Plan {
    let script = [&[(FaultEvent::Crash, 2, 0.0)], script].concat();
    Plan { restart_after: Some(HOP * 40), ..with_script(complete(2), &script) }
}

#[test]
fn a_member_without_a_leader_calls_again_when_its_time_is_up() {
    assert_eq!(calls_of(1, alone(&[])), [0.0, 40.0, 80.0, 120.0]);
    assert_eq!(calls_of(1, Plan { restart_after: None, ..alone(&[]) }), [0.0], "unless it is not to");
    assert_eq!(
        calls_of(1, alone(&[(FaultEvent::Call, 1, 25.0)])),
        [0.0, 25.0, 65.0, 105.0],
        "since it called last"
    );
}

#[test]
fn a_member_that_nobody_has_called_waits_as_long() {
    let plan = Plan { restart_after: Some(HOP * 20), ..complete(2) };
    // At 31 member 1 hears member 2, which hears nobody.
    assert_eq!(calls_of(1, plan.clone()), [0.0, 20.0]);
    assert_eq!(calls_of(2, plan), [20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
}

#[test]
fn a_member_that_recovers_waits_for_a_leader_first() {
    let script = [(FaultEvent::Crash, 1, 50.0), (FaultEvent::Recover, 1, 60.0)];
    assert_eq!(calls_of(1, alone(&script)), [0.0, 40.0, 100.0]);
    assert_eq!(calls_of(1, Plan { restart_after: None, ..alone(&script) }), [0.0, 60.0], "or calls at once");
}

#[test]
fn a_frozen_member_calls_when_it_wakes() {
    let script = [(FaultEvent::Pause, 1, 30.0), (FaultEvent::Resume, 1, 55.0)];
    assert_eq!(calls_of(1, alone(&script)), [0.0, 55.0, 95.0]);
    let script = [(FaultEvent::Pause, 1, 10.0), (FaultEvent::Resume, 1, 20.0)];
    assert_eq!(calls_of(1, alone(&script)), [0.0, 40.0, 80.0, 120.0]);
}

#[test]
fn a_member_waits_by_its_own_clock() {
    // It gains a quarter: 40 hops of it are 32.
    assert_eq!(calls_of(1, alone(&[(FaultEvent::Drift(250_000), 1, 0.0)])), [0.0, 32.0, 64.0, 96.0, 128.0]);
    // It jumps ahead by 30 hops at 5, and back by 10 at 12.
    let jumps = [(FaultEvent::Jump(30_000), 1, 5.0), (FaultEvent::Jump(-10_000), 1, 12.0)];
    assert_eq!(calls_of(1, alone(&jumps[..1])), [0.0, 10.0, 50.0, 90.0, 130.0]);
    assert_eq!(calls_of(1, alone(&jumps)), [0.0, 10.0, 60.0, 100.0]);
}
