//! One history through all three drivers: the simulator, the rules that the checker follows, and the loop of a member. In
//! each, the member starts an election on the same occasions, and these are the ones that a table made by hand says.

use super::*;
use bellwether_core::{
    Attribute, DetectorEntry, Elect, FaultEvent, Initiators, Order, Parameter, Preset, Rank, Topology,
};
use bellwether_model::{Action, FaultBudget, Notice, Rules, Situation, TimeModel, Whole};
use bellwether_sim::{Happening, Limits, Observer, Plan, Stop, run_events};
use std::sync::mpsc::channel;

/// What happens to member 1 of three. Members are named by their ids.
#[derive(Clone, Copy, Debug)]
enum Happens {
    /// It hears that this member leads.
    Names(u64),
    /// It suspects this member, which lives: the connection has closed, or a detector warns.
    Suspects(u64),
    /// Its detector declares this member failed, and is right.
    Declared(u64),
    /// It has a certificate of this member's death.
    Dies(u64),
    /// It has a certificate of the death of this member, which lives.
    FalselyCertified(u64),
    /// It crashes and boots again.
    Recovers,
    /// Nothing, for so many delay bounds.
    Passes(u64),
}
use Happens::*;

/// What happens, and how many elections the member has started when the next thing does.
type History = &'static [(Happens, u64)];

const HISTORIES: &[History] = &[
    // A suspicion is a warning.
    &[(Names(2), 0), (Suspects(2), 0), (Passes(120), 0), (Declared(2), 1)],
    // It finds its leader failed: it starts an election, and again after 50 delay bounds without an outcome.
    &[(Names(2), 0), (Declared(2), 1), (Passes(50), 2), (Names(3), 2), (Passes(120), 2)],
    // Another fails than its leader.
    &[(Names(3), 0), (Declared(2), 0), (Passes(120), 0)],
    // It comes to name a member that its detector has declared failed: it gives the detector time.
    &[(Names(3), 0), (Declared(2), 0), (Names(2), 0), (Passes(50), 1), (Passes(50), 2)],
    // Its leader is dead for certain, and stays so when it is named once more.
    &[(Names(2), 0), (Dies(2), 1), (Names(2), 2), (Names(3), 2), (Passes(120), 2)],
    // Certificate and detector say the same.
    &[(Names(2), 0), (Dies(2), 1), (Declared(2), 1), (Names(3), 1), (Passes(120), 1)],
    // So it is if the certificate is false.
    &[(Names(2), 0), (FalselyCertified(2), 1), (Names(2), 2), (Names(3), 2), (Passes(120), 2)],
    // Without an outcome it waits for 50 delay bounds, whether the certificate is false or not.
    &[(Names(2), 0), (FalselyCertified(2), 1), (Passes(50), 2), (Names(3), 2), (Passes(120), 2)],
    // It recovers, and hears of no leader.
    &[(Names(2), 0), (Recovers, 0), (Passes(50), 1), (Names(3), 1), (Passes(120), 1)],
    // It recovers, and hears of a leader in time.
    &[(Names(2), 0), (Recovers, 0), (Passes(20), 0), (Names(3), 0), (Passes(120), 0)],
    // It has forgotten the certificate when it recovers.
    &[(FalselyCertified(2), 0), (Recovers, 0), (Names(2), 0), (Passes(120), 0)],
    // It boots and hears of no leader.
    &[(Passes(50), 1), (Passes(50), 2), (Names(3), 2), (Suspects(2), 2), (Suspects(3), 2), (Passes(120), 2)],
];

/// After so many delay bounds a cluster starts an election again.
const PATIENCE: u64 = 50;
/// In model time, so many delay bounds lie between two events.
const APART: u64 = 2;
/// So long that a busy machine does not delay a member by fifty of them.
const DELAY_BOUND: Span = Span::from_ticks(10_000);

/// When in a model each event of a history happens, in delay bounds, and when it is over.
fn times(history: History) -> (Vec<u64>, u64) {
    let mut now = 0;
    let next = |(happens, _): &(Happens, u64)| {
        now += APART;
        let at = now;
        now += if let Passes(bounds) = happens { *bounds } else { 0 };
        at
    };
    (history.iter().map(next).collect(), now + APART)
}

/// Names whom it hears to lead, until it is called. Member 3 tells member 1, as the history says that its attribute numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Listener {
    leader: Option<Id>,
    calls: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Leads(Id);

impl Message for Leads {
    const KINDS: &'static [Kind] = &[Kind::payload("leads")];

    fn kind(&self) -> usize {
        0
    }
}

/// Members 2 and 3, as member 1 sees them, and member 1, as member 3 does.
const PORTS: [Port; 2] = [Port(0), Port(1)];

