//! Where the onlooker is in the run, and what keys do about it.

use bellwether_core::{HOP, Id, Time};
use bellwether_lab::recording::Recording;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Steps a second, to choose from.
const SPEEDS: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
/// The one to begin with.
const FIRST_SPEED: usize = 2;
/// How far a page goes.
const PAGE: usize = 10;

/// Where the onlooker is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How many steps have been made.
    pub done: usize,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Which of the speeds.
    pub speed: usize,
    /// Whom all steps are about; nobody: about everyone.
    pub follows: Option<u32>,
    /// What the onlooker is being asked.
    pub question: Option<Question>,
    /// Whether the keys are explained.
    pub help: bool,
    /// What is to be said about the last key.
    pub notice: Option<String>,
    /// Whether it is over.
    pub is_over: bool,
}

/// Something the onlooker is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What.
    pub about: Wanted,
    /// The answer so far.
    pub answer: String,
}

/// What the onlooker can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A step's number.
    Step,
    /// A time, in hops.
    Time,
    /// A member's id.
    Member,
}

impl Wanted {
    /// The question.
    pub fn words(self) -> &'static str {
        match self {
            Wanted::Step => "Go to step:",
            Wanted::Time => "Go to time (hops):",
            Wanted::Member => "Follow member (id; nothing: all):",
        }
    }
}

impl Default for Model {
    fn default() -> Model {
        Model {
            done: 0,
            playing: false,
            speed: FIRST_SPEED,
            follows: None,
            question: None,
            help: false,
            notice: None,
            is_over: false,
        }
    }
}

