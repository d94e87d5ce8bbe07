//! What the screen shows, and what keys do.

use super::look::{ColorArg, Look};
use super::model::{Model, Wanted};
use super::screen::Screen;
use super::story;
use bellwether_lab::recording::Recording;
use bellwether_testkit::golden::assert_golden;
use bellwether_testkit::recordings;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn look(ascii: bool) -> Look {
    Look::new(ascii, ColorArg::Auto, |name| (name == "LANG").then(|| "en_GB.UTF-8".to_owned()))
}

fn press(model: Model, recording: &Recording, keys: &str) -> Model {
    keys.chars().fold(model, |model, key| {
        let code = match key {
            '>' => KeyCode::Right,
            '<' => KeyCode::Left,
            '^' => KeyCode::Home,
            '$' => KeyCode::End,
            '\n' => KeyCode::Enter,
            '~' => KeyCode::Backspace,
            '\u{1b}' => KeyCode::Esc,
            other => KeyCode::Char(other),
        };
        model.press(recording, KeyEvent::from(code))
    })
}

/// What a screen of this size shows, as text.
fn screen(recording: &Recording, model: &Model, look: Look, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let heading = recordings::heading();
    let screen = Screen { recording, heading: &heading, model, look };
    terminal.draw(|frame| screen.draw(frame.area(), frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..height {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn shown(recording: &Recording, keys: &str, ascii: bool) -> String {
    screen(recording, &press(Model::default(), recording, keys), look(ascii), (80, 24))
}

#[test]
fn the_screen_is_as_it_was() {
    let ring = recordings::chang_roberts();
    assert_golden(env!("CARGO_MANIFEST_DIR"), "ring.txt", &shown(&ring, "g11\n", false));
    assert_golden(env!("CARGO_MANIFEST_DIR"), "ring-ascii.txt", &shown(&ring, "g11\n", true));
    assert_golden(env!("CARGO_MANIFEST_DIR"), "ring-beginning.txt", &shown(&ring, "", false));
    assert_golden(env!("CARGO_MANIFEST_DIR"), "rounds-end.txt", &shown(&recordings::lcr(), "$", false));
    assert_golden(env!("CARGO_MANIFEST_DIR"), "bully.txt", &shown(&recordings::bully(), "t20.1\n", false));
    assert_golden(
        env!("CARGO_MANIFEST_DIR"),
        "troubled.txt",
        &shown(&recordings::troubled(), "t24\n", false),
    );
    assert_golden(
        env!("CARGO_MANIFEST_DIR"),
        "step-by-step-end.txt",
        &shown(&recordings::step_by_step(), "$", false),
    );
    assert_golden(env!("CARGO_MANIFEST_DIR"), "help.txt", &shown(&ring, "?", false));
}

#[test]
fn the_story_is_as_it_was() {
    let recordings = [
        ("ring", recordings::chang_roberts()),
        ("bully", recordings::bully()),
        ("troubled", recordings::troubled()),
        ("step-by-step", recordings::step_by_step()),
    ];
    for (name, recording) in recordings {
        assert_golden(
            env!("CARGO_MANIFEST_DIR"),
            &format!("story-{name}.txt"),
            &story::tell(&recording, &recordings::heading()),
        );
    }
}

#[test]
fn ascii_is_ascii() {
    for recording in recordings::all() {
        for done in 0..=recording.steps.len() {
            let model = Model { done, ..Model::default() };
            assert!(screen(&recording, &model, look(true), (100, 30)).is_ascii());
        }
        assert!(shown(&recording, "?", true).is_ascii());
    }
}

#[test]
fn every_size_can_be_drawn_on() {
    for recording in recordings::all() {
        for size in [(0, 0), (1, 1), (3, 40), (200, 2), (20, 10), (60, 15), (80, 24), (250, 80)] {
            for done in [0, 1, recording.steps.len() / 2, recording.steps.len()] {
                let model = Model { done, help: done == 1, ..Model::default() };
                screen(&recording, &model, look(false), size);
            }
        }
    }
}

#[test]
fn steps_go_forth_and_back_between_the_ends() {
    let recording = recordings::chang_roberts();
    let last = recording.steps.len();
    let after = |keys: &str| press(Model::default(), &recording, keys).done;
    assert_eq!((after("<"), after(">n"), after(">>b"), after(">>><")), (0, 2, 1, 2));
    assert_eq!((after("$"), after("$>"), after("$<"), after("$^")), (last, last, last - 1, 0));
    let (mut forth, mut back) = (Vec::new(), Vec::new());
    for done in 0..=last {
        let model = Model { done, ..Model::default() };
        forth.push(screen(&recording, &model, look(false), (80, 24)));
        let model = press(press(model, &recording, ">"), &recording, if done == last { "" } else { "<" });
        back.push(screen(&recording, &model, look(false), (80, 24)));
    }
    assert!(forth == back, "going back shows what was to be seen");
}

#[test]
fn jumps_land_where_they_should_or_say_why_not() {
    let recording = recordings::chang_roberts();
    let model = |keys: &str| press(Model::default(), &recording, keys);
    assert_eq!(model("g15~2\n").done, 12);
    let refused = model(">g999\n");
    assert_eq!((refused.done, refused.question.is_none()), (1, true));
    assert!(refused.notice.is_some_and(|notice| notice.contains("no step 999")));
    assert_eq!(model("g12\u{1b}").done, 0);
    // After time 2 the message has been passed on twice.
    let done = model("t2\n").done;
    assert!(recording.steps[done - 1].at.hops() <= 2.0 && recording.steps[done].at.hops() > 2.0);
    assert_eq!(model("tx99.\n").done, recording.steps.len(), "letters that cannot be are not taken");
    let decides = model("d");
    assert!(recording.is_decision(decides.done - 1));
    assert!((0..decides.done - 1).all(|step| !recording.is_decision(step)));
    assert_eq!(model("ddD").done, decides.done);
    assert!(model("$d").notice.is_some());
    assert_eq!(model("g").question.unwrap().about, Wanted::Step);
}

#[test]
fn one_member_can_be_followed() {
    let recording = recordings::chang_roberts();
    let mut model = press(Model::default(), &recording, "m12\n");
    assert_eq!(model.follows, Some(3));
    let steps = recording.steps.iter().filter(|step| step.member == 3).count();
    for _ in 0..steps {
        model = press(model, &recording, ">");
        assert_eq!(recording.steps[model.done - 1].member, 3);
    }
    assert_eq!(press(model.clone(), &recording, ">").done, model.done, "it has no more steps");
    assert_eq!(press(model.clone(), &recording, "m\n").follows, None);
    assert!(press(model, &recording, "m13\n").notice.is_some());
}

#[test]
fn it_plays_until_the_end_and_then_from_the_beginning() {
    let recording = recordings::lcr();
    let mut model = press(Model::default(), &recording, " ");
    let mut ticks = 0;
    while model.playing {
        model = model.tick(&recording);
        ticks += 1;
    }
    assert_eq!((ticks, model.done), (recording.steps.len(), recording.steps.len()));
    assert_eq!(model.clone().tick(&recording), model, "at the end nothing moves");
    let again = press(model, &recording, " ");
    assert_eq!((again.done, again.playing), (0, true));
    assert!(!press(again.clone(), &recording, " ").playing);
    assert!(!press(again.clone(), &recording, ">").playing, "whoever steps wants to look");
    assert!(press(again.clone(), &recording, "+").period() < again.period());
    assert!(press(again.clone(), &recording, "-").period() > again.period());
    assert_eq!(press(again.clone(), &recording, "--------+").steps_a_second(), 1.0);
}

#[test]
fn there_is_always_a_way_out() {
    let recording = recordings::lcr();
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for keys in ["", "g", "?", " "] {
        let model = press(Model::default(), &recording, keys);
        assert!(model.press(&recording, interrupt).is_over, "{keys}");
    }
    for keys in ["q", "\u{1b}", "g\u{1b}q", "??q"] {
        assert!(press(Model::default(), &recording, keys).is_over, "{keys}");
    }
    assert!(!press(Model::default(), &recording, "?q").is_over, "a key closes the help first");
}

#[test]
fn the_environment_says_what_can_be_shown() {
    // Whether all letters are shown, and whether there are colours.
    let with = |ascii, color, variables: &[(&str, &str)]| {
        let of =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let look = Look::new(ascii, color, of);
        (!look.kind(0).is_ascii(), look.faint() != ratatui::style::Style::new())
    };
    let (auto, utf8) = (ColorArg::Auto, ("LANG", "de_DE.UTF-8"));
    assert_eq!(with(false, auto, &[utf8]), (true, true));
    assert_eq!(with(true, ColorArg::Never, &[utf8]), (false, false));
    assert_eq!(with(false, auto, &[]), (false, true));
    assert_eq!(with(false, auto, &[("LC_ALL", "C"), utf8]), (false, true));
    assert_eq!(with(false, auto, &[("LC_CTYPE", "en_GB.utf8")]), (true, true));
    assert_eq!(with(false, auto, &[utf8, ("NO_COLOR", "1")]), (true, false));
    assert_eq!(with(false, auto, &[utf8, ("NO_COLOR", "")]), (true, true), "empty is not set");
    assert_eq!(with(false, ColorArg::Always, &[utf8, ("NO_COLOR", "1")]), (true, true));
    assert_eq!(with(false, auto, &[utf8, ("TERM", "dumb")]), (true, false));
}
