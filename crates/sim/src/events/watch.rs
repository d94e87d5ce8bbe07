//! Standing failure detectors: every member's watch over its neighbours.
//!
//! Detectors talk to their neighbours' whichever way a link goes, by signals of their own: these take as
//! long as messages, are lost as they are, may overtake each other, and are counted apart.

use super::Simulation;
use super::disturbed::{LinkTrouble, Passage};
use crate::delay::Sampler;
use crate::plan::Plan;
use crate::world::{Stream, stream};
use bellwether_core::{Detector, Id, Occasion, Port, Signal, Span, Time, Verdict, WatchCx, Watched};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// After so many times a detector's patience without anything new, nothing new will come.
const PATIENCES: u64 = 4;

/// All detectors of a run.
pub(super) struct Watch {
    prototype: Box<dyn Detector>,
    is_oracle: bool,
    seats: Vec<Option<Post>>,
    /// What is due when; at one time signals before alarms, as messages come before timers: a beat that
    /// comes just in time is in time. Else in the order in which it was asked for.
    due: BinaryHeap<Reverse<Turn>>,
    numbered: u64,
    /// What has come to frozen members.
    waiting: BTreeMap<u32, Vec<WatchInput>>,
    delays: Sampler,
    dice: Xoshiro256PlusPlus,
    watched: Watched,
    pub(super) signals: u64,
    /// How long it must be quiet for a run to be over.
    pub(super) linger: Span,
}

/// When it is due, whether it is an alarm, its number, and for whom what is due.
type Turn = (Time, bool, u64, u32, Due);

/// One member's detector.
struct Post {
    detector: Box<dyn Detector>,
    /// What it thinks of each neighbour.
    verdicts: Vec<Verdict>,
    /// When it asked to be woken, on the member's clock, and the number of that wish.
    alarm: Option<(Time, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Signal(Port, Signal),
    Alarm,
}

/// What reaches a detector.
#[derive(Clone, Copy)]
enum WatchInput {
    Start,
    Signal(Port, Signal),
    Alarm,
    Truth(Port, bool),
}

impl Watch {
    pub(super) fn new(plan: &Plan) -> Option<Box<Watch>> {
        let choice = plan.detector.as_ref()?;
        let prototype = choice.build(plan.delay_bound);
        Some(Box::new(Watch {
            linger: prototype.patience() * PATIENCES,
            prototype,
            is_oracle: choice.entry().is_oracle,
            seats: (0..plan.n()).map(|_| None).collect(),
            due: BinaryHeap::new(),
            numbered: 0,
            waiting: BTreeMap::new(),
            delays: plan.delay.sampler(),
            dice: stream(plan.seed, Stream::Signal),
            watched: Watched::default(),
            signals: 0,
        }))
    }

    pub(super) fn next_time(&mut self) -> Option<Time> {
        while let Some(&Reverse((at, _, number, member, due))) = self.due.peek() {
            let alarm = self.seats[member as usize].as_ref().and_then(|post| post.alarm);
            let is_stale = due == Due::Alarm && alarm.is_none_or(|(_, wish)| wish != number);
            if !is_stale {
                return Some(at);
            }
            self.due.pop();
        }
        None
    }

    fn push(&mut self, at: Time, member: u32, due: Due) -> u64 {
        self.numbered += 1;
        self.due.push(Reverse((at, due == Due::Alarm, self.numbered, member, due)));
        self.numbered
    }

    pub(super) fn leave(&mut self, member: u32) {
        self.seats[member as usize] = None;
        self.waiting.remove(&member);
    }
}

impl Simulation<'_, '_> {
    /// A member's detector boots with it.
    pub(super) fn start_watch(&mut self, member: u32) {
        let Some(watch) = &mut self.watch else { return };
        let ports = self.plan.topology.ports(member) as usize;
        let detector = watch.prototype.boxed_clone();
        watch.seats[member as usize] =
            Some(Post { detector, verdicts: vec![Verdict::Working; ports], alarm: None });
        self.tell(member, WatchInput::Start);
        if self.watch.as_ref().is_some_and(|watch| watch.is_oracle) {
            for port in (0..ports as u32).map(Port) {
                let (peer, _) = self.plan.topology.peer(member, port);
                if self.crashed.binary_search(&peer).is_ok() {
                    self.tell(member, WatchInput::Truth(port, false));
                }
            }
        }
    }

    /// A member has died or come back, and oracles know.
    pub(super) fn tell_the_truth(&mut self, member: u32, is_up: bool) {
        if !self.watch.as_ref().is_some_and(|watch| watch.is_oracle) {
            return;
        }
        for port in (0..self.plan.topology.ports(member)).map(Port) {
            let (neighbour, at_port) = self.plan.topology.peer(member, port);
            self.tell(neighbour, WatchInput::Truth(at_port, is_up));
        }
    }

    /// Everything that detectors have to do at this time.
    pub(super) fn keep_watch(&mut self) {
        while let Some(watch) = &mut self.watch
            && watch.next_time() == Some(self.now)
            && let Some(Reverse((.., member, due))) = watch.due.pop()
        {
            match due {
                Due::Signal(port, signal) => self.tell(member, WatchInput::Signal(port, signal)),
                Due::Alarm => self.tell(member, WatchInput::Alarm),
            }
        }
    }