impl Model {
    /// Steps a second.
    pub fn steps_a_second(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// How long a step takes while it goes on by itself.
    pub fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.steps_a_second())
    }

    /// Time has come for the next step.
    pub fn tick(self, recording: &Recording) -> Model {
        if !self.playing {
            return self;
        }
        let next = self.forward(recording);
        let is_at_its_end = next.forward_to(recording).is_none();
        Model { playing: !is_at_its_end, notice: None, ..next }
    }

    /// A key was pressed.
    pub fn press(self, recording: &Recording, key: KeyEvent) -> Model {
        let model = Model { notice: None, ..self };
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            let is_over = model.is_over || matches!(key.code, KeyCode::Char('c' | 'C'));
            return Model { is_over, ..model };
        }
        if model.question.is_some() {
            return model.answer(recording, key.code);
        }
        if model.help {
            return Model { help: false, ..model };
        }
        model.command(recording, key.code)
    }

    fn command(self, recording: &Recording, key: KeyCode) -> Model {
        let still = Model { playing: false, ..self.clone() };
        let last = recording.steps.len();
        match key {
            KeyCode::Right | KeyCode::Down | KeyCode::Char('n') => still.forward(recording),
            KeyCode::Left | KeyCode::Up | KeyCode::Char('b') => still.back(recording),
            KeyCode::PageDown => Model { done: (self.done + PAGE).min(last), ..still },
            KeyCode::PageUp => Model { done: self.done.saturating_sub(PAGE), ..still },
            KeyCode::Home => Model { done: 0, ..still },
            KeyCode::End => Model { done: last, ..still },
            KeyCode::Char(' ') | KeyCode::Enter if self.playing => still,
            // At the end there is nothing more to play: from the beginning, then.
            KeyCode::Char(' ') | KeyCode::Enter => {
                let done = if self.forward_to(recording).is_none() { 0 } else { self.done };
                Model { playing: true, done, ..self }
            }
            KeyCode::Char('+' | '=') => Model { speed: (self.speed + 1).min(SPEEDS.len() - 1), ..self },
            KeyCode::Char('-') => Model { speed: self.speed.saturating_sub(1), ..self },
            KeyCode::Char('d') => still.seek_decision(recording, true),
            KeyCode::Char('D') => still.seek_decision(recording, false),
            KeyCode::Char('g') => still.ask(Wanted::Step),
            KeyCode::Char('t') => still.ask(Wanted::Time),
            KeyCode::Char('m') => still.ask(Wanted::Member),
            KeyCode::Char('?' | 'h') => Model { help: true, ..still },
            KeyCode::Char('q') | KeyCode::Esc => Model { is_over: true, ..still },
            _ => self,
        }
    }

    /// Whether a step is one of those that the onlooker goes through.
    fn counts(&self, recording: &Recording, step: usize) -> bool {
        self.follows.is_none_or(|member| recording.steps[step].member == member)
    }

    /// How many steps will have been made after the next one that counts.
    fn forward_to(&self, recording: &Recording) -> Option<usize> {
        (self.done..recording.steps.len()).find(|&step| self.counts(recording, step)).map(|step| step + 1)
    }

    fn forward(self, recording: &Recording) -> Model {
        let done = self.forward_to(recording).unwrap_or(self.done);
        Model { done, ..self }
    }

    fn back(self, recording: &Recording) -> Model {
        let earlier = self.done.saturating_sub(1);
        let done = (0..earlier).rev().find(|&step| self.counts(recording, step)).map_or(0, |step| step + 1);
        Model { done, ..self }
    }

    /// To the next or the last step after which an outsider sees something new.
    fn seek_decision(self, recording: &Recording, forward: bool) -> Model {
        let decides = |step: &usize| recording.is_decision(*step) && self.counts(recording, *step);
        let found = if forward {
            (self.done..recording.steps.len()).find(decides)
        } else {
            (0..self.done.saturating_sub(1)).rev().find(decides)
        };
        match found {
            Some(step) => Model { done: step + 1, ..self },
            None => Model { notice: Some("nobody decides anything there".to_owned()), ..self },
        }
    }

    fn ask(self, about: Wanted) -> Model {
        Model { question: Some(Question { about, answer: String::new() }), ..self }
    }

    fn answer(self, recording: &Recording, key: KeyCode) -> Model {
        let Some(Question { about, mut answer }) = self.question.clone() else { return self };
        match key {
            KeyCode::Esc => return Model { question: None, ..self },
            KeyCode::Enter => return Model { question: None, ..self }.go(recording, about, answer.trim()),
            KeyCode::Backspace => {
                answer.pop();
            }
            KeyCode::Char(letter) if letter.is_ascii_digit() || letter == '.' => answer.push(letter),
            _ => {}
        }
        Model { question: Some(Question { about, answer }), ..self }
    }

    /// Does what was answered, or says why not.
    fn go(self, recording: &Recording, about: Wanted, answer: &str) -> Model {
        if answer.is_empty() {
            let follows = if about == Wanted::Member { None } else { self.follows };
            return Model { follows, ..self };
        }
        let last = recording.steps.len();
        let went = match about {
            Wanted::Step => match answer.parse::<usize>() {
                Ok(step) if step <= last => Ok(Model { done: step, ..self.clone() }),
                _ => Err(format!("there is no step {answer}: they go from 0 to {last}")),
            },
            Wanted::Time => match answer.parse::<f64>() {
                Ok(hops) if hops.is_finite() => {
                    let time = Time::from_ticks((hops * HOP.ticks() as f64).round() as u64);
                    let done = recording.steps.partition_point(|step| step.at <= time);
                    Ok(Model { done, ..self.clone() })
                }
                _ => Err(format!("{answer} is no time")),
            },
            Wanted::Member => {
                let id = answer.parse().ok().and_then(|id| Id::new(id).ok());
                match (0..recording.n()).find(|&member| Some(recording.id(member)) == id) {
                    Some(member) => Ok(Model { follows: Some(member), ..self.clone() }),
                    None => Err(format!("there is no member {answer}")),
                }
            }
        };
        went.unwrap_or_else(|notice| Model { notice: Some(notice), ..self })
    }
}
