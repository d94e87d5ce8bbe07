//! What each failure does to a run, to the tick.

use bellwether_core::*;
use bellwether_core::{DynMessage, DynState};
use bellwether_sim::faults::{Chosen, LinkFaults};
use bellwether_sim::{DropReason, Limits, Observer, Plan, Report, Stop, run_events};
use bellwether_testkit::toys::{TOY, complete, hops, id, ring, with_script};
use serde::{Deserialize, Serialize};

/// Called, it writes down how often it has been called and sends that to everyone; it reminds itself
/// two hops later. Whoever hears a number says so at once: its term is the last number heard. Whoever
/// hears `Lead` takes the one named for the leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Clerk {
    calls: u64,
    heard: u64,
    reminded_at: Option<Time>,
    leader: Option<Id>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Word {
    Number(u64),
    Name(Id),
    Lead(Id),
}

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::payload("number"), Kind::payload("name"), Kind::payload("lead")];

    fn kind(&self) -> usize {
        match self {
            Word::Number(_) => 0,
            Word::Name(_) => 1,
            Word::Lead(_) => 2,
        }
    }

    fn forged(leader: Rank) -> Option<Self> {
        Some(Word::Lead(leader.id()))
    }
}

impl Algorithm for Clerk {
    type Timer = ();
    type Durable = u64;

    fn start(_: &mut Cx<'_, Self>, saved: u64) -> Self {
        Clerk { calls: saved, heard: 0, reminded_at: None, leader: None }
    }

    fn on_request(&mut self, cx: &mut Cx<'_, Self>, request: Request) {
        if let Request::Transfer(to) = request {
            cx.send(Port(0), Word::Lead(to));
        }
    }

    fn on_call(&mut self, cx: &mut Cx<'_, Self>) {
        self.calls += 1;
        cx.persist(self.calls);
        let ports: Vec<Port> = cx.outgoing().collect();
        for port in ports {
            cx.send(port, Word::Number(self.calls));
        }
        cx.set_timer((), HOP * 2);
    }

    fn on_message(&mut self, cx: &mut Cx<'_, Self>, from: Port, word: Word) {
        match word {
            Word::Number(number) => {
                self.heard = number;
                if cx.outgoing().any(|port| port == from) {
                    cx.send(from, Word::Name(cx.id()));
                }
            }
            Word::Name(_) => {}
            Word::Lead(leader) => self.leader = Some(leader),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_, Self>, (): ()) {
        self.reminded_at = Some(cx.now());
    }
}

impl Protocol for Clerk {
    type Msg = Word;
    const SPEC: Spec = Spec { knows: Knowledge::CLOCK, ..TOY };

    fn status(&self) -> Status {
        Status { leader: self.leader, term: self.heard, ..Status::UNDECIDED }
    }
}

/// One line for everything that matters to these tests.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    fn note(&mut self, at: Time, member: u32, what: impl std::fmt::Display) {
        self.0.push(format!("{at} {} {what}", member + 1));
    }

    fn of(&self, member: u32) -> Vec<&str> {
        let of_member = |line: &&String| line.split(' ').nth(1) == Some(&member.to_string());
        self.0.iter().filter(of_member).map(String::as_str).collect()
    }
}

impl Observer for Log {
    fn started(&mut self, at: Time, member: u32) {
        self.note(at, member, "starts");
    }
    fn crashed(&mut self, at: Time, member: u32) {
        self.note(at, member, "crashes");
    }
    fn called(&mut self, at: Time, member: u32) {
        self.note(at, member, "calls");
    }
    fn delivered(&mut self, at: Time, member: u32, _: Port, msg: &dyn DynMessage) {
        self.note(at, member, format!("hears {msg:?}"));
    }
    fn lost(&mut self, at: Time, member: u32, _: Port, msg: &dyn DynMessage) {
        self.note(at, member, format!("misses {msg:?}"));
    }
    fn dropped(&mut self, at: Time, member: u32, _: Port, to: u32, msg: &dyn DynMessage, why: DropReason) {
        self.note(at, member, format!("loses {msg:?} to {} by {why:?}", to + 1));
    }
    fn timed_out(&mut self, at: Time, member: u32, _: &dyn std::fmt::Debug) {
        self.note(at, member, "is reminded");
    }
    fn suspected(&mut self, at: Time, member: u32, port: Port, verdict: Verdict) {
        self.note(at, member, format!("takes the one at {} for {verdict:?}", port.0));
    }
    fn struck(&mut self, at: Time, member: u32, what: FaultEvent) {
        if let FaultEvent::Learn(dead) = what {
            self.note(at, member, format!("learns that {} is dead", dead + 1));
        }
    }
    fn settled(&mut self, at: Time, member: u32, state: &dyn DynState) {
        let state = format!("{state:?}");
        if let Some((_, clock)) = state.split_once("reminded_at: Some(Time(") {
            let shown: u64 = clock.split(')').next().and_then(|ticks| ticks.parse().ok()).expect("ticks");
            self.note(at, member, format!("was reminded at {}", Time::from_ticks(shown)));
        }
    }
}