    /// A member has woken from its freeze, and its detector with it.
    pub(super) fn wake_watch(&mut self, member: u32) {
        let Some(watch) = &mut self.watch else { return };
        for word in watch.waiting.remove(&member).unwrap_or_default() {
            self.tell(member, word);
        }
        self.reset_watch_alarm(member);
    }

    /// When a member's alarm goes has changed, because its clock has.
    pub(super) fn reset_watch_alarm(&mut self, member: u32) {
        let Some(watch) = &mut self.watch else { return };
        let Some((at, _)) = watch.seats[member as usize].as_ref().and_then(|post| post.alarm) else { return };
        self.set_alarm(member, at);
    }

    fn set_alarm(&mut self, member: u32, at: Time) {
        let clock = self.disturbed.as_ref().and_then(|disturbed| disturbed.clocks.get(&member));
        let due = clock.map_or(at, |clock| clock.when(at)).max(self.now);
        let Some(watch) = &mut self.watch else { return };
        let number = watch.push(due, member, Due::Alarm);
        if let Some(post) = &mut watch.seats[member as usize] {
            post.alarm = Some((at, number));
        }
    }

    /// Gives a detector one word, and does what it wants.
    fn tell(&mut self, member: u32, word: WatchInput) {
        let now = self.clock(member);
        let Some(watch) = &mut self.watch else { return };
        if self.disturbed.as_ref().is_some_and(|it| it.frozen.contains_key(&member)) {
            // It hears of it when it wakes. (An alarm goes again then.)
            if !matches!(word, WatchInput::Alarm) {
                watch.waiting.entry(member).or_default().push(word);
            }
            return;
        }
        let Watch { seats, dice, watched, .. } = &mut **watch;
        let Some(post) = &mut seats[member as usize] else { return };
        if matches!(word, WatchInput::Alarm) {
            post.alarm = None;
        }
        let mut draw = |bound: u64| dice.random_range(0..bound.max(1));
        let mut cx = WatchCx::new(now, post.verdicts.len() as u32, &mut draw, watched);
        match word {
            WatchInput::Start => post.detector.start(&mut cx),
            WatchInput::Signal(port, signal) => post.detector.on_signal(&mut cx, port, signal),
            WatchInput::Alarm => post.detector.on_wake(&mut cx),
            WatchInput::Truth(port, is_up) => post.detector.on_truth(&mut cx, port, is_up),
        }
        let Watched { mut signals, mut verdicts, wake_at } = std::mem::take(watched);
        for (port, signal) in signals.drain(..) {
            self.signal(member, port, signal);
        }
        if let Some(at) = wake_at {
            // An alarm for a time that is past goes at once, but not in this very word.
            self.set_alarm(member, at);
        }
        for (port, verdict) in verdicts.drain(..) {
            self.hear_verdict(member, port, verdict);
        }
        if let Some(watch) = &mut self.watch {
            // The lists are put back, so that they are allocated once.
            watch.watched = Watched { signals, verdicts, wake_at: None };
        }
    }

    /// One detector says something to another.
    fn signal(&mut self, member: u32, port: Port, signal: Signal) {
        let (to, at_port) = self.plan.topology.peer(member, port);
        let Some(watch) = &mut self.watch else { return };
        watch.signals += 1;
        let mut held_up = Span::default();
        if let Some(disturbed) = &mut self.disturbed {
            let links: &mut LinkTrouble = disturbed.links();
            // A slot of its own for each pair, beyond those of the messages' links.
            let slot =
                self.plan.topology.link_slots() + member as usize * self.plan.n() as usize + to as usize;
            match links.pass(&self.plan.link_faults, self.now, (member, to), slot, &mut watch.dice) {
                Passage::Lost(_) => return,
                Passage::Arrives { held_up: by, .. } => held_up = by,
            }
        }
        let at = self.now + watch.delays.draw(&mut watch.dice) + held_up;
        watch.push(at, to, Due::Signal(at_port, signal));
    }

    /// A member's detector has changed its mind about a neighbour.
    fn hear_verdict(&mut self, member: u32, port: Port, verdict: Verdict) {
        let Some(watch) = &mut self.watch else { return };
        let Some(post) = &mut watch.seats[member as usize] else { return };
        let Some(known) = post.verdicts.get_mut(port.0 as usize) else { return };
        if std::mem::replace(known, verdict) == verdict {
            return;
        }
        self.observer.suspected(self.now, member, port, verdict);
        let now = self.clock(member);
        let step = self.world.suspect(member, now, port, verdict);
        // A word that changes nothing for anyone is no event.
        let happened = self.something_happened;
        let outputs = self.world.outputs();
        let has_outputs = !outputs.sends.is_empty() || !outputs.timers.is_empty();
        let has_effects = step.is_some_and(|step| step.before != step.after || has_outputs);
        self.settle(member, step);
        self.something_happened = happened || has_effects;
        let peer = self.plan.ranks[self.plan.topology.peer(member, port).0 as usize].id();
        self.consider(member, Occasion::Judged(peer, verdict));
    }

    /// Whether a member's detector has declared the one of this id failed.
    pub(super) fn takes_for_failed(&self, member: u32, id: Id) -> bool {
        let post = self.watch.as_ref().and_then(|watch| watch.seats[member as usize].as_ref());
        post.is_some_and(|post| {
            let mut failed =
                (0..).map(Port).zip(&post.verdicts).filter(|(_, verdict)| **verdict == Verdict::Failed);
            failed
                .any(|(port, _)| self.plan.ranks[self.plan.topology.peer(member, port).0 as usize].id() == id)
        })
    }
}
