//! Failure detectors: one member's watch over its neighbours.
//!
//! A [`Detector`] is a pure state machine beside the algorithm's. It talks to its like at the
//! neighbours ([`Signal`]), is woken when it asked to be, and says what it thinks of whom
//! ([`Verdict`]). The driver hands that word to the algorithm (`on_suspicion`). Detectors are not
//! compiled into drivers: they speak once in a while, so that going through `dyn` costs nothing, and any
//! algorithm runs with any of them.

use crate::{Citation, ParamError, Parameter, Params, Port, Span, Time, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What detectors say to each other. Numbers tell one signal from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Signal {
    /// I am alive.
    Beat(u64),
    /// Are you alive?
    Ping(u64),
    /// I am: the answer to the ping of this number.
    Pong(u64),
}

/// One member's watch over its neighbours.
pub trait Detector: fmt::Debug + Send + Sync {
    /// The member boots, for the first time or after a crash. Everyone counts as working until a
    /// verdict says otherwise.
    fn start(&mut self, cx: &mut WatchCx<'_>);

    /// A neighbour's detector said something.
    fn on_signal(&mut self, cx: &mut WatchCx<'_>, from: Port, signal: Signal);

    /// The time has come that was asked for.
    fn on_wake(&mut self, cx: &mut WatchCx<'_>);

    /// A new connection with a neighbour has opened, where there are connections. What was sent before may be lost with the
    /// old one, so a silence until now is no sign of a failure. A neighbour that has been judged failed stays so until it is
    /// heard.
    fn on_connected(&mut self, cx: &mut WatchCx<'_>, peer: Port) {
        let _ = (cx, peer);
    }

    /// For oracles, which only a simulator can serve: a neighbour has in truth just died or come back.
    fn on_truth(&mut self, cx: &mut WatchCx<'_>, peer: Port, is_up: bool) {
        let _ = (cx, peer, is_up);
    }

    /// After so long a silence it has said of a dead neighbour what it will ever say. Drivers wait this
    /// long, a few times over, before they take a run for quiet.
    fn patience(&self) -> Span;

    /// The same watch for another member.
    fn boxed_clone(&self) -> Box<dyn Detector>;
}

/// What a detector wants done.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// What to say to whom.
    pub signals: Vec<(Port, Signal)>,
    /// What it thinks of whom now; only changes.
    pub verdicts: Vec<(Port, Verdict)>,
    /// When to wake it, on the member's clock. It has one alarm: the last wish counts.
    pub wake_at: Option<Time>,
}

/// What a detector works with.
pub struct WatchCx<'a> {
    now: Time,
    peers: u32,
    draw: &'a mut dyn FnMut(u64) -> u64,
    watched: &'a mut Watched,
}

impl<'a> WatchCx<'a> {
    /// For drivers: the context of one input. `draw` gives a whole number below its argument.
    pub fn new(
        now: Time,
        peers: u32,
        draw: &'a mut dyn FnMut(u64) -> u64,
        watched: &'a mut Watched,
    ) -> WatchCx<'a> {
        WatchCx { now, peers, draw, watched }
    }

    /// The member's own clock.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The neighbours.
    pub fn peers(&self) -> impl Iterator<Item = Port> + use<> {
        (0..self.peers).map(Port)
    }

    /// Say something to a neighbour's detector.
    pub fn signal(&mut self, to: Port, signal: Signal) {
        self.watched.signals.push((to, signal));
    }

    /// Be woken at this time, and not at the one asked for before.
    pub fn wake_at(&mut self, at: Time) {
        self.watched.wake_at = Some(at);
    }

    /// Change what is thought of a neighbour.
    pub fn judge(&mut self, peer: Port, verdict: Verdict) {
        self.watched.verdicts.push((peer, verdict));
    }

    /// A whole number below `bound`, all equally likely.
    pub fn draw(&mut self, bound: u64) -> u64 {
        (self.draw)(bound)
    }
}

/// A kind of detector: one file each, listed in a registry.
#[derive(Clone, Copy, Debug)]
pub struct DetectorEntry {
    /// As it is called on the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub sources: &'static [Citation],
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Whether it is told the truth, which only a simulator can do.
    pub is_oracle: bool,
    /// The longer description, in Markdown.
    pub text: &'static str,
    /// Makes one, given a value for each parameter, in their order.
    pub build: fn(&[f64]) -> Box<dyn Detector>,
}

/// A kind of detector with its parameters: `heartbeat`, or `heartbeat:T=5,D=2`.
#[derive(Clone, Debug)]
pub struct DetectorChoice {
    entry: &'static DetectorEntry,
    params: Params,
}

impl DetectorChoice {
    /// A kind of detector as it is unless anything is set.
    #[must_use]
    pub fn new(entry: &'static DetectorEntry) -> DetectorChoice {
        DetectorChoice { entry, params: Params::default() }
    }

    /// Makes out what a user wrote.
    ///
    /// # Errors
    /// [`DetectorError`] says what is wrong.
    pub fn parse(list: &'static [DetectorEntry], text: &str) -> Result<DetectorChoice, DetectorError> {
        let (name, settings) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let entry = list.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| DetectorError::Unknown {
            name: name.to_owned(),
            known: list.iter().map(|entry| entry.name).collect(),
        })?;
        let params =
            settings.map_or(Ok(Params::default()), |settings| Params::parse(entry.parameters, settings));
        let params = params.map_err(|error| DetectorError::Setting { detector: entry.name, error })?;
        Ok(DetectorChoice { entry, params })
    }

    /// Sets a parameter, as in `T=5`.
    ///
    /// # Errors
    /// [`DetectorError::Setting`] says what is wrong.
    pub fn set(&mut self, setting: &str) -> Result<(), DetectorError> {
        let set = self.params.set(self.entry.parameters, setting);
        set.map_err(|error| DetectorError::Setting { detector: self.entry.name, error })
    }

    /// What is chosen.
    #[must_use]
    pub fn entry(&self) -> &'static DetectorEntry {
        self.entry
    }

    /// Every parameter's value, where messages take at most so long. (All of them are numbers.)
    #[must_use]
    pub fn values(&self, delay_bound: Span) -> Vec<f64> {
        let parameters = self.entry.parameters;
        self.params.values(parameters, delay_bound).numbers(parameters.len())
    }

    /// A detector, where messages take at most so long.
    #[must_use]
    pub fn build(&self, delay_bound: Span) -> Box<dyn Detector> {
        (self.entry.build)(&self.values(delay_bound))
    }
}

impl fmt::Display for DetectorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.entry.name, self.params.suffix(self.entry.parameters))
    }
}

/// A detector that cannot be had.
#[derive(Clone, Debug, PartialEq)]
pub enum DetectorError {
    /// There is none of that name.
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// It cannot be set so.
    Setting {
        /// The detector.
        detector: &'static str,
        /// What is wrong.
        error: ParamError,
    },
}

impl fmt::Display for DetectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DetectorError::Unknown { name, known } => {
                write!(f, "there is no detector '{name}': use one of {}", known.join(", "))
            }
            DetectorError::Setting { detector, error } => f.write_str(&error.of(detector)),
        }
    }
}

impl std::error::Error for DetectorError {}