fn play(mut plan: Plan, callers: &[u32]) -> (Report, Log) {
    plan.initiators = Initiators::Some(callers.iter().map(|caller| caller - 1).collect());
    plan.limits = Limits { time: hops(1_000.0), ..plan.limits };
    let mut log = Log::default();
    let report = run_events(MachineType::of::<Clerk>(), &plan, &mut log, Stop::WhenQuiet);
    (report, log)
}

fn with_links(link_faults: LinkFaults) -> Plan {
    Plan { link_faults, ..complete(2) }
}

#[test]
fn who_recovers_has_what_it_saved_and_nothing_else() {
    let script = [(FaultEvent::Crash, 1, 1.5), (FaultEvent::Recover, 1, 10.0)];
    let (_, log) = play(with_script(complete(2), &script), &[1]);
    // Its reminder of time 2 died with it; what it counted did not.
    assert_eq!(
        log.of(1),
        [
            "0 1 starts",
            "0 1 calls",
            "1.5 1 crashes",
            "2 1 misses Name(2)",
            "10 1 starts",
            "10 1 calls",
            "12 1 hears Name(2)",
            "12 1 is reminded",
            "12 1 was reminded at 12",
        ]
    );
    assert_eq!(log.of(2)[1..], ["1 2 hears Number(1)", "11 2 hears Number(2)"]);
}

/// Who learns that 3 is dead, and when, if it crashes at 5 and this happens besides.
fn learn(besides: &[(FaultEvent, u64, f64)]) -> Vec<String> {
    let script = [&[(FaultEvent::Crash, 3, 5.0)], besides].concat();
    let plan = Plan { certified_crashes: true, ..with_script(complete(3), &script) };
    let (_, log) = play(plan, &[1]);
    log.0.into_iter().filter(|line| line.contains("learns")).collect()
}

#[test]
fn a_certificate_travels_as_messages_do() {
    let both = ["6 1 learns that 3 is dead", "6 2 learns that 3 is dead"];
    let mut told = learn(&[]);
    told.sort();
    assert_eq!(told, both);
    assert_eq!(learn(&[(FaultEvent::Cut(0), 3, 4.0)]), both[1..], "it is lost where messages are");
    assert_eq!(learn(&[(FaultEvent::Crash, 2, 5.5)])[0], both[0], "the dead hear nothing");
    let uncertified = play(with_script(complete(3), &[(FaultEvent::Crash, 3, 5.0)]), &[1]).1;
    assert!(!uncertified.0.iter().any(|line| line.contains("learns")));
}

/// Whoever is back says so at once: what it says arrives a hop later.
#[test]
fn a_certificate_comes_to_nothing_once_the_next_life_is_heard() {
    let asleep = [(FaultEvent::Pause, 1, 5.2), (FaultEvent::Resume, 1, 9.0)];
    assert!(learn(&asleep).contains(&"9 1 learns that 3 is dead".to_owned()), "it hears it when it wakes");
    let back = [&asleep[..], &[(FaultEvent::Recover, 3, 5.5)]].concat();
    assert_eq!(learn(&back), ["6 2 learns that 3 is dead"], "to 1 the next life has spoken since");
}

#[test]
fn whoever_learns_that_its_leader_is_dead_calls() {
    let script = [(FaultEvent::Request(Request::Transfer(id(3))), 1, 1.0), (FaultEvent::Crash, 3, 5.0)];
    let plan = Plan { certified_crashes: true, ..with_script(complete(3), &script) };
    let (_, log) = play(plan, &[1]);
    let at_six =
        |member| log.of(member).into_iter().filter(|line| line.starts_with("6 ")).collect::<Vec<_>>();
    let calls = ["6 2 learns that 3 is dead", "6 2 takes the one at 1 for Failed", "6 2 calls"];
    assert_eq!(at_six(2), calls, "1 has let it know that 3 leads");
    assert!(!at_six(1).contains(&"6 1 calls"), "it names nobody");
}

