//! What detectors share that are told the truth, which only a simulator can do: some tell it late, some
//! keep some of it to themselves.

use bellwether_core::{Detector, Port, Signal, Span, Time, Verdict, WatchCx};

/// Passes on what is true.
#[derive(Clone, Debug, Default)]
pub(super) struct Oracle {
    /// How long after it has become so.
    pub(super) after: Span,
    /// The share of deaths that it keeps to itself.
    pub(super) missed: f64,
    /// Of each neighbour, what it will say next and when, and what it has said.
    neighbours: Vec<(Option<(Time, Verdict)>, Verdict)>,
}

/// Shares are drawn to so many parts.
const PARTS: u64 = 1_000_000;

impl Oracle {
    pub(super) fn new(after: Span, missed: f64) -> Oracle {
        Oracle { after, missed, neighbours: Vec::new() }
    }
}

impl Detector for Oracle {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        self.neighbours = cx.peers().map(|_| (None, Verdict::Working)).collect();
    }

    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        for (port, (news, said)) in cx.peers().zip(&mut self.neighbours) {
            if let Some((_, verdict)) = news.take_if(|(at, _)| *at <= cx.now())
                && verdict != *said
            {
                *said = verdict;
                cx.judge(port, verdict);
            }
        }
        if let Some(next) = self.neighbours.iter().filter_map(|(news, _)| Some((*news)?.0)).min() {
            cx.wake_at(next);
        }
    }

    fn on_truth(&mut self, cx: &mut WatchCx<'_>, peer: Port, is_up: bool) {
        let Some((news, _)) = self.neighbours.get_mut(peer.0 as usize) else { return };
        let is_missed = !is_up && cx.draw(PARTS) < (self.missed * PARTS as f64) as u64;
        // A member that comes back before its death was told of is not told of at all.
        let verdict = if is_up || is_missed { Verdict::Working } else { Verdict::Failed };
        *news = Some((cx.now() + self.after, verdict));
        self.on_wake(cx);
    }

    fn patience(&self) -> Span {
        // It is told; only a simulator's last events must have happened.
        self.after + bellwether_core::HOP
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
