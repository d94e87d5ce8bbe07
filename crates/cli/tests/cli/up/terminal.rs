//! A person at a terminal, who strikes keys and reads the screen.

use super::{Up, assert_empty, assert_gone, descendants};
use crate::program::command;
use crate::screen::Screen;
use std::ops::RangeInclusive;

/// A cluster on a terminal, whose best member leads.
fn on_a_terminal(args: &str) -> (Up, Screen) {
    let mut screen = Screen::new();
    let mut command = command(&format!("up --members 3 {args}"));
    command.env("TERM", "xterm-256color").stdin(screen.stdio()).stdout(screen.stdio());
    let up = Up::with(&mut command);
    drop(command); // with it goes the last hold on the terminal that is not the program's
    screen.until("the best leads", |screen| screen.leads(3));
    (up, screen)
}

/// Quits: it ends well, and nothing is left.
fn quit((mut up, mut screen): (Up, Screen), leaders_at_once: RangeInclusive<u64>) {
    let processes = descendants(up.pid());
    screen.press("q");
    let counted = |screen: &Screen| {
        let text = screen.text();
        let (_, most) = text.split_once("most leaders at once: ")?;
        most.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
    };
    screen.until("the summary", |screen| counted(screen).is_some());
    assert!(leaders_at_once.contains(&counted(&screen).unwrap()), "{}", screen.text());
    assert_eq!(up.child.wait().unwrap().code(), Some(0));
    assert_gone(&processes);
    assert_empty(up.temporary.path());
}

#[test]
fn members_are_killed_and_started_again() {
    let (up, mut screen) = on_a_terminal("");
    screen.press("3k");
    screen.until("another leads", |screen| screen.is(3, "dead") && screen.leads(2));
    screen.until_shown("member 2 learns for certain that 3 is dead");
    screen.press("r");
    screen.until("it lives again", |screen| screen.is(3, "running"));
    screen.until_shown("in its life number 2");
    quit((up, screen), 1..=1);
}

#[test]
fn members_are_frozen_and_cut_off_and_come_back() {
    let (up, mut screen) = on_a_terminal("");
    for (away, state, back) in [("p", "paused", "c"), ("x", "cut", "h")] {
        let leader = (1..=3).find(|&it| screen.leads(it)).unwrap();
        screen.press(&format!("{leader}{away}"));
        screen.until(&format!("{leader} is {state}, and another leads"), |screen| {
            screen.is(leader, state) && (1..=3).any(|it| it != leader && screen.leads(it))
        });
        screen.press(back);
        screen.until("it is back, and has heard who leads", |screen| {
            screen.is(leader, "running")
                && screen.member(leader).is_some_and(|(role, _)| role != "undecided")
                && (1..=3).filter(|&it| screen.leads(it)).count() == 1
        });
    }
    quit((up, screen), 1..=1);
}

#[test]
fn the_leader_is_asked_to_hand_over_and_to_resign() {
    let (up, mut screen) = on_a_terminal("");
    // The best may soon lead again: what happened is listed all the same.
    let comes_after = |first: &'static str, then: &'static str| {
        move |screen: &Screen| {
            let text = screen.text();
            text.find(first).is_some_and(|at| text[at..].contains(then))
        }
    };
    screen.press("1t");
    screen.until("1 leads", comes_after("is asked to let 1 lead", "member 1 LEADS"));
    screen.until("one leads", |screen| (1..=3).any(|it| screen.leads(it)));
    screen.press("l");
    screen.until("the next leads", comes_after("is asked to lead no longer", "LEADS"));
    quit((up, screen), 1..=1);
}

/// It was said at the beginning that a partition can have two leaders: that is no fault then.
#[test]
fn two_leaders_where_one_was_not_promised_are_no_fault() {
    let (up, mut screen) = on_a_terminal("--algorithm bully");
    screen.press("3x");
    screen.until("both sides have a leader", |screen| screen.leads(2) && screen.leads(3));
    screen.press("h");
    screen.until("it is connected again", |screen| screen.is(3, "running"));
    // A member that is held up may be taken for dead, and lead as well: how many do is up to the machine.
    quit((up, screen), 2..=3);
}
