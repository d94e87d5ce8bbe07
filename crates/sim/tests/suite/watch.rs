//! How standing detectors are driven: signals, alarms, the truth for oracles, and who calls when.

use bellwether_core::*;
use bellwether_sim::faults::LinkFaults;
use bellwether_sim::{Event, Limits, Observer, Plan, Report, Stop, run_events};
use bellwether_testkit::toys::{Ping, TOY, complete, hops, ring, with_script};
use serde::Serialize;

/// A detector with the plainest rule: a beat every two hops; silent for five: failed.
#[derive(Clone, Debug, Default)]
struct Plain {
    heard: Vec<Time>,
    beats: u64,
}

impl Detector for Plain {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        self.heard = cx.peers().map(|_| cx.now()).collect();
        self.on_wake(cx);
    }

    fn on_signal(&mut self, cx: &mut WatchCx<'_>, from: Port, _: Signal) {
        self.heard[from.0 as usize] = cx.now();
        cx.judge(from, Verdict::Working);
    }

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        self.beats += 1;
        for peer in cx.peers() {
            cx.signal(peer, Signal::Beat(self.beats));
            if cx.now() - self.heard[peer.0 as usize] > Span::from_hops(5) {
                cx.judge(peer, Verdict::Failed);
            }
        }
        cx.wake_at(cx.now() + Span::from_hops(2));
    }

    fn patience(&self) -> Span {
        Span::from_hops(8)
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

/// An oracle that says what it is told, at once.
#[derive(Clone, Debug)]
struct Seer;

impl Detector for Seer {
    fn start(&mut self, _: &mut WatchCx<'_>) {}
    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}
    fn on_wake(&mut self, _: &mut WatchCx<'_>) {}
    fn on_truth(&mut self, cx: &mut WatchCx<'_>, peer: Port, is_up: bool) {
        cx.judge(peer, if is_up { Verdict::Working } else { Verdict::Failed });
    }
    fn patience(&self) -> Span {
        Span::from_hops(1)
    }
    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(Seer)
    }
}

const fn entry(name: &'static str, is_oracle: bool, build: fn(&[f64]) -> Box<dyn Detector>) -> DetectorEntry {
    DetectorEntry { name, summary: "", sources: &[], parameters: &[], is_oracle, text: "", build }
}

static DETECTORS: [DetectorEntry; 2] =
    [entry("plain", false, |_| Box::new(Plain::default())), entry("seer", true, |_| Box::new(Seer))];

/// Called, it tells everyone that it leads. It takes the last one heard for the leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Loud {
    leader: Option<Id>,
    role: Role,
}

impl Algorithm for Loud {
    type Timer = Never;
    type Durable = ();

    fn start(_: &mut Cx<'_, Self>, (): ()) -> Self {
        Loud { leader: None, role: Role::Undecided }
    }
    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        *self = Loud { leader: Some(cx.id()), role: Role::Leader };
        let ports: Vec<Port> = cx.outgoing().collect();
        ports.into_iter().for_each(|port| cx.send(port, Ping));
    }
    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, _: Ping) {
        *self = Loud { leader: Some(cx.peer_rank(from).id()), role: Role::Follower };
    }
    fn on_timer(&mut self, _: &mut Cx<'_, Self>, timer: Never) {
        match timer {}
    }
}

impl Protocol for Loud {
    type Msg = Ping;
    const SPEC: Spec = Spec { knows: Knowledge::PEERS, ..TOY };

    fn status(&self) -> Status {
        Status { role: self.role, leader: self.leader, ..Status::UNDECIDED }
    }
}

/// Verdicts and calls.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn called(&mut self, at: Time, member: u32) {
        self.0.push(format!("{at}: {} calls", member + 1));
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        self.0.push(format!("{at}: {} takes port {} for {verdict:?}", member + 1, port.0));
    }
}

fn watched(detector: &str, mut plan: Plan, callers: &[u32]) -> (Report, Vec<String>) {
    plan.detector = Some(DetectorChoice::parse(&DETECTORS, detector).expect("it is listed"));
    plan.initiators = Initiators::Some(callers.iter().map(|caller| caller - 1).collect());
    plan.limits = Limits { time: hops(500.0), ..plan.limits };
    let mut log = Log::default();
    let report = run_events(MachineType::of::<Loud>(), &plan, &mut log, Stop::WhenQuiet);
    (report, log.0)
}

#[test]
fn where_nothing_happens_it_ends_after_four_patiences() {
    let (report, log) = watched("plain", complete(2), &[2]);
    assert_eq!(log, ["0: 2 calls"]);
    // The announcement came at 1; 4 x 8 hops later nothing new is expected: beats at 0, 2, .. 32.
    assert_eq!((report.signals, report.time, report.finished), (2 * 17, hops(1.0), true));
    assert_eq!(report.messages.total, 1, "signals are counted apart");
}

#[test]
fn whoever_hears_that_its_leader_is_dead_calls() {
    let (report, log) = watched("plain", with_script(complete(3), &[(Event::Crash, 3, 10.5)]), &[3]);
    // Beats left at 0, 2, .. 10 and took a hop: the last came at 11. At 16 that is 5 hops ago, at 18 it is 7.
    assert_eq!(
        log,
        [
            "0: 3 calls",
            "18: 1 takes port 1 for Failed",
            "18: 1 calls",
            "18: 2 takes port 1 for Failed",
            "18: 2 calls",
        ]
    );
    assert_eq!(report.stability.changes, 2);
    // From 10.5 to 18; both led until each heard the other at 19, and then nobody did for 4 x 8 hops.
    assert_eq!(report.stability.with_several, Span::from_hops(1));
    assert_eq!(report.stability.without_leader, Span::from_ticks(7_500) + Span::from_hops(32));
}