#[test]
fn a_torn_write_is_as_if_it_had_not_been() {
    let torn = [(FaultEvent::TornCrash, 1, 3.0), (FaultEvent::Call, 1, 5.0), (FaultEvent::Recover, 1, 10.0)];
    let (_, log) = play(with_script(complete(2), &torn), &[1]);
    // At 5 it crashes in the middle of writing 2: nobody hears of it, nothing reminds it, and it has 1.
    assert_eq!(
        log.of(1)[7..],
        [
            "5 1 crashes",
            "10 1 starts",
            "10 1 calls",
            "12 1 hears Name(2)",
            "12 1 is reminded",
            "12 1 was reminded at 12"
        ]
    );
    fn heard(log: &Log) -> Vec<&str> {
        log.of(2).into_iter().filter(|line| line.contains("Number")).collect()
    }
    assert_eq!(heard(&log), ["1 2 hears Number(1)", "11 2 hears Number(2)"]);
    // What it has written before stays written, whatever comes of the next.
    let later = [
        (FaultEvent::Call, 1, 5.0),
        (FaultEvent::TornCrash, 1, 6.5),
        (FaultEvent::Call, 1, 8.0),
        (FaultEvent::Recover, 1, 10.0),
    ];
    let (_, log) = play(with_script(complete(2), &later), &[1]);
    assert_eq!(heard(&log), ["1 2 hears Number(1)", "6 2 hears Number(2)", "11 2 hears Number(3)"]);
    // Whoever writes nothing until it is to recover does not crash, then or later.
    let idle = [(FaultEvent::TornCrash, 1, 3.0), (FaultEvent::Recover, 1, 10.0), (FaultEvent::Call, 1, 11.0)];
    let (_, log) = play(with_script(complete(2), &idle), &[1]);
    assert_eq!(heard(&log), ["1 2 hears Number(1)", "12 2 hears Number(2)"]);
    assert!(!log.0.iter().any(|line| line.contains("crashes")), "{:?}", log.0);
}

#[test]
fn whoever_is_up_hears_what_is_asked_of_it() {
    let ask = |at| (FaultEvent::Request(Request::Transfer(id(2))), 1, at);
    let asked = [ask(3.0), (FaultEvent::Pause, 1, 4.0), ask(5.0), (FaultEvent::Crash, 1, 6.0), ask(7.0)];
    let (report, log) = play(with_script(complete(2), &asked), &[]);
    assert_eq!(log.of(2), ["0 2 starts", "4 2 hears Lead(2)"]);
    assert_eq!(report.messages.total, 1);
}

#[test]
fn who_crashes_while_sending_reaches_half() {
    let script =
        [(FaultEvent::CrashSending, 1, 3.0), (FaultEvent::Call, 1, 4.0), (FaultEvent::Recover, 1, 9.0)];
    let (_, log) = play(with_script(complete(5), &script), &[]);
    let first: Vec<_> = log.0.iter().filter(|line| line.ends_with("hears Number(1)")).collect();
    assert_eq!(first, ["5 2 hears Number(1)", "5 3 hears Number(1)"], "2 of 4");
    let second = log.0.iter().filter(|line| line.ends_with("hears Number(2)")).count();
    assert_eq!(second, 4, "what it wrote before it sent has been written");
    let script = [(FaultEvent::CrashSending, 1, 3.0), (FaultEvent::Call, 1, 4.0)];
    let (_, log) = play(with_script(complete(2), &script), &[]);
    assert_eq!(log.of(1)[1..], ["4 1 calls", "4 1 crashes"]);
    assert_eq!(log.of(2), ["0 2 starts"], "half of one is none");
}

