//! Scenario files as text: whatever stands in them, the answer is a scenario or a place and a reason.

use bellwether_core::{Fate, FaultEvent, Id, Lie};
use bellwether_lab::scenario::{Scenario, ScenarioError};
use bellwether_model::{FaultBudget, TimeModel};
use bellwether_runspec::ScriptLine;
use proptest::prelude::*;
use std::path::Path;

const SOUND: &str = r#"title = "T"
about = "ä"
algorithm = "chang-roberts"
ids = [80, 32, 5]
attributes = [1, -2, 3]
initiators = [5]
delay = "uniform:1..3"
until = 100
[[event]]
at = 2.5
crash = [32]
[expect]
outcome = "elected"
leader = 80
messages = { at_most = 9 }
messages_of = { election = 4 }
leaders = { 5 = 80 }
"#;

fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, Path::new("s.toml"))
}

#[test]
fn a_sound_one_is_read_in_full() {
    let scenario = parse(SOUND).unwrap();
    assert_eq!(scenario.title, "T");
    assert_eq!(scenario.ids.iter().map(|id| id.value()).collect::<Vec<_>>(), [80, 32, 5]);
    assert_eq!(scenario.run.script.len(), 1);
    assert_eq!(scenario.run.until.map(|until| until.hops()), Some(100.0));
    let lines: Vec<String> =
        scenario.expect.lines().into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    assert_eq!(
        lines,
        [
            "outcome = elected",
            "leader = 80",
            "leaders.5 = 80",
            "messages = at most 9",
            "messages_of.election = 4"
        ]
    );
}

/// A run said step by step, with everything that can be said of it.
const STEP_BY_STEP: &str = r#"title = "T"
algorithm = "chang-roberts"
ids = [80, 32, 5]
schedule = ["call 5", "lose 5 -> 80", "crash 80"]
loops_from = 3
beginning = 2
[liberties]
recoveries = 4
suspicions = 3
false_alarms = 2
restarts = 2
restart_after = 30
draws = 7
detector = true
certified = true
clock = { grain = 3, drift = 20 }
stops_at_goal = true
[expect]
outcome = "undecided"
"#;

#[test]
fn a_run_can_be_said_step_by_step() {
    let schedule = parse(STEP_BY_STEP).unwrap().run.schedule.unwrap();
    let steps: Vec<String> = schedule.actions.iter().map(ToString::to_string).collect();
    assert_eq!(steps, ["call 5", "lose 5 -> 80", "crash 80"]);
    assert_eq!((schedule.loop_from, schedule.beginning), (Some(2), 1), "they count from 0");
    let expected = FaultBudget {
        crashes: 1,
        recoveries: 4,
        losses: 1,
        duplicates: 0,
        pauses: 0,
        requests: 0,
        suspicions: 3,
        false_alarms: 2,
        restarts: 2,
        restart_after: 30,
        draws: 7,
        late_calls: true,
        detector: true,
        certified: true,
        time: TimeModel::Clock { grain: 3, drift: 20 },
        ticks: u16::MAX,
        stops_at_goal: true,
    };
    assert_eq!(schedule.liberties, expected);
}

/// Everything that can go wrong, and what it comes to.
const TROUBLED: &str = r##"title = "T"
algorithm = "chang-roberts"
ids = [9, 2, 5, 7]
loss = "5%"
burst = 2
duplication = 0.1
reordering = 0.2
held_up = 3
faults_until = 90.5
lose = ["elected:9-2", "#7"]
duplicate = ["election:*-5#2"]
ring_closes = true
detector = "heartbeat:T=5"
event = [
  { at = 1, crash = [2, 5] },
  { at = 2, torn_crash = 7 },
  { at = 3, recover = [2, 5, 7] },
  { at = 4, crash_sending = 5 },
  { at = 5, pause = [2, 7], until = 6.5 },
  { at = 7, pause = 2 },
  { at = 8, resume = 2 },
  { at = 9, cut = [9, 2], until = 10 },
  { at = 11, cut = [9, 2], one_way = true },
  { at = 12, mend = [9, 2], one_way = true },
  { at = 13, partition = [[9, 2], [5]], until = 14 },
  { at = 15, heal = true },
  { at = 16, drift = 7, by = "-500ppm" },
  { at = 17, jump = 7, by = -2.5 },
  { at = 18, jump = 7, by = -3 },
  { at = 19, pretend = 7, as = 11 },
  { at = 20, forge = 7, leader = 2 },
  { at = 21, silence = 7, towards = [9, 2] },
]
[expect]
outcome = "undecided"
changes = 2
without_leader = { at_most = 9.5 }
with_several = 0
most_leaders = { at_most = 1 }
term = 0
lost = { at_least = 1 }
duplicated = 3
"##;

