//! Small failure detectors for these tests: a perfect one, a good one, and the two kinds of bad ones.

use bellwether_core::{
    Detector, DetectorChoice, DetectorEntry, HOP, Port, Signal, Span, Time, Verdict, WatchCx,
};

/// Knows the truth at once.
pub fn perfect() -> DetectorChoice {
    static ENTRY: DetectorEntry = entry("perfect", true, |_| Box::new(Perfect));
    DetectorChoice::new(&ENTRY)
}

/// Reports a neighbour as failed when it is silent for longer than a message can take.
pub fn heartbeat() -> DetectorChoice {
    static ENTRY: DetectorEntry = entry("heartbeat", false, |_| Box::new(Heartbeat { heard: Vec::new() }));
    DetectorChoice::new(&ENTRY)
}

/// Never reports a failure: incomplete.
pub fn blind() -> DetectorChoice {
    static ENTRY: DetectorEntry = entry("blind", false, |_| Box::new(Blind));
    DetectorChoice::new(&ENTRY)
}

/// Reports live neighbours as failed again and again: inaccurate.
pub fn crying_wolf() -> DetectorChoice {
    static ENTRY: DetectorEntry = entry("crying-wolf", false, |_| Box::new(CryingWolf { victim: None }));
    DetectorChoice::new(&ENTRY)
}

const fn entry(name: &'static str, is_oracle: bool, build: fn(&[f64]) -> Box<dyn Detector>) -> DetectorEntry {
    DetectorEntry { name, summary: "", sources: &[], parameters: &[], is_oracle, text: "", build }
}

const PERIOD: Span = HOP;
/// The period of beats, and the longest delay of these tests with a margin.
const SILENCE: u64 = 6 * HOP.ticks();

#[derive(Clone, Debug)]
struct Perfect;

impl Detector for Perfect {
    fn start(&mut self, _: &mut WatchCx<'_>) {}
    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}
    fn on_wake(&mut self, _: &mut WatchCx<'_>) {}

    fn on_truth(&mut self, cx: &mut WatchCx<'_>, peer: Port, is_up: bool) {
        cx.judge(peer, if is_up { Verdict::Working } else { Verdict::Failed });
    }

    fn patience(&self) -> Span {
        HOP
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

#[derive(Clone, Debug)]
struct Blind;

impl Detector for Blind {
    fn start(&mut self, _: &mut WatchCx<'_>) {}
    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}
    fn on_wake(&mut self, _: &mut WatchCx<'_>) {}

    fn patience(&self) -> Span {
        HOP
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

#[derive(Clone, Debug)]
struct Heartbeat {
    /// When each neighbour was last heard.
    heard: Vec<Time>,
}

impl Detector for Heartbeat {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        self.heard = cx.peers().map(|_| cx.now()).collect();
        self.on_wake(cx);
    }

    fn on_signal(&mut self, cx: &mut WatchCx<'_>, from: Port, _: Signal) {
        self.heard[from.0 as usize] = cx.now();
        cx.judge(from, Verdict::Working);
    }

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        for peer in cx.peers() {
            cx.signal(peer, Signal::Beat(0));
            if cx.now().ticks() - self.heard[peer.0 as usize].ticks() > SILENCE {
                cx.judge(peer, Verdict::Failed);
            }
        }
        cx.wake_at(cx.now() + PERIOD);
    }

    fn patience(&self) -> Span {
        Span::from_ticks(2 * SILENCE)
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}

#[derive(Clone, Debug)]
struct CryingWolf {
    victim: Option<Port>,
}

impl Detector for CryingWolf {
    fn start(&mut self, cx: &mut WatchCx<'_>) {
        cx.wake_at(cx.now() + PERIOD);
    }

    fn on_signal(&mut self, _: &mut WatchCx<'_>, _: Port, _: Signal) {}

    fn on_wake(&mut self, cx: &mut WatchCx<'_>) {
        let peers = cx.peers().count() as u64;
        match self.victim.take() {
            Some(victim) => cx.judge(victim, Verdict::Working),
            None => {
                let victim = Port(cx.draw(peers) as u32);
                cx.judge(victim, Verdict::Failed);
                self.victim = Some(victim);
            }
        }
        cx.wake_at(cx.now() + PERIOD);
    }

    fn patience(&self) -> Span {
        HOP * 10
    }

    fn boxed_clone(&self) -> Box<dyn Detector> {
        Box::new(self.clone())
    }
}
