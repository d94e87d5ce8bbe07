//! The phi-accrual detector: it learns from the arrivals of beats how long a silence is too long.

use super::arrivals::{Window, least, tail};
use super::beating::{Beating, Patience, Rule};
use super::{PERIOD, span, wait};
use crate::sources::{HAYASHIBARA_2004, SARKAR_LECTURE};
use bellwether_core::{DetectorEntry, Parameter, Preset, Span};

/// The entry in the list of detectors.
pub const ENTRY: DetectorEntry = DetectorEntry {
    name: "learned",
    summary: "phi-accrual: learns the gaps between beats, and judges a silence by its probability",
    sources: &[HAYASHIBARA_2004, SARKAR_LECTURE],
    parameters: &[
        PERIOD,
        Parameter::number(
            "phi",
            "failed when a live member is silent for this long only once in 10^phi times",
            "",
            (0.5, 16.0),
            Preset::number(8.0),
        ),
        Parameter::number(
            "window",
            "the number of arrivals that it remembers",
            "",
            (2.0, 10_000.0),
            Preset::number(100.0),
        ),
        wait("least", "the least standard deviation of a gap, in hops", Preset::DelayBounds(0.1)),
    ],
    is_oracle: false,
    text: include_str!("learned.md"),
    build: |values| {
        let of_phi = |phi: f64| least(-9.0, 9.0, 1e-9, |z| tail(z) <= libm::pow(10.0, -phi));
        let rule = Phi {
            period: values[0],
            suspected: of_phi(values[1] / 2.0),
            failed: of_phi(values[1]),
            window: values[2] as usize,
            least_deviation: values[3],
        };
        Box::new(Beating::new(rule, span(values[0])))
    },
};

/// Longer gaps count as this many periods, so that a long absence is soon forgotten.
const LONGEST_GAP: f64 = 10.0;

/// phi(t) = -log10 P(the next beat comes later than t), if gaps between beats have a normal distribution. So phi
/// reaches a threshold after the mean plus a number of standard deviations.
#[derive(Clone, Debug)]
struct Phi {
    period: f64,
    /// In standard deviations.
    suspected: f64,
    failed: f64,
    window: usize,
    least_deviation: f64,
}

impl Phi {
    fn after(&self, mean: f64, deviation: f64) -> Patience {
        let limit = |z: f64| span(mean + z * deviation.max(self.least_deviation));
        Patience { suspected: Some(limit(self.suspected)), failed: limit(self.failed) }
    }
}

impl Rule for Phi {
    type Memory = Window;

    fn learn(&self, gaps: &mut Window, silence: Span, _: u64) {
        gaps.push(silence.hops().min(LONGEST_GAP * self.period), self.window);
    }

    fn patience(&self, gaps: &Window) -> Patience {
        // Until enough gaps are recorded: a large estimate.
        let (mean, deviation) = gaps.spread(self.window).unwrap_or((self.period, self.period / 4.0));
        self.after(mean, deviation)
    }

    fn most_patience(&self) -> Span {
        // Figures between 0 and a maximum have a standard deviation of at most half of it.
        let most = LONGEST_GAP * self.period;
        self.after(most, most / 2.0).failed
    }
}