fn port_of(peer: u64) -> Port {
    PORTS[peer as usize - 2]
}

impl Algorithm for Listener {
    type Timer = u8;
    type Durable = ();

    fn start(cx: &mut Cx<'_, Self>, (): ()) -> Self {
        if cx.id() == id(3) {
            let history = HISTORIES[cx.rank().attribute() as usize];
            for (number, (at, (happens, _))) in (0..).zip(times(history).0.into_iter().zip(history)) {
                if matches!(happens, Names(_)) {
                    cx.set_timer(number, bellwether_core::HOP * (at - 1));
                }
            }
        }
        Listener { leader: None, calls: 0 }
    }

    fn on_call(&mut self, _: &mut Cx<'_, Self>) {
        (self.leader, self.calls) = (None, self.calls + 1);
    }

    fn on_message(&mut self, _: &mut Cx<'_, Self>, _: Port, Leads(leader): Leads) {
        self.leader = Some(leader);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, number: u8) {
        let history = HISTORIES[cx.rank().attribute() as usize];
        if let (Names(leader), _) = history[number as usize] {
            cx.send(PORTS[0], Leads(id(leader)));
        }
    }
}

impl Protocol for Listener {
    type Msg = Leads;

    const SPEC: Spec = Spec {
        name: "listener",
        variant: "plain",
        summary: "names whom it hears to lead",
        starts: Starts::Callers,
        goal: Goal::EveryoneKnows,
        lasting: Lasting::Ends,
        ..Scribe::SPEC
    };

    fn status(&self) -> Status {
        let role = if self.leader.is_some() { Role::Follower } else { Role::Undecided };
        Status { role, leader: self.leader, term: self.calls, halted: false }
    }
}

fn plan(number: usize) -> Plan {
    let rank = |value| Rank::new(Elect::Best, number as Attribute, id(value));
    let topology = Topology::Complete { n: 3 };
    assert_eq!(PORTS.map(|port| topology.peer(0, port).0), [1, 2], "members 2 and 3, as member 1 sees them");
    assert_eq!(topology.peer(2, PORTS[0]).0, 0);
    let none = Initiators::Some(Vec::new());
    let ranks = [1, 2, 3].map(rank).to_vec();
    Plan { initiators: none, ..Plan::new(topology, None, ranks, Order::Explicit) }
}

fn has(history: History, is_wanted: impl Fn(&Happens) -> bool) -> bool {
    history.iter().any(|(happens, _)| is_wanted(happens))
}

fn dies(history: History) -> bool {
    has(history, |happens| matches!(happens, Dies(_)))
}

fn recovers(history: History) -> bool {
    has(history, |happens| matches!(happens, Recovers))
}

/// In simulated time.
mod simulated {
    use super::*;

    /// Says what the history says that is its parameter.
    #[derive(Clone, Debug)]
    struct Scripted(History);

    static SCRIPTED: DetectorEntry = DetectorEntry {
        name: "scripted",
        summary: "",
        sources: &[],
        parameters: &[Parameter::number("H", "", "", (0.0, 100.0), Preset::number(0.0))],
        is_oracle: false,
        text: "",
        build: |values| Box::new(Scripted(HISTORIES[values[0] as usize])),
    };

    impl Detector for Scripted {
        fn start(&mut self, cx: &mut WatchCx<'_>) {
            cx.wake_at(cx.now());
        }

        fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

        fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
            for (at, (happens, _)) in times(self.0).0.into_iter().zip(self.0) {
                let due = Time::ZERO + bellwether_core::HOP * at;
                match happens {
                    _ if due > cx.now() => return cx.wake_at(due),
                    _ if due < cx.now() => {}
                    Suspects(peer) => cx.judge(port_of(*peer), Verdict::Suspected),
                    Declared(peer) => cx.judge(port_of(*peer), Verdict::Failed),
                    _ => {}
                }
            }
        }

        fn patience(&self) -> Span {
            Span::default()
        }