#[test]
fn whoever_is_heard_again_is_trusted_again() {
    let script = [(Event::Pause, 2, 3.5), (Event::Resume, 2, 20.0)];
    let (_, log) = watched("plain", with_script(complete(2), &script), &[1]);
    // Frozen, 2 beats no more: its last came at 3. When it wakes, its detector beats at once.
    // It finds what was sent to it meanwhile and does not suspect anyone.
    assert_eq!(log, ["0: 1 calls", "10: 1 takes port 0 for Failed", "21: 1 takes port 0 for Working"]);
    let script = [(Event::Crash, 2, 3.5), (Event::Recover, 2, 20.0)];
    let (_, log) = watched("plain", with_script(complete(2), &script), &[1]);
    let expected =
        ["0: 1 calls", "10: 1 takes port 0 for Failed", "20: 2 calls", "21: 1 takes port 0 for Working"];
    assert_eq!(log, expected);
}

#[test]
fn signals_are_cut_and_lost_as_messages_are() {
    // What 1 sends to 2 is lost; the other way works.
    let (_, log) = watched("plain", with_script(complete(2), &[(Event::Cut(1), 1, 0.0)]), &[]);
    assert_eq!(log, ["6: 2 takes port 0 for Failed"]);
    let all = LinkFaults { loss: 0.999_999, ..LinkFaults::default() };
    let (report, log) = watched("plain", Plan { link_faults: all, ..complete(2) }, &[]);
    assert_eq!(log, ["6: 1 takes port 0 for Failed", "6: 2 takes port 0 for Failed"]);
    assert_eq!(report.links.lost, 0, "signals are not messages");
}

#[test]
fn alarms_follow_the_members_own_clock() {
    // 1's clock runs at half speed: it beats every four hops, which is quick enough; at a quarter it is
    // every eight, and between two of its beats 2 suspects it.
    let slow = |gains| with_script(complete(2), &[(Event::Drift(gains), 1, 0.0), (Event::Call, 2, 100.0)]);
    assert_eq!(watched("plain", slow(-500_000), &[]).1, ["100: 2 calls"]);
    let (_, log) = watched("plain", slow(-750_000), &[]);
    assert_eq!(
        log[..3],
        ["8: 2 takes port 0 for Failed", "9: 2 takes port 0 for Working", "16: 2 takes port 0 for Failed"]
    );
}

#[test]
fn oracles_are_told_the_truth_and_others_are_not() {
    let script = [(Event::Crash, 1, 0.0), (Event::Crash, 3, 4.0), (Event::Recover, 3, 6.0)];
    let (_, log) = watched("seer", with_script(complete(3), &script), &[]);
    assert_eq!(
        log,
        [
            "0: 2 takes port 0 for Failed",
            "0: 3 takes port 0 for Failed",
            "4: 2 takes port 1 for Failed",
            "6: 3 takes port 0 for Failed",
            "6: 2 takes port 1 for Working",
            "6: 3 calls",
        ]
    );
}

#[test]
fn the_frozen_are_told_the_truth_when_they_wake() {
    let script = [(Event::Pause, 1, 2.0), (Event::Crash, 2, 4.0), (Event::Resume, 1, 9.0)];
    let (_, log) = watched("seer", with_script(complete(2), &script), &[]);
    assert_eq!(log, ["9: 1 takes port 0 for Failed"]);
}

#[test]
fn whoever_comes_to_name_the_dead_calls_too() {
    // 2 announces itself and dies before it is heard; 1 knows that it is dead, and hears it all the same.
    let (_, log) = watched("seer", with_script(complete(2), &[(Event::Crash, 2, 0.5)]), &[2]);
    assert_eq!(log, ["0: 2 calls", "0.5: 1 takes port 0 for Failed", "1: 1 calls"]);
}

#[test]
fn neighbours_watch_each_other_whichever_way_their_link_goes() {
    let (_, log) = watched("plain", with_script(ring(3), &[(Event::Crash, 2, 0.0)]), &[]);
    let (before, after) = (NEXT.0, PREV.0);
    let expected =
        [format!("6: 1 takes port {before} for Failed"), format!("6: 3 takes port {after} for Failed")];
    assert_eq!(log, expected);
}

/// Without a detector, a caller is told the truth, and nobody else is told anything; with one, callers
/// know what it says.
#[test]
fn callers_ask_their_detector_where_there_is_one() {
    let mut plan = with_script(complete(3), &[(Event::Crash, 3, 0.0)]);
    plan.initiators = Initiators::Some(vec![0]);
    let mut log = Log::default();
    run_events(MachineType::of::<Loud>(), &plan, &mut log, Stop::WhenQuiet);
    assert_eq!(log.0, ["0: 1 takes port 1 for Failed", "0: 1 calls"]);
    let (_, log) = watched("plain", plan, &[1]);
    assert_eq!(log[0], "0: 1 calls");
}
