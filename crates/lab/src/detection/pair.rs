//! Two members that watch each other, in virtual time; the second one dies.

use super::{Conditions, Watched as Outcome};
use bellwether_core::{Detector, HOP, Port, Signal, Span, Time, Verdict, WatchCx, Watched};
use bellwether_sim::{Sampler, Stream, stream};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What all watches of a measurement have in common.
pub(super) struct Watching<'a> {
    pub(super) conditions: &'a Conditions,
    pub(super) is_oracle: bool,
    /// From when on it is looked at.
    pub(super) settled: Span,
    /// For how long after that, on average.
    pub(super) length: Span,
}

/// Who is looked at, and whom it watches.
const WATCHER: usize = 0;
const WATCHED: usize = 1;
/// Each has one neighbour.
const PEER: Port = Port(0);

/// When it is due, whether it is an alarm, its number, and to whom which signal comes.
type Due = (Time, bool, u64, usize, Option<Signal>);

pub(super) struct Pair<'a> {
    watching: &'a Watching<'a>,
    delays: Sampler,
    dice: Xoshiro256PlusPlus,
    /// Both detectors, and the number of the alarm that each waits for.
    detectors: [Option<(Box<dyn Detector>, u64)>; 2],
    /// What is due when: signals before alarms, as a beat just in time is in time.
    due: BinaryHeap<Reverse<Due>>,
    numbered: u64,
    now: Time,
    dies_at: Time,
    /// When the last signal came to the watcher.
    last_signal: Time,
    /// Since when the watcher takes the other for dead.
    wrong_since: Option<Time>,
    outcome: Outcome,
}

impl<'a> Pair<'a> {
    pub(super) fn new(prototype: &dyn Detector, watching: &'a Watching<'a>, seed: u64) -> Pair<'a> {
        let mut dice = stream(seed, Stream::Signal);
        let lives_for = Span::from_ticks(dice.random_range(0..=2 * watching.length.ticks()));
        Pair {
            watching,
            delays: watching.conditions.delay.sampler(),
            dice,
            detectors: [(); 2].map(|()| Some((prototype.boxed_clone(), 0))),
            due: BinaryHeap::new(),
            numbered: 0,
            now: Time::ZERO,
            dies_at: Time::ZERO + watching.settled + lives_for,
            last_signal: Time::ZERO,
            wrong_since: None,
            outcome: Outcome {
                observed: lives_for.hops(),
                mistakes: 0.0,
                wrong: 0.0,
                signals: 0.0,
                detection_time: None,
            },
        }
    }

    /// The whole watch, from the beginning until nothing more is to be expected after the death.
    pub(super) fn watch(mut self) -> Outcome {
        for member in [WATCHER, WATCHED] {
            self.tell(member, |detector, cx| detector.start(cx));
        }
        self.go_on_until(|pair| pair.dies_at);
        self.now = self.dies_at;
        self.end_mistake(); // what is left of it is right
        self.detectors[WATCHED] = None;
        if self.watching.is_oracle {
            self.tell(WATCHER, |detector, cx| detector.on_truth(cx, PEER, false));
        }
        let patience = self.detectors[WATCHER].as_ref().map_or(HOP, |(detector, _)| detector.patience()) * 2;
        self.go_on_until(|pair| pair.last_signal.max(pair.dies_at) + patience);
        self.outcome.detection_time = self.wrong_since.map(|since| (since - self.dies_at).hops());
        self.outcome
    }

    /// Everything that is due before a time, which may move on.
    fn go_on_until(&mut self, end: impl Fn(&Self) -> Time) {
        while let Some(&Reverse((at, _, number, member, signal))) = self.due.peek()
            && at < end(self)
        {
            self.due.pop();
            self.now = at;
            match signal {
                Some(signal) => {
                    if member == WATCHER {
                        self.last_signal = at;
                    }
                    self.tell(member, |detector, cx| detector.on_signal(cx, PEER, signal));
                }
                None if self.detectors[member].as_ref().is_some_and(|(_, alarm)| *alarm == number) => {
                    self.tell(member, |detector, cx| detector.on_wake(cx));
                }
                None => {} // it has asked for another time since
            }
        }
    }

    /// Gives a detector one word, and does what it wants.
    fn tell(&mut self, member: usize, word: impl FnOnce(&mut dyn Detector, &mut WatchCx<'_>)) {
        let Some((detector, alarm)) = &mut self.detectors[member] else { return };
        let mut wishes = Watched::default();
        let mut draw = |bound: u64| self.dice.random_range(0..bound.max(1));
        word(&mut **detector, &mut WatchCx::new(self.now, 1, &mut draw, &mut wishes));
        if let Some(at) = wishes.wake_at {
            self.numbered += 1;
            *alarm = self.numbered;
            self.due.push(Reverse((at.max(self.now), true, self.numbered, member, None)));
        }
        for (_, signal) in wishes.signals {
            self.send(WATCHER + WATCHED - member, signal);
        }
        if member == WATCHER {
            for (_, verdict) in wishes.verdicts {
                self.hear(verdict);
            }
        }
    }

    fn send(&mut self, to: usize, signal: Signal) {
        if self.is_looked_at() {
            self.outcome.signals += 1.0;
        }
        if self.watching.conditions.loss > 0.0 && self.dice.random::<f64>() < self.watching.conditions.loss {
            return;
        }
        self.numbered += 1;
        let at = self.now + self.delays.draw(&mut self.dice);
        self.due.push(Reverse((at, false, self.numbered, to, Some(signal))));
    }

    fn hear(&mut self, verdict: Verdict) {
        match (verdict, self.wrong_since) {
            (Verdict::Failed, None) => {
                self.wrong_since = Some(self.now);
                self.outcome.mistakes += f64::from(u8::from(self.is_looked_at()));
            }
            (Verdict::Working | Verdict::Suspected, Some(_)) => {
                self.end_mistake();
                self.wrong_since = None;
            }
            _ => {}
        }
    }

    /// Counts the time of a mistake that ends now, as far as it was looked at; of the dead there is none.
    fn end_mistake(&mut self) {
        if let Some(since) = self.wrong_since
            && self.detectors[WATCHED].is_some()
        {
            self.outcome.wrong += (self.now - since.max(Time::ZERO + self.watching.settled)).hops();
        }
    }

    fn is_looked_at(&self) -> bool {
        self.now >= Time::ZERO + self.watching.settled && self.now < self.dies_at
    }
}
