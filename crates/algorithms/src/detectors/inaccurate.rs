//! A detector that is wrong on purpose: it reports live members as failed, again and again.

use super::{LEAST_PERIOD, LONGEST, span};
use crate::sources::{CHANDRA_TOUEG_1996, GUPTA_LECTURE};
use bellwether_core::{
    Detector, DetectorEntry, Parameter, Port, Preset, Signal, Span, Time, Verdict, WatchCx,
};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "inaccurate",
    summary: "wrong on purpose: misses no crash, but suspects live members again and again (simulators only)",
    sources: &[GUPTA_LECTURE, CHANDRA_TOUEG_1996],
    parameters: &[
        Parameter::number(
            "every",
            "hops from one mistake to the next",
            "hops",
            (LEAST_PERIOD, LONGEST),
            Preset::number(20.0),
        ),
        Parameter::number(
            "for",
            "hops that a mistake lasts, unless the next one begins before",
            "hops",
            (0.001, LONGEST),
            Preset::number(5.0),
        ),
    ],
    is_oracle: true,
    text: include_str!("inaccurate.md"),
    build: |values| {
        let (every, wrong_for) = (span(values[0]), span(values[1]));
        Box::new(Inaccurate { every, wrong_for, next: Time::ZERO, is_wrong: false, neighbours: vec![] })
    },
};

#[derive(Clone, Debug)]
struct Inaccurate {
    every: Span,
    wrong_for: Span,
    /// When the next mistake begins.
    next: Time,
    is_wrong: bool,
    /// For each neighbour, whether it is alive, and the last verdict reported.
    neighbours: Vec<(bool, Verdict)>,
}

impl Inaccurate {
    /// Reports its verdicts: the truth about dead members, and about live ones the truth or the opposite.
    fn speak(&mut self, cx: &mut WatchCx<'_>) {
        for (port, (is_up, said)) in cx.peers().zip(&mut self.neighbours) {
            let verdict = if *is_up && !self.is_wrong { Verdict::Working } else { Verdict::Failed };
            if std::mem::replace(said, verdict) != verdict {
                cx.judge(port, verdict);
            }
        }
    }
}

impl Detector for Inaccurate {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        self.neighbours = cx.peers().map(|_| (true, Verdict::Working)).collect();
        self.next = cx.now() + self.every;
        cx.wake_at(self.next);
    }

    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        let begins = self.next <= cx.now();
        if begins {
            self.next = cx.now() + self.every;
        }
        self.is_wrong = begins;
        self.speak(cx);
        cx.wake_at(if begins { self.next.min(cx.now() + self.wrong_for) } else { self.next });
    }

    fn on_truth(&mut self, cx: &mut WatchCx<'_>, peer: Port, is_up: bool) {
        if let Some((was_up, _)) = self.neighbours.get_mut(peer.0 as usize) {
            *was_up = is_up;
        }
        self.speak(cx);
    }

    fn patience(&self) -> Span {
        self.every
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
