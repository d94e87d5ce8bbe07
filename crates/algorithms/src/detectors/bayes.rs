//! The lecture's use of Bayes' rule: P(failed | silence) = P(failed) / P(silence).

use super::arrivals::{Window, least, tail};
use super::beating::{Beating, Patience, Rule};
use super::{PERIOD, span, wait};
use crate::sources::SARKAR_LECTURE;
use bellwether_core::{DetectorEntry, HOP, Parameter, Preset, Span};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "bayes",
    summary: "computes the probability that a silent neighbour has failed",
    sources: &[SARKAR_LECTURE],
    parameters: &[
        PERIOD,
        Parameter::number(
            "a",
            "the probability that a member fails within T",
            "",
            (1e-9, 0.5),
            Preset::number(0.001),
        ),
        Parameter::number(
            "sure",
            "the probability of failure, given the silence, at which a neighbour has failed",
            "",
            (0.5, 0.999_999),
            Preset::number(0.999),
        ),
        wait("least", "the least standard deviation of a beat's delay, in hops", Preset::DelayBounds(0.1)),
    ],
    is_oracle: false,
    text: include_str!("bayes.md"),
    build: |values| {
        let rule = Bayes { period: values[0], a: values[1], sure: values[2], least_deviation: values[3] };
        Box::new(Beating::new(rule, span(values[0])))
    },
};

/// The number of arrivals that it remembers.
const WINDOW: usize = 100;
/// The length of a tick in hops.
const TICK: f64 = 1.0 / HOP.ticks() as f64;
/// It never assumes a higher share of lost beats: otherwise it would wait for ever.
const MOST_LOSS: f64 = 0.5;

#[derive(Clone, Debug)]
struct Bayes {
    period: f64,
    a: f64,
    sure: f64,
    least_deviation: f64,
}

/// What is known of a neighbour's beats.
#[derive(Clone, Debug, Default)]
struct Beats {
    /// How much later each beat came than one period for every beat since the last one.
    delays: Window,
    /// The number of beats lost before each.
    lost: Window,
}

impl Bayes {
    /// P(failed | silent for this long) = P(failed) / P(silent), where P(silent | failed) = 1 and so P(silent) =
    /// P(failed) + P(working) P(silent | working).
    fn is_failed(&self, silence: f64, loss: f64, deviation: f64) -> f64 {
        self.a / (self.a + (1.0 - self.a) * self.is_silent(silence, loss, deviation))
    }

    /// P(silent | working): every beat that is due was lost or is late, independently.
    fn is_silent(&self, silence: f64, loss: f64, deviation: f64) -> f64 {
        let due = (silence / self.period) as u64;
        let late = |beat: u64| tail((silence - beat as f64 * self.period) / deviation);
        (1..=due).map(|beat| loss + (1.0 - loss) * late(beat)).product()
    }

    fn after(&self, loss: f64, deviation: f64) -> Patience {
        // Whatever their lateness, half of the beats that are due and not lost have arrived by then.
        let most_missing = MOST_LOSS + (1.0 - MOST_LOSS) / 2.0;
        let beats = libm::log((1.0 - self.sure) * self.a) / libm::log(most_missing) + 1.0;
        let limit = |sure: f64| {
            least(0.0, beats * self.period, TICK / 2.0, |silence| {
                self.is_failed(silence, loss, deviation) >= sure
            })
        };
        Patience { suspected: Some(span(limit(0.5))), failed: span(limit(self.sure)) }
    }
}

impl Rule for Bayes {
    type Memory = Beats;

    fn learn(&self, beats: &mut Beats, silence: Span, lost: u64) {
        let lost = lost.min(WINDOW as u64) as f64;
        let delay = silence.hops() - (lost + 1.0) * self.period;
        beats.delays.push(delay.clamp(-self.period, self.period), WINDOW);
        beats.lost.push(lost, WINDOW);
    }

    fn patience(&self, beats: &Beats) -> Patience {
        let (lost, came) = (beats.lost.sum(), beats.lost.len() as f64);
        let loss = if lost > 0.0 { (lost / (lost + came)).min(MOST_LOSS) } else { 0.0 };
        // Until enough beats are recorded: a large estimate.
        let (_, deviation) = beats.delays.spread(WINDOW).unwrap_or((0.0, self.period / 4.0));
        self.after(loss, deviation.max(self.least_deviation).max(f64::EPSILON))
    }

    fn most_patience(&self) -> Span {
        self.after(MOST_LOSS, self.period.max(self.least_deviation)).failed
    }
}
