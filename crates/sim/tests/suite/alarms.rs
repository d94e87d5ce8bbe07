//! Rounds in step: a member is woken in the round that it asks for now, not in one that it asked for
//! before.

use bellwether_core::*;
use bellwether_sim::{Limits, Observer, Plan, Report, Visit, run_rounds};
use bellwether_testkit::toys::{Ping, TOY, id, ring, with_script};
use serde::Serialize;

/// Member 1 sends pings in some rounds; member 2 asks to be woken, after each of its visits anew.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Sleeper<const SCENE: usize> {
    pings: bool,
    round: u64,
    /// The rounds of member 2's visits, as digits.
    visits: u64,
    wakes_left: &'static [Ask],
}

/// [`Wake`], as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Ask {
    At(u64),
    OnMessage,
    Halt,
}
use Ask::{At, Halt, OnMessage};

/// When member 1 pings, and what member 2 asks for at first and after each visit.
const SCENES: [(&[u64], &[Ask]); 8] = [
    (&[1, 2, 3, 4], &[At(7), At(7), At(7), At(7), At(7), OnMessage]),
    (&[1], &[At(5), At(9), OnMessage]),
    (&[1], &[At(9), At(4), OnMessage]),
    (&[1], &[At(5), OnMessage]),
    (&[1, 2], &[At(5), OnMessage, At(5), OnMessage]),
    (&[1, 2, 3], &[At(5), At(8), At(5), At(8), OnMessage]),
    (&[1], &[At(5), Halt]),
    (&[1], &[OnMessage, At(u64::MAX), At(u64::MAX)]),
];

impl<const SCENE: usize> RoundAlgorithm for Sleeper<SCENE> {
    fn start(cx: &mut RoundCx<'_, Self>) -> Self {
        Sleeper { pings: cx.id() == id(1), round: 1, visits: 0, wakes_left: SCENES[SCENE].1 }
    }

    fn msgs(&self, cx: &RoundCx<'_, Self>, out: &mut impl Outbox<Ping>) {
        if self.pings && SCENES[SCENE].0.contains(&cx.round()) {
            out.send(NEXT, Ping);
        }
    }

    fn trans(&mut self, cx: &mut RoundCx<'_, Self>, _: &[(Port, Ping)]) {
        self.round = cx.round();
        if !self.pings {
            self.visits = self.visits * 10 + cx.round() % 10;
            self.wakes_left = self.wakes_left.get(1..).unwrap_or_default();
        }
    }

    fn wake(&self) -> Wake {
        match self.wakes_left.first() {
            _ if self.pings && SCENES[SCENE].0.iter().any(|&round| round > self.round) => Wake::NextRound,
            Some(&At(round)) if !self.pings => Wake::At(round),
            _ => Wake::OnMessage,
        }
    }
}

impl<const SCENE: usize> Protocol for Sleeper<SCENE> {
    type Msg = Ping;
    const SPEC: Spec = Spec { goal: Goal::LeaderOnly, timing: Timing::Rounds, ..TOY };

    fn status(&self) -> Status {
        Status { term: self.visits, halted: self.wakes_left.first() == Some(&Halt), ..Status::UNDECIDED }
    }
}

/// The last that member 2 let be seen.
#[derive(Default)]
struct Visits(u64);

impl Observer for Visits {
    fn published(&mut self, _: Time, member: u32, status: Status) {
        assert_eq!(member, 1, "member 1 has nothing to say");
        self.0 = status.term;
    }
}

fn play<const SCENE: usize>(plan: &Plan) -> (u64, Report) {
    let mut visits = Visits::default();
    let report = run_rounds::<Sleeper<SCENE>, _>(&Sleeper::<SCENE>::SPEC, plan, &mut visits, Visit::Awake);
    (visits.0, report)
}

fn visits<const SCENE: usize>() -> u64 {
    let (visits, report) = play::<SCENE>(&ring(2));
    assert!(report.finished);
    visits
}

#[test]
fn asking_again_and_again_for_a_round_wakes_once() {
    assert_eq!(visits::<0>(), 23457);
}

#[test]
fn asking_for_a_later_round_takes_the_earlier_back() {
    assert_eq!(visits::<1>(), 29);
}

#[test]
fn asking_for_an_earlier_round_takes_the_later_back() {
    assert_eq!(visits::<2>(), 24);
}

#[test]
fn asking_for_none_takes_it_back_and_it_can_be_asked_for_again() {
    assert_eq!(visits::<3>(), 2);
    assert_eq!(visits::<4>(), 235);
    assert_eq!(visits::<5>(), 2348);
}

#[test]
fn an_alarm_that_nobody_waits_for_does_not_prolong_the_run() {
    let limits = Limits { time: Time::ZERO + HOP * 2, ..Limits::default() };
    let short = Plan { limits, ..ring(2) };
    for (visits, report) in [play::<3>(&short), play::<6>(&short)] {
        assert_eq!((visits, report.finished), (2, true));
    }
    let (visits, report) = play::<1>(&short);
    assert_eq!((visits, report.finished), (2, false), "round 9 is after the end");
    // The dead wait for nothing either.
    let (visits, report) = play::<1>(&with_script(short, &[(FaultEvent::Crash, 2, 1.5)]));
    assert_eq!((visits, report.finished), (2, true));
}

#[test]
fn a_round_beyond_all_counting_never_comes() {
    let (visits, report) = play::<7>(&ring(2));
    assert_eq!((visits, report.finished, report.rounds), (2, false, Some(2)));
}