#[test]
fn the_frozen_hear_everything_when_they_wake_and_are_reminded_late() {
    let script = [(FaultEvent::Pause, 1, 0.5), (FaultEvent::Resume, 1, 7.0)];
    let (report, log) = play(with_script(complete(2), &script), &[1, 2]);
    assert_eq!(
        log.of(1)[2..],
        ["7 1 hears Number(1)", "7 1 hears Name(2)", "7 1 is reminded", "7 1 was reminded at 7",]
    );
    assert!(report.finished);
    let script = [(FaultEvent::Pause, 1, 0.5), (FaultEvent::Crash, 1, 3.0), (FaultEvent::Resume, 1, 7.0)];
    let (_, log) = play(with_script(complete(2), &script), &[1, 2]);
    assert_eq!(log.of(1)[2..], ["3 1 crashes", "3 1 misses Number(1)", "3 1 misses Name(2)"]);
}

#[test]
fn cut_links_lose_one_way_or_both_until_they_are_mended() {
    let cut = [(FaultEvent::Cut(1), 1, 0.0), (FaultEvent::Mend(1), 1, 5.0), (FaultEvent::Call, 1, 5.0)];
    let calls = [(FaultEvent::Call, 1, 3.0), (FaultEvent::Call, 2, 3.0)];
    let (report, log) = play(with_script(complete(2), &[&cut[..], &calls].concat()), &[]);
    assert_eq!(log.of(1)[2], "3 1 loses Number(1) to 2 by Cut");
    assert!(log.0.contains(&"4 1 hears Number(1)".to_owned()), "the other way works: {:?}", log.0);
    assert!(log.0.contains(&"4 1 loses Name(1) to 2 by Cut".to_owned()));
    assert!(log.0.contains(&"6 2 hears Number(2)".to_owned()), "mended: {:?}", log.0);
    assert_eq!(report.links.lost, 2);
    let healed = [(FaultEvent::Cut(1), 1, 0.0), (FaultEvent::Cut(0), 2, 0.0), (FaultEvent::Heal, 1, 2.0)];
    let (report, _) = play(with_script(complete(2), &[&healed[..], &calls].concat()), &[]);
    assert_eq!((report.links.lost, report.messages.total), (0, 4));
}

#[test]
fn a_link_that_is_cut_twice_works_when_it_is_mended_twice() {
    let cuts = [(FaultEvent::Cut(1), 1, 0.0), (FaultEvent::Cut(1), 1, 1.0), (FaultEvent::Mend(1), 1, 2.0)];
    let calls = [(FaultEvent::Call, 1, 3.0), (FaultEvent::Mend(1), 1, 4.0), (FaultEvent::Call, 1, 5.0)];
    let (report, log) = play(with_script(complete(2), &[&cuts[..], &calls].concat()), &[]);
    assert_eq!(log.of(2)[1..], ["6 2 hears Number(2)"]);
    assert_eq!(report.links.lost, 1);
}

#[test]
fn clocks_drift_and_jump_and_timers_are_deadlines_on_them() {
    // Twice as fast: two hops on its clock are one in truth.
    let (_, log) = play(
        with_script(complete(2), &[(FaultEvent::Drift(1_000_000), 1, 0.0), (FaultEvent::Call, 1, 0.0)]),
        &[],
    );
    assert_eq!(log.of(1)[2..4], ["1 1 is reminded", "1 1 was reminded at 2"]);
    // Half as fast from time 1 on: one hop is left, which takes two.
    let (_, log) = play(with_script(complete(2), &[(FaultEvent::Drift(-500_000), 1, 1.0)]), &[1]);
    assert!(log.of(1).contains(&"3 1 was reminded at 2"), "{:?}", log.0);
    // It jumps forward beyond the deadline, or back.
    let (_, log) = play(with_script(complete(2), &[(FaultEvent::Jump(10_000), 1, 1.0)]), &[1]);
    assert!(log.of(1).contains(&"1 1 was reminded at 11"), "{:?}", log.0);
    let (_, log) = play(with_script(complete(2), &[(FaultEvent::Jump(-1_000), 1, 1.0)]), &[1]);
    assert!(log.of(1).contains(&"3 1 was reminded at 2"), "{:?}", log.0);
}