        fn boxed_clone(&self) -> Box<dyn Detector> {
            Box::new(self.clone())
        }
    }

    struct Calls(Vec<Time>);

    impl Observer for Calls {
        fn called(&mut self, at: Time, member: u32) {
            self.0.extend((member == 0).then_some(at));
        }
    }

    pub fn calls(number: usize) -> Vec<u64> {
        let history = HISTORIES[number];
        let (at, end) = times(history);
        let mut detector = DetectorChoice::new(&SCRIPTED);
        detector.set(&format!("H={number}")).unwrap();
        let hop = |bounds: u64| Time::ZERO + bellwether_core::HOP * bounds;
        let event = |bounds, what, member| Happening { at: hop(bounds), what, member };
        let script = at.iter().zip(history).flat_map(|(&at, (happens, _))| match happens {
            Dies(peer) => vec![event(at - 1, FaultEvent::Crash, *peer as u32 - 1)],
            FalselyCertified(peer) => vec![event(at, FaultEvent::Learn(*peer as u32 - 1), 0)],
            Recovers => vec![event(at - 1, FaultEvent::Crash, 0), event(at, FaultEvent::Recover, 0)],
            _ => Vec::new(),
        });
        let plan = Plan {
            script: script.collect(),
            certified_crashes: dies(history),
            detector: Some(detector),
            restart_after: Some(bellwether_core::HOP * PATIENCE),
            limits: Limits { time: hop(end), ..Limits::default() },
            ..plan(number)
        };
        let mut seen = Calls(Vec::new());
        run_events(MachineType::of::<Listener>(), &plan, &mut seen, Stop::WhenQuiet);
        let ends = at.iter().skip(1).copied().chain([end]);
        ends.map(|end| seen.0.iter().filter(|call| **call < hop(end)).count() as u64).collect()
    }
}

/// In the rules that the checker follows.
mod checked {
    use super::*;

    struct Walk<'p> {
        rules: &'p Rules<'p>,
        whole: Whole<'p>,
        now: Situation,
        calls: u64,
    }

    impl Walk<'_> {
        fn step(&mut self, what: Action) {
            let next = self.whole.apply(self.rules, &self.now, what.into());
            self.now = next.unwrap_or_else(|| panic!("{what:?} cannot happen"));
            self.calls +=
                u64::from(matches!(what, Action::Member(0, FaultEvent::Call) | Action::CallAgain(0)));
        }

        /// Everything of a kind that can happen happens.
        fn all(&mut self, is_wanted: impl Fn(&Action) -> bool) {
            loop {
                let enabled = self.whole.enabled(self.rules, &self.now);
                let Some(action) = enabled.into_iter().find(|action| is_wanted(&action.what)) else { return };
                self.step(action.what);
            }
        }

        /// One delay bound, at the end of which something happens.
        fn hop(&mut self, happens: Option<Happens>) {
            self.step(Action::Tick);
            self.all(|what| matches!(what, Action::Deliver(..)));
            match happens {
                Some(Suspects(peer)) => self.step(Action::Tell(0, port_of(peer).0 as u8, Notice::Suspected)),
                Some(Declared(peer)) => {
                    let member = peer as u8 - 1;
                    self.all(|what| *what == Action::Member(member, FaultEvent::Crash));
                    self.step(Action::Tell(0, port_of(peer).0 as u8, Notice::Failed));
                }
                Some(Dies(peer)) => {
                    let member = peer as u8 - 1;
                    self.step(Action::Member(member, FaultEvent::Crash));
                    self.step(Action::Member(0, FaultEvent::Learn(member)));
                }
                Some(FalselyCertified(peer)) => {
                    self.step(Action::Member(0, FaultEvent::Learn(peer as u8 - 1)));
                }
                Some(Recovers) => {
                    self.step(Action::Member(0, FaultEvent::Crash));
                    self.step(Action::Member(0, FaultEvent::Recover));
                }
                _ => {}
            }
            self.all(|what| {
                matches!(
                    what,
                    Action::Member(_, FaultEvent::Call) | Action::CallAgain(_) | Action::TimeOut(..)
                )
            });
        }
    }

    pub fn calls(number: usize) -> Vec<u64> {
        let history = HISTORIES[number];
        let (plan, (at, end)) = (plan(number), times(history));
        let liberties = FaultBudget {
            crashes: 1,
            recoveries: recovers(history).into(),
            detector: true,
            certified: has(history, |happens| matches!(happens, Dies(_) | FalselyCertified(_))),
            suspicions: u8::MAX,
            restarts: u8::MAX,
            time: TimeModel::Clock { grain: 1, drift: 0 },
            ..FaultBudget::NONE
        };
        assert_eq!(u64::from(liberties.restart_after), PATIENCE);
        let rules = Rules::new(&plan, liberties);
        let machine = MachineType::of::<Listener>();
        let now = rules.beginnings(machine).swap_remove(0);
        let mut walk = Walk { rules: &rules, whole: Whole::new(machine, &plan, liberties), now, calls: 0 };
        walk.all(|what| matches!(what, Action::Member(_, FaultEvent::Start)));
        let mut calls = Vec::new();
        for hop in 1..end {
            let event = at.iter().position(|at| *at == hop);
            walk.hop(event.map(|event| history[event].0));
            if at.iter().skip(1).copied().chain([end]).any(|next| next == hop + 1) {
                calls.push(walk.calls);
            }
        }
        calls
    }
}

