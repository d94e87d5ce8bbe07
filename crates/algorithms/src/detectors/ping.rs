//! The lecture's ping function, called at regular intervals: ask, and wait as long as a message can take there and
//! back.

use super::{LEAST_PERIOD, LONGEST, span, wait};
use crate::sources::SARKAR_LECTURE;
use bellwether_core::{
    Detector, DetectorEntry, Parameter, Port, Preset, Signal, Span, Time, Verdict, WatchCx,
};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "ping",
    summary: "asks every P; a member that does not answer within 2D + e has failed",
    sources: &[SARKAR_LECTURE],
    parameters: &[
        Parameter::number(
            "P",
            "hops between two pings (2D + e if that is longer)",
            "hops",
            (LEAST_PERIOD, LONGEST),
            Preset::number(5.0),
        ),
        wait("D", "hops that a message may take", Preset::DelayBounds(1.0)),
        wait("e", "hops that an answer may take in addition", Preset::number(0.1)),
    ],
    is_oracle: false,
    text: include_str!("ping.md"),
    build: |values| {
        let wait = span(2.0 * values[1] + values[2]);
        // The answers to one ping are due before the next ping.
        let period = span(values[0]).max(wait);
        Box::new(Ping { period, wait, asked: None, due: Time::ZERO, next: Time::ZERO, answers: vec![] })
    },
};

#[derive(Clone, Debug)]
struct Ping {
    period: Span,
    wait: Span,
    /// The number of the last ping.
    asked: Option<u64>,
    /// When the answers are due, and when to ask again.
    due: Time,
    next: Time,
    /// For each neighbour, whether it has answered, and the last verdict.
    answers: Vec<(bool, Verdict)>,
}

impl Ping {
    fn ask(&mut self, cx: &mut WatchCx<'_>) {
        let number = self.asked.map_or(0, |last| last.wrapping_add(1));
        self.asked = Some(number);
        self.due = cx.now() + self.wait;
        self.next = cx.now() + self.period;
        for (port, (has_answered, _)) in cx.peers().zip(&mut self.answers) {
            *has_answered = false;
            cx.signal(port, Signal::Ping(number));
        }
        cx.wake_at(self.due);
    }
}

impl Detector for Ping {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        self.answers = cx.peers().map(|_| (false, Verdict::Working)).collect();
        self.ask(cx);
    }

    fn on_signal(&mut self, cx: &mut WatchCx<'_>, from: Port, signal: Signal) {
        match (signal, self.answers.get_mut(from.0 as usize)) {
            (Signal::Ping(number), Some(_)) => cx.signal(from, Signal::Pong(number)),
            (Signal::Pong(number), Some((has_answered, verdict))) if Some(number) == self.asked => {
                *has_answered = true;
                if *verdict != Verdict::Working {
                    *verdict = Verdict::Working;
                    cx.judge(from, Verdict::Working);
                }
            }
            _ => {}
        }
    }

    /// The ping may be lost with the old connection: the next one counts.
    fn on_connected(&mut self, _: &mut WatchCx<'_>, peer: Port) {
        if let Some((has_answered, _)) = self.answers.get_mut(peer.0 as usize) {
            *has_answered = true;
        }
    }

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        if self.due <= cx.now() {
            for (port, (has_answered, verdict)) in cx.peers().zip(&mut self.answers) {
                if !*has_answered && *verdict != Verdict::Failed {
                    *verdict = Verdict::Failed;
                    cx.judge(port, Verdict::Failed);
                }
            }
        }
        if self.next <= cx.now() {
            self.ask(cx);
        } else {
            cx.wake_at(if self.due <= cx.now() { self.next } else { self.due });
        }
    }

    fn patience(&self) -> Span {
        self.period + self.wait
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
