//! The common part of detectors in which all members send beats: a beat to every neighbour each period, and for every
//! neighbour the longest permitted silence. The rule for this silence is what differs.

use bellwether_core::{Detector, Port, Signal, Span, Time, Verdict, WatchCx};
use std::fmt::Debug;

/// A beat may be overtaken by at most this many later beats.
const OVERTAKEN_BY: u64 = 16;

/// How long a silence is too long.
pub(super) trait Rule: Clone + Debug + Send + Sync + 'static {
    /// What is remembered of one neighbour's beats. Its size must be bounded.
    type Memory: Clone + Debug + Default + Send + Sync;

    /// A neighbour's next beat has arrived, this long after its last one and with this many lost in between.
    fn learn(&self, memory: &mut Self::Memory, silence: Span, lost: u64) {
        let _ = (memory, silence, lost);
    }

    /// The silences after which a neighbour is suspected and failed.
    fn patience(&self, memory: &Self::Memory) -> Patience;

    /// The longest silence that [`Rule::patience`] ever returns.
    fn most_patience(&self) -> Span;
}

/// The silences after which a neighbour is suspected and failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience {
    /// After this long it is suspected, in detectors that suspect.
    pub(super) suspected: Option<Span>,
    /// After this long it has failed.
    pub(super) failed: Span,
}

/// A member that sends beats, and watches its neighbours' beats.
#[derive(Clone, Debug)]
pub(super) struct Beating<R: Rule> {
    rule: R,
    period: Span,
    next_beat: Time,
    beats: u64,
    /// The time of the next wake-up.
    alarm: Time,
    neighbours: Vec<Neighbour<R::Memory>>,
}

#[derive(Clone, Debug)]
struct Neighbour<M> {
    /// The number of the last beat, and its arrival time; before the first beat, the member's own start.
    last: Option<u64>,
    heard: Time,
    memory: M,
    patience: Patience,
    verdict: Verdict,
}

impl<M> Neighbour<M> {
    /// When the verdict changes if no beat arrives, and to which verdict.
    fn next(&self) -> Option<(Time, Verdict)> {
        let failed = (self.heard + self.patience.failed, Verdict::Failed);
        let suspected = self.patience.suspected.map(|span| (self.heard + span, Verdict::Suspected));
        match self.verdict {
            Verdict::Failed => None,
            Verdict::Suspected => Some(failed),
            Verdict::Working => suspected.filter(|(at, _)| *at < failed.0).or(Some(failed)),
        }
    }
}

impl<R: Rule> Beating<R> {
    pub(super) fn new(rule: R, period: Span) -> Beating<R> {
        Beating { rule, period, next_beat: Time::ZERO, beats: 0, alarm: Time::NEVER, neighbours: Vec::new() }
    }

    fn beat(&mut self, cx: &mut WatchCx<'_>) {
        for port in cx.peers() {
            cx.signal(port, Signal::Beat(self.beats));
        }
        self.beats += 1;
        self.next_beat = cx.now() + self.period;
    }

    /// Sets the wake-up to the next beat or the next change of verdict, whichever comes first.
    fn sleep(&mut self, cx: &mut WatchCx<'_>) {
        let verdicts = self.neighbours.iter().filter_map(|neighbour| Some(neighbour.next()?.0));
        self.alarm = verdicts.fold(self.next_beat, Time::min);
        cx.wake_at(self.alarm);
    }
}

impl<R: Rule> Detector for Beating<R> {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        let memory = R::Memory::default();
        let patience = self.rule.patience(&memory);
        let new = Neighbour { last: None, heard: cx.now(), memory, patience, verdict: Verdict::Working };
        self.neighbours = cx.peers().map(|_| new.clone()).collect();
        self.beat(cx);
        self.sleep(cx);
    }

    fn on_signal(&mut self, cx: &mut WatchCx<'_>, from: Port, signal: Signal) {
        let (Signal::Beat(number), Some(neighbour)) = (signal, self.neighbours.get_mut(from.0 as usize))
        else {
            return;
        };
        // A number that does not rise belongs to a duplicate, an overtaken beat or a member that is back: it is a
        // sign of life, but gives no information about the delay of beats.
        if let Some(lost) = neighbour.last.and_then(|last| number.checked_sub(last)?.checked_sub(1)) {
            self.rule.learn(&mut neighbour.memory, cx.now() - neighbour.heard, lost);
            neighbour.patience = self.rule.patience(&neighbour.memory);
        }
        // An overtaken beat is not far behind; a member that is back counts from the beginning.
        let is_overtaken = neighbour.last.is_some_and(|last| last >= number && last - number < OVERTAKEN_BY);
        if !is_overtaken {
            neighbour.last = Some(number);
        }
        neighbour.heard = cx.now();
        if neighbour.verdict != Verdict::Working {
            neighbour.verdict = Verdict::Working;
            cx.judge(from, Verdict::Working);
        }
        // An early wake-up does no harm, so the alarm is set only if the new time is earlier.
        if let Some((at, _)) = neighbour.next()
            && at < self.alarm
        {
            self.alarm = at;
            cx.wake_at(at);
        }
    }

    fn on_connected(&mut self, cx: &mut WatchCx<'_>, peer: Port) {
        if let Some(neighbour) = self.neighbours.get_mut(peer.0 as usize) {
            neighbour.heard = cx.now();
            // The gap before the next beat belongs to the connection: it does not measure the delay of beats.
            neighbour.last = None;
        }
    }

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        if cx.now() >= self.next_beat {
            self.beat(cx);
        }
        for (at, neighbour) in self.neighbours.iter_mut().enumerate() {
            let before = neighbour.verdict;
            while let Some((due, verdict)) = neighbour.next()
                && due <= cx.now()
            {
                neighbour.verdict = verdict;
            }
            if neighbour.verdict != before {
                cx.judge(Port(at as u32), neighbour.verdict);
            }
        }
        self.sleep(cx);
    }

    fn patience(&self) -> Span {
        self.rule.most_patience()
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