/// In the loop of a member, with time as it is.
mod real {
    use super::*;

    /// Says what it is told to say, when it is woken.
    #[derive(Clone, Debug, Default)]
    struct Prompted(Arc<Mutex<Vec<(Port, Verdict)>>>);

    impl Detector for Prompted {
        fn start(&mut self, _: &mut WatchCx<'_>) {}
        fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

        fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
            self.0.lock().unwrap().drain(..).for_each(|(port, verdict)| cx.judge(port, verdict));
        }

        fn patience(&self) -> Span {
            Span::default()
        }

        fn boxed_clone(&self) -> Box<dyn Detector> {
            Box::new(self.clone())
        }
    }

    /// A member without a loop of its own.
    struct Driven {
        member: Member,
        prompt: Prompted,
        /// Since when it has had no leader, and has not been called.
        since: Time,
    }

    impl Driven {
        /// Lets it take all that there is to take; how many elections it has started by then.
        fn settle(&mut self) -> u64 {
            while self.member.take_inputs().unwrap() {}
            self.member.machine.status().term
        }

        fn start(&mut self) {
            while !self.member.state.has_started {
                self.member.start_when_all_are_there().unwrap();
                thread::sleep(Duration::from_millis(1));
            }
            // A busy machine may have taken long to come here.
            self.since = self.member.clock.now();
            self.member.state.leaderless_since = self.since;
            self.settle();
        }

        fn happen(&mut self, happens: Happens, expected: u64) -> u64 {
            let before = self.settle();
            match happens {
                Names(leader) => {
                    let msg = postcard::to_stdvec(&Leads(id(leader))).unwrap();
                    self.member.deliver(port_of(3), &msg).unwrap();
                }
                Suspects(peer) => self.member.is_disconnected(id(peer), "as the test says".to_owned()),
                Declared(peer) => {
                    self.prompt.0.lock().unwrap().push((port_of(peer), Verdict::Failed));
                    self.member.hear(DetectorInput::Wake);
                }
                Dies(peer) | FalselyCertified(peer) => self.member.is_dead(id(peer)),
                Recovers => {
                    self.member.state = State::default();
                    self.start();
                }
                Passes(bounds) => self.pass(DELAY_BOUND * bounds, before, expected),
            }
            let calls = self.settle();
            if calls > before || matches!(happens, Names(_)) {
                self.since = self.member.clock.now();
            }
            calls
        }

        /// Until it has started another election, if it is to; else for so long.
        fn pass(&mut self, span: Span, before: u64, expected: u64) {
            let end = self.member.clock.now() + span;
            while self.settle() == before && (before < expected || self.member.clock.now() < end) {
                thread::sleep(Duration::from_millis(1));
            }
            if before < expected {
                assert!(self.member.clock.now() >= self.since + DELAY_BOUND * PATIENCE, "it waits first");
            }
        }
    }

    pub fn calls(number: usize) -> Vec<u64> {
        let (result, calls) = channel();
        let prompt = Prompted::default();
        let detector: Box<dyn Detector> = Box::new(prompt.clone());
        let change = |settings: &mut Settings| {
            settings.members.extend([2, 3].map(|peer| Peer::new(id(peer), "127.0.0.1:0")));
            settings.profile.delay_bound = DELAY_BOUND;
        };
        let work = move |member| {
            let mut driven = Driven { member, prompt, since: Time::ZERO };
            driven.start();
            let counted = HISTORIES[number].iter().map(|&(happens, calls)| driven.happen(happens, calls));
            result.send(counted.collect::<Vec<u64>>()).unwrap();
        };
        let _stage = Stage::working::<Listener>(Some(detector), Mood::Quick, change, work);
        calls.recv_timeout(LIMIT).unwrap()
    }
}

#[test]
fn simulator_checker_and_cluster_start_elections_on_the_same_occasions() {
    // Members of a cluster mostly wait: all histories at once.
    let real: Vec<Vec<u64>> = thread::scope(|scope| {
        let numbers = 0..HISTORIES.len();
        let started: Vec<_> = numbers.map(|number| scope.spawn(move || real::calls(number))).collect();
        started.into_iter().map(|history| history.join().unwrap()).collect()
    });
    for ((number, history), real) in HISTORIES.iter().enumerate().zip(real) {
        let expected: Vec<u64> = history.iter().map(|(_, calls)| *calls).collect();
        assert_eq!(simulated::calls(number), expected, "simulated: {history:?}");
        assert_eq!(checked::calls(number), expected, "checked: {history:?}");
        assert_eq!(real, expected, "in a cluster: {history:?}");
    }
}
