//! A member's failure detector: the same state machine as in the simulator, over real connections.

use crate::node::surroundings::Surroundings;
use bellwether_core::{Detector, Port, Signal, Time, Verdict, WatchCx, Watched};
use rand::RngExt as _;

/// A detector, and its verdicts so far.
pub(crate) struct DetectorDriver {
    detector: Box<dyn Detector>,
    verdicts: Vec<Verdict>,
    wake_at: Option<Time>,
    watched: Watched,
}

/// What reaches a detector.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DetectorInput {
    Start,
    Signal(Port, Signal),
    /// A connection with a neighbour has opened.
    Connected(Port),
    Wake,
}

impl DetectorDriver {
    pub(crate) fn new(detector: Box<dyn Detector>, ports: u32) -> DetectorDriver {
        DetectorDriver {
            detector,
            verdicts: vec![Verdict::Working; ports as usize],
            wake_at: None,
            watched: Watched::default(),
        }
    }

    pub(crate) fn wake_at(&self) -> Option<Time> {
        self.wake_at
    }

    /// Gives the detector one input. Returns the signals to send and the verdicts that changed.
    pub(crate) fn hear(
        &mut self,
        input: DetectorInput,
        now: Time,
        around: &mut Surroundings,
    ) -> &mut Watched {
        if matches!(input, DetectorInput::Wake) {
            self.wake_at = None;
        }
        self.watched.signals.clear();
        self.watched.verdicts.clear();
        self.watched.wake_at = None;
        let mut draw = |bound: u64| around.rng().random_range(0..bound.max(1));
        let mut cx = WatchCx::new(now, self.verdicts.len() as u32, &mut draw, &mut self.watched);
        match input {
            DetectorInput::Start => self.detector.start(&mut cx),
            DetectorInput::Signal(port, signal) => self.detector.on_signal(&mut cx, port, signal),
            DetectorInput::Connected(port) => self.detector.on_connected(&mut cx, port),
            DetectorInput::Wake => self.detector.on_wake(&mut cx),
        }
        self.wake_at = self.watched.wake_at.or(self.wake_at);
        let verdicts = &mut self.verdicts;
        self.watched.verdicts.retain(|&(port, verdict)| {
            verdicts
                .get_mut(port.0 as usize)
                .is_some_and(|known| std::mem::replace(known, verdict) != verdict)
        });
        &mut self.watched
    }

    /// The detector's verdict on a neighbour.
    pub(crate) fn verdict(&self, port: Port) -> Verdict {
        self.verdicts.get(port.0 as usize).copied().unwrap_or(Verdict::Working)
    }
}
