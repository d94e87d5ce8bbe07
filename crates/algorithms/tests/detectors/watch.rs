//! One detector driven by hand: signals arrive when the test says, alarms go off when they are due.

use bellwether_algorithms::DETECTORS;
use bellwether_core::{Detector, DetectorChoice, HOP, Port, Signal, Time, Verdict, WatchCx, Watched};

pub fn choice(text: &str) -> DetectorChoice {
    DetectorChoice::parse(DETECTORS, text).expect("a detector")
}

pub struct Watch {
    pub detector: Box<dyn Detector>,
    peers: u32,
    alarm: Option<Time>,
    draws: u64,
    /// The verdicts, with neighbour and time in hops.
    pub verdicts: Vec<(f64, u32, Verdict)>,
    /// The signals sent, with times in hops.
    pub signals: Vec<(f64, u32, Signal)>,
}

impl Watch {
    /// A detector that starts at time 0, where messages take at most a hop.
    pub fn new(text: &str, peers: u32) -> Watch {
        let detector = choice(text).build(HOP);
        let mut watch =
            Watch { detector, peers, alarm: None, draws: 0, verdicts: Vec::new(), signals: Vec::new() };
        watch.tell(Time::ZERO, |detector, cx| detector.start(cx));
        watch
    }

    /// A signal arrives.
    pub fn hears(&mut self, hops: f64, from: u32, signal: Signal) {
        self.sleeps(time(hops), false);
        self.tell(time(hops), |detector, cx| detector.on_signal(cx, Port(from), signal));
    }

    /// A new connection with a neighbour opens.
    pub fn is_connected(&mut self, hops: f64, peer: u32) {
        self.sleeps(time(hops), false);
        self.tell(time(hops), |detector, cx| detector.on_connected(cx, Port(peer)));
    }

    /// A neighbour crashes or is back, and oracles are told.
    pub fn is_told(&mut self, hops: f64, peer: u32, is_up: bool) {
        self.sleeps(time(hops), false);
        self.tell(time(hops), |detector, cx| detector.on_truth(cx, Port(peer), is_up));
    }

    /// Time passes, and all that is due by its end happens.
    pub fn passes(&mut self, hops: f64) {
        self.sleeps(time(hops), true);
    }

    /// The verdicts about a neighbour, with times to the tick.
    pub fn of(&self, peer: u32) -> Vec<(f64, Verdict)> {
        self.verdicts
            .iter()
            .filter(|(_, of, _)| *of == peer)
            .map(|(at, _, verdict)| (*at, *verdict))
            .collect()
    }

    fn sleeps(&mut self, until: Time, with_its_end: bool) {
        while let Some(at) = self.alarm.filter(|at| *at < until || with_its_end && *at == until) {
            self.alarm = None;
            self.tell(at, |detector, cx| detector.on_wake(cx));
        }
    }

    fn tell(&mut self, now: Time, word: impl FnOnce(&mut dyn Detector, &mut WatchCx<'_>)) {
        let mut watched = Watched::default();
        let mut draw = |bound: u64| {
            self.draws = self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.draws >> 33) % bound.max(1)
        };
        word(&mut *self.detector, &mut WatchCx::new(now, self.peers, &mut draw, &mut watched));
        if let Some(at) = watched.wake_at {
            assert!(
                at > now || !watched.signals.is_empty() || self.alarm.is_some(),
                "no idle spinning at {at}"
            );
            self.alarm = Some(at.max(now));
        }
        self.signals.extend(watched.signals.into_iter().map(|(port, signal)| (now.hops(), port.0, signal)));
        for (port, verdict) in watched.verdicts {
            let last = self.of(port.0).last().map_or(Verdict::Working, |(_, verdict)| *verdict);
            assert_ne!(verdict, last, "no verdict twice");
            self.verdicts.push((now.hops(), port.0, verdict));
        }
    }
}

fn time(hops: f64) -> Time {
    Time::from_ticks((hops * HOP.ticks() as f64).round() as u64)
}