#[test]
fn every_failure_can_be_written_down() {
    let scenario = parse(TROUBLED).unwrap();
    let faults = scenario.run.link_faults.faults().unwrap();
    assert_eq!((faults.loss, faults.burst, faults.duplication, faults.reordering), (0.05, 2.0, 0.1, 0.2));
    assert_eq!((faults.held_up.hops(), faults.until.hops()), (3.0, 90.5));
    let fates: Vec<Fate> = faults.chosen.iter().map(|chosen| chosen.fate).collect();
    assert_eq!(fates, [Fate::Lost, Fate::Lost, Fate::Twice]);
    assert!(scenario.run.ring_closes);
    assert_eq!(scenario.run.detector.as_deref(), Some("heartbeat:T=5"));
    let lines =
        |wanted: fn(&ScriptLine) -> bool| scenario.run.script.iter().filter(|line| wanted(line)).count();
    assert_eq!(lines(|line| matches!(line, ScriptLine::Partition(_))), 1);
    assert_eq!(lines(|line| matches!(line, ScriptLine::Heal(at) if at.hops() == 15.0)), 1);

    let id = |value| Id::new(value).unwrap();
    let (nine, two, five, seven) = (id(9), id(2), id(5), id(7));
    let expected = [
        (two, FaultEvent::Crash, 1.0),
        (five, FaultEvent::Crash, 1.0),
        (seven, FaultEvent::TornCrash, 2.0),
        (two, FaultEvent::Recover, 3.0),
        (five, FaultEvent::Recover, 3.0),
        (seven, FaultEvent::Recover, 3.0),
        (five, FaultEvent::CrashSending, 4.0),
        (two, FaultEvent::Pause, 5.0),
        (two, FaultEvent::Resume, 6.5),
        (seven, FaultEvent::Pause, 5.0),
        (seven, FaultEvent::Resume, 6.5),
        (two, FaultEvent::Pause, 7.0),
        (two, FaultEvent::Resume, 8.0),
        (nine, FaultEvent::Cut(two), 9.0),
        (nine, FaultEvent::Mend(two), 10.0),
        (two, FaultEvent::Cut(nine), 9.0),
        (two, FaultEvent::Mend(nine), 10.0),
        (nine, FaultEvent::Cut(two), 11.0),
        (nine, FaultEvent::Mend(two), 12.0),
        (seven, FaultEvent::Drift(-500), 16.0),
        (seven, FaultEvent::Jump(-2_500), 17.0),
        (seven, FaultEvent::Jump(-3_000), 18.0),
        (seven, FaultEvent::Lie(Lie::Pretend(id(11))), 19.0),
        (seven, FaultEvent::Lie(Lie::Forge(two)), 20.0),
        (seven, FaultEvent::Lie(Lie::Silence(nine)), 21.0),
        (seven, FaultEvent::Lie(Lie::Silence(two)), 21.0),
    ];
    let mut script: Vec<_> =
        scenario.run.script.events().map(|(id, what, at)| (id, what, at.hops())).collect();
    let mut expected = expected.to_vec();
    let key = |(id, what, at): &(Id, FaultEvent<Id>, f64)| ((at * 10.0) as u64, *id, *what);
    script.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(script, expected);
    let lines: Vec<String> =
        scenario.expect.lines().into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let expected = [
        "outcome = undecided",
        "changes = 2",
        "without_leader = at most 9.5",
        "with_several = 0",
        "most_leaders = at most 1",
        "term = 0",
        "lost = at least 1",
        "duplicated = 3",
    ];
    assert_eq!(lines, expected);
}

/// The place that an error names is in the text.
fn names_a_place(text: &str) {
    if let Err(error) = parse(text) {
        let ScenarioError::Flawed { line, column, problem, .. } = error else { panic!("{error}") };
        assert!(!problem.is_empty());
        let named = text.split('\n').nth(line - 1).unwrap_or_else(|| panic!("no line {line} in {text:?}"));
        assert!((1..=named.chars().count() + 1).contains(&column), "{line}:{column} in {text:?}");
    }
}

#[test]
fn every_beginning_of_a_sound_one_names_a_place() {
    for text in [SOUND, TROUBLED] {
        for (end, _) in text.char_indices() {
            names_a_place(&text[..end]);
        }
    }
}

#[test]
fn depth_is_bounded() {
    for deep in ["[".repeat(100_000), "{a=".repeat(100_000), "a.".repeat(100_000)] {
        names_a_place(&format!("ids = {deep}"));
        names_a_place(&format!("{deep} = 1"));
    }
}

proptest! {
    #[test]
    fn a_spoilt_one_names_a_place(at in 0..SOUND.len(), length in 0_usize..8, put in "[ -~ä\n]{0,6}") {
        let start = (0..=at).rev().find(|&at| SOUND.is_char_boundary(at)).unwrap();
        let end = (start + length..).find(|&at| at >= SOUND.len() || SOUND.is_char_boundary(at)).unwrap();
        let spoilt = format!("{}{put}{}", &SOUND[..start], SOUND.get(end..).unwrap_or_default());
        names_a_place(&spoilt);
    }

    #[test]
    fn any_text_names_a_place(text in "\\PC{0,60}") {
        names_a_place(&text);
    }
}
