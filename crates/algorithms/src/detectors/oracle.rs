//! The common part of detectors that know the truth, which only a simulator does: some report it late, some leave
//! part of it out.

use bellwether_core::{Detector, Port, Signal, Span, Time, Verdict, WatchCx};

/// Reports the truth.
#[derive(Clone, Debug, Default)]
pub(super) struct Oracle {
    /// The delay before it reports a change.
    pub(super) after: Span,
    /// The share of crashes that it does not report.
    pub(super) missed: f64,
    /// For each neighbour, the next report and its time, and the last report.
    neighbours: Vec<(Option<(Time, Verdict)>, Verdict)>,
}

/// Shares are drawn in units of 1 / `PARTS`.
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
        // If a member is back before its crash was reported, nothing is reported.
        let verdict = if is_up || is_missed { Verdict::Working } else { Verdict::Failed };
        *news = Some((cx.now() + self.after, verdict));
        self.on_wake(cx);
    }

    fn patience(&self) -> Span {
        // It knows the truth; only the simulator's last events must have happened.
        self.after + bellwether_core::HOP
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