#[test]
fn liars_go_by_other_names_forge_and_fall_silent_and_do_not_count() {
    let script = [(FaultEvent::Lie(Lie::Pretend(id(9))), 2, 0.0), (FaultEvent::Call, 1, 1.0)];
    let (_, log) = play(with_script(complete(2), &script), &[]);
    assert!(log.0.contains(&"3 1 hears Name(9)".to_owned()), "{:?}", log.0);
    let script = [(FaultEvent::Lie(Lie::Forge(id(2))), 1, 1.0)];
    let (report, log) = play(with_script(complete(3), &script), &[]);
    assert!(log.0.contains(&"2 3 hears Lead(2)".to_owned()), "{:?}", log.0);
    let problem = report.ruling.unsafe_because.expect("3 is the best");
    assert!(problem.contains("takes 2 for the leader"), "{problem}");
    let script = [(FaultEvent::Lie(Lie::Silence(1)), 1, 0.0), (FaultEvent::Call, 1, 1.0)];
    let (_, log) = play(with_script(complete(3), &script), &[]);
    assert!(log.0.contains(&"1 1 loses Number(1) to 2 by Silence".to_owned()));
    assert!(log.0.contains(&"2 3 hears Number(1)".to_owned()));
    // Whom a liar takes for the leader is its own affair.
    let script =
        [(FaultEvent::Lie(Lie::Forge(id(1))), 2, 1.0), (FaultEvent::Lie(Lie::Pretend(id(2))), 1, 0.0)];
    let (report, _) = play(with_script(complete(2), &script), &[]);
    assert_eq!(report.ruling.unsafe_because, None);
}

#[test]
fn rings_close_round_their_dead_where_asked() {
    let script = [
        (FaultEvent::Crash, 2, 0.0),
        (FaultEvent::Crash, 3, 0.0),
        (FaultEvent::Recover, 3, 5.0),
        (FaultEvent::Call, 1, 9.0),
    ];
    let closing = Plan { ring_closes: true, ..with_script(ring(4), &script) };
    let (_, log) = play(closing, &[1]);
    assert_eq!(log.of(4)[1], "1 4 hears Number(1)");
    assert!(log.0.contains(&"10 3 hears Number(2)".to_owned()), "back in the ring: {:?}", log.0);
    let (_, log) = play(with_script(ring(4), &script), &[1]);
    assert_eq!(log.of(2)[1], "1 2 misses Number(1)");
    let all = [(FaultEvent::Crash, 2, 0.0), (FaultEvent::Crash, 3, 0.0)];
    let (_, log) = play(Plan { ring_closes: true, ..with_script(ring(3), &all) }, &[1]);
    assert!(log.0.contains(&"1 1 hears Number(1)".to_owned()), "alone, it hears itself: {:?}", log.0);
}

#[test]
fn chosen_messages_are_lost_or_come_twice() {
    let chosen = |kind: Option<&str>, nth, fate| LinkFaults {
        chosen: vec![Chosen { from: Some(0), to: None, kind: kind.map(str::to_owned), nth, fate }],
        ..LinkFaults::default()
    };
    let calls = [(FaultEvent::Call, 1, 1.0), (FaultEvent::Call, 1, 2.0), (FaultEvent::Call, 2, 3.0)];
    let heard = |faults| {
        let (report, log) = play(with_script(with_links(faults), &calls), &[]);
        let lines = log.of(2).into_iter().filter(|line| line.contains("hears"));
        (report.links, lines.map(str::to_owned).collect::<Vec<_>>())
    };
    let (links, lines) = heard(chosen(Some("number"), Some(2), Fate::Lost));
    assert_eq!(lines, ["2 2 hears Number(1)", "5 2 hears Name(1)"]);
    assert_eq!((links.lost, links.duplicated), (1, 0));
    let (links, lines) = heard(chosen(Some("number"), Some(1), Fate::Twice));
    assert_eq!(lines.iter().filter(|line| line.ends_with("Number(1)")).count(), 2);
    assert_eq!((links.lost, links.duplicated), (0, 1));
    let (links, lines) = heard(chosen(None, None, Fate::Lost));
    assert_eq!((links.lost, lines.len()), (3, 0));
    assert_eq!(heard(chosen(Some("lead"), None, Fate::Lost)).0.lost, 0);
}

/// Many calls, one message each way and time enough: how many of how many, and the runs of losses.
fn lossy(faults: LinkFaults) -> (Report, Vec<bool>) {
    let calls: Vec<_> = (0..20_000).map(|call| (FaultEvent::Call, 1, f64::from(call) * 10.0)).collect();
    let mut plan = with_script(with_links(faults), &calls);
    plan.topology = Topology::Ring { n: 2, two_way: false };
    plan.initiators = Initiators::Some(Vec::new());
    let mut log = Log::default();
    let report = run_events(MachineType::of::<Clerk>(), &plan, &mut log, Stop::WhenQuiet);
    let fates = log.0.iter().filter(|line| line.contains("Number"));
    (report, fates.map(|line| line.contains("loses")).collect())
}

/// Within five standard errors of a share.
fn meets(count: u64, of: usize, share: f64) -> bool {
    let (of, error) = (of as f64, (share * (1.0 - share) / of as f64).sqrt());
    (count as f64 / of - share).abs() <= 5.0 * error
}

#[test]
fn as_much_is_lost_duplicated_and_held_up_as_is_asked_for() {
    let faults = LinkFaults { loss: 0.2, duplication: 0.1, reordering: 0.3, ..LinkFaults::default() };
    let (report, _) = lossy(faults);
    let arrived = (report.messages.total - report.links.lost) as usize;
    assert!(meets(report.links.lost, report.messages.total as usize, 0.2), "{:?}", report.links);
    assert!(meets(report.links.duplicated, arrived, 0.1), "{:?}", report.links);
    assert!(meets(report.links.held_up, arrived, 0.3), "{:?}", report.links);
    let until = LinkFaults { loss: 0.5, until: hops(50.0), ..LinkFaults::default() };
    assert!(lossy(until).0.links.lost <= 5, "five messages were sent by then");
}

#[test]
fn bursts_are_as_long_as_asked_for_and_lose_as_much() {
    let (_, fates) = lossy(LinkFaults { loss: 0.2, burst: 5.0, ..LinkFaults::default() });
    let lost = fates.iter().filter(|lost| **lost).count();
    let bursts = fates.windows(2).filter(|pair| !pair[0] && pair[1]).count() + usize::from(fates[0]);
    let mean = lost as f64 / bursts as f64;
    // Geometric lengths of mean 5 have the variance 20.
    assert!((mean - 5.0).abs() <= 5.0 * (20.0 / bursts as f64).sqrt(), "{mean}");
    // Each burst and the gap before it are independent of others: the variance of the share follows.
    let share = lost as f64 / fates.len() as f64;
    assert!((share - 0.2).abs() < 0.03, "{share}");
    let (_, single) = lossy(LinkFaults { loss: 0.2, ..LinkFaults::default() });
    let pairs = single.windows(2).filter(|pair| pair[0] && pair[1]).count() as u64;
    assert!(meets(pairs, single.len() - 1, 0.04), "{pairs}: single losses know nothing of each other");
}

/// The first message of each of 39,800 links: as much is lost of them as of later ones.
#[test]
fn a_link_is_as_likely_in_a_burst_at_the_beginning_as_later() {
    let faults = LinkFaults { loss: 0.3, burst: 8.0, ..LinkFaults::default() };
    let plan = with_script(Plan { link_faults: faults, ..complete(200) }, &[]);
    let all: Vec<u32> = (1..=200).collect();
    let (_, log) = play(plan, &all);
    let numbers: Vec<_> = log.0.iter().filter(|line| line.contains("Number")).collect();
    let lost = numbers.iter().filter(|line| line.contains("loses")).count() as u64;
    assert_eq!(numbers.len(), 200 * 199);
    assert!(meets(lost, numbers.len(), 0.3), "{lost}");
}

#[test]
fn what_is_held_up_is_overtaken_though_links_keep_their_order() {
    let calls: Vec<_> = (0..200).map(|call| (FaultEvent::Call, 1, f64::from(call))).collect();
    let order = |reordering| {
        let faults = LinkFaults { reordering, ..LinkFaults::default() };
        let (_, log) = play(with_script(with_links(faults), &calls), &[]);
        let numbers = log.of(2).into_iter().filter_map(|line| line.split_once("Number("));
        numbers.map(|(_, number)| number.trim_end_matches(')').parse().unwrap()).collect::<Vec<u64>>()
    };
    assert!(order(0.0).is_sorted());
    let disturbed = order(0.3);
    assert!(!disturbed.is_sorted() && disturbed.len() == 200);
}

#[test]
fn the_same_seed_gives_the_same_misfortune_and_another_gives_another() {
    let run = |seed| {
        let calls: Vec<_> = (0..50).map(|call| (FaultEvent::Call, 1, f64::from(call))).collect();
        let faults = LinkFaults { loss: 0.3, duplication: 0.3, reordering: 0.3, ..LinkFaults::default() };
        let (report, log) = play(Plan { seed, ..with_script(with_links(faults), &calls) }, &[]);
        (report, log.0)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).1, run(2).1);
}
